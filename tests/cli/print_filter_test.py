#!/usr/bin/env python3
"""The selection of `saranga data print`: what is printed is exactly what fits.

    print_filter_test.py --saranga PROGRAM --fixtures FOLDER [arguments of unittest]

Each filter is tried against a rule in Python over everything that is printed without it.
"""
import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402

SHOWN = ("record", "survivor", "transaction_record", "paged_message", "large_file")
STORES = ("orders", "paging", "xa", "large")


class PrintFilter(unittest.TestCase):
    saranga = fixtures = root = None
    everything = {}

    def run_print(self, name, *arguments, expected=(0, 1)):
        store = os.path.join(self.root, name, "store")
        done = subprocess.run([self.saranga, "data", "print", store, "--format", "jsonl", "--body",
                               "full", *arguments], capture_output=True, timeout=120)
        self.assertIn(done.returncode, expected, done.stderr)
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        return [o for o in objects if o["type"] in SHOWN], done.stderr.decode()

    def record_of(self, name, shown):
        """The record that a survivor or a record of an open transaction stands for."""
        if shown["type"] not in ("survivor", "transaction_record"):
            return shown
        for other in self.all_of(name):
            if other["type"] == "record" and (other["file"], other["offset"]) == (
                    shown["file"], shown["offset"]):
                return other
        raise AssertionError(shown)

    def all_of(self, name):
        if name not in self.everything:
            self.everything[name] = self.run_print(name)[0]
        return self.everything[name]

    def check(self, name, arguments, fits):
        """What `arguments` print is what `fits`; returns how much that is."""
        wanted = [o for o in self.all_of(name) if fits(self.record_of(name, o))]
        got, _ = self.run_print(name, *arguments)
        self.assertEqual(got, wanted, (name, arguments))
        return len(got)

    def test_ids(self):
        for name in STORES:
            ids = sorted({o["id"] for o in self.all_of(name) if o["type"] == "record" and "id" in o})
            one, low, high = ids[len(ids) // 2], ids[len(ids) // 3], ids[len(ids) // 2]
            self.assertGreater(self.check(name, ["--id", str(one)], lambda o: self.id_of(o) == one), 0)
            self.assertGreater(self.check(name, ["--id", f"{low}-{high}"],
                                          lambda o: low <= self.id_of(o) <= high), 0)

    @staticmethod
    def id_of(shown):
        if shown["type"] == "paged_message":
            return shown["message"]["id"]
        return shown.get("id", -(1 << 62))

    def test_types(self):
        for name in STORES:
            count = self.check(name, ["--type", "ADD_REF,33"],
                               lambda o: o["type"] == "record" and o.get("record_type") in (32, 33)
                               and o["kind"] not in ("delete", "delete_tx"))
            self.assertGreater(count, 0)

    def test_files(self):
        for pattern in ("*.bindings", "journal/*", "000000002.page"):
            for name in STORES:
                self.check(name, ["--file", pattern],
                           lambda o: fnmatch.fnmatch(o["file"], pattern)
                           or fnmatch.fnmatch(os.path.basename(o["file"]), pattern))

    def test_transactions(self):
        transactions = {o["tx"] for o in self.all_of("xa") if o.get("tx") is not None}
        self.assertGreater(len(transactions), 3)
        for tx in list(transactions)[:6]:
            got, _ = self.run_print("xa", "--tx", str(tx))
            wanted = [o for o in self.all_of("xa")
                      if self.record_of("xa", o).get("tx") == tx and "kind" in o]
            self.assertGreater(len(got), 0)
            for shown in wanted:
                self.assertIn(shown, got)

    def test_queue_and_address(self):
        got, _ = self.run_print("orders", "--queue", "orders.acked")
        queues = {o["body"]["queue_id"] for o in got
                  if o["type"] == "record" and "queue_id" in (o.get("body") or {})}
        self.assertEqual(len(queues), 1)
        by_id, _ = self.run_print("orders", "--queue", str(queues.pop()))
        self.assertEqual(got, by_id)
        self.assertTrue(any(o.get("record_type") == 21 for o in got))
        got, _ = self.run_print("paging", "--address", "*")
        self.assertTrue(any(o["type"] == "paged_message" for o in got))

    def test_messages_only(self):
        for arguments in (["--where", "JMSPriority >= 0"], ["--since", "2000-01-01"]):
            for name in STORES:
                got, _ = self.run_print(name, *arguments)
                self.assertGreater(len(got), 0)
                for shown in got:
                    record = self.record_of(name, shown)
                    self.assertTrue(record["type"] == "paged_message" or
                                    record["record_type"] in (30, 31, 45), shown)
        self.assertEqual(self.run_print("orders", "--until", "2000-01-01")[0], [])
        self.assertEqual(self.run_print("orders", "--user-id", "nobody")[0], [])

    def test_limit_and_offset(self):
        every = self.all_of("orders")
        for offset, limit in ((0, 1), (3, 5), (7, 0), (len(every) - 2, 100)):
            got, _ = self.run_print("orders", "--offset", str(offset), "--limit", str(limit))
            end = offset + limit if limit else None
            self.assertEqual(got, every[offset:end], (offset, limit))

    def test_names_that_fit_nothing(self):
        _, said = self.run_print("orders", "--queue", "no.such.queue", expected=(0,))
        self.assertIn("--queue no.such.queue matches nothing", said)
        self.run_print("orders", "--queue", "no.such.queue", "--strict-names", expected=(1,))
        self.run_print("orders", "--now", "2024-01-01", "--since", "1d", expected=(0,))

    def test_archive(self):
        packed = os.path.join(self.fixtures, "xa", "store.tar.gz")
        done = subprocess.run([self.saranga, "data", "print", packed, "--format", "jsonl"],
                              capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        kinds = [json.loads(line)["type"] for line in done.stdout.splitlines()]
        self.assertEqual(kinds.count("record"),
                         sum(o["type"] == "record" for o in self.all_of("xa")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--saranga", required=True)
    parser.add_argument("--fixtures", required=True)
    options, rest = parser.parse_known_args()
    PrintFilter.saranga = os.path.abspath(options.saranga)
    PrintFilter.fixtures = os.path.abspath(options.fixtures)
    with tempfile.TemporaryDirectory() as root:
        for name in STORES:
            fixture_store.unpack_fixture(PrintFilter.fixtures, name, root)
        PrintFilter.root = root
        unittest.main(argv=[sys.argv[0], *rest], verbosity=1)


if __name__ == "__main__":
    main()
