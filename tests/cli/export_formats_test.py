#!/usr/bin/env python3
"""`saranga data export` as tables, and packed.

    export_formats_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import csv
import gzip
import io
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402
import verb_test_case  # noqa: E402
from verb_test_case import NOW, TIMEOUT_S  # noqa: E402

csv.field_size_limit(1 << 30)
PAGE = os.path.join(verb_test_case.REPOSITORY, "docs/format/export-tables.md")


class ExportFormatsTest(verb_test_case.VerbTestCase):
    verb = "export"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="saranga-export-")
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def listed(self, store):
        """Messages by id, and the pairs of message and queue, as `data messages` has them."""
        done = subprocess.run([self.saranga, "data", "messages", store, *NOW, "--format", "jsonl",
                               "--body", "full"], capture_output=True, timeout=TIMEOUT_S)
        messages, places = {}, []
        for line in done.stdout.splitlines():
            each = json.loads(line)
            if each["type"] == "message":
                messages[each["id"]] = each
                places.append((each["id"], each["queue_id"], each["queue"], each["state"],
                               each["tx"], each["delivery_count"], each["scheduled_ms"]))
        return messages, sorted(places, key=str)

    def database(self, store, *arguments, code=(0, 1)):
        path = os.path.join(self.scratch, "store.db")
        done = self.run_verb(store, *NOW, "--format", "sqlite", "--output", path, *arguments)
        self.assertIn(done.returncode, code, done.stderr.decode())
        made = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        made.text_factory = lambda raw: raw.decode("utf-8", "surrogatepass")
        self.addCleanup(made.close)
        return made

    def test_a_database_holds_what_is_listed(self):
        properties = 0
        for name in ("orders", "paging", "xa", "protocols", "large", "badchars", "selectors",
                     "artemis-1.5", "cases/k3-no-bindings", "cases/c1-prepared-ack-lost-queue"):
            store = self.store(name)
            database = self.database(store)
            messages, places = self.listed(store)
            self.assertEqual(sorted(database.execute("SELECT * FROM message_queues"), key=str),
                             places, name)
            rows = database.execute("SELECT id, address, durable, priority, timestamp_ms, "
                                    "expiration_ms, user_id, large, paged FROM messages")
            for row in rows:
                each = messages[row[0]]
                self.assertEqual(row[1:], tuple(
                    int(value) if isinstance(value := each[member], bool) else value
                    for member in ("address", "durable", "priority", "timestamp_ms",
                                   "expiration_ms", "user_id", "large", "paged")), name)
            properties += self.check_properties(database, messages)
            self.check_bodies(database, messages)
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        print(f"{properties} properties compared")
        self.assertGreater(properties, 1000)

    def check_properties(self, database, messages):
        compared = 0
        for id_, name, type_, value in database.execute("SELECT * FROM properties"):
            each = messages[id_]
            if each["protocol"] != "core":
                continue
            expected = each["properties"][name]
            self.assertEqual(type_, expected["type"])
            if type_ in ("string", "int", "long", "short", "byte", "char"):
                self.assertEqual(value, expected["value"])
                compared += 1
        return compared

    def check_bodies(self, database, messages):
        for id_, text in database.execute("SELECT message_id, text FROM bodies"):
            body = messages[id_].get("body") or {}
            if messages[id_]["protocol"] == "core" and "text" in body:
                self.assertEqual(text, body["text"])

    def test_the_queries_of_the_manual(self):
        database = self.database(self.store("orders"))
        with open(PAGE, encoding="utf-8") as page:
            queries = re.findall(r"^    (SELECT .*;)$", page.read(), re.MULTILINE)
        self.assertGreaterEqual(len(queries), 8)
        answers = {query: database.execute(query).fetchall() for query in queries}
        depth = next(rows for query, rows in answers.items() if "queue_depth" in query)
        self.assertEqual(sum(count for _, count, _ in depth) > 0, True)
        self.assertEqual(depth, sorted(depth, key=lambda row: -row[1]))
        birch = next(rows for query, rows in answers.items() if "birch" in query)
        texts = [id_ for id_, each in self.listed(self.store("orders"))[0].items()
                 if "birch" in str((each.get("body") or {}).get("text"))]
        self.assertEqual([row[0] for row in birch], sorted(texts))
        lost = next(rows for query, rows in answers.items() if "queue IS NULL" in query)
        self.assertEqual(lost, [])
        doubt = self.database(self.store("xa")).execute(
            next(query for query in queries if "global_id" in query)).fetchall()
        self.assertTrue(doubt)

    def test_depths_are_those_that_are_listed(self):
        for name in ("xa", "paging", "orders"):
            done = subprocess.run([self.saranga, "data", "queues", self.store(name), *NOW,
                                   "--format", "jsonl"], capture_output=True, timeout=TIMEOUT_S)
            listed = {}
            for line in done.stdout.splitlines():
                each = json.loads(line)
                if each["type"] == "queue" and each["name"] is not None:
                    doubt = each["prepared_ack_count"] + each["prepared_send_count"]
                    listed[each["name"]] = (each["message_count"], each["body_bytes"], doubt)
            depths = self.database(self.store(name)).execute(
                "SELECT queue, messages, body_bytes, in_doubt FROM queue_depth")
            self.assertEqual({row[0]: row[1:] for row in depths}, listed, name)

    def test_what_tables_lose_of_amqp_is_counted(self):
        for form in ("csv", "sqlite"):
            done = self.run_verb(self.store("protocols"), *NOW, "--strict", "--format", form,
                                 "--output", os.path.join(self.scratch, "x"))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b"AMQP messages with annotations", done.stderr)
            self.assertIn(b"AMQP messages with a subject", done.stderr)

    def test_a_database_of_a_selection(self):
        database = self.database(self.store("orders"), "--queue", "DLQ")
        self.assertEqual(database.execute("SELECT DISTINCT queue FROM message_queues").fetchall(),
                         [("DLQ",)])
        self.assertEqual(database.execute("SELECT name FROM queues").fetchall(), [("DLQ",)])

    def test_a_database_is_a_file(self):
        store = self.store("orders")
        for arguments in ((), ("--output", os.path.join(self.scratch, "x.gz"))):
            self.assertIn("--output", self.refused(store, "--format", "sqlite", *arguments))
        self.assertEqual(os.listdir(self.scratch), [])

    def test_nothing_is_left_of_a_database_without_room(self):
        done = subprocess.run(
            [self.saranga, "data", "export", self.store("large"), "--format", "sqlite",
             "--output", os.path.join(self.scratch, "x.db")], capture_output=True,
            timeout=TIMEOUT_S, preexec_fn=lambda: (
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, 1 << 17))))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(os.listdir(self.scratch), [])

    def test_csv(self):
        for name in ("orders", "protocols", "paging", "xa"):
            store = self.store(name)
            messages, places = self.listed(store)
            text = self.output(store, *NOW, "--format", "csv").decode()
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            self.assertEqual({int(row["id"]) for row in rows}, set(messages))
            self.assertEqual(sum(len(json.loads(row["queues"])) for row in rows), len(places))
            for row in rows:
                each = messages[int(row["id"])]
                if each["protocol"] == "core":
                    self.assertEqual(json.loads(row["properties"]), each["properties"])
                self.assertEqual(int(row["priority"]), each["priority"])
                body = each.get("body") or {}
                if isinstance(body.get("text"), str):
                    self.assertEqual(row["body"], body["text"])

    def test_packed(self):
        store = self.store("orders")
        for form in ("xml", "jsonl", "csv"):
            path = os.path.join(self.scratch, f"x.{form}.gz")
            self.assertEqual(self.output(store, *NOW, "--format", form, "--output", path), b"")
            with gzip.open(path) as packed:
                self.assertEqual(packed.read(), self.output(store, *NOW, "--format", form))

    def test_damaged_stores(self):
        for name in fixture_store.fixture_names(self.fixtures):
            for form in ("sqlite", "csv"):
                path = os.path.join(self.scratch, "x")
                done = self.run_verb(self.store(name), *NOW, "--format", form, "--output", path)
                self.assertIn(done.returncode, (0, 1, 2), (name, form, done.stderr))


if __name__ == "__main__":
    verb_test_case.run(__doc__)
