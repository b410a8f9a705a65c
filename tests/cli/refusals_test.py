#!/usr/bin/env python3
"""What must not pass without a word: output into a store, damaged or ambiguous archives, missing
parts, links that lead nowhere, bodies that are lost, and names that would steer a terminal.

    refusals_test.py --saranga PROGRAM --fixtures FOLDER [arguments of unittest]
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402
import recipe_store  # noqa: E402

NOW = ("--now", "2026-11-30T00:00Z")
VERBS = ("print", "queues", "messages", "stats", "verify", "explain", "hash")


class Refusals(unittest.TestCase):
    saranga = fixtures = None

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="saranga-refusals-")
        self.addCleanup(shutil.rmtree, self.root)

    def store(self, name, copy="store"):
        path = fixture_store.unpack_fixture(self.fixtures, name, os.path.join(self.root, copy))
        return path

    def changed(self, name, *lines):
        """A copy of a fixture in which the lines of a recipe change something."""
        return recipe_store.changed(self.saranga, self.store(name, "sound"),
                                    os.path.join(self.root, "changed"), *lines)

    def run_verb(self, *arguments):
        done = subprocess.run([self.saranga, "data", *arguments], capture_output=True, timeout=120)
        return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")

    def codes(self, *arguments):
        code, out, _ = self.run_verb(*arguments, "--format", "jsonl")
        return code, [o["code"] for o in map(json.loads, out.strip().split("\n"))
                      if o["type"] == "finding"]

    @staticmethod
    def sums(folder):
        result = {}
        for base, _, files in os.walk(folder):
            for name in files:
                path = os.path.join(base, name)
                with open(path, "rb") as source:
                    result[path] = hashlib.sha256(source.read()).hexdigest()
        return result

    def test_output_into_a_store(self):
        store, other = self.store("xa"), self.store("orders", "other")
        journal = os.path.join(store, "journal", "activemq-data-1.amq")
        before = self.sums(self.root)
        cases = [("queues", store, "--output", journal),
                 ("queues", store, "--output", os.path.join(store, "new.txt")),
                 ("queues", store, "--output", os.path.join(store, "paging", "new.txt")),
                 ("queues", store, "--output", os.path.join(other, "journal", "new.txt")),
                 ("diff", store, other, "--output", os.path.join(other, "bindings", "x")),
                 ("print", journal, "--output", os.path.join(store, "large-messages", "x")),
                 ("print", journal, "--output", os.path.join(store, "journal", "x")),
                 ("verify", "--journal", os.path.join(store, "journal"), "--output",
                  os.path.join(store, "bindings", "x"))]
        for arguments in cases:
            code, out, said = self.run_verb(*arguments)
            self.assertEqual((code, out), (64, ""), arguments)
            self.assertIn("nothing is written there", said)
        self.assertEqual(self.sums(self.root), before)
        outside = os.path.join(self.root, "queues.txt")
        self.assertEqual(self.run_verb("queues", store, "--output", outside)[0], 0)
        self.assertGreater(os.path.getsize(outside), 0)

    def test_archive_with_a_wrong_checksum(self):
        with open(os.path.join(self.fixtures, "xa", "store.tar.gz"), "rb") as source:
            packed = bytearray(source.read())
        packed[-6] ^= 0x01  # in the checksum at the end: all that is in it can still be read
        damaged = os.path.join(self.root, "case.tar.gz")
        with open(damaged, "wb") as target:
            target.write(packed)
        for verb in VERBS:
            code, _, said = self.run_verb(verb, damaged)
            self.assertEqual(code, 3, verb)
            self.assertIn("archive", said)

    def test_archive_with_two_stores(self):
        packed = os.path.join(self.root, "two.tar")
        with tarfile.open(packed, "w") as tar:
            tar.add(self.store("xa", "a"), "a/data")
            tar.add(self.store("orders", "b"), "b/data")
        code, _, said = self.run_verb("queues", packed)
        self.assertEqual(code, 64)
        self.assertIn("a/data", said)
        self.assertIn("b/data", said)

    def test_archive_with_links(self):
        store = self.store("xa")
        name = "activemq-data-1.amq"
        hard = os.path.join(self.root, "hard.tar")
        with tarfile.open(hard, "w") as tar:
            tar.add(os.path.join(store, "journal", name), "kept")
            entry = tarfile.TarInfo(f"store/journal/{name}")
            entry.type, entry.linkname = tarfile.LNKTYPE, "kept"
            tar.addfile(entry)
            for other in os.listdir(os.path.join(store, "journal")):
                if other != name:
                    tar.add(os.path.join(store, "journal", other), f"store/journal/{other}")
            tar.add(os.path.join(store, "bindings"), "store/bindings")
            tar.add(os.path.join(store, "large-messages"), "store/large-messages")
            tar.add(os.path.join(store, "paging"), "store/paging")
        self.assertEqual(self.run_verb("hash", hard, *NOW)[:2],
                         self.run_verb("hash", store, *NOW)[:2])
        lost = os.path.join(self.root, "lost.tar")
        with tarfile.open(lost, "w") as tar:
            tar.add(os.path.join(store, "bindings"), "store/bindings")
            entry = tarfile.TarInfo(f"store/journal/{name}")
            entry.type, entry.linkname = tarfile.SYMTYPE, "/elsewhere"
            tar.addfile(entry)
        code, codes = self.codes("queues", lost)
        self.assertEqual((code, codes.count("file-unreadable")), (2, 1))

    def test_missing_parts(self):
        store = self.store("xa")
        shutil.rmtree(os.path.join(store, "journal"))
        for verb in VERBS:
            if verb in ("explain", "messages"):
                continue
            code, codes = self.codes(verb, store)
            self.assertIn(code, (1, 2), verb)
            self.assertIn("journal-missing", codes)

    def test_links_that_lead_nowhere(self):
        store = self.store("xa")
        os.symlink("/nowhere", os.path.join(store, "journal", "activemq-data-99.amq"))
        os.mkfifo(os.path.join(store, "journal", "activemq-data-98.amq"))
        for verb in VERBS:
            code, codes = self.codes(verb, store)
            self.assertEqual(code, 2, verb)
            self.assertEqual(codes.count("file-unreadable"), 2, verb)

    def test_file_that_was_cut(self):
        store = self.changed("orders", "change journal/activemq-data-1.amq", "  cut 30000")
        code, codes = self.codes("verify", store)
        self.assertEqual(code, 2)
        self.assertIn("file-cut", codes)

    def test_lost_bodies(self):
        whole = self.store("large", "whole")
        referenced = sorted(o["id"] for o in self.messages(whole) if o["large"])
        store = self.changed("large", f"without large-messages/{referenced[0]}.msg")
        for verb in VERBS:
            if verb == "explain":
                continue
            code, codes = self.codes(verb, store)
            self.assertEqual((code, codes.count("large-body-missing")), (2, 1), verb)
        self.assertEqual(self.codes("diff", store, whole)[0], 2)

    def messages(self, store):
        _, out, _ = self.run_verb("messages", store, "--format", "jsonl")
        return [o for o in map(json.loads, out.strip().split("\n")) if o["type"] == "message"]

    def test_narration_is_printable(self):
        store = self.store("xa")
        os.mkdir(os.path.join(store, "paging", "evil\x1b]0;x\x07\nsaranga: all is well"))
        code, _, said = self.run_verb("queues", store)
        self.assertEqual(code, 1)
        self.assertNotIn("\x1b", said)
        self.assertTrue(all(line.startswith("saranga: ") for line in said.splitlines()))
        self.assertNotIn("saranga: all is well", said.splitlines())

    def test_failing_at_once_leaves_no_half_document(self):
        for verb in VERBS:
            for form in ("json", "jsonl"):
                if verb == "print" and form == "json":
                    continue
                code, out, _ = self.run_verb(verb, os.path.join(self.root, "none"), "--format", form)
                self.assertEqual((code, out), (3, ""), (verb, form))

    def test_selection_of_other_verbs(self):
        store = self.store("orders")
        one = self.messages(store)[0]
        _, out, _ = self.run_verb("stats", store, *NOW, "--queue", one["queue"], "--format", "jsonl")
        objects = [json.loads(line) for line in out.strip().split("\n")]
        wanted = [m for m in self.messages(store) if m["queue"] == one["queue"]]
        addresses = [o for o in objects if o["type"] == "address"]
        self.assertEqual([a["message_count"] for a in addresses], [len(wanted)])
        histogram = next(o for o in objects if o["type"] == "histogram")
        self.assertEqual(sum(histogram["body_bytes_below_powers_of_ten"]), len(wanted))
        types = {o["record_type"] for o in objects if o["type"] == "record_type"}
        self.assertLessEqual(types, {32, 33, 34, 36, 39, 40, 41, 42, 43})
        self.assertEqual(self.run_verb("stats", store, "--queue", "nix", "--strict-names")[0], 1)
        other = self.changed("orders", "without journal/activemq-data-1.amq")
        code, every = self.differences(store, other)
        self.assertEqual(code, 1)
        code, some = self.differences(store, other, "--queue", one["queue"])
        self.assertEqual(some, [d for d in every if d["queue"] == one["queue"]])
        self.assertGreater(len(some), 0)
        _, first = self.differences(store, other, "--limit", "2", "--offset", "1")
        self.assertEqual(first, every[1:3])

    def differences(self, *arguments):
        code, out, _ = self.run_verb("diff", *arguments, *NOW, "--format", "jsonl")
        return code, [o for o in map(json.loads, out.strip().split("\n")) if o["type"] == "message"]

    def test_selection_of_findings(self):
        store = self.store("crash")
        code, every = self.codes("verify", store)
        self.assertEqual(code, 1)
        self.assertEqual(self.codes("verify", store, "--file", "no-such-file"), (0, []))
        _, out, _ = self.run_verb("verify", store, "--format", "jsonl")
        ids = {o["id"] for o in map(json.loads, out.strip().split("\n"))
               if o["type"] == "finding" and o["id"] is not None}
        some = self.codes("verify", store, "--id", str(min(ids)))[1]
        self.assertTrue(0 < len(some) <= len(every))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--saranga", required=True)
    parser.add_argument("--fixtures", required=True)
    options, rest = parser.parse_known_args()
    Refusals.saranga = os.path.abspath(options.saranga)
    Refusals.fixtures = os.path.abspath(options.fixtures)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=1)


if __name__ == "__main__":
    main()
