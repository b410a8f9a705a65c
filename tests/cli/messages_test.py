#!/usr/bin/env python3
"""`saranga data messages`: golden files, every option, the cases of fixtures/cases, exit codes.

    messages_test.py [--saranga PATH] [--fixtures DIR] [--update] [arguments of unittest]
"""
import base64
import collections
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fixture_store  # noqa: E402
from verb_test_case import NOW, VerbTestCase, parse, run  # noqa: E402

EXIT_OF_CLASS = {"clean": 0, "attention": 1, "partial": 2}


class MessagesTest(VerbTestCase):
    verb = "messages"

    def messages(self, name, *arguments, expect=0):
        found = self.objects(self.store(name), *NOW, *arguments, expect=expect)
        return [message for message in found if message["type"] == "message"]

    def ids(self, name, *arguments, expect=0):
        return [message["id"] for message in self.messages(name, *arguments, expect=expect)]

    def selected(self, name, wanted, *arguments):
        """Checks that exactly the messages are listed of which `wanted` holds."""
        every, some = self.messages(name), self.messages(name, *arguments)
        self.assertEqual([m for m in every if wanted(m)], some)
        self.assertTrue(0 < len(some) < len(every), f"{len(some)} of {len(every)}")
        return some


class Golden(MessagesTest):
    def test_text(self):
        self.check_golden("messages-orders.txt", self.store("orders"), *NOW, "--queue",
                          "orders.[j-s]*", "--body", "text")
        self.check_golden("messages-paging.txt", self.store("paging"), *NOW, "--queue", "paged.any")
        self.check_golden("messages-xa.txt", self.store("xa"), *NOW, "--body", "summary")

    def test_json_lines(self):
        self.check_golden("messages-orders.jsonl", self.store("orders"), *NOW, "--queue",
                          "orders.[o-t]*", "--format", "jsonl", "--body", "full")
        self.check_golden("messages-paging.jsonl", self.store("paging"), *NOW, "--queue", "paged.any",
                          "--queue", "paged.sub.even", "--format", "jsonl")
        self.check_golden("messages-xa.jsonl", self.store("xa"), *NOW, "--format", "jsonl",
                          "--body", "text")

    def test_csv(self):
        for name in ("paging", "xa"):
            self.check_golden(f"messages-{name}.csv", self.store(name), *NOW, "--format", "csv",
                              "--queue", "*.any", "--queue", "orders.*", "--body", "text")


class Forms(MessagesTest):
    def test_json_holds_what_json_lines_hold(self):
        for name in ("orders", "paging", "xa", "protocols", "large"):
            lines = self.objects(self.store(name), *NOW, "--body", "full")
            document = parse(self.output(self.store(name), *NOW, "--body", "full", "--format",
                                         "json"))
            self.assertEqual(document["messages"], lines[1:-1])
            self.assertEqual(document["schema"], "saranga.messages/1")
            self.assertEqual({**document["summary"], "type": "summary"}, lines[-1])

    def test_no_name_occurs_twice(self):
        # The reader refuses that; here for every message of every kind.
        for name in fixture_store.fixture_names(self.fixtures):
            done = self.run_verb(self.store(name), *NOW, "--format", "jsonl", "--body", "full")
            self.assertIn(done.returncode, (0, 1, 2))
            for line in done.stdout.splitlines():
                parse(line)

    def test_csv_holds_what_json_lines_hold(self):
        def plain(value):
            if value is None:
                return ""
            return str(value).lower() if isinstance(value, bool) else str(value)
        for name in ("orders", "xa", "paging"):
            text = self.output(self.store(name), *NOW, "--format", "csv").decode()
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            messages = self.messages(name)
            self.assertEqual(len(rows), len(messages))
            for row, message in zip(rows, messages):
                properties = parse(row.pop("properties"))
                self.assertEqual(properties, message["properties"])
                self.assertEqual(row, {key: plain(message[key]) for key in row})

    def test_csv_bodies(self):
        for detail in ("none", "summary", "text", "hex", "full"):
            text = self.output(self.store("orders"), *NOW, "--queue", "orders.types", "--format",
                               "csv", "--body", detail).decode()
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            self.assertEqual("body" in rows[0], detail != "none")
            if detail == "text":
                self.assertEqual(rows[0]["body"], "hello birch")
            elif detail != "none":
                self.assertEqual(parse(rows[0]["body"])["kind"], "text")

    def test_equal_input_gives_equal_output(self):
        for form in ("text", "json", "jsonl", "csv"):
            runs = {self.output(self.store("paging"), *NOW, "--format", form, "--body", "full")
                    for _ in range(3)}
            self.assertEqual(len(runs), 1)

    def test_output_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            self.assertEqual(self.output(self.store("xa"), *NOW, "--output", path), b"")
            with open(path, "rb") as made:
                self.assertEqual(made.read(), self.output(self.store("xa"), *NOW))

    def test_nobody_reads_on(self):
        script = (f'"{self.saranga}" data messages "{self.store("paging")}" --format jsonl '
                  "--body full | head -n 1")
        done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
        self.assertEqual(done.stderr, b"")

    def test_names_cannot_steer_the_terminal(self):
        text = self.output(self.store("cases/g2-control-characters"), *NOW, "--body", "full")
        self.assertFalse([c for c in text.decode() if ord(c) < 32 and c != "\n"])


class Bodies(MessagesTest):
    def test_levels(self):
        kinds = {}
        for detail in ("none", "summary", "text", "hex", "full"):
            found = self.messages("orders", "--queue", "orders.jms", "--body", detail)
            kinds[detail] = [message.get("body") for message in found]
        self.assertEqual(set(map(str, kinds["none"])), {"None"})
        self.assertTrue(all(set(body) == {"kind"} for body in kinds["summary"]))
        self.assertEqual(kinds["text"][0], {"kind": "text", "text": "ttl, priority 9"})
        self.assertTrue(all("data_hex" in body for body in kinds["hex"]))
        self.assertIn("map", next(body for body in kinds["full"] if body["kind"] == "map"))

    def test_large_bodies_are_read_from_their_files(self):
        store = self.store("large")
        checked = 0
        for message in self.messages("large", "--state", "large", "--body", "hex"):
            path = os.path.join(store, message["body_file"])
            with open(path, "rb") as source:
                content = source.read()
            self.assertEqual(message["body_bytes"], len(content))
            if message["protocol"] == "core" and not message["body"].get("compressed"):
                self.assertEqual(bytes.fromhex(message["body"]["data_hex"]), content)
                checked += 1
        self.assertGreater(checked, 3)

    def test_long_body_is_streamed(self):
        """More than is held in memory: as it is, or said to be too long."""
        store = self.store("large")
        message = next(m for m in self.messages("large", "--state", "large")
                       if m["protocol"] == "core")
        with tempfile.TemporaryDirectory() as folder:
            content = os.urandom(1000) * 20000  # 20 MB
            name = os.path.basename(message["body_file"])
            with open(os.path.join(folder, name), "wb") as out:
                out.write(content)
            parts = [f"--large-messages={folder}", f"--id={message['id']}", *NOW]
            for detail, key, decode in (("full", "data_b64", base64.b64decode),
                                        ("hex", "data_hex", bytes.fromhex)):
                body = self.shown(store, *parts, "--body", detail)["body"]
                self.assertEqual(hashlib.sha1(decode(body[key])).digest(),
                                 hashlib.sha1(content).digest())
            body = self.shown(store, *parts, "--body", "text")["body"]
            self.assertTrue(body["too_long"])
            self.output(store, *parts, "--body", "full", expect=1)
            self.output(store, *parts, "--body", "full", "--format", "csv", expect=1)

    def shown(self, *arguments):
        """The message, of which a warning says that its body is longer than it announces."""
        found = self.objects(*arguments, expect=1)
        self.assertIn("large-body-length", [each.get("code") for each in found])
        return next(each for each in found if each["type"] == "message")

    def test_missing_body_is_damage(self):
        with tempfile.TemporaryDirectory() as folder:
            objects = self.objects(self.store("large"), *NOW, f"--large-messages={folder}",
                                   "--body", "full", expect=2)
        missing = [m for m in objects if m["type"] == "message" and m["large"]]
        self.assertTrue(missing)
        for message in missing:
            self.assertIsNone(message["body_bytes"])
            self.assertIsNone(message["body_file"])
            self.assertIsNone(message["body"])
        told = [found["id"] for found in objects if found["type"] == "finding"]
        self.assertEqual(sorted(told), sorted({message["id"] for message in missing}))


class Selection(MessagesTest):
    def test_queue(self):
        self.selected("xa", lambda m: m["queue"] == "orders.in", "--queue", "orders.in")
        self.selected("xa", lambda m: m["queue"].startswith("orders.fan"), "--queue", "*.fan.?")
        self.selected("paging", lambda m: m["queue_id"] == 22, "--queue", "22")

    def test_queue_without_binding(self):
        name = "cases/g12-select-one-queue"
        self.assertEqual(self.ids(name, "--queue", "22", expect=1), list(range(32, 42)))
        self.assertEqual(self.ids(name, "--state", "orphan", expect=1), list(range(32, 42)))
        self.assertEqual(self.ids(name, "--queue", "news.a", expect=1), list(range(34, 42)))
        self.assertEqual(self.ids(name, "--queue", "dead", expect=1), list(range(42, 47)))

    def test_address(self):
        self.selected("paging", lambda m: m["address"] == "paged.topic", "--address", "paged.topic")
        self.selected("orders", lambda m: m["queue"].startswith("events.") or
                      m["queue"].startswith("client-1."), "--address", "ev*")

    def test_id(self):
        self.selected("xa", lambda m: m["id"] in (36, 58), "--id", "36,58")
        self.selected("xa", lambda m: 40 <= m["id"] <= 50 or m["id"] == 176, "--id", "40-50",
                      "--id", "176")
        self.selected("paging", lambda m: 90 <= m["id"] <= 95, "--id=90-95")

    def test_user_id(self):
        user_id = next(m["user_id"] for m in self.messages("orders") if m["user_id"])
        self.selected("orders", lambda m: m["user_id"] == user_id, "--user-id", user_id)
        self.selected("orders", lambda m: m["user_id"] == user_id, "--user-id", "ID:" + user_id)
        self.selected("protocols", lambda m: m["user_id"] == "ID:mine-1", "--user-id", "ID:mine-1")

    def test_tx(self):
        prepared = self.selected("xa", lambda m: m["tx"] == 61, "--tx", "61")
        self.assertEqual({m["state"] for m in prepared}, {"prepared_ack"})
        paged = next(m["page_tx"] for m in self.messages("paging") if m.get("page_tx"))
        self.selected("paging", lambda m: m.get("page_tx") == paged or m["tx"] == paged, "--tx",
                      str(paged))

    def test_type(self):
        self.selected("large", lambda m: m.get("record_type") == 30, "--type", "30")
        self.selected("large", lambda m: m.get("record_type") == 30, "--type", "add-large-message")
        self.selected("paging", lambda m: not m["paged"], "--type", "ADD_MESSAGE_PROTOCOL,30")

    def test_file(self):
        page = next(m["file"] for m in self.messages("paging") if m["paged"])
        self.selected("paging", lambda m: m["file"] == page, "--file", page)
        self.selected("paging", lambda m: m["file"].endswith("/" + os.path.basename(page)),
                      "--file", os.path.basename(page))
        self.selected("paging", lambda m: m["file"].endswith(".amq"), "--file", "*.amq")

    def test_since_and_until(self):
        edge = 1700000070000  # 2023-11-14T22:14:30Z
        self.selected("orders", lambda m: m["timestamp_ms"] >= edge, "--since",
                      "2023-11-14T22:14:30Z")
        self.selected("orders", lambda m: 0 < m["timestamp_ms"] < edge, "--until", str(edge))
        self.selected("orders", lambda m: edge <= m["timestamp_ms"] < edge + 5000, "--since",
                      str(edge), "--until", "2023-11-14 22:14:35")
        self.selected("orders", lambda m: m["timestamp_ms"] >= 1796050000000 - 7200000, "--since",
                      "2h")

    def test_state(self):
        for name, state, wanted in (
                ("orders", "pending", lambda m: m["state"] == "pending"),
                ("orders", "scheduled", lambda m: m["state"] == "scheduled"),
                ("orders", "delivered", lambda m: m["delivery_count"] > 0),
                ("orders", "expired", lambda m: m["expired"]),
                ("xa", "prepared", lambda m: m["state"].startswith("prepared_")),
                ("xa", "large", lambda m: m["large"]),
                ("paging", "paged", lambda m: m["paged"]),
                ("paging", "prepared,scheduled", lambda m: m["state"] != "pending")):
            self.selected(name, wanted, "--state", state)

    def test_where(self):
        self.selected("orders", lambda m: m["properties"].get("n", {}).get("value") == 3, "--where",
                      "n = 3")
        self.selected("orders", lambda m: m["priority"] > 4, "--where", "JMSPriority > 4")
        self.selected("orders", lambda m: "region" in m["properties"] and
                      m["properties"]["region"]["value"] == "EU", "--where", "region LIKE 'E%'")
        self.selected("protocols", lambda m: m.get("application_properties", m.get("properties", {}))
                      .get("region", {}).get("value") == "EU", "--where", "region = 'EU'")

    def test_together(self):
        self.selected("xa", lambda m: m["queue"] == "orders.in" and m["state"] == "pending" and
                      m["id"] < 45, "--queue", "orders.in", "--state", "pending", "--id", "0-44")

    def test_limit_and_offset(self):
        every = self.ids("paging")
        for offset, limit in ((0, 5), (3, 5), (140, 30), (len(every) - 2, 5)):
            self.assertEqual(self.ids("paging", "--offset", str(offset), "--limit", str(limit)),
                             every[offset:offset + limit])
        self.assertEqual(self.ids("paging", "--limit", "0"), every)
        summary = self.objects(self.store("paging"), *NOW, "--limit", "2")[-1]
        self.assertFalse(summary["complete"])
        summary = self.objects(self.store("paging"), *NOW, "--limit", "10000")[-1]
        self.assertTrue(summary["complete"])
        self.assertIn(b"--limit ended the list", self.output(self.store("xa"), "--limit", "1"))

    def test_now(self):
        early = self.messages("orders", "--queue", "orders.sched", "--state", "scheduled")
        self.assertEqual(len(early), 3)
        late = self.objects(self.store("orders"), "--queue", "orders.sched", "--now", "2040-01-01")
        self.assertEqual({m["state"] for m in late[1:-1]}, {"pending"})


class Order(MessagesTest):
    def test_priority_then_arrival(self):
        queue = self.messages("orders", "--queue", "orders.prio")
        self.assertEqual(queue, sorted(queue, key=lambda m: (-m["priority"], m["id"])))

    def test_pages_come_behind_the_journal(self):
        paged = [m["paged"] for m in self.messages("paging", "--address", "paged.ünï/キュー")]
        self.assertEqual(paged, sorted(paged))
        self.assertEqual(len(set(paged)), 2)

    def test_one_queue_after_the_other(self):
        queues = [m["queue_id"] for m in self.messages("paging")]
        self.assertEqual(queues, sorted(queues))


class Cases(MessagesTest):
    """What live-state rules make of stores in trouble."""

    def expected(self, name):
        with open(os.path.join(self.fixtures, name, "expect.json"), encoding="utf-8") as source:
            return json.load(source)

    def test_every_case(self):
        names = [name for name in fixture_store.fixture_names(self.fixtures)
                 if name.startswith("cases/")]
        for name in names:
            expect = self.expected(name)
            store = fixture_store.unpack_fixture(self.fixtures, name, self.fresh_place())
            for large in expect.get("large", ()):  # the archive of a case may hold a stand-in
                os.truncate(os.path.join(store, "large-messages", f"{large['id']}.msg"),
                            large["size"])
            with self.subTest(name):
                done = self.run_verb(store, *NOW, "--format", "jsonl")
                worst = EXIT_OF_CLASS[expect["exit_class"]]
                # What no message shows is told by other verbs.
                self.assertIn(done.returncode, (2,) if worst == 2 else range(worst + 1))
                found = collections.defaultdict(list)
                for line in done.stdout.splitlines():
                    message = parse(line)
                    if message["type"] == "message" and message["state"] != "prepared_send":
                        found[message["queue_id"]].append(message["id"])
                for queue in expect["queues"].values():
                    wanted = [m["id"] for m in queue["journal"]] + [m["id"] for m in queue["paged"]]
                    self.assertEqual(sorted(found[queue["id"]]), sorted(wanted), queue["id"])


class ExitCodes(MessagesTest):
    def test_nothing_fits(self):
        store = self.store("xa")
        done = self.run_verb(store, *NOW, "--where", "colour = 'green'")
        self.assertEqual((done.returncode, done.stderr),
                         (0, b"saranga: note: no message fits the selection\n"))
        self.assertEqual(self.run_verb(store, "--where", "colour = 'green'",
                                       "--strict-names").returncode, 1)
        done = self.run_verb(store, "--id", "999,36", "--strict-names")
        self.assertEqual((done.returncode, done.stderr),
                         (1, b"saranga: note: --id 999 matches nothing\n"))
        # Nobody knows whether it is there when the list ended before.
        done = self.run_verb(store, "--id", "36,999", "--limit", "1", "--strict-names")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        for option, value in (("--user-id", "nobody"), ("--tx", "5"), ("--file", "x.amq"),
                              ("--queue", "x"), ("--address", "x")):
            done = self.run_verb(store, option, value)
            self.assertIn(f"note: {option} {value} matches nothing", done.stderr.decode())
        self.assertEqual(self.run_verb(store, "--queue", "x", "--quiet").stderr, b"")

    def test_damage(self):
        store = self.store("cases/e1-torn-page")
        objects = self.objects(store, *NOW, expect=2)
        damage = [found for found in objects if found["type"] == "finding"]
        self.assertEqual(len(damage), 1)  # although several queues read the page
        done = self.run_verb(store, *NOW, "--strict", "--format", "jsonl")
        self.assertEqual(done.returncode, 2)
        self.assertLessEqual(len(done.stdout.splitlines()), len(objects))

    def test_usage(self):
        for arguments in (("--where", "a ="), ("--since", "soon"), ("--until", "2024-13-01"),
                          ("--state", "lost"), ("--type", "X"), ("--id", "9-1"), ("--tx", "x"),
                          ("--limit", "-1"), ("--body", "all"), ("--format", "xml")):
            self.assertIn(arguments[0], self.refused(self.store("xa"), *arguments))

    def test_verbose(self):
        self.output(self.store("xa"), *NOW, "--verbose")


if __name__ == "__main__":
    run(__doc__)
