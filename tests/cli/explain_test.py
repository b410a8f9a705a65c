#!/usr/bin/env python3
"""`saranga data explain` on the fixtures: sums that must agree with the files and with other verbs,
targets of every kind, and its options.

    explain_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402

TIMEOUT_S = 120
NOW = ("--now", "1796050000000")


class ExplainTest(unittest.TestCase):
    saranga = fixtures = root = None

    def store(self, name):
        if not os.path.isdir(os.path.join(self.root, name)):
            fixture_store.unpack_fixture(self.fixtures, name, self.root)
        return os.path.join(self.root, name, "store")

    def run_verb(self, verb, *arguments, expect=(0,)):
        done = subprocess.run([self.saranga, "data", verb, *arguments], capture_output=True,
                              timeout=TIMEOUT_S)
        self.assertIn(done.returncode, expect, done.stderr.decode())
        return done.stdout.decode("utf-8", "surrogateescape")

    def explain(self, *arguments, expect=(0,)):
        return self.run_verb("explain", *arguments, *NOW, expect=expect)

    def objects(self, *arguments, expect=(0,), verb="explain"):
        text = self.run_verb(verb, *arguments, *NOW, "--format", "jsonl", expect=expect)
        return [json.loads(line) for line in text.splitlines()]

    def of(self, kind, *arguments, **options):
        return [item for item in self.objects(*arguments, **options) if item["type"] == kind]


class Sums(ExplainTest):
    """What holds for every store."""

    def each_fixture(self):
        for name in fixture_store.fixture_names(self.fixtures):
            with self.subTest(fixture=name):
                yield self.store(name)

    def test_files_are_the_files(self):
        for store in self.each_fixture():
            items = self.objects(store, expect=(0, 1, 2))
            files = [item for item in items if item["type"] in ("journal_file", "page", "large_file",
                                                                "leftover")]
            for item in files:
                path = os.path.join(store, item["file"])
                # A folder may have another name than the part that it is.
                if os.path.exists(path):
                    self.assertEqual(os.path.getsize(path), item["size_bytes"], item["file"])
            for item in items:
                if item["type"] == "journal_file":
                    parts = ("live", "pending", "dead", "header", "stale", "padding", "unreadable")
                    self.assertEqual(sum(item[f"{part}_bytes"] for part in parts),
                                     item["size_bytes"], item["file"])

    def test_every_kept_file_has_a_reason(self):
        for store in self.each_fixture():
            for item in self.of("journal_file", store, expect=(0, 1, 2)):
                reasons = [item[key] for key in ("queues", "records", "transactions", "needed_for",
                                                 "unreferenced_count", "deleted_in_current_count",
                                                 "replaced_count", "retention_pending")]
                if item["state"] == "kept":
                    self.assertTrue(any(reasons), item["file"])

    def test_queues_are_those_of_the_other_verb(self):
        for store in self.each_fixture():
            wanted = {item["id"]: item["message_count"]
                      for item in self.of("queue", store, verb="queues", expect=(0, 1, 2))
                      if item["name"] is not None and item["message_count"]}
            found = {item["queue_id"]: item["message_count"] + item["paged_count"]
                     for item in self.of("queue_usage", store, expect=(0, 1, 2))}
            self.assertEqual(found, wanted)

    def test_current_file_is_the_one_with_the_highest_id(self):
        for store in self.each_fixture():
            files = [item for item in self.of("journal_file", store, expect=(0, 1, 2))
                     if item["journal"] == "messages" and item["state"] != "free"]
            current = [item["file_id"] for item in files if item["state"] == "current"]
            self.assertEqual(current, [max(item["file_id"] for item in files)] if files else [])


class Overview(ExplainTest):
    def test_same_bytes_again_and_in_one_document(self):
        store = self.store("paging")
        lines = self.explain(store, "--format", "jsonl")
        self.assertEqual(lines, self.explain(store, "--format", "jsonl"))
        document = json.loads(self.explain(store, "--format", "json"))
        objects = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual(document["schema"], objects[0]["schema"])
        for key, kind in (("pages", "page"), ("advice", "advice"), ("queues", "queue_usage")):
            self.assertEqual(document[key], [item for item in objects if item["type"] == kind])
        self.assertEqual(document["summary"]["exit_code"], 0)

    def test_compacted(self):
        files = {item["file"]: item for item in self.of("journal_file", self.store("compacted"))}
        kept = files["journal/activemq-data-2.amq"]
        self.assertEqual(kept["state"], "kept")
        self.assertEqual({share["queue"]: share["message_count"] for share in kept["queues"]},
                         {"orders.fan.1": 9, "orders.fan.2": 26, "orders.keep": 28})
        other = files["journal/activemq-data-3.amq"]
        self.assertEqual([item["tx"] for item in other["transactions"] if item["prepared"]], [867])
        self.assertEqual([item["record_name"] for item in other["records"]], ["DUPLICATE_ID"])
        self.assertEqual([item["tx"] for item in other["needs"]["settle"]], [867])

    def test_compaction_rules(self):
        store = self.store("compacted")
        outlook = self.of("compaction", store)[0]
        self.assertFalse(outlook["starts"])
        self.assertEqual((outlook["min_file_count"], outlook["percentage"]), (10, 30))
        outlook = self.of("compaction", store, "--compact-min-files", "1", "--compact-percentage",
                          "50")[0]
        self.assertTrue(outlook["starts_by_size"])
        self.assertEqual(outlook["limit_bytes"], 102400)
        self.assertFalse(self.of("compaction", store, "--compact-min-files", "0")[0]["starts"])
        self.assertIn("never compacts", self.explain(store, "--compact-min-files", "0"))

    def test_paging(self):
        pages = self.of("page", self.store("paging"))
        counts = {}
        for page in pages:
            for share in page["queues"]:
                counts[share["queue"]] = counts.get(share["queue"], 0) + share["message_count"]
        with open(os.path.join(self.fixtures, "paging", "facts.json"), encoding="utf-8") as source:
            expected = json.load(source)["expected"]
        self.assertEqual(counts["paged.sub.a"], expected["paged.sub.a"])
        self.assertEqual(counts["paged.sub.b"], expected["paged.sub.b"])
        self.assertEqual(counts["paged.sub.even"], expected["paged.sub.even"])
        self.assertEqual(sum(page["state"] == "current" for page in pages),
                         len({page["address"] for page in pages}))
        emptying = [item for item in self.of("advice", self.store("paging"))
                    if item["action"] == "empty_queue"]
        self.assertEqual(emptying[0]["frees"]["page_count"], 4)

    def test_large(self):
        files = {item["file"]: item for item in self.of("large_file", self.store("large"),
                                                        expect=(0, 1))}
        self.assertEqual(files["large-messages/208.msg"]["state"], "orphan")
        self.assertEqual(files["large-messages/114.tmp"]["state"], "temporary")
        shared = files["large-messages/187.msg"]
        self.assertEqual([share["queue"] for share in shared["queues"]],
                         ["amqp-client-1.big1", "amqp-client-1.big2"])
        start = [item for item in self.of("advice", self.store("large"), expect=(0, 1))
                 if item["action"] == "start"]
        self.assertEqual(start[0]["frees"]["large_file_count"], 2)

    def test_text(self):
        text = self.explain(self.store("paging"))
        for title in ("What is on disk", "What would free space", "Queues, that which frees most",
                      "Message journal: 2 files", "Pages: 25 files", "Bindings journal"):
            self.assertIn(title, text)
        self.assertIn("emptying queue paged.sub.b (147 messages) frees 3 pages", text)

    def test_limit(self):
        store = self.store("paging")
        self.assertIn("… and 23 more; --limit 0 shows all", self.explain(store, "--limit", "2"))
        self.assertNotIn("more; --limit", self.explain(store, "--limit", "0"))
        self.assertEqual(len(self.of("page", store, "--limit", "3")), 3)

    def test_output(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.txt")
            self.assertEqual(self.explain(self.store("large"), "--output", path, expect=(0, 1)), "")
            with open(path, encoding="utf-8") as made:
                self.assertEqual(made.read(), self.explain(self.store("large"), expect=(0, 1)))

    def test_archive(self):
        archive = os.path.join(self.fixtures, "large", "store.tar.gz")
        packed, plain = (self.objects(store, expect=(0, 1))
                         for store in (archive, self.store("large")))
        self.assertEqual(packed[1:], plain[1:])


class Targets(ExplainTest):
    def test_journal_file_by_any_name(self):
        store = self.store("compacted")
        names = ("activemq-data-2.amq", "journal/activemq-data-2.amq",
                 os.path.join(store, "journal", "activemq-data-2.amq"))
        pins = [[{**pin, "target": None} for pin in self.of("pin", store, name)] for name in names]
        self.assertEqual(pins[0], pins[1])
        self.assertEqual(pins[0], pins[2])
        messages = {}
        for pin in pins[0]:
            if pin["why"] == "message":
                for queue in pin["queues"]:
                    messages.setdefault(queue["queue"], set()).add(pin["id"])
        self.assertEqual({queue: len(ids) for queue, ids in messages.items()},
                         {"orders.fan.1": 9, "orders.fan.2": 26, "orders.keep": 28})

    def test_pins_are_records_of_the_file(self):
        store = self.store("compacted")
        printed = self.run_verb("print", store, "--format", "jsonl").splitlines()
        records = {(item["file"], item["offset"]): item for item in map(json.loads, printed)
                   if item["type"] == "record"}
        files = {item["file"]: item for item in self.of("journal_file", store)}
        for name, report in files.items():
            live = 0
            for pin in self.of("pin", store, name):
                record = records[pin["file"], pin["offset"]]
                self.assertEqual([pin[key] for key in ("length", "kind", "tx")],
                                 [record[key] for key in ("length", "kind", "tx")])
                if pin["file"] == name and pin["why"] in ("message", "record",
                                                          "unreferenced_message"):
                    live += pin["length"]
            self.assertEqual(live, report["live_bytes"], name)

    def test_page(self):
        store = self.store("paging")
        pins = self.of("pin", store, "paged.topic:5")
        self.assertEqual(len(pins), 9)
        self.assertTrue(all(pin["why"] == "paged_message" for pin in pins))
        self.assertEqual([pin["message_number"] for pin in pins], list(range(9)))
        path = pins[0]["file"]
        self.assertEqual([{**pin, "target": None} for pin in self.of("pin", store, path)],
                         [{**pin, "target": None} for pin in pins])

    def test_large_message(self):
        store = self.store("large")
        pins = self.of("pin", store, "187.msg", expect=(0, 1))
        self.assertEqual({pin["id"] for pin in pins}, {187})
        self.assertIn("kept by: amqp-client-1.big1, amqp-client-1.big2",
                      self.explain(store, "187.msg", expect=(0, 1)))

    def test_ids(self):
        store = self.store("compacted")
        message = self.of("pin", store, "78")
        self.assertEqual([pin["record_name"] for pin in message],
                         ["ADD_MESSAGE_PROTOCOL", "ADD_REF", "ADD_REF", "ACKNOWLEDGE_REF"]
                         + ["UPDATE_DELIVERY_COUNT"] * 4)
        transaction = self.of("pin", store, "867")
        self.assertIn("prepare", [pin["kind"] for pin in transaction])
        self.assertTrue(all(867 in pin["transactions"] for pin in transaction))
        queue = next(item["queue_id"] for item in self.of("queue_usage", store))
        self.assertEqual(self.of("queue_usage", store, str(queue))[0]["queue_id"], queue)
        paged = self.of("pin", self.store("paging"), "78")
        self.assertEqual([pin["why"] for pin in paged], ["paged_message"])

    def test_several_and_limit(self):
        store = self.store("compacted")
        ends = self.of("target", store, "activemq-data-2.amq", "78", "--limit", "5")
        self.assertEqual([end["target"] for end in ends], ["activemq-data-2.amq", "78"])
        self.assertEqual(ends[0]["pin_count"] - ends[0]["left_out_count"], 5)
        self.assertEqual((ends[1]["pin_count"], ends[1]["left_out_count"]), (8, 3))

    def test_chain_in_text(self):
        text = self.explain(self.store("compacted"), "activemq-data-3.amq")
        self.assertIn("prepared transaction 867 has to be settled", text)
        self.assertIn("In journal/activemq-data-3.amq:", text)

    def test_what_is_not_there(self):
        store = self.store("paging")
        self.explain(store, "activemq-data-99.amq", expect=(3,))
        self.explain(store, "paged.topic:4711", expect=(3,))
        self.explain(store, "000000007.page", expect=(64,))  # of two addresses
        self.explain(store, "999999999", expect=(1,))
        self.explain(store, "--no-such-option", expect=(64,))


class Runbook(ExplainTest):
    """The output in docs/runbooks/disk-full.md is what the program prints."""

    def test_output_is_real(self):
        path = os.path.join(REPOSITORY, "docs/runbooks/disk-full.md")
        with open(path, encoding="utf-8") as source:
            lines = [line.strip() for line in source]
        shown, command, inside = {}, None, False
        for line in lines:
            if line.startswith("```"):
                inside, command = not inside, None
            elif line.startswith("$ saranga data "):
                command = line[2:]
                shown[command] = []
            elif inside and command:
                shown[command].append(line)
        self.assertGreater(len(shown), 4)
        for command, expected in shown.items():
            for name in ("compacted", "paging", "large"):
                self.store(name)
            done = subprocess.run([self.saranga, *command.split()[1:]], capture_output=True,
                                  cwd=self.root, timeout=TIMEOUT_S)
            printed = [line.strip() for line in done.stdout.decode().rstrip("\n").split("\n")]
            self.assertEqual(printed, expected, command)


class Harmless(ExplainTest):
    def test_damage_is_told_and_explained(self):
        store = self.store("cases/e1-torn-page")
        self.objects(store, expect=(1, 2))

    def test_store_is_untouched(self):
        for name in ("compacted", "paging", "large"):
            store = self.store(name)
            before = self.snapshot(store)
            self.explain(store, expect=(0, 1))
            self.explain(store, "1", expect=(0, 1))
            self.assertEqual(self.snapshot(store), before)

    @staticmethod
    def snapshot(root):
        state = {}
        for base, folders, files in os.walk(root):
            for name in folders + files:
                path = os.path.join(base, name)
                digest = ""
                if name in files:
                    with open(path, "rb") as source:
                        digest = hashlib.sha256(source.read()).hexdigest()
                state[os.path.relpath(path, root)] = (os.stat(path).st_mtime_ns, digest)
        return state


def main():
    parser = argparse.ArgumentParser(description="Test `data explain`.")
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    options, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="saranga-explain-") as root:
        ExplainTest.saranga = os.path.abspath(options.saranga)
        ExplainTest.fixtures, ExplainTest.root = options.fixtures, root
        unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
