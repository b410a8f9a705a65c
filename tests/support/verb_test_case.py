"""What the tests of verbs share: running the program on unpacked fixtures, and golden files.

A test script ends with `run(__doc__)`. It takes --saranga PROGRAM, --fixtures FOLDER, --update (write
the golden files anew instead of comparing) and the arguments of unittest.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

import fixture_store
import recipe_store

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
GOLDEN = os.path.join(REPOSITORY, "tests", "cli", "golden")
NOW = ("--now", "1796050000000")  # when the fixtures were made
TIMEOUT_S = 120


def unique_members(pairs):
    """Refuses an object with the same name twice, which json.loads would let pass."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError(f"a name occurs twice in {[name for name, _ in pairs]}")
    return members


def parse(text):
    return json.loads(text, object_pairs_hook=unique_members)


class VerbTestCase(unittest.TestCase):
    """Runs `saranga data VERB`."""
    verb = saranga = fixtures = root = None
    update = False
    maxDiff = 2000

    def store(self, name, folder="store"):
        if not os.path.isdir(os.path.join(self.root, name)):
            fixture_store.unpack_fixture(self.fixtures, name, self.root)
        return os.path.join(self.root, name, folder)

    def built(self, recipe):
        """A fresh store of the lines of a recipe."""
        return recipe_store.build(self.saranga, recipe, self.fresh_place())

    def changed(self, name, *lines):
        """A copy of a fixture in which the lines of a recipe change something."""
        return recipe_store.changed(self.saranga, self.store(name), self.fresh_place(), *lines)

    def fresh_place(self):
        return os.path.join(tempfile.mkdtemp(dir=self.root), "store")

    def memory_limit(self, mebibytes):
        """In KiB: what a program may use at the most. AddressSanitizer keeps what was freed."""
        with open(self.saranga, "rb") as program:
            sanitized = b"__asan_init" in program.read()
        return (mebibytes + (400 if sanitized else 0)) << 10

    def run_verb(self, *arguments, **options):
        return subprocess.run([self.saranga, "data", self.verb, *arguments], capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, **options)

    def output(self, *arguments, expect=0):
        """Standard output, after checking the exit code."""
        done = self.run_verb(*arguments)
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        return done.stdout

    def objects(self, *arguments, expect=0):
        lines = self.output(*arguments, "--format", "jsonl", expect=expect).splitlines()
        return [parse(line) for line in lines]

    def refused(self, *arguments, code=64):
        """What standard error says of arguments that are refused."""
        done = self.run_verb(*arguments)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()

    def check_golden(self, name, store, *arguments):
        """Compares the output with tests/cli/golden/NAME."""
        text = self.output(store, *arguments).decode()
        text = text.replace(store, "$STORE").replace(self.version(), "$PROGRAM")
        path = os.path.join(GOLDEN, name)
        if self.update:
            os.makedirs(GOLDEN, exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as golden:
                golden.write(text)
        with open(path, encoding="utf-8", newline="") as golden:
            expected = golden.read()
        self.assertEqual(expected.split("\n"), text.split("\n"))

    def version(self):
        done = subprocess.run([self.saranga, "--version"], capture_output=True, check=True,
                              timeout=TIMEOUT_S)
        return done.stdout.decode().strip()


def run(description):
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    parser.add_argument("--update", action="store_true", help="write the golden files anew")
    options, rest = parser.parse_known_args()
    VerbTestCase.saranga = os.path.abspath(options.saranga)
    VerbTestCase.fixtures, VerbTestCase.update = options.fixtures, options.update
    with tempfile.TemporaryDirectory(prefix="saranga-verb-") as root:
        VerbTestCase.root = root
        done = unittest.main(argv=[sys.argv[0], *rest], exit=False).result
        # The numbers in the form of the other suites.
        failed = len(done.failures) + len(done.errors)
        print(f"{done.testsRun - failed} passed, {failed} failed")
    sys.exit(0 if done.wasSuccessful() and done.testsRun else 1)
