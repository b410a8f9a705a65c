#!/usr/bin/env python3
"""Every filter of `saranga data messages` selects what it says.

    messages_filters_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import argparse
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


class Filters(unittest.TestCase):
    saranga = fixtures = root = None

    def ids(self, *arguments, name="orders", expect=0):
        store = os.path.join(self.root, name, "store")
        if not os.path.isdir(store):
            fixture_store.unpack_fixture(self.fixtures, name, self.root)
        done = subprocess.run([self.saranga, "data", "messages", store, *arguments, *NOW,
                               "--format", "jsonl"], capture_output=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        self.objects = [json.loads(line) for line in done.stdout.splitlines()]
        self.messages = [o for o in self.objects if o["type"] == "message"]
        return [m["id"] for m in self.messages]

    def test_id(self):
        self.assertEqual(self.ids("--id", "22-24,27"), [22, 23, 24, 27])

    def test_queue_and_address(self):
        everything = self.ids()
        on_queue = self.ids("--queue", "orders.types")
        self.assertEqual(on_queue, self.ids("--address", "orders.types"))
        self.assertEqual({m["queue"] for m in self.messages}, {"orders.types"})
        self.assertLess(len(on_queue), len(everything))
        self.assertEqual(on_queue, self.ids("--queue", "19"))

    def test_type(self):
        self.assertEqual(self.ids("--type", "45"), self.ids())
        self.assertEqual(self.ids("--type", "ADD_LARGE_MESSAGE"), [])

    def test_file(self):
        self.assertEqual(self.ids("--file", "activemq-data-*.amq"), self.ids())
        self.assertEqual(self.ids("--file", "none.amq"), [])

    def test_since_and_until(self):
        self.ids()
        everything = [m["id"] for m in self.messages if m["timestamp_ms"] != 0]
        old = self.ids("--until", "2024-01-01")
        new = self.ids("--since", "2024-01-01")
        self.assertEqual(sorted(everything), sorted(old + new))
        self.assertTrue(old and new)

    def test_user_id(self):
        everything = self.ids()
        wanted = next(m["user_id"] for m in self.messages if m["user_id"])
        chosen = self.ids("--user-id", wanted)
        self.assertTrue(chosen)
        self.assertTrue(set(chosen) < set(everything))
        self.assertEqual({m["user_id"] for m in self.messages}, {wanted})

    def test_tx(self):
        sent = self.ids("--tx", "68", name="xa")
        self.assertIn(73, sent)

    def test_where(self):
        chosen = self.ids("--where", "amount > 100 AND region = 'EU'")
        self.assertTrue(chosen)
        for message in self.messages:
            self.assertGreater(message["properties"]["amount"]["value"], 100)
            self.assertEqual(message["properties"]["region"]["value"], "EU")
        self.ids("--where", "amount >", expect=64)

    def test_limit_and_offset(self):
        everything = self.ids()
        self.assertEqual(self.ids("--limit", "5"), everything[:5])
        self.assertEqual(self.ids("--offset", "3", "--limit", "4"), everything[3:7])

    def test_strict_names(self):
        self.assertEqual(self.ids("--queue", "no.such.queue"), [])
        self.ids("--queue", "no.such.queue", "--strict-names", expect=1)

    def test_state(self):
        self.assertTrue(self.ids("--state", "delivered"))
        self.assertTrue(all(m["delivery_count"] > 0 for m in self.messages))


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    options, rest = parser.parse_known_args()
    Filters.saranga = os.path.abspath(options.saranga)
    Filters.fixtures = os.path.abspath(options.fixtures)
    with tempfile.TemporaryDirectory(prefix="saranga-filters-") as Filters.root:
        unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
