#!/usr/bin/env python3
"""`saranga data export`: selection, characters that XML has not, and what is lost.

    export_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]

What real Artemis exports of every fixture is compared by golden_export.py.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import xml.parsers.expat

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import verb_test_case  # noqa: E402
from verb_test_case import NOW  # noqa: E402


def exact(element, name):
    """The value of an attribute, exact also where XML has no way to write it."""
    units = element.get(f"x-{name}-utf16")
    if units is None:
        return element.get(name)
    return base64.urlsafe_b64decode(units).decode("utf-16-be", "surrogatepass")


class ExportTest(verb_test_case.VerbTestCase):
    verb = "export"

    def export(self, store, *arguments, expect=0):
        """The parsed document, and what was told."""
        done = self.run_verb(store, *NOW, *arguments)
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        xml.parsers.expat.ParserCreate().Parse(done.stdout, True)
        return ElementTree.fromstring(done.stdout.decode().strip()), done.stderr.decode()

    def listed(self, store):
        """The messages of `data messages`, by id, with their properties and queues."""
        done = subprocess.run([self.saranga, "data", "messages", store, *NOW, "--format", "jsonl"],
                              capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        messages = {}
        for line in done.stdout.splitlines():
            each = json.loads(line)
            if each["type"] == "message" and each["state"] != "prepared_send":
                messages.setdefault(each["id"], (each, []))[1].append(each["queue"])
        return messages

    def ids(self, root):
        return [int(each.get("id")) for each in root.iter("message")]

    def test_every_live_message_is_exported_once(self):
        for name in ("orders", "paging", "xa", "protocols", "large", "unconvertible", "badchars"):
            store = self.store(name)
            root, _ = self.export(store, expect=0)
            listed = self.listed(store)
            self.assertEqual(sorted(self.ids(root)), sorted(listed), name)
            for each in root.iter("message"):
                queues = sorted(exact(queue, "name") for queue in each.iter("queue"))
                self.assertEqual(queues, sorted(listed[int(each.get("id"))][1]), name)

    def test_characters_that_xml_has_not_come_back(self):
        store = self.store("badchars")
        root, told = self.export(store)
        compared = 0
        for each in root.iter("message"):
            properties = self.listed(store)[int(each.get("id"))][0].get("properties", {})
            for property in each.iter("property"):
                expected = properties[exact(property, "name")]
                if expected["type"] == "string":
                    self.assertEqual(exact(property, "value"), expected["value"])
                    compared += 1
        self.assertGreater(compared, 5)
        self.assertIn("characters that XML has not", told)

    def test_the_case_of_control_characters(self):
        store = self.store("cases/g2-control-characters")
        root, _ = self.export(store)
        self.assertEqual(sorted(self.ids(root)), sorted(self.listed(store)))

    def test_a_char_is_marked(self):
        root, told = self.export(self.store("orders"))
        chars = [each for each in root.iter("property") if each.get("type") is None]
        self.assertTrue(chars)
        self.assertTrue(all(each.get("x-type") == "char" for each in chars))
        self.assertIn("properties of type char", told)

    def test_losses_are_told_and_strict_makes_a_code_of_them(self):
        store = self.store("xa")
        _, told = self.export(store)
        self.assertIn("messages that prepared transactions have sent: left out", told)
        self.assertIn("acknowledgements of prepared transactions", told)
        _, told = self.export(store, "--strict", expect=2)
        _, told = self.export(store, "--quiet")
        self.assertEqual(told, "")
        _, told = self.export(self.store("protocols"))
        self.assertIn("AMQP messages: they become Core messages", told)

    PLAIN = """
journal bindings/activemq-bindings-1.bindings id=1
  add 2 ADDRESS_BINDING_RECORD name=a routing_types=ANYCAST auto_created=false
  add 3 QUEUE_BINDING_RECORD name=a address=a metadata="" auto_created=false max_consumers=-1 \
purge_on_no_consumers=false routing_type=ANYCAST
journal journal/activemq-data-1.amq id=1
  add 20 ADD_MESSAGE_PROTOCOL core address=a text=one durable=true
  update 20 ADD_REF queue_id=3
"""

    def told(self, *arguments, expect):
        done = self.run_verb(*arguments)
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        return done.stderr.decode()

    def test_nothing_is_lost_of_a_plain_store(self):
        for form in ("xml", "csv", "jsonl"):
            with self.subTest(form):
                self.assertEqual(self.told(self.built(self.PLAIN), *NOW, "--strict", "--format",
                                           form, expect=0), "")
        path = os.path.join(self.root, "plain.db")
        self.addCleanup(os.remove, path)
        self.assertEqual(self.told(self.built(self.PLAIN), *NOW, "--strict", "--format",
                                   "sqlite", "--output", path, expect=0), "")

    def test_settings_are_counted(self):
        settings = self.PLAIN.replace(
            "routing_type=ANYCAST\n", "routing_type=ANYCAST exclusive=true last_value=false "
            "configuration_managed=false consumers_before_dispatch=2 "
            "delay_before_dispatch_ms=-1\n  add 4 CONNECTOR_RECORD name=c url=tcp://host\n"
            "  add 5 QUEUE_STATUS_RECORD queue_id=3 status=PAUSED\n", 1)
        for before, after in (("metadata=\"\"", "metadata=\"user=bob;\""),
                              ("ANYCAST auto_created=false", "ANYCAST auto_created=true")):
            settings = settings.replace(before, after, 1)
        told = self.told(self.built(settings), *NOW, "--strict", expect=2)
        for kind in ("1  addresses with a setting that XML has not: auto_created",
                     "1  records that XML has not: CONNECTOR_RECORD",
                     *(f"1  queues with a setting that XML has not: {name}" for name in
                       ("consumers_before_dispatch", "exclusive", "paused", "user"))):
            self.assertIn(kind, told)
        self.assertEqual(len(told.splitlines()), 7, told)
        path = os.path.join(self.root, "settings.db")
        self.addCleanup(os.remove, path)
        told = self.told(self.built(settings), *NOW, "--strict", "--format", "sqlite",
                         "--output", path, expect=2)
        self.assertIn("1  queues with a setting that the database has not: "
                      "consumers_before_dispatch", told)
        self.assertIn("1  records that the database has not: CONNECTOR_RECORD", told)
        self.assertEqual(len(told.splitlines()), 3, told)
        # Records of the bindings are not part of an export of some messages.
        told = self.told(self.built(settings), *NOW, "--id", "20", expect=0)
        self.assertNotIn("CONNECTOR_RECORD", told)

    def test_output_to_standard_output(self):
        store = self.store("orders")
        self.assertEqual(self.output(store, *NOW, "--output", "-"), self.output(store, *NOW))
        self.assertFalse(os.path.exists("-"))
        self.assertIn("--output", self.refused(store, "--format", "sqlite", "--output", "-"))

    def test_unconvertible_messages_do_not_end_it(self):
        root, told = self.export(self.store("unconvertible"))
        self.assertEqual(len(self.ids(root)), 8)
        self.assertIn("AMQP encoding is kept", told)

    def test_a_queue_with_its_address_alone(self):
        store = self.store("orders")
        whole, _ = self.export(store)
        queue = next(each.get("name") for each in whole.iter("queue"))
        root, _ = self.export(store, "--queue", queue)
        self.assertEqual({each.get("name") for each in root.iter("queue")}, {queue})
        self.assertEqual([each.get("name") for each in root.iter("queue-binding")], [queue])
        self.assertEqual(len(list(root.iter("address-binding"))), 1)
        address = next(root.iter("address-binding")).get("name")
        by_address, _ = self.export(store, "--address", address)
        self.assertTrue(set(self.ids(root)) <= set(self.ids(by_address)))

    def test_selections_of_messages(self):
        store = self.store("orders")
        whole, _ = self.export(store)
        ids = self.ids(whole)
        self.assertEqual(self.ids(self.export(store, "--id", str(ids[3]))[0]), [ids[3]])
        self.assertEqual(self.ids(self.export(store, "--limit", "2", "--offset", "1")[0]), ids[1:3])
        for option, value in (("--since", "2023-01-01"), ("--until", "2100-01-01"),
                              ("--where", "JMSPriority >= 0"), ("--type", "45"),
                              ("--file", "journal/*"), ("--state", "pending"), ("--tx", "1"),
                              ("--user-id", "none")):
            part, _ = self.export(store, option, value)
            self.assertTrue(set(self.ids(part)) <= set(ids), option)
        _, told = self.export(store, "--queue", "none", "--strict-names", expect=1)
        self.assertIn("none", told)

    def test_queues_without_a_binding_are_named_after_their_id(self):
        store = self.store("cases/c1-prepared-ack-lost-queue")
        names = lambda root: {each.get("name") for each in root.iter("queue")}  # noqa: E731
        root, _ = self.export(store, expect=1)
        lost = {name for name in names(root) if name.startswith("UndefinedQueue_")}
        self.assertTrue(lost)
        number = lost.pop().removeprefix("UndefinedQueue_")
        for spelling in ("--undefined-prefix", "undefined-prefix"):
            self.assertIn(f"x.{number}", names(self.export(store, spelling, "x.", expect=1)[0]))
        self.assertEqual(names(self.export(store, "--queue", number, expect=1)[0]),
                         {f"UndefinedQueue_{number}"})

    def test_artemis_options(self):
        _, told = self.export(self.store("orders"), "log-interval", "50")
        self.assertIn("exported 50 messages", told)
        _, told = self.export(self.store("orders"), "--log-interval=100")
        self.assertIn("exported 100 messages", told)
        self.assertIn("--format", self.refused(self.store("orders"), "--format", "yaml"))
        by_alias = subprocess.run([self.saranga, "data", "exp", self.store("orders"), *NOW],
                                  capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        self.assertEqual(by_alias.stdout, self.output(self.store("orders"), *NOW))

    def test_a_missing_body_is_damage(self):
        root, told = self.export(self.changed("large", "without large-messages"), expect=2)
        self.assertEqual(sorted(self.ids(root)), sorted(self.listed(self.store("large"))))
        self.assertIn("large-body-missing", told)

    def test_a_body_that_is_cut_is_damage(self):
        """In every form, with the findings of `verify`; a whole one is none."""
        for name, least in (("large", 17), ("protocols", 2)):
            with tempfile.TemporaryDirectory() as scratch:
                copy = os.path.join(scratch, "store")
                subprocess.run(["cp", "-r", self.store(name), copy], check=True)
                bodies = os.path.join(copy, "large-messages")
                for body in os.listdir(bodies):
                    os.truncate(os.path.join(bodies, body), 1000)
                verified = {text for text in self.body_findings("verify", copy)}
                self.assertGreaterEqual(len(verified), least)
                for form in ("xml", "jsonl", "csv", "sqlite"):
                    done = self.run_verb(copy, *NOW, "--format", form, "--output",
                                         os.path.join(scratch, "x"))
                    self.assertEqual(done.returncode, 2, form)
                    told = done.stderr.decode()
                    for file, code in verified:
                        self.assertRegex(told, rf"{file}: damage: .*\[{code}\]", form)
                    self.assertEqual(self.run_verb(copy, *NOW, "--format", form, "--strict",
                                                   "--output", os.path.join(scratch, "y")
                                                   ).returncode, 2, form)
                # Those who do not read bodies see the lengths.
                lengths = {each for each in verified if each[1] == "large-body-length"}
                for verb in ("messages", "hash", "queues", "stats"):
                    self.assertLessEqual(lengths, self.body_findings(verb, copy), verb)

    def body_findings(self, verb, store):
        """The files and codes of what is told of bodies."""
        done = subprocess.run([self.saranga, "data", verb, store, "--format", "jsonl"],
                              capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        found = map(json.loads, done.stdout.splitlines())
        return {(each["file"], each["code"]) for each in found if each["type"] == "finding"
                and each["severity"] == "damage" and each["file"].startswith("large-messages/")}

    def test_a_cut_amqp_message_is_told_of(self):
        """Wherever it is cut, but between two sections."""
        store = self.store("large")
        large = [each for each, _ in self.listed(store).values()
                 if each["protocol"] == "amqp" and each["large"]]
        self.assertTrue(large)
        each = large[0]
        with tempfile.TemporaryDirectory() as scratch:
            copy = os.path.join(scratch, "store")
            subprocess.run(["cp", "-r", store, copy], check=True)
            body = os.path.join(copy, "large-messages", f"{each['id']}.msg")
            whole = os.path.getsize(body)
            for size in (whole - 1, whole // 2, 200, 100, 40, 9, 1, 0):
                os.truncate(body, size)
                _, told = self.export(copy, "--id", str(each["id"]), expect=2)
                self.assertIn("[amqp-large-layout]", told, size)

    def test_the_file_appears_whole(self):
        with tempfile.TemporaryDirectory() as scratch:
            target = os.path.join(scratch, "all.xml")
            self.assertEqual(self.output(self.store("orders"), *NOW, "--output", target), b"")
            with open(target, "rb") as written:
                self.assertEqual(written.read(), self.output(self.store("orders"), *NOW))


if __name__ == "__main__":
    verb_test_case.run(__doc__)
