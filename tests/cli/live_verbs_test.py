#!/usr/bin/env python3
"""`saranga data show`, `stats`, `hash` and `diff`, and stores inside of archives.

    live_verbs_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402
import recipe_store  # noqa: E402

TIMEOUT_S = 120
NOW = ("--now", "1796050000000")


class VerbTest(unittest.TestCase):
    saranga = fixtures = root = None

    def store(self, name, folder="store"):
        if not os.path.isdir(os.path.join(self.root, name)):
            fixture_store.unpack_fixture(self.fixtures, name, self.root)
        path = os.path.join(self.root, name, folder)
        for part in fixture_store.STORE_FOLDERS:
            os.makedirs(os.path.join(path, part), exist_ok=True)
        return path

    def run_verb(self, *arguments, expect=0):
        done = subprocess.run([self.saranga, "data", *arguments], capture_output=True,
                              timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        return done.stdout.decode("utf-8", "surrogateescape")

    def objects(self, *arguments, expect=0):
        text = self.run_verb(*arguments, "--format", "jsonl", expect=expect)
        return [json.loads(line) for line in text.splitlines()]

    def digest(self, *arguments, expect=0):
        return self.objects("hash", *arguments, expect=expect)[-1]["sha256"]


class Show(VerbTest):
    def test_story_of_a_message(self):
        objects = self.objects("show", self.store("orders"), "22", "--body", "full", *NOW)
        self.assertEqual(objects[0]["schema"], "saranga.show/1")
        places = [o for o in objects if o["type"] == "place"]
        self.assertEqual([p["queue"] for p in places], ["orders.types"])
        self.assertEqual(places[0]["message"]["body"]["text"], "hello birch")
        records = [o for o in objects if o["type"] == "record"]
        self.assertEqual([r["record_type"] for r in records], [45, 32])
        self.assertEqual(records[0]["offset"], 16)

    def test_text_names_file_and_offset(self):
        text = self.run_verb("show", self.store("orders"), "22", *NOW)
        self.assertIn("on queue orders.types (id 19): pending", text)
        self.assertIn("journal/activemq-data-1.amq:0x10  add", text)

    def test_place_is_annotated(self):
        text = self.run_verb("show", self.store("orders"), "journal/activemq-data-1.amq:0x10")
        self.assertIn("kind 11 (add)", text)
        self.assertIn("record id 22", text)
        self.assertIn("check size", text)

    def test_prepared_transaction(self):
        text = self.run_verb("show", self.store("xa"), "61", *NOW)
        self.assertIn("transaction 61: prepared, in doubt", text)
        self.assertIn("global id: g-ack-1 (hex", text)

    def test_unknown_id_is_a_warning(self):
        self.run_verb("show", self.store("orders"), "999999999", expect=1)

    def test_place_outside_is_an_error(self):
        self.run_verb("show", self.store("orders"), "journal/none.amq:16", expect=3)


class Stats(VerbTest):
    def test_bytes_of_files_add_up(self):
        store = self.store("compacted")
        for entry in self.objects("stats", store, *NOW):
            if entry["type"] != "file":
                continue
            total = sum(entry[key] for key in ("header_bytes", "record_bytes", "stale_bytes",
                                               "padding_bytes", "unreadable_bytes"))
            self.assertEqual(total, os.path.getsize(os.path.join(store, entry["file"])))

    def test_record_counts_are_those_of_print(self):
        store = self.store("xa")
        counted = sum(o["records"] for o in self.objects("stats", store, *NOW)
                      if o["type"] == "record_type")
        printed = [o for o in self.objects("print", store, "--skip-bindings")
                   if o["type"] == "record"]
        self.assertEqual(counted, len(printed))

    def test_text_has_the_tables(self):
        text = self.run_verb("stats", self.store("orders"), *NOW)
        for title in ("ADDRESS", "RECORDS", "FILE", "SIZE OF BODY", "AGE"):
            self.assertIn(title, text)


class Hash(VerbTest):
    def test_compaction_keeps_the_digest(self):
        before, after = (self.store("compact-cli", folder) for folder in ("store-before", "store"))
        self.assertEqual(self.digest(before, *NOW), self.digest(after, *NOW))
        # Artemis' compaction loses delivery counts, and that is seen when it is asked for.
        self.assertNotEqual(self.digest(before, "--delivery", *NOW),
                            self.digest(after, "--delivery", *NOW))
        self.assertIn("0 differ", self.run_verb("diff", before, after, *NOW))

    def test_different_stores_differ(self):
        self.assertNotEqual(self.digest(self.store("orders"), *NOW),
                            self.digest(self.store("orders-2.44"), *NOW))

    def test_it_is_the_same_every_time(self):
        first, second = (self.run_verb("hash", self.store("paging"), *NOW) for _ in range(2))
        self.assertEqual(first, second)


class Diff(VerbTest):
    def test_a_store_equals_itself(self):
        objects = self.objects("diff", self.store("xa"), self.store("xa"), *NOW)
        self.assertEqual([o["type"] for o in objects], ["header", "summary"])
        self.assertGreater(objects[-1]["equal"], 0)

    def test_a_cut_journal_misses_messages(self):
        # The first message and its reference.
        cut = recipe_store.changed(self.saranga, self.store("orders"),
                                   os.path.join(self.root, "cut"),
                                   "change journal/activemq-data-1.amq",
                                   "  put 16 hex:" + 154 * "00")
        done = subprocess.run([self.saranga, "data", "diff", self.store("orders"), cut, *NOW,
                               "--format", "jsonl"], capture_output=True, timeout=TIMEOUT_S)
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        missing = [o for o in objects if o.get("difference") == "missing"]
        self.assertEqual([(m["queue"], m["id"]) for m in missing], [("orders.types", 22)])


class Archives(VerbTest):
    def archive(self, kind):
        path = os.path.join(self.root, "case" + kind)
        store = self.store("orders")
        if kind == ".zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
                for base, _, files in os.walk(store):
                    for name in files:
                        full = os.path.join(base, name)
                        out.write(full, "case/data/" + os.path.relpath(full, store))
        else:
            with tarfile.open(path, "w:gz" if kind.endswith("gz") else "w") as out:
                out.add(store, "case/data")
        return path

    def test_each_kind_holds_the_same(self):
        plain = self.digest(self.store("orders"), *NOW)
        for kind in (".tar", ".tar.gz", ".zip"):
            self.assertEqual(self.digest(self.archive(kind), *NOW), plain, kind)

    def test_an_archive_without_a_store_says_so(self):
        path = os.path.join(self.root, "none.tar")
        with tarfile.open(path, "w") as out:
            out.add(HERE, "tests")
        self.run_verb("hash", path, expect=64)

    def test_a_cut_archive_says_so(self):
        path = self.archive(".tar.gz")
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) // 2)
        done = subprocess.run([self.saranga, "data", "hash", path], capture_output=True,
                              timeout=TIMEOUT_S)
        self.assertIn(done.returncode, (2, 3))
        self.assertIn(b"archive", done.stderr)


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    options, rest = parser.parse_known_args()
    VerbTest.saranga = os.path.abspath(options.saranga)
    VerbTest.fixtures = os.path.abspath(options.fixtures)
    with tempfile.TemporaryDirectory(prefix="saranga-verbs-") as VerbTest.root:
        unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
