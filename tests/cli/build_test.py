#!/usr/bin/env python3
"""`saranga data build` and `data print --format recipe`: stores as text, and back.

    build_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]

Each recipe in fixtures/recipes says in its first comments what `data verify` has to say of it.
"""
import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402
import verb_test_case  # noqa: E402

BEGIN = "journal journal/activemq-data-1.amq id=1 size=1024\n"
DUPLICATE = "DUPLICATE_ID address=orders duplicate_id_b64=a"


def tree(folder):
    """Content by path of everything below a folder; None for folders."""
    found = {}
    for base, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(base, name), folder)] = None
        for name in files:
            with open(os.path.join(base, name), "rb") as file:
                found[os.path.relpath(os.path.join(base, name), folder)] = file.read()
    return found


class BuildTest(verb_test_case.VerbTestCase):
    verb = "build"

    def setUp(self):
        self.work = tempfile.mkdtemp(dir=self.root)
        self.target = os.path.join(self.work, "store")

    def build(self, recipe, *arguments, expect=0, target=None):
        """Builds from standard input; gives what was said on standard error."""
        done = subprocess.run([self.saranga, "data", "build", "-", target or self.target,
                               *arguments], input=recipe.encode() if isinstance(recipe, str)
                              else recipe, capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()

    def refuse(self, recipe, message, *arguments, code=2):
        """The recipe is refused, and nothing is left behind."""
        self.assertIn(message, self.build(recipe, *arguments, expect=code))
        self.assertEqual(os.listdir(self.work), [])

    def recipe(self, store, *arguments, expect=0):
        done = subprocess.run([self.saranga, "data", "print", store, "--format", "recipe",
                               *arguments], capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        return done.stdout


class Recipes(BuildTest):
    def recipes(self):
        paths = sorted(glob.glob(os.path.join(self.fixtures, "recipes", "*.store")))
        self.assertGreater(len(paths), 5)
        return paths

    def test_what_they_say_of_themselves(self):
        for path in self.recipes():
            with self.subTest(recipe=os.path.basename(path)):
                with open(path, encoding="utf-8") as text:
                    recipe = text.read()
                target = os.path.join(self.work, os.path.basename(path))
                self.output(path, target, "--quiet")
                done = subprocess.run(
                    [self.saranga, "data", "verify", target, "--format", "jsonl",
                     *verb_test_case.NOW], capture_output=True, timeout=verb_test_case.TIMEOUT_S)
                found = {one["code"] for one in map(json.loads, done.stdout.splitlines())
                         if one["type"] == "finding"}
                self.assertEqual(found, set(re.findall(r"^# finding: (.*)$", recipe, re.M)))
                self.assertEqual([str(done.returncode)],
                                 re.findall(r"^# exit: (.*)$", recipe, re.M))

    def test_each_gives_the_same_bytes_again(self):
        for path in self.recipes():
            first, second = (os.path.join(self.work, os.path.basename(path) + end) for end in "12")
            self.output(path, first)
            self.output(path, second)
            self.assertEqual(tree(first), tree(second))
            again = os.path.join(self.work, os.path.basename(path) + "3")
            self.build(self.recipe(first), target=again)
            for name, content in tree(first).items():
                self.assertEqual(tree(again)[name], content, f"{path}: {name}")


class RealStores(BuildTest):
    def test_every_fixture(self):
        """What is printed of a store builds the same files, byte for byte."""
        for name in fixture_store.fixture_names(self.fixtures):
            with self.subTest(fixture=name):
                store = self.store(name)
                self.build(self.recipe(store), target=os.path.join(self.work, "built"))
                built = tree(os.path.join(self.work, "built"))
                for part, content in tree(store).items():
                    if part.split("/")[0] in fixture_store.STORE_FOLDERS:
                        self.assertIn(part, built)
                        self.assertTrue(built[part] == content, part)
                shutil.rmtree(os.path.join(self.work, "built"))

    def test_readable(self):
        text = self.recipe(self.store("orders")).decode()
        records = [line for line in text.splitlines() if re.match("  (add|update) ", line)]
        plain = [line for line in records if re.search(r"(?<!=)\bb64:", line)]
        self.assertLess(len(plain), len(records) // 20)
        self.assertIn('add 22 ADD_MESSAGE_PROTOCOL core address="orders.types" '
                      'timestamp_ms=1700000000000 text="hello birch"', text)

    def test_one_file(self):
        journal = os.path.join(self.store("xa"), "journal", "activemq-data-1.amq")
        self.build(self.recipe(journal))
        with open(journal, "rb") as file:
            self.assertEqual(tree(self.target)["journal/activemq-data-1.amq"], file.read())

    def test_selections(self):
        store = self.store("xa")
        text = self.recipe(store, "--skip-bindings", "--skip-journal").decode()
        self.assertNotIn('journal "', text)
        for arguments in (("--safe",), ("--max-pages", "1"), ("--limit", "1"), ("--queue", "x")):
            self.recipe(store, *arguments, expect=64)


class Language(BuildTest):
    def content(self, recipe):
        self.build(recipe)
        built = tree(self.target)
        shutil.rmtree(self.target)
        return {name: content for name, content in built.items() if content is not None}

    def test_bytes(self):
        self.assertEqual(
            self.content('file "a b/c"  # in quotes\n  bytes hex:00ff b64:AQI= text "a\\n\\u00e4"\n'
                         "  zeros 2\n  at 16\n  put 1 x\n  flip 0 hex:f0\n"),
            {"a b/c": b"\xf0x\1\2texta\n\xc3\xa4\0\0\0\0\0\0"[:16].ljust(16, b"\0")})
        self.assertEqual(self.content("file x size=4 fill=0x4a\n  bytes a\n"), {"x": b"aJJJ"})
        self.assertEqual(self.content("file x\n  bytes abcdef\n  cut 2\nfile y\n"),
                         {"x": b"ab", "y": b""})
        self.assertEqual(self.content("file x\r\n  bytes a\r\nfile y\n  bytes b"),
                         {"x": b"a", "y": b"b"})

    def test_change_and_without(self):
        base = "journal journal/a.amq id=1 size=64\n  add 1 5\nfile journal/b\n  bytes b\n"
        whole = self.content(base)
        self.assertEqual(self.content(base + "change journal/a.amq\n  flip 0 hex:ff\n  cut 20\n"
                                      "change journal/b size=4 fill=1\n  bytes cc\n  put 0 B\n"
                                      "change journal/b\n  zeros 1\n"),
                         {"journal/a.amq": b"\xff" + whole["journal/a.amq"][1:20],
                          "journal/b": b"Bcc\1\0"})
        self.assertEqual(self.content(base + "without journal/a.amq\n"), {"journal/b": b"b"})
        self.assertEqual(self.content(base + "without journal/b\nfile journal/b\n bytes x\n"),
                         {"journal/a.amq": whole["journal/a.amq"], "journal/b": b"x"})
        said = self.build(base + "without journal\nfile x\n  bytes abc\nchange x\n  cut 1\n")
        self.assertIn("1 bytes in 1 files", said)
        self.assertEqual(tree(self.target), {"journal": None, "x": b"a"})

    def test_records(self):
        """The example of docs/format/journal.md, byte by byte."""
        content = self.content(
            "journal journal/activemq-data-1.amq id=1 size=320\n"
            "  add 1 5 hex:010203\n  update 1 6 hex:09\n  add 2 30 tx=7 hex:41\n"
            '  update 1 31 tx=7 ""\n  delete 1 tx=7 hex:55\n  prepare tx=7 hex:7071\n'
            "  commit tx=7\n  add 3 30 tx=8 \"\"\n  rollback tx=8\n  event 4 39 hex:07\n"
            "  delete 2\n")["journal/activemq-data-1.amq"]
        self.assertEqual(content[0x10:0x2A].hex(),
                         "0b00000001000000000000000001000000030501020300" "00001a")
        self.assertEqual(content[0xA0:0xBC].hex(),
                         "11000000010000000000000000070000000300000002" "70710000001c")
        self.assertEqual(content[0xBC:0xD2].hex(), "120000000100000000000000000700000003" "00000016")
        self.assertEqual(len(content), 320)

    def test_what_records_say_wrongly(self):
        content = self.content(BEGIN + "  add 1 37 hex:aa check=7 length=0x55 tag=9 compact=3\n"
                               "  commit tx=4 records=-1\n")["journal/activemq-data-1.amq"]
        self.assertEqual(content[16:40].hex(), "0b00000009030000000000000001" "0000005525aa" "00000007")
        old = self.content("journal journal/x.amq id=1 version=1 size=0\n  add 5 9 hex:0102\n")
        self.assertEqual(old["journal/x.amq"][16:].hex(),
                         "0b000000010000000000000005000000020901020000" "0018")

    def test_problems(self):
        """Line, column and what was expected; nothing is left behind."""
        for recipe, message in (
                ("add 1 5\n", "line 1, column 1: stands in front of every file"),
                ("nonsense\n", "line 1, column 1: 'nonsense' is nothing that a recipe says"),
                ("\njournal x.amq\n", "line 2, column 14: expected id="),
                ("journal\n", "line 1, column 8: expected the path"),
                ("file ../x\n", "line 1, column 6: expected a path below the store"),
                ("file /x\n", "expected a path below the store"),
                ("file a\nfile a\n", "line 2, column 6: the recipe has this name already"),
                ("file a\nfile a/b\n", "line 2, column 6: a is a file of this recipe"),
                ("file a/b\nfile a\n", "line 2, column 6: the recipe has this name already"),
                ("file a size=-1\n", "line 1, column 13: -1 is not from 0"),
                ("file a size=1 size=2\n", "line 1, column 15: size twice"),
                ("file a sise=1\n", "line 1, column 8: 'sise' is not expected here"),
                ("file a b\n", "line 1, column 8: 'b' is not expected here"),
                ("file a\n bytes \"x\n", "line 2, column 8: these quotes are not closed"),
                ("file a\n bytes \"x\"y\n", "something stands behind the quotes"),
                ("file a\n bytes \"\\q\"\n", "line 2, column 9: expected \\n"),
                ("file a\n bytes hex:0g\n", "line 2, column 12: expected two hexadecimal digits"),
                ("file a\n bytes b64:AB\n", "line 2, column 14: no base64"),
                ("file a\n zeros 99999999999\n", "line 2, column 8: 99999999999 is not from 0"),
                ("file a\n bytes abc\n at 2\n", "line 3, column 2: the file is longer already"),
                ("file a\n cut 1\n", "a: cut at 1 is behind the end of the file, 0"),
                ("file a\n flip 0 x\n", "a: put or flip at 0 is behind the end of the file, 0"),
                ("file a\n add 1 5\n", "belongs into a journal file"),
                ("change a\n", "line 1, column 8: the recipe has no such file yet"),
                ("file a/b\nchange a\n", "line 2, column 8: the recipe has no such file yet"),
                ("file a\nchange a\n add 1 5\n", "belongs into a journal file"),
                ("file a\nchange a\n put 0 x\n", "a: put or flip at 0 is behind the end"),
                ("without a\n", "line 1, column 9: the recipe has no such file or folder yet"),
                ("file a\nwithout a\nchange a\n", "line 3, column 8: the recipe has no such"),
                ("file a\nwithout a\n bytes x\n", "stands in front of every file"),
                ("file a/b\nwithout a/\n", "line 2, column 9: the recipe has no such"),
                (BEGIN + " entry core\n", "belongs into a page"),
                (BEGIN + " add x\n", "line 2, column 6: expected a number, found 'x'"),
                (BEGIN + " add 1\n", "line 2, column 7: expected the record type"),
                (BEGIN + " add 1 NOTHING\n", "'NOTHING' is no record type of this journal"),
                (BEGIN + " add 1 QUEUE_BINDING_RECORD\n", "is no record type of this journal"),
                (BEGIN + f" add 1 {DUPLICATE} x=1\n", "'x' is not expected here"),
                (BEGIN + " add 1 DUPLICATE_ID address=a\n", "field duplicate_id_b64 is not set"),
                (BEGIN + " update 1 ADD_REF queue_id=many\n", "column 28: expected a number"),
                (BEGIN + " add 1 ADD_REF core\n", "hold a Core message"),
                (BEGIN + " add 1 ADD_MESSAGE_PROTOCOL core priority=10\n", "priority above 9"),
                (BEGIN + " add 1 ADD_MESSAGE_PROTOCOL core prop.x=byte:128\n", "not from -128"),
                (BEGIN + " add 1 ADD_MESSAGE_PROTOCOL core type=letter\n", "expected default"),
                (BEGIN + " prepare tx=1\n", "expected branch= and global="),
                (BEGIN + " life\n", "expected the header id")):
            with self.subTest(recipe=recipe):
                self.refuse(recipe, message)

    def test_target(self):
        self.build(BEGIN)
        self.assertIn("--force", self.build(BEGIN, expect=3))
        self.build(BEGIN + f"  add 1 {DUPLICATE}\n", "--force", "--progress", "never", "--verbose")
        self.assertEqual(os.listdir(self.work), ["store"])
        self.assertEqual(self.run_verb().returncode, 64)
        self.assertEqual(self.run_verb("no such recipe", self.target + "2").returncode, 3)

    def test_among_the_files_of_a_store(self):
        store = self.store("orders")
        for place in ("journal/new", "paging/new"):
            said = self.build(BEGIN, expect=64, target=os.path.join(store, place))
            self.assertIn("lies among the files of a store", said)
            self.assertFalse(os.path.exists(os.path.join(store, place)))

    def test_packed(self):
        recipe = self.recipe(self.store("orders"))
        self.build(gzip.compress(recipe))
        other = os.path.join(self.work, "other")
        self.build(recipe, target=other)
        self.assertEqual(tree(self.target), tree(other))
        path = os.path.join(self.work, "recipe")
        with open(path, "wb") as file:
            file.write(gzip.compress(recipe))
        self.output(path, self.target, "--force", "--quiet")
        self.assertEqual(tree(self.target), tree(other))
        said = self.build(gzip.compress(recipe)[:-20], expect=2, target=self.target + "2")
        self.assertIn("cut off", said)

    def test_memory(self):
        """A short recipe that asks for much is refused."""
        self.refuse("file a size=1073741825\n", "not from 0 to 1073741824")
        self.refuse("file a\n  at 1073741825\n", "not from 0 to 1073741824")

    def test_memory_of_a_long_text(self):
        """What a record takes: its line, itself and its file, in two bytes a character."""
        path = os.path.join(self.work, "recipe")
        with open(path, "w", encoding="utf-8") as recipe:
            recipe.write("journal journal/activemq-data-1.amq id=1\n"
                         "  add 20 ADD_MESSAGE_PROTOCOL core address=a text=\"\\t")
            for _ in range(40):
                recipe.write("x" * (1 << 20))
            recipe.write("\\u00e4\"\n")
        process = subprocess.Popen([self.saranga, "data", "build", path, self.target],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(usage.ru_maxrss, self.memory_limit(260))
        with open(os.path.join(self.target, "journal", "activemq-data-1.amq"), "rb") as file:
            content = file.read()
        self.assertIn("\tx".encode("utf-16-le"), content)
        self.assertIn("xä".encode("utf-16-le"), content)


if __name__ == "__main__":
    verb_test_case.run(__doc__)
