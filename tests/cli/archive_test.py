#!/usr/bin/env python3
"""`data export` and `data import` together: what goes through them comes back.

    archive_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]

What Artemis exports is imported by golden_import.py; brokers start on imported stores in
tests/differential/move_proof.py.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402
import live_view  # noqa: E402
import verb_test_case  # noqa: E402
from verb_test_case import NOW  # noqa: E402

FORMS = ("xml", "jsonl")
# What a message on a queue has beside its content.
STATE = ("state", "tx", "delivery_count", "scheduled_ms", "paged")
# Properties by HornetQ's names get those of Artemis.
RENAMED = ("hornetq-2.4",)


def frozen(fields):
    return json.dumps(fields, sort_keys=True)


class ArchiveTest(verb_test_case.VerbTestCase):
    verb = "export"

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="saranga-archive-")
        self.addCleanup(shutil.rmtree, self.work)

    def exported(self, store, form, *options, expect=(0, 1)):
        """The name of an export, and what was told."""
        path = os.path.join(self.work, f"{len(os.listdir(self.work))}.{form}")
        done = self.run_verb(store, *NOW, "--format", form, "--output", path, *options)
        self.assertIn(done.returncode, expect, done.stderr.decode())
        return path, done.stderr.decode()

    def imported(self, export, *options, expect=0):
        """A store made of an export."""
        store = os.path.join(self.work, f"store-{len(os.listdir(self.work))}")
        self.run_import(export, store, *options, expect=expect)
        return store

    def run_import(self, export, *options, expect=0):
        done = subprocess.run([self.saranga, "data", "import", export, *options],
                              capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        if expect == 0 and (b"queues without a binding" in done.stdout or
                            b"[export-of-damage]" in done.stderr):
            expect = 1  # a broker drops them; what was damaged is not in it
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        return done.stderr.decode()

    def moved(self, store, form, export_options=(), import_options=()):
        return self.imported(self.exported(store, form, *export_options)[0], *import_options)

    def references(self, store, *options):
        return live_view.references(self.saranga, store, *options)

    def by_queue(self, store, *options):
        """For each queue its messages, counted by their content."""
        found = {}
        for each in self.references(store, *options):
            found.setdefault(each["queue"], Counter())[
                frozen(live_view.content(store, each))] += 1
        return found

    def ids(self, store, *options):
        found = {}
        for each in self.references(store, *options):
            found.setdefault(each["queue"], []).append(each["id"])
        return {queue: sorted(numbers) for queue, numbers in found.items()}

    def expected(self, case):
        with open(os.path.join(self.fixtures, "cases", case, "expect.json"),
                  encoding="utf-8") as file:
            return json.load(file)

    # ---- nothing is lost -------------------------------------------------------------------------

    def test_an_archive_holds_everything(self):
        compared = in_doubt = paged = 0
        for name in fixture_store.fixture_names(self.fixtures):
            with self.subTest(name):
                store = self.store(name)
                archive, told = self.exported(store, "jsonl", expect=(0, 1, 2))
                self.assertNotIn("not in the export", told)
                copy = self.imported(archive)
                before, after = self.references(store), self.references(copy)
                compared += len(before)
                in_doubt += sum(each["tx"] is not None for each in before)
                paged += sum(each["paged"] for each in before)
                self.compare_references(name, (store, before), (copy, after))
                options = [] if name in RENAMED else [(), ("--ids",), ("--delivery",)]
                for each in options:
                    self.assertEqual(live_view.digest(self.saranga, store, *each),
                                     live_view.digest(self.saranga, copy, *each), each)
                os.remove(archive)
        print(f"{compared} messages compared, {in_doubt} of them in doubt, {paged} in pages")
        self.assertGreater(in_doubt, 50)
        self.assertGreater(paged, 500)

    def compare_references(self, name, first, second):
        (store, before), (copy, after) = first, second
        self.assertEqual([(each["queue_id"], each["queue"], each["id"]) for each in before],
                         [(each["queue_id"], each["queue"], each["id"]) for each in after])
        for old, new in zip(before, after):
            content = live_view.content(store, old)
            if name in RENAMED:
                content = json.loads(json.dumps(content).replace('"_HQ_', '"_AMQ_'))
                content["body"] = content["body"] and live_view.content(copy, new)["body"]
            self.assertEqual(live_view.different(content, live_view.content(copy, new)), [],
                             old["id"])
            self.assertEqual([field for field in STATE if old[field] != new[field]], [], old)

    def test_an_archive_of_an_import_is_the_same_text(self):
        for name in ("orders", "paging", "xa", "protocols", "large", "bindings", "orders-2.19"):
            first, _ = self.exported(self.store(name), "jsonl")
            second, _ = self.exported(self.imported(first), "jsonl")
            with open(first, "rb") as one, open(second, "rb") as other:
                # But for the header, which names the store.
                before, after = (file.read().split(b"\n", 1)[1] for file in (one, other))
                self.assertEqual(before, after, name)

    def test_characters_that_xml_has_not_go_both_ways(self):
        store = self.store("cases/g2-control-characters")
        values = {each["id"]: each for each in
                  self.expected("g2-control-characters")["values"]}
        for form in FORMS:
            copy = self.moved(store, form)
            compared = 0
            for each in self.references(copy):
                for wanted in values.get(each["id"], {"properties": []})["properties"]:
                    got = each["properties"][wanted["key"]]
                    if "utf16" in wanted:
                        units = got["value"].encode("utf-16-be", "surrogatepass")
                        self.assertEqual([int.from_bytes(units[i:i + 2], "big")
                                          for i in range(0, len(units), 2)], wanted["utf16"])
                    elif wanted["type"] in ("string", "int"):
                        self.assertEqual(got["value"], wanted["value"])
                    compared += 1
            self.assertGreater(compared, 20, form)
            self.assertEqual(self.by_queue(copy), self.by_queue(store), form)

    # ---- lost queues -----------------------------------------------------------------------------

    def test_queues_without_a_binding_are_made_again(self):
        for case in ("g12-select-one-queue", "c1-prepared-ack-lost-queue", "k3-no-bindings"):
            store = self.store(f"cases/{case}")
            wanted = {}
            for name, queue in self.expected(case)["queues"].items():
                made = name if queue["bound"] else f"UndefinedQueue_{queue['id']}"
                wanted[made] = sorted(each["id"] for each in queue["journal"] + queue["paged"])
            for form in FORMS:
                export, _ = self.exported(store, form)
                copy = self.imported(export, "--create-queues")
                found = {queue: [each for each in numbers if each in wanted.get(queue, ())]
                         for queue, numbers in self.ids(copy).items()}
                self.assertEqual(found, wanted, f"{case} {form}")
                self.assertNotIn(None, found)
            told = self.run_import(self.exported(store, "xml")[0], os.path.join(self.work, "no"),
                                   expect=2)
            self.assertIn("--create-queues", told)
            self.assertFalse(os.path.exists(os.path.join(self.work, "no")))

    def test_one_lost_queue_alone(self):
        store = self.store("cases/g12-select-one-queue")
        wanted = self.expected("g12-select-one-queue")["select"]["by_id"]["22"]
        for form in FORMS:
            for selection in (("--queue", "22"), ("--state", "orphan")):
                export, _ = self.exported(store, form, *selection)
                made = self.imported(export, "--create-queues")
                self.assertEqual(self.ids(made), {"UndefinedQueue_22": wanted}, (form, selection))
                named = self.imported(export, "--create-queues", "--map-queue", "22=news.b")
                self.assertEqual(self.ids(named), {"news.b": wanted}, (form, selection))
                full = self.imported(export, "--create-queues", "--map-queue", "22=news::news.b")
                self.assertEqual(self.ids(full), {"news.b": wanted}, (form, selection))
        named = self.expected("g12-select-one-queue")["select"]["by_name"]
        for queue, numbers in named.items():
            for form in FORMS:
                self.assertEqual(self.ids(self.moved(store, form, ("--queue", queue))),
                                 {queue: numbers})

    def test_a_rule_may_name_what_would_be_made(self):
        store = self.store("cases/g12-select-one-queue")
        export, _ = self.exported(store, "xml")
        # A rule sends nothing on that another one has sent: the second one of two does nothing.
        for rules, queue, code in ((("22=news::UndefinedQueue_22",), "UndefinedQueue_22", 0),
                                   (("22=second", "second=third"), "second", 1)):
            options = [word for rule in rules for word in ("--map-queue", rule)]
            copy = self.imported(export, "--create-queues", *options, expect=code)
            self.assertEqual(len(self.ids(copy)[queue]), 10)

    def test_a_prefix_of_ones_own(self):
        store = self.store("cases/g12-select-one-queue")
        for form in FORMS:
            copy = self.moved(store, form, ("--undefined-prefix", "lost."),
                              ("--create-queues", "--undefined-prefix", "lost."))
            self.assertEqual(len(self.ids(copy)["lost.22"]), 10)

    def test_a_queue_finds_its_pages(self):
        """Queues that are made have addresses of their own, and each reads the pages of its own."""
        store = self.changed("paging", "without bindings")
        copy = self.moved(store, "jsonl", (), ("--create-queues",))
        places, before = {}, self.references(store)
        for each in self.references(copy):
            places.setdefault(each["id"], []).append(each)
        self.assertEqual(sum(map(len, places.values())), len(before))
        shared = [on for on in places.values() if len({each["queue"] for each in on}) > 1]
        self.assertTrue(shared)
        self.assertTrue(all(each["paged"] for on in shared for each in on))

    # ---- cutting and joining ---------------------------------------------------------------------

    def piped(self, store, form, *options):
        """A store made by export | import."""
        target = os.path.join(self.work, f"store-{len(os.listdir(self.work))}")
        export = subprocess.Popen([self.saranga, "data", "export", store, *NOW, "--format", form,
                                   *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        done = subprocess.run([self.saranga, "data", "import", "-", target], stdin=export.stdout,
                              capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        export.stdout.close()
        self.assertIn(export.wait(), (0, 1))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return target

    @staticmethod
    def joined(*stores):
        """Messages by queue of several stores together."""
        whole = {}
        for store in stores:
            for queue, messages in store.items():
                whole[queue] = whole.get(queue, Counter()) + messages
        return whole

    def test_halves_are_the_whole(self):
        for name in ("orders", "large", "crash", "paging", "cases/f1-orphan-large-files"):
            store = self.store(name)
            whole = self.by_queue(store)
            times = sorted(each["timestamp_ms"] for each in self.references(store))
            middle = times[len(times) // 2]
            queues = sorted(whole)
            half = [word for queue in queues[::2] for word in ("--queue", queue)]
            rest = [word for queue in queues[1::2] for word in ("--queue", queue)]
            cuts = [(("--where", f"JMSTimestamp < {middle}"),
                     ("--where", f"JMSTimestamp >= {middle}"))]
            if rest:
                cuts.append((half, rest))
            for cut in cuts:
                halves = [self.piped(store, "jsonl", *selection) for selection in cut]
                parts = [self.by_queue(each) for each in halves]
                self.assertEqual(self.joined(*parts), whole, (name, cut))
                self.assertTrue(all(parts), (name, cut))
                if name != "paging":  # it has transactions in doubt
                    self.join(halves, whole)

    def join(self, halves, whole):
        """Imports the second half into the first one."""
        export, _ = self.exported(halves[1], "jsonl")
        before = self.by_queue(halves[1])
        self.run_import(export, "--into", halves[0])
        self.assertEqual(self.by_queue(halves[0]), whole)
        self.assertEqual(self.by_queue(halves[1]), before)

    def test_references_are_trimmed_to_the_chosen_queues(self):
        store = self.store("orders")
        places = {}
        for each in self.references(store):
            places.setdefault(each["id"], set()).add(each["queue"])
        shared = next(on for on in places.values() if len(on) > 1)
        queue, other = sorted(shared)[:2]
        for form in FORMS:
            one, two = (self.ids(self.piped(store, form, "--queue", each))
                        for each in (queue, other))
            self.assertEqual((set(one), set(two)), ({queue}, {other}))
            self.assertEqual(one[queue], sorted(i for i, on in places.items() if queue in on))
            self.assertTrue(set(one[queue]) & set(two[other]))

    def test_nothing_in_doubt_goes_into_a_store_that_is_there(self):
        target = self.moved(self.store("aio"), "jsonl")
        export, _ = self.exported(self.store("xa"), "jsonl")
        before = self.by_queue(target)
        self.assertIn("in doubt", self.run_import(export, "--into", target, expect=2))
        self.assertEqual(self.by_queue(target), before)

    # ---- old releases ----------------------------------------------------------------------------

    def test_settings_of_old_releases_are_those_of_2(self):
        for name in ("hornetq-2.4", "artemis-1.5"):
            copy = self.moved(self.store(name), "jsonl")
            records = [each for each in live_view.objects(self.saranga, "print", copy)
                       if each["type"] == "record" and each["file"].startswith("bindings")]
            settings = [each["body"] for each in records if each["record_type"] == 25]
            roles = [each["body"] for each in records if each["record_type"] == 26]
            queues = [each["body"] for each in records if each["record_type"] == 21]
            self.assertTrue(settings and roles and queues)
            self.assertFalse([each for each in settings if "layout" in each], name)
            self.assertEqual({each["settings"]["max_size_bytes"] for each in settings
                              if each["address_match"] == "set.#"}, {100000})
            self.assertFalse([each for each in roles if each.get("delete_address") is None], name)
            self.assertFalse([each for each in queues if each.get("metadata") is None], name)

    # ---- losses ----------------------------------------------------------------------------------

    def lossy(self, store, what):
        """The id of one such message."""
        return next(str(each["id"]) for each in self.references(store) if what(each))

    def test_each_loss_is_told(self):
        cases = (
            ("protocols", lambda each: each["protocol"] == "amqp",
             "AMQP messages: they become Core messages"),
            ("xa", lambda each: each["state"] == "prepared_send",
             "messages that prepared transactions have sent: left out"),
            ("xa", lambda each: each["state"] == "prepared_ack",
             "acknowledgements of prepared transactions"),
            ("orders", lambda each: each["queue"] == "orders.delayed",
             "delivery times that the broker has set"))
        for name, what, told_of in cases:
            store = self.store(name)
            selection = ("--id", self.lossy(store, what))
            self.assertIn(told_of, self.exported(store, "xml", *selection)[1])
            self.assertIn(told_of, self.exported(store, "xml", *selection, "--strict",
                                                 expect=(2,))[1])
            told = self.exported(store, "jsonl", *selection, "--strict", expect=(0,))[1]
            self.assertNotIn("not in the export", told)


if __name__ == "__main__":
    verb_test_case.run(__doc__)
