#!/usr/bin/env python3
"""Every option of `saranga data print`, and its exit codes, on fixtures.

    print_options_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
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

EXIT_OF_CLASS = {"clean": 0, "attention": 1, "partial": 2}
DAMAGED = "cases/e1-torn-page"
NAMES = ("orders", "paging", "large", DAMAGED)
TIMEOUT_S = 120


class PrintTest(unittest.TestCase):
    saranga = fixtures = root = None

    def store(self, name):
        return os.path.join(self.root, name, "store")

    def run_print(self, *arguments, **options):
        return subprocess.run([self.saranga, "data", "print", *arguments], capture_output=True,
                              timeout=TIMEOUT_S, **options)

    def lines(self, *arguments):
        return self.run_print(*arguments).stdout.decode("utf-8", "surrogateescape").split("\n")

    def objects(self, *arguments):
        done = self.run_print("--format", "jsonl", *arguments)
        return [json.loads(line) for line in done.stdout.splitlines()]


class Selection(PrintTest):
    def pages(self, *arguments):
        """Number of pages shown of each address."""
        counts = []
        for line in self.lines(self.store("paging"), *arguments):
            if line.startswith("Exploring store "):
                counts.append(0)
            elif line.startswith("*******   Page "):
                counts[-1] += 1
        return counts

    def test_max_pages(self):
        every = self.pages()
        self.assertGreater(max(every), 2)
        self.assertEqual(self.pages("--max-pages", "-1"), every)
        self.assertEqual(self.pages("--max-pages=1"), [min(count, 1) for count in every])
        self.assertEqual(sum(self.pages("--max-pages", "0")), 0)

    def test_skip_journal(self):
        lines = self.lines(self.store("paging"), "--skip-journal")
        self.assertTrue([line for line in lines if line.startswith(".... skipping")])
        self.assertFalse([line for line in lines if "userRecordType=45;" in line])
        self.assertEqual(len([line for line in lines if line.startswith("pg=")]),
                         len([line for line in self.lines(self.store("paging"))
                              if line.startswith("pg=")]))

    def test_skip_bindings(self):
        lines = self.lines(self.store("paging"), "--skip-bindings")
        self.assertFalse([line for line in lines if "userRecordType=21;" in line])
        self.assertTrue([line for line in lines if "(N/A)" in line])

    def test_safe_hides_contents(self):
        lines = self.lines(self.store("orders"), "--safe")
        self.assertTrue([line for line in lines if "(safe data" in line])
        self.assertFalse([line for line in lines if "CoreMessage[" in line])

    def test_reclaimed_shows_more(self):
        store = os.path.join(self.root, "cases/a6-reused-file", "store")
        fixture_store.unpack_fixture(self.fixtures, "cases/a6-reused-file", self.root)
        self.assertGreater(len(self.lines(store, "--reclaimed")), len(self.lines(store)) + 300)


class Output(PrintTest):
    def test_file_is_what_would_have_been_printed(self):
        store = self.store("orders")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.txt")
            with open(path, "w", encoding="utf-8") as old:
                old.write("old")
            done = self.run_print(store, "--output", path)
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            with open(path, "rb") as made:
                self.assertEqual(made.read(), self.run_print(store).stdout)
            self.assertEqual(os.listdir(folder), ["out.txt"])

    def test_failure_leaves_the_old_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.txt")
            with open(path, "w", encoding="utf-8") as old:
                old.write("old")
            done = self.run_print(os.path.join(folder, "missing"), "--output", path)
            self.assertEqual(done.returncode, 3)
            with open(path, encoding="utf-8") as kept:
                self.assertEqual(kept.read(), "old")
            self.assertEqual(os.listdir(folder), ["out.txt"])
            done = self.run_print(self.store("orders"), "--output", f"{folder}/none/out.txt")
            self.assertEqual(done.returncode, 3)
            self.assertIn(b"none", done.stderr)

    def test_nobody_reads_on(self):
        """`| head` ends quietly."""
        script = f'"{self.saranga}" data print "{self.store("orders")}" | head -n 1'
        done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=TIMEOUT_S)
        self.assertEqual(done.stderr, b"")

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("needs /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([self.saranga, "data", "print", self.store("orders")],
                                  stdout=full, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"space", done.stderr)

    def test_equal_input_gives_equal_output(self):
        for form in ("text", "jsonl"):
            runs = {self.run_print(self.store("large"), "--format", form).stdout for _ in range(3)}
            self.assertEqual(len(runs), 1)


class Json(PrintTest):
    def test_frame(self):
        for name in NAMES:
            objects = self.objects(self.store(name))
            self.assertEqual(objects[0]["type"], "header")
            self.assertEqual(objects[0]["schema"], "saranga.print/1")
            self.assertEqual(objects[-1]["type"], "summary")
            self.assertTrue(all("type" in item for item in objects))

    def test_body_shows_more_and_more(self):
        sizes = {}
        for detail in ("none", "summary", "text", "hex", "full"):
            arguments = (self.store("orders"), "--format", "jsonl", "--body", detail)
            done = self.run_print(*arguments)
            self.assertEqual(done.returncode, 0)
            sizes[detail] = len(done.stdout)
        self.assertLess(sizes["none"], sizes["summary"])
        self.assertLess(sizes["summary"], sizes["text"])
        self.assertLess(sizes["summary"], sizes["hex"])
        self.assertLess(sizes["text"], sizes["full"])


class Narration(PrintTest):
    def test_quiet_and_verbose(self):
        store = self.store(DAMAGED)
        usual = self.run_print(store)
        self.assertIn(b"000000004.page:0x4a9c", usual.stderr)
        quiet = self.run_print(store, "--quiet")
        self.assertEqual((quiet.returncode, quiet.stdout, quiet.stderr),
                         (usual.returncode, usual.stdout, b""))
        verbose = self.run_print(store, "--verbose")
        self.assertGreaterEqual(len(verbose.stderr), len(usual.stderr))

    def test_strict_ends_at_damage(self):
        done = self.run_print(self.store(DAMAGED), "--strict")
        self.assertEqual(done.returncode, 2)
        self.assertLessEqual(len(done.stdout), len(self.run_print(self.store(DAMAGED)).stdout))
        self.assertEqual(self.run_print(self.store("orders"), "--strict").returncode, 0)


class Arguments(PrintTest):
    def test_folders(self):
        store = self.store("paging")
        named = [f"--{part}={store}/{part}"
                 for part in ("bindings", "journal", "paging", "large-messages")]
        self.assertEqual(self.run_print(*named).stdout, self.run_print(store).stdout)

    def test_broker_xml(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "broker.xml")
            with open(path, "w", encoding="utf-8") as out:
                out.write("<c><core>" + "".join(
                    f"<{part}-directory>{self.store('paging')}/{part}</{part}-directory>"
                    for part in ("bindings", "journal", "paging", "large-messages")) +
                    "</core></c>")
            expected = self.run_print(self.store("paging")).stdout
            self.assertEqual(self.run_print("--broker", path).stdout, expected)
            self.assertEqual(self.run_print(path).stdout, expected)

    def test_single_files(self):
        journal = os.path.join(self.store("orders"), "journal", "activemq-data-1.amq")
        self.assertTrue([line for line in self.lines(journal) if "userRecordType=45;" in line])
        binding = os.path.join(self.store("orders"), "bindings", "activemq-bindings-1.bindings")
        self.assertTrue([line for line in self.lines(binding) if "userRecordType=21;" in line])

    def test_f_is_accepted(self):
        store = self.store("orders")
        self.assertEqual(self.run_print(store, "--f").stdout, self.run_print(store).stdout)

    def test_jdbc_is_refused(self):
        for option in (["--jdbc"], ["--jdbc-user", "x"], ["--jdbc-connection-url", "jdbc:x"]):
            done = self.run_print(self.store("orders"), *option)
            self.assertEqual((done.returncode, done.stdout), (3, b""))
            self.assertIn(b"JDBC stores are not supported", done.stderr)

    def test_usage(self):
        for arguments in (["--no-such-option"], ["--max-pages", "many"], ["--format", "xml"],
                          ["--body", "everything"], ["a", "b"]):
            done = self.run_print(*arguments)
            self.assertEqual((done.returncode, done.stdout), (64, b""), arguments)
            self.assertNotEqual(done.stderr, b"")
        done = self.run_print("--help")
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_what_is_no_store(self):
        for path in ("/dev/null/x", HERE):
            done = self.run_print(path)
            self.assertEqual((done.returncode, done.stdout), (3, b""))
            self.assertIn(path.encode(), done.stderr)


class Cases(PrintTest):
    """Each damaged store ends with the exit code that its truth asks for."""

    def test_exit_codes(self):
        cases = [name for name in fixture_store.fixture_names(self.fixtures)
                 if name.startswith("cases")]
        self.assertGreater(len(cases), 10)
        for name in cases:
            with open(os.path.join(self.fixtures, name, "expect.json"), encoding="utf-8") as file:
                expected = json.load(file)
            store = fixture_store.unpack_fixture(self.fixtures, name, self.root)
            code = self.run_print(store).returncode
            self.assertEqual(code, EXIT_OF_CLASS[expected["exit_class"]], name)

    def test_variants(self):
        """A file that replaces one of the store changes nothing about what is alive."""
        name, variant = "cases/a5-tail-garbage", "variant-negative-length"
        store = fixture_store.unpack_fixture(self.fixtures, name, self.root)
        before = self.run_print(store)
        changed = os.path.join("journal", "activemq-data-2.amq")
        os.replace(os.path.join(self.root, name, variant, changed), os.path.join(store, changed))
        after = self.run_print(store)
        self.assertEqual((after.returncode, after.stdout), (before.returncode, before.stdout))


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    options, rest = parser.parse_known_args()
    PrintTest.saranga = os.path.abspath(options.saranga)
    PrintTest.fixtures = os.path.abspath(options.fixtures)
    with tempfile.TemporaryDirectory(prefix="saranga-options-") as PrintTest.root:
        for name in NAMES:
            fixture_store.unpack_fixture(PrintTest.fixtures, name, PrintTest.root)
        unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
