#!/usr/bin/env python3
"""`saranga data queues`: golden files, every option, exit codes.

    queues_test.py [--saranga PATH] [--fixtures DIR] [--update] [arguments of unittest]
"""
import csv
import fcntl
import io
import os
import pty
import struct
import sys
import tempfile
import termios
import unicodedata

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from verb_test_case import NOW, VerbTestCase, parse, run  # noqa: E402

NAMES = ("orders", "paging", "xa")


class QueuesTest(VerbTestCase):
    verb = "queues"

    def queues(self, name, *arguments, expect=0):
        return [found for found in self.objects(self.store(name), *NOW, *arguments, expect=expect)
                if found["type"] == "queue"]

    def names(self, name, *arguments, expect=0):
        return [queue["name"] for queue in self.queues(name, *arguments, expect=expect)]


class Golden(QueuesTest):
    def test_text(self):
        for name in NAMES:
            self.check_golden(f"queues-{name}.txt", self.store(name), *NOW)

    def test_json_lines(self):
        for name in NAMES:
            self.check_golden(f"queues-{name}.jsonl", self.store(name), *NOW, "--format", "jsonl")

    def test_csv(self):
        for name in NAMES:
            self.check_golden(f"queues-{name}.csv", self.store(name), *NOW, "--format", "csv")

    def test_addresses(self):
        self.check_golden("queues-paging-addresses.txt", self.store("paging"), *NOW, "--addresses")


class Forms(QueuesTest):
    def test_json_holds_what_json_lines_hold(self):
        for name in NAMES:
            for more in ((), ("--addresses",)):
                lines = self.objects(self.store(name), *NOW, *more)
                document = parse(self.output(self.store(name), *NOW, *more, "--format", "json"))
                rows = document["addresses" if more else "queues"]
                self.assertEqual(rows, lines[1:-1])
                self.assertEqual(document["schema"], lines[0]["schema"])
                self.assertEqual({**document["summary"], "type": "summary"}, lines[-1])
                self.assertEqual(document["findings"], [])

    def test_csv_holds_what_json_lines_hold(self):
        def plain(value):
            if value is None:
                return ""
            return str(value).lower() if isinstance(value, bool) else str(value)
        for name in NAMES:
            text = self.output(self.store(name), *NOW, "--format", "csv").decode()
            self.assertEqual(text.count("\n"), text.count("\r\n"))
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            queues = self.queues(name)
            self.assertEqual(len(rows), len(queues))
            for row, queue in zip(rows, queues):
                self.assertEqual(row, {key: plain(queue[key]) for key in row})
        text = self.output(self.store("paging"), "--addresses", "--format", "csv").decode()
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertIn("paged.topic", [row["name"] for row in rows])

    def test_summary_adds_up(self):
        for name in NAMES:
            objects = self.objects(self.store(name), *NOW)
            queues, summary = objects[1:-1], objects[-1]
            self.assertEqual(summary["queue_count"], len(queues))
            self.assertEqual(summary["exit_code"], 0)
            for field in ("message_count", "scheduled_count", "prepared_count", "paged_count",
                          "body_bytes", "expired_count"):
                self.assertEqual(summary[field], sum(queue[field] for queue in queues))

    def test_equal_input_gives_equal_output(self):
        for form in ("text", "json", "jsonl", "csv"):
            runs = {self.output(self.store("paging"), *NOW, "--format", form) for _ in range(3)}
            self.assertEqual(len(runs), 1)

    def test_output_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            self.assertEqual(self.output(self.store("xa"), *NOW, "--output", path), b"")
            with open(path, "rb") as made:
                self.assertEqual(made.read(), self.output(self.store("xa"), *NOW))
            self.assertEqual(os.listdir(folder), ["out"])


def width(line):
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    marks = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in line)
    return len(line) + wide - marks


class Terminal(QueuesTest):
    def on_terminal(self, columns, environment):
        """The lines that a terminal of that width gets."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        pid = os.fork()
        if pid == 0:
            os.dup2(follower, 1)
            os.execve(self.saranga, [self.saranga, "data", "queues", self.store("orders"), *NOW],
                      environment)
        os.close(follower)
        data = b""
        try:
            while chunk := os.read(leader, 65536):
                data += chunk
        except OSError:  # the end, on Linux
            pass
        os.close(leader)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        return data.decode().replace("\r\n", "\n").split("\n")

    def test_table_fits(self):
        self.store("orders")
        plain = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        for columns in (200, 120, 80, 40):
            for environment in (plain, {**plain, "COLUMNS": str(columns)}):
                known = columns if "COLUMNS" not in environment else 50
                lines = self.on_terminal(known if environment is plain else 50, environment)
                table = lines[:lines.index("")]
                self.assertLessEqual(max(map(width, table)), columns)
                self.assertIn("MESSAGES", table[0])
        self.assertTrue(any("…" in line for line in self.on_terminal(80, plain)))

    def test_nothing_is_cut_elsewhere(self):
        done = self.run_verb(self.store("orders"), *NOW, env={**os.environ, "COLUMNS": "20"})
        self.assertEqual(done.stdout, self.output(self.store("orders"), *NOW))


class Selection(QueuesTest):
    def test_queue(self):
        self.assertEqual(self.names("xa", "--queue", "orders.in"), ["orders.in"])
        self.assertEqual(self.names("xa", "--queue=orders.in", "--queue", "*.out"),
                         ["orders.in", "orders.out"])
        self.assertEqual(self.names("orders", "--queue", "orders.[x-z]*"), [])
        self.assertEqual(self.names("orders", "--queue", "orders.🚀"), ["orders.🚀"])
        self.assertEqual(self.names("orders", "--queue", "orders.?"), ["orders.🚀"])
        self.assertEqual(self.names("orders", "--queue", "orders.q?x=1#frag"),
                         ["orders.q?x=1#frag"])
        self.assertEqual(self.names("orders", "--queue", "orders.semi;comma,eq="),
                         ["orders.semi;comma,eq="])
        self.assertEqual(self.names("orders", "--queue", "3"), ["DLQ"])

    def test_queue_without_binding(self):
        found = self.queues("cases/g12-select-one-queue", "--queue", "22", expect=1)
        self.assertEqual([(queue["id"], queue["name"], queue["orphan"], queue["message_count"])
                          for queue in found], [(22, None, True, 10)])

    def test_address(self):
        self.assertEqual(self.names("paging", "--address", "paged.topic"),
                         ["paged.sub.a", "paged.sub.b", "paged.sub.even"])
        self.assertEqual(self.names("paging", "--address", "*.any", "--address", "DLQ"),
                         ["DLQ", "paged.any"])

    def test_addresses(self):
        objects = self.objects(self.store("paging"), *NOW, "--addresses")
        names = [found["name"] for found in objects[1:-1]]
        self.assertEqual(names, sorted(names))
        self.assertIn("activemq.notifications", names)  # has no queue
        self.assertEqual({found["type"] for found in objects[1:-1]}, {"address"})
        text = self.output(self.store("paging"), *NOW, "--addresses", "--address", "paged.*",
                           "--non-empty").decode()
        self.assertNotIn("paged.drained", text)
        self.assertIn("4 addresses", self.output(self.store("paging"), "--addresses", "--address",
                                                 "paged.*").decode())
        self.refused(self.store("paging"), "--addresses", "--queue", "x")

    def test_non_empty(self):
        every, some = self.queues("orders"), self.queues("orders", "--non-empty")
        self.assertEqual([q for q in every if q["message_count"]], some)
        self.assertLess(len(some), len(every))
        # Messages in doubt count.
        self.assertIn("orders.out", self.names("xa", "--non-empty"))

    def test_sort(self):
        for key, field, down in (("id", "id", False), ("messages", "message_count", True),
                                 ("bytes", "body_bytes", True)):
            values = [queue[field] for queue in self.queues("orders", "--sort", key)]
            self.assertEqual(values, sorted(values, reverse=down))
        ages = [queue["oldest_ms"] for queue in self.queues("orders", "--sort", "oldest")]
        known = [age for age in ages if age is not None]
        self.assertEqual(ages[:len(known)], sorted(known))
        self.assertEqual(self.queues("orders", "--sort", "name"), self.queues("orders"))
        self.assertEqual(len(self.queues("orders", "--sort", "bytes")), len(self.queues("orders")))

    def test_limit_and_offset(self):
        every = self.names("orders")
        self.assertEqual(self.names("orders", "--limit", "3"), every[:3])
        self.assertEqual(self.names("orders", "--offset", "50"), every[50:])
        self.assertEqual(self.names("orders", "--limit=2", "--offset=1"), every[1:3])
        self.assertEqual(self.names("orders", "--limit", "0"), every)

    def test_now(self):
        early = self.queues("orders", "--queue", "orders.sched")[0]
        self.assertEqual(early["scheduled_count"], 3)
        done = self.objects(self.store("orders"), "--queue", "orders.sched", "--now", "2040-01-01")
        self.assertEqual(done[1]["scheduled_count"], 0)
        self.refused(self.store("orders"), "--now", "tomorrow")


class Parts(QueuesTest):
    def test_folders_one_by_one(self):
        store = self.store("paging")
        folders = [f"--{part}={os.path.join(store, part)}"
                   for part in ("bindings", "journal", "paging", "large-messages")]
        whole = self.output(store, *NOW, "--format", "csv")
        self.assertEqual(self.output(*folders, *NOW, "--format", "csv", "--f"), whole)
        # The journal alone: ids without names, and no complaint about what was not named.
        objects = self.objects(folders[1], *NOW)
        self.assertTrue(all(found["orphan"] for found in objects[1:-1]))

    def test_broker_xml(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "etc"))
            path = os.path.join(folder, "etc", "broker.xml")
            with open(path, "w", encoding="utf-8") as out:
                out.write("<configuration><core>" + "".join(
                    f"<{name}-directory>{self.store('xa')}/{name}</{name}-directory>"
                    for name in ("bindings", "journal", "paging", "large-messages"))
                    + "</core></configuration>")
            whole = self.output(self.store("xa"), *NOW, "--format", "csv")
            self.assertEqual(self.output("--broker", path, *NOW, "--format", "csv"), whole)
            self.assertEqual(self.output(folder, *NOW, "--format", "csv"), whole)

    def test_database(self):
        self.assertIn("JDBC", self.refused("--jdbc", code=3))


class ExitCodes(QueuesTest):
    def test_names_that_do_not_exist(self):
        store = self.store("xa")
        done = self.run_verb(store, "--queue", "orders.in", "--queue", "nope", "--address", "*")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, b"saranga: note: --queue nope matches nothing\n")
        done = self.run_verb(store, "--queue", "nope", "--strict-names", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        self.assertEqual(self.objects(store, "--queue", "nope", "--strict-names",
                                      expect=1)[-1]["exit_code"], 1)
        done = self.run_verb(store, "--queue", "orders.in", "--address", "DLQ", "--strict-names")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no such queue", done.stderr)
        self.output(store, "--queue", "orders.in", "--strict-names")

    def test_damage(self):
        store = self.store("cases/e1-torn-page")
        objects = self.objects(store, *NOW, expect=2)
        self.assertEqual(objects[-1]["findings"]["damage"], 1)
        self.assertEqual([found["severity"] for found in objects if found["type"] == "finding"],
                         ["damage"])
        self.assertIn(b"damage", self.run_verb(store).stderr)
        self.assertEqual(self.run_verb(store, "--quiet").stderr, b"")
        self.assertEqual(self.run_verb(store, "--strict").returncode, 2)

    def test_warnings(self):
        done = self.run_verb(self.store("cases/k3-no-bindings"), "--verbose")
        self.assertEqual(done.returncode, 1)
        # Before anything else.
        self.assertIn("bindings-missing", done.stderr.decode().splitlines()[0])

    def test_usage(self):
        for arguments in (("--limit", "-1"), ("--limit", "x"), ("--sort", "colour"),
                          ("--format", "xml"), ("--queue", "[a"), ("--queue",), ("--no-such",)):
            self.assertIn("--help", self.refused(self.store("xa"), *arguments))

    def test_no_store(self):
        self.refused("/no/such/store", code=3)

    def test_help(self):
        self.assertIn(b"--strict-names", self.output("--help"))


if __name__ == "__main__":
    run(__doc__)
