#!/usr/bin/env python3
"""`saranga perf-journal`: what it says, every option, and that nothing is left behind.

    perf_journal_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import recipe_store  # noqa: E402

TIMEOUT_S = 120
SMALL = ("--writes", "20", "--tries", "2")


class PerfJournal(unittest.TestCase):
    saranga = None

    def setUp(self):
        # Beside the program, so that it is the same disk as that of the build: a temporary folder may
        # be in memory.
        self.folder = tempfile.TemporaryDirectory(dir=os.path.dirname(self.saranga))
        self.addCleanup(self.folder.cleanup)

    def run_perf(self, *arguments):
        return subprocess.run([self.saranga, "perf-journal", *arguments], capture_output=True,
                              text=True, timeout=TIMEOUT_S)

    def document(self, *arguments):
        done = self.run_perf("--journal", self.folder.name, *SMALL, "--format", "json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])
        return json.loads(done.stdout)

    def test_text_names_what_to_configure(self):
        done = self.run_perf(self.folder.name, *SMALL, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 tries of 20 writes of 4096 bytes", done.stdout)
        self.assertRegex(done.stdout, r"<journal-type>(NIO|ASYNCIO|MAPPED)</journal-type>")
        self.assertRegex(done.stdout,
                         r"<journal-buffer-timeout>[1-9]\d*</journal-buffer-timeout>")
        self.assertRegex(done.stdout, r"below .*#")
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_json_has_every_type(self):
        document = self.document("--sync")
        self.assertEqual(document["schema"], "saranga.perf-journal/1")
        types = {one["journal_type"]: one for one in document["journal_types"]}
        self.assertEqual(sorted(types), ["ASYNCIO", "MAPPED", "NIO"])
        for one in types.values():
            if not one["measured"]:
                self.assertTrue(one["reason"])
                continue
            self.assertEqual(len(one["tries_ns"]), 2)
            self.assertLessEqual(one["p50_ns"], one["p90_ns"])
            self.assertLessEqual(one["p90_ns"], one["p99_ns"])
            self.assertLessEqual(one["p99_ns"], one["max_ns"])
            self.assertEqual(sum(band["count"] for band in one["latency_bands"]), 20)
            self.assertAlmostEqual(one["buffer_timeout_ns"], min(one["tries_ns"]) / 20, delta=1)
        self.assertTrue(types["NIO"]["measured"])
        self.assertTrue(document["summary"]["sync"])
        self.assertIn(document["summary"]["journal_type"], types)
        self.assertEqual(document["summary"]["exit_code"], 0)

    def test_options(self):
        document = self.document("--journal-type", "NIO", "--no-sync", "--block-size", "512",
                                 "--sync-writes", "--max-aio", "4", "--file", "scratch", "--f")
        self.assertEqual([one["journal_type"] for one in document["journal_types"]], ["NIO"])
        self.assertFalse(document["summary"]["sync"])
        self.assertEqual(document["summary"]["block_bytes"], 512)
        self.assertEqual(document["summary"]["writes"], 20)
        self.document("--journal-type", "ASYNCIO", "--max-aio", "500")  # more than there is room for
        for number in ("0", "-1", "1000000"):
            done = self.run_perf("--journal", self.folder.name, "--max-aio", number)
            self.assertEqual(done.returncode, 64)
            self.assertIn("--max-aio", done.stderr)

    def test_lines_and_output(self):
        target = os.path.join(self.folder.name, "result")
        os.mkdir(os.path.join(self.folder.name, "disk"))
        done = self.run_perf(os.path.join(self.folder.name, "disk"), *SMALL, "--format", "jsonl",
                             "--output", target)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open(target, encoding="utf-8") as file:
            kinds = [json.loads(line)["type"] for line in file]
        self.assertEqual(kinds, ["header"] + 3 * ["journal_type"] + ["summary"])

    def test_block_that_direct_writes_cannot_have(self):
        document = self.document("--journal-type", "ASYNCIO", "--block-size", "4096")
        if not document["journal_types"][0]["measured"]:
            self.skipTest(document["journal_types"][0]["reason"])
        done = self.run_perf("--journal", self.folder.name, *SMALL, "--journal-type", "ASYNCIO",
                             "--block-size", "100")
        self.assertEqual(done.returncode, 1)
        self.assertIn("direct writes need blocks of a multiple of", done.stdout)

    def test_an_existing_file_is_not_touched(self):
        path = os.path.join(self.folder.name, "test.tmp")
        with open(path, "w", encoding="utf-8") as file:
            file.write("precious")
        done = self.run_perf("--journal", self.folder.name, *SMALL)
        self.assertEqual(done.returncode, 3)
        self.assertIn("test.tmp: cannot create: File exists", done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")

    def test_refusals(self):
        for arguments, text in (
                (("--file", "../x"), "without a folder"),
                (("--file", "activemq-data-1.amq"), "name of a journal file"),
                (("--journal-type", "RAID"), "none of NIO, ASYNCIO, MAPPED"),
                (("--block-size", "67108864", "--writes", "1000000"), "at most"),
                (("--writes", "0"), "--writes")):
            done = self.run_perf("--journal", self.folder.name, *arguments)
            self.assertEqual(done.returncode, 64, done.stderr)
            self.assertIn(text, done.stderr)
        done = self.run_perf(os.path.join(self.folder.name, "missing"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("missing", done.stderr)

    def test_store_is_measured_in_its_journal_folder(self):
        store = recipe_store.build(
            self.saranga, "journal bindings/activemq-bindings-1.bindings id=1 size=1040\n"
            "folder journal\n", os.path.join(self.folder.name, "store"))
        done = self.run_perf(store, *SMALL, "--format", "json", "--journal-type", "NIO")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["store"],
                         os.path.join(store, "journal"))

    def test_nothing_is_left_when_it_is_ended(self):
        for number, expected in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
            process = subprocess.Popen(
                [self.saranga, "perf-journal", "--journal", self.folder.name, "--writes", "100000",
                 "--tries", "1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(0.5)
            process.send_signal(number)
            process.communicate(timeout=TIMEOUT_S)
            self.assertEqual(process.returncode, expected)
            self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_mistyped_name(self):
        done = subprocess.run([self.saranga, "perf-journl"], capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 64)
        self.assertIn("did you mean `saranga perf-journal`?", done.stderr)


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures")
    options, rest = parser.parse_known_args()
    PerfJournal.saranga = os.path.abspath(options.saranga)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
