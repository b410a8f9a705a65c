#!/usr/bin/env python3
"""`saranga data encode` and `decode`: the text of Artemis, and a journal made of it.

    encode_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402
import recipe_store  # noqa: E402
import verb_test_case  # noqa: E402

# Journals as `encode` names them: golden file, sub-folder, options.
JOURNALS = (("journal", "journal", ()),
            ("bindings", "bindings", ("--suffix", "bindings")),
            ("jms", "bindings", ("--suffix", "jms")))
ADD = (b"operation@AddRecord,id@5,userRecordType@45,length@3,isUpdate@false,compactCount@0,"
       b"data@AQID\n")
FILE = b"#File,JournalFileImpl: (activemq-data-1.amq id = 1, recordID = 1)\n"


class EncodeTest(verb_test_case.VerbTestCase):
    verb = "encode"

    def setUp(self):
        self.work = tempfile.mkdtemp(dir=self.root)
        self.target = os.path.join(self.work, "decoded")

    def decode(self, text, *arguments, expect=0, target=None):
        """Decodes text from standard input; gives what was said on standard error."""
        done = subprocess.run(
            [self.saranga, "data", "decode", "--directory", target or self.target, *arguments],
            input=text, capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()

    def refuse(self, text, message, *arguments, code=2):
        """The text is refused, and nothing is left behind."""
        self.assertIn(message, self.decode(text, *arguments, expect=code))
        self.assertEqual(os.listdir(self.work), [])

    def encoded(self, *arguments):
        done = self.run_verb(*arguments)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr.decode())
        return done.stdout


class Text(EncodeTest):
    def test_golden(self):
        """Every fixture gives the text of a real release, byte for byte."""
        compared = 0
        for name in fixture_store.fixture_names(self.fixtures):
            for title, folder, options in JOURNALS:
                golden = os.path.join(self.fixtures, name, "golden", f"encode-{title}.txt.gz")
                if not os.path.exists(golden):
                    continue
                with gzip.open(golden) as text:
                    expected = text.read()
                with self.subTest(fixture=name, journal=title):
                    text = self.encoded(self.store(name), *options)
                    # Artemis leaves events out, and reads no file that waits for retention.
                    text = re.sub(rb"operation@Event,[^\n]*\n", b"", text)
                    self.assertEqual(text.split(b"\n"), expected.split(b"\n"))
                    compared += 1
        self.assertGreater(compared, 50)

    def test_ways_to_the_journal(self):
        store = self.store("xa")
        text = self.encoded(store)
        journal = os.path.join(store, "journal")
        self.assertEqual(self.encoded(journal), text)
        self.assertEqual(self.encoded("--directory", journal), text)
        self.assertEqual(self.encoded("--journal", journal), text)
        self.assertEqual(
            self.encoded(store, "--suffix", "amq", "--prefix", "x", "--file-size", "4096"), text)
        files = sorted(os.listdir(journal))
        files = [name for name in files if name.endswith(".amq")]
        single = [self.encoded(os.path.join(journal, name)) for name in files]
        self.assertEqual(sorted(b"".join(single).split(b"\n")), sorted(text.split(b"\n")))
        bindings = os.path.join(store, "bindings")
        self.assertEqual(self.encoded(bindings), self.encoded(store, "--suffix", "bindings"))
        self.assertEqual(self.encoded("--directory", bindings, "--suffix", "bindings"),
                         self.encoded(bindings))

    def test_output_file(self):
        store, output = self.store("xa"), os.path.join(self.work, "x.txt")
        self.assertEqual(self.encoded(store, "--output", output), b"")
        with open(output, "rb") as text:
            self.assertEqual(text.read(), self.encoded(store))
        self.refused(store, "--output", os.path.join(store, "journal", "x.txt"))

    def test_refusals(self):
        store = self.store("xa")
        self.assertIn("amq, bindings, jms or hq", self.refused(store, "--suffix", "txt"))
        self.assertIn("amq, bindings, jms or hq", self.refused(store, "--suffix", "amq.tmp"))
        self.refused(store, "--file-size", "7")
        self.refused(store, "--format", "jsonl")
        self.refused(os.path.join(store, "nothing"), code=3)
        page = os.path.join(self.built("page x.page"), "x.page")
        self.assertIn("not a journal file", self.refused(page))

    def test_empty_folder(self):
        done = self.run_verb("--directory", self.work)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn("journal-missing", done.stderr.decode())

    def test_damage_is_told(self):
        """What surrounds the damage is written, and the exit code tells of it."""
        store = self.built(recipe_store.example(self.fixtures, "wrong-check-size"))
        journal = os.path.join(store, "journal")
        done = self.run_verb("--directory", journal)
        self.assertEqual(done.returncode, 2)
        self.assertIn("record-damaged", done.stderr.decode())
        self.assertEqual(done.stdout.count(b"AddRecord"), 2)
        self.assertEqual(self.run_verb("--directory", journal, "--strict").returncode, 2)

    def test_what_artemis_leaves_out(self):
        """Events, and compact counts of records that compaction never gives one."""
        store = self.built("journal activemq-data-1.amq id=1 size=0\n"
                           "  event 4 39 hex:07\n  delete 9\n")
        text = self.encoded(os.path.join(store, "activemq-data-1.amq"))
        self.assertEqual(text, FILE + b"operation@Event,id@4,userRecordType@39,length@1,"
                         b"isUpdate@false,compactCount@0,data@Bw==\noperation@DeleteRecord,id@9\n")
        self.decode(text)
        self.assertEqual(self.encoded("--directory", self.target), text)


class RoundTrip(EncodeTest):
    def records(self, *arguments):
        """Every record as JSON says it, without its place."""
        done = subprocess.run([self.saranga, "data", "print", *arguments, "--format", "jsonl",
                               "--body", "full"], capture_output=True,
                              timeout=verb_test_case.TIMEOUT_S)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr.decode())
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        return [{key: value for key, value in one.items() if key not in ("file", "offset", "length")}
                for one in objects
                if one["type"] == "record" and not one["file"].endswith(".jms")]

    def test_every_fixture(self):
        """The same records in files of the same names and ids, whatever the journal."""
        for name in fixture_store.fixture_names(self.fixtures):
            store = self.store(name)
            for title, folder, options in JOURNALS:
                with self.subTest(fixture=name, journal=title):
                    text = self.encoded(store, *options)
                    if not text:
                        continue
                    target = os.path.join(self.work, name.replace("/", "-") + title)
                    self.decode(text, expect=self.exit_code(text), target=target)
                    # A file that waits for retention gets the name that it had.
                    self.assertEqual(self.encoded(target, *options),
                                     text.replace(b".amq.bkp id", b".amq id"))
                    if title != "jms":
                        option = f"--{folder}"
                        self.assertEqual(self.records(option, target),
                                         self.records(option, os.path.join(store, folder)))

    @staticmethod
    def exit_code(text):
        """1 when a transaction's records are not all there, as in stores that were damaged."""
        counts = {}
        for line in text.splitlines():
            if line.startswith(b"#"):
                counts = {}
                continue
            fields = dict(part.split(b"@", 1) for part in line.split(b","))
            tx = fields.get(b"txID")
            if b"numberOfRecords" in fields:
                if int(fields[b"numberOfRecords"]) != counts.get(tx, 0):
                    return 1
            elif b"data" in fields and tx is not None:
                counts[tx] = counts.get(tx, 0) + 1
        return 0

    def test_input_file(self):
        path = os.path.join(self.work, "x.txt")
        with open(path, "wb") as text:
            text.write(FILE + ADD)
        said = self.decode(b"", "--input", path, "--progress", "never", "--verbose")
        self.assertIn("1 records in 1 files", said)
        self.assertEqual(self.encoded("--directory", self.target), FILE + ADD)

    def test_packed(self):
        """What --output packs is read again, from a file or a pipe, whatever it is called."""
        store = self.store("orders")
        packed = os.path.join(self.work, "journal.txt.gz")
        self.output(store, "--output", packed)
        self.decode(b"", "--input", packed)
        self.assertEqual(self.encoded("--directory", self.target), self.encoded(store))
        with open(packed, "rb") as file:
            content = file.read()
        piped = os.path.join(self.work, "piped")
        self.decode(content, target=piped)
        self.assertEqual(self.encoded("--directory", piped), self.encoded(store))
        bad = os.path.join(self.work, "bad")
        for cut, told in ((content[:-9], "cut off"), (content[:1], "line 1"),
                          (content[:500] + b"\x55" * 50 + content[550:], "damaged")):
            self.assertIn(told, self.decode(cut, target=bad, expect=2))
            self.assertFalse(os.path.exists(bad))

    def test_line_ends_of_windows(self):
        self.decode((FILE + ADD).replace(b"\n", b"\r\n"), "--quiet")
        self.assertEqual(self.encoded("--directory", self.target), FILE + ADD)

    def test_size_and_names(self):
        """Records that do not fit roll over; numbers of records follow."""
        adds = b"".join(
            b"operation@AddRecordTX,txID@50,id@%d,userRecordType@30,length@300,isUpdate@false,"
            b"compactCount@0,data@%s\n" % (i, b"AAAA" * 100) for i in range(5))
        commit = b"operation@Commit,txID@50,numberOfRecords@5\n"
        self.decode(FILE + adds + commit, "--file-size", "1024")
        self.assertEqual(sorted(os.listdir(self.target)),
                         ["activemq-data-1.amq", "activemq-data-2.amq"])
        for name in os.listdir(self.target):
            self.assertEqual(os.path.getsize(os.path.join(self.target, name)), 1024)
        text = self.encoded("--directory", self.target)
        self.assertIn(b"operation@Commit,txID@50,numberOfRecords@2\n", text)
        self.assertIn(b"(activemq-data-2.amq id = 2, recordID = 2)", text)
        other = os.path.join(self.work, "other")
        self.decode(FILE + adds + commit, "--prefix", "activemq-bindings", "--suffix", "bindings",
                    target=other)
        self.assertEqual(os.listdir(other), ["activemq-bindings-1.bindings"])
        self.assertEqual(os.path.getsize(os.path.join(other, "activemq-bindings-1.bindings")),
                         10485760)

    def test_numbers_that_are_wrong_stay_wrong(self):
        """Artemis leaves such a commit out; here it stays what it is, and is told."""
        add = (b"operation@AddRecordTX,txID@7,id@1,userRecordType@30,length@0,isUpdate@false,"
               b"compactCount@0,data@\n")
        text = FILE + add + b"operation@Commit,txID@7,numberOfRecords@2\n"
        said = self.decode(text, expect=1)
        self.assertIn("line 3: transaction 7 is said to have 2 records in this file, the text has 1",
                      said)
        self.assertEqual(self.encoded("--directory", self.target), text)

    def test_empty_bodies(self):
        """Artemis' own decode makes three bytes of no data, and loses the prepare."""
        text = (FILE + b"operation@AddRecordTX,txID@7,id@1,userRecordType@-1,length@0,"
                b"isUpdate@false,compactCount@3,data@\n"
                b"operation@DeleteRecordTX,txID@7,id@2,userRecordType@0,length@1,isUpdate@true,"
                b"compactCount@0,data@VQ==\n"
                b"operation@Prepare,txID@7,numberOfRecords@2,extraData@\n")
        self.decode(text)
        self.assertEqual(self.encoded("--directory", self.target), text)

    def test_without_file_lines(self):
        self.decode(ADD)
        self.assertEqual(self.encoded("--directory", self.target), FILE + ADD)

    def test_two_texts_in_a_row(self):
        """Ids that do not ascend are replaced, names that are taken too."""
        said = self.decode(FILE + ADD + FILE + ADD.replace(b"id@5", b"id@6"), "--verbose")
        self.assertIn("file-renumbered", said)
        self.assertIn("'activemq-data-1.amq' is there already; it is written as "
                      "activemq-data-2.amq", said)
        self.assertEqual(sorted(os.listdir(self.target)),
                         ["activemq-data-1.amq", "activemq-data-2.amq"])
        text = self.encoded("--directory", self.target)
        self.assertIn(b"(activemq-data-2.amq id = 2, recordID = 2)", text)
        self.assertEqual(text.count(b"AddRecord"), 2)


class Target(EncodeTest):
    def test_existing(self):
        os.mkdir(self.target)
        self.decode(FILE + ADD)  # an empty folder is none
        before = self.encoded("--directory", self.target)
        changed = FILE + ADD.replace(b"id@5", b"id@6")
        self.assertIn("--force", self.decode(changed, expect=3))
        self.assertEqual(self.encoded("--directory", self.target), before)
        self.decode(b"nonsense\n", "--force", expect=2)
        self.assertEqual(self.encoded("--directory", self.target), before)
        self.decode(changed, "--force")
        self.assertEqual(self.encoded("--directory", self.target), changed)
        self.assertEqual(os.listdir(self.work), ["decoded"])

    def test_force_spares_what_is_no_journal(self):
        os.mkdir(self.target)
        letter = os.path.join(self.target, "letter.txt")
        with open(letter, "w", encoding="utf-8"):
            pass
        self.assertIn("letter.txt", self.decode(FILE + ADD, "--force", expect=3))
        self.assertTrue(os.path.exists(letter))

    def test_force_spares_what_is_in_use(self):
        self.decode(FILE + ADD)
        holder = subprocess.Popen(
            [sys.executable, "-c",
             "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); "
             "print(flush=True); sys.stdin.read()", os.path.join(self.target, "serverlock.1")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        holder.stdout.readline()
        self.assertIn("a broker runs", self.decode(FILE + ADD, "--force", expect=4))
        holder.communicate(timeout=verb_test_case.TIMEOUT_S)

    def test_among_the_files_of_a_store(self):
        store = self.store("orders")
        for place in ("journal/new", "bindings/new", "paging/new", "large-messages/new"):
            target = os.path.join(store, place)
            for options in ((), ("--force",)):
                said = self.decode(FILE + ADD, *options, target=target, expect=64)
                self.assertIn("lies among the files of a store", said)
            self.assertFalse(os.path.exists(target))
        # A part of a store is where a journal belongs.
        part = os.path.join(self.work, "store")
        shutil.copytree(store, part)
        self.decode(FILE + ADD, "--force", target=os.path.join(part, "journal"))
        self.assertEqual(self.encoded(part), FILE + ADD)

    def test_configuration_names_it(self):
        etc = os.path.join(self.work, "etc")
        os.mkdir(etc)
        with open(os.path.join(etc, "broker.xml"), "w", encoding="utf-8") as xml:
            xml.write('<configuration xmlns="urn:activemq"><core xmlns="urn:activemq:core">'
                      f"<journal-directory>{self.target}</journal-directory>"
                      f"<bindings-directory>{self.work}/b</bindings-directory></core>"
                      "</configuration>")
        for arguments in ([self.work], ["--broker", os.path.join(etc, "broker.xml")]):
            done = subprocess.run([self.saranga, "data", "decode", *arguments], input=FILE + ADD,
                                  capture_output=True, timeout=verb_test_case.TIMEOUT_S)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual(self.encoded("--directory", self.target), FILE + ADD)
            shutil.rmtree(self.target)
        done = subprocess.run([self.saranga, "data", "decode"], input=FILE + ADD,
                              capture_output=True, timeout=verb_test_case.TIMEOUT_S)
        self.assertEqual(done.returncode, 64, done.stderr.decode())

    def test_refusals(self):
        self.refuse(FILE + ADD, "cannot open", "--input", os.path.join(self.root, "no such file"),
                    code=3)
        self.refuse(FILE + ADD, "amq, bindings, jms or hq", "--suffix", "txt", code=64)
        self.refuse(FILE + ADD, "prefix", "--prefix", "../x", code=64)
        self.refuse(FILE + ADD, "--file-size", "--file-size", "10", code=64)
        said = self.decode(FILE + ADD, target=os.path.join(self.work, "no", "such"), expect=3)
        self.assertIn("cannot create a folder beside it", said)


class HostileText(EncodeTest):
    def test_lines(self):
        """Line, column and what is wrong; nothing is left behind."""
        long_number = b"9" * 30
        for line, message in (
                (b"nonsense\n", "line 2, column 1: 'nonsense' is no field"),
                (b"operation@Move,id@1\n", "line 2, column 11: operation: 'Move' is none"),
                (b"id@1\n", "line 2, column 1: a line begins with operation@ or #File"),
                (b"#Fil\n", "line 2, column 1: expected '#File"),
                (FILE.replace(b"recordID = 1", b"recordID = 2"), "line 2, column 64: recordID"),
                (FILE.replace(b" id = 1", b" id = x"), "line 2, column 50: expected"),
                (FILE.replace(b")", b""), "line 2, column 64: expected"),
                (ADD.replace(b",data@AQID", b""), "column 82: the field data is missing"),
                (ADD.replace(b"id@5,", b""), "the field id is missing"),
                (ADD.replace(b"AQID", b"AQI"), "column 91: base64 ends in the middle"),
                (ADD.replace(b"AQID", b"AQ+D"), "column 90: no base64"),
                (ADD.replace(b"AQID", b"AQJ="), "column 90: no base64"),
                (ADD.replace(b"AQID", b"A==="), "no base64"),
                (ADD.replace(b"AQID", b"AQI="), "length says 3 bytes, data holds 2"),
                (ADD.replace(b"AQID", b"AQ\rD"), "column 90: no base64"),
                (ADD.replace(b"id@5", b"id@" + long_number), "id: 9999999999"),
                (ADD.replace(b"id@5", b"id@"), "id: '' is no number"),
                (ADD.replace(b"id@5", b"id@5x"), "id: '5x' is no number"),
                (ADD.replace(b"id@5", b"id@5,id@5"), "id is there twice"),
                (ADD.replace(b"Type@45", b"Type@300"), "userRecordType: 300 is out of range"),
                (ADD.replace(b"isUpdate@false", b"isUpdate@true"), "must be false"),
                (ADD.replace(b"length@3", b"length@-1"), "length: '-1' is no number"),
                (b"operation@Rollback,txID@1,id@4\n", "Rollback has no field id"),
                (b"operation@Commit,txID@1\n", "the field numberOfRecords is missing"),
                (ADD[:-1], "the last line has no end")):
            with self.subTest(line=line):
                self.refuse(FILE + line, message)

    def test_names_do_not_lead_out_of_the_folder(self):
        for name in (b"../escaped.amq", b"/tmp/x.amq", b".amq", b"a/b.amq", b"x" * 300 + b".amq",
                     b"activemq-data-\0.amq", b""):
            with self.subTest(name=name):
                said = self.decode(FILE.replace(b"activemq-data-1.amq", name) + ADD, expect=1)
                self.assertIn("line 1: a file called '", said)
                self.assertIn("it is written as activemq-data-1.amq", said)
                self.assertNotIn("\0", said)
                self.assertLess(len(said), 500)
                self.assertEqual(os.listdir(self.target), ["activemq-data-1.amq"])
                self.assertEqual(os.listdir(self.work), ["decoded"])
                shutil.rmtree(self.target)

    def test_names_that_are_replaced(self):
        other = FILE.replace(b"activemq-data-1.amq id = 1, recordID = 1",
                             b"letter.txt id = 2, recordID = 2")
        said = self.decode(FILE + ADD + other, expect=1)
        self.assertIn("file-renamed", said)
        self.assertIn("line 3: a file called 'letter.txt' cannot be one of this journal, whose "
                      "files are activemq-data-NUMBER.amq; it is written as activemq-data-2.amq",
                      said)
        # What is asked for is not told, what leads out of the folder is.
        for name, code in ((b"letter.txt", 0), (b"../letter.txt", 1)):
            said = self.decode(FILE + ADD + other.replace(b"letter.txt", name), "--prefix", "x",
                               target=os.path.join(self.work, str(code)), expect=code)
            self.assertEqual("file-renamed" in said, code == 1)
            self.assertEqual(sorted(os.listdir(os.path.join(self.work, str(code)))),
                             ["x-1.amq", "x-2.amq"])

    def test_empty(self):
        self.refuse(b"", "the text is empty")
        self.refuse(b"\n\n", "the text is empty")

    def test_records_that_are_too_large(self):
        self.refuse(ADD.replace(b"length@3", b"length@1200").replace(b"AQID", b"A" * 1600),
                    "line 1, column 1: the record of 1223 bytes does not fit", "--file-size",
                    "1024")
        self.refuse(FILE + b"x" * 5000, "line 2, column 1877: the line is longer", "--file-size",
                    "1024")

    def test_no_higher_id(self):
        top = FILE.replace(b"id = 1, recordID = 1",
                           b"id = 9223372036854775807, recordID = 2147483647")
        self.refuse(top + FILE, "no higher file id")
        self.decode(top + ADD)
        self.assertIn(b"recordID = 2147483647", self.encoded("--directory", self.target))

    def test_control_characters_in_names(self):
        for character in (b"\0", b"\5", b"\x1f", b"/"):
            self.decode(FILE.replace(b"data-1", b"data" + character + b"-1") + ADD, expect=1)
            self.assertEqual(sorted(os.listdir(self.target))[0], "activemq-data-1.amq")
            shutil.rmtree(self.target)

    def test_every_cut(self):
        """A text that ends anywhere is refused, or ends with a line."""
        text = FILE + ADD + b"operation@Commit,txID@1,numberOfRecords@0\n"
        for end in range(1, len(text)):
            if text[end - 1:end] != b"\n":
                self.decode(text[:end], expect=2)
                self.assertEqual(os.listdir(self.work), [])

    def test_memory(self):
        """A line of 96 MiB costs no more than one that fits into a file."""
        script = ("import subprocess, sys, resource\n"
                  "p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, "
                  "stderr=subprocess.DEVNULL)\n"
                  "try:\n"
                  "    for _ in range(96): p.stdin.write(b'A' * (1 << 20))\n"
                  "except BrokenPipeError: pass\n"
                  "try: p.stdin.close()\n"
                  "except BrokenPipeError: pass\n"
                  "p.wait()\n"
                  "print(p.returncode, "
                  "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
        done = subprocess.run([sys.executable, "-c", script, self.saranga, "data", "decode",
                               "--directory", self.target], capture_output=True, text=True,
                              timeout=verb_test_case.TIMEOUT_S, check=True)
        code, kilobytes = map(int, done.stdout.split())
        self.assertEqual(code, 2)
        self.assertLess(kilobytes, self.memory_limit(64))


if __name__ == "__main__":
    verb_test_case.run(__doc__)
