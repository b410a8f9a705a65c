#!/usr/bin/env python3
"""How the program behaves around `data print`: where the store is, streams, signals, locks.

    options_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]

What the options of `data print` show is in print_options_test.py.
"""
import argparse
import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402
import recipe_store  # noqa: E402

NAMES = ("paging", "xa", "crash", "artemis-1.5")
PARTS = ("bindings", "journal", "paging", "large-messages")
TIMEOUT_S = 120
FAILED, USAGE, INTERRUPTED = 3, 64, 130
ORDINARY_USER = 65534


class ProgramTest(unittest.TestCase):
    saranga = fixtures = root = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.root)

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def store(self, name="paging"):
        return os.path.join(self.root, name, "store")

    def file_of(self, recipe, name):
        """The path of a file that a recipe makes."""
        target = os.path.join(self.folder, "built")
        return os.path.join(recipe_store.build(self.saranga, recipe, target), name)

    def run_program(self, *arguments, **options):
        return subprocess.run([self.saranga, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_S, **options)

    def run_print(self, *arguments, **options):
        return self.run_program("data", "print", *arguments, **options)

    def objects(self, *arguments):
        done = self.run_print("--format", "jsonl", *arguments)
        return [json.loads(line) for line in done.stdout.splitlines()], done.returncode

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def shell(self, script, *arguments):
        return subprocess.run(["bash", "-c", script, "bash", self.saranga, *arguments],
                              capture_output=True, timeout=TIMEOUT_S)


def broker_xml(store, more=""):
    folders = "".join(f"<{part}-directory>{store}/{part}</{part}-directory>" for part in PARTS)
    return f"<configuration><core>{folders}{more}</core></configuration>"


class Commands(ProgramTest):
    def test_version(self):
        done = self.run_program("--version")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertRegex(done.stdout, rb"^saranga \d+\.\d+\.\d+\n$")

    def test_help(self):
        overview = self.run_program()
        self.assertEqual((overview.returncode, overview.stderr), (0, b""))
        self.assertIn(b"data print", overview.stdout)
        for word in ("--help", "-h", "help"):
            self.assertEqual(self.run_program(word).stdout, overview.stdout)

    def test_unknown_command(self):
        for arguments in (["prnt"], ["data", "prnt"], ["data", "print2", "x"], ["--what"], [""]):
            done = self.run_program(*arguments)
            self.assertEqual((done.returncode, done.stdout), (USAGE, b""), arguments)
            self.assertIn(b"no such command", done.stderr)
            self.assertIn(b"--help", done.stderr)
        for arguments in (["data", "prnt"], ["print"], ["prit", "x"]):
            self.assertIn(b"did you mean `saranga data print`?",
                          self.run_program(*arguments).stderr)
        done = self.run_program("data")
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertIn(b"needs a verb", done.stderr)
        self.assertEqual(self.run_program("data", "--help").stdout, self.run_program().stdout)

    def test_unknown_option(self):
        done = self.run_program("data", "queues", "--que", "x", "fixtures")
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertIn(b"there is no option --que; did you mean --queue?", done.stderr)
        done = self.run_program("data", "queues", "--zzzzzz", "x")
        self.assertIn(b"there is no option --zzzzzz\n", done.stderr)

    def test_choices(self):
        done = self.run_program("data", "verify", "--level", "FULL", "x")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"'FULL' is none of header, framing, transactions, bodies, cross", done.stderr)
        text = self.run_program("data", "verify", "--help").stdout
        self.assertIn(b"header|framing|transactions|bodies|cross", text)
        self.assertNotIn(b"\0", text)

    def test_progress(self):
        store = os.path.join(REPOSITORY, "fixtures", "orders", "store")
        for verb in ("print", "queues", "messages", "stats", "verify", "explain", "hash"):
            said = self.run_program("data", verb, "--progress", "always", store).stderr
            self.assertRegex(said, rb"saranga: [0-9.]+ ([KM]i)?B of [0-9.]+ [KM]iB, [0-9]+ %", verb)
            for mode in ("auto", "never"):
                done = self.run_program("data", verb, "--progress", mode, store)
                self.assertNotIn(b" %", done.stderr)
            quiet = self.run_program("data", verb, "--quiet", "--progress", "always", store)
            self.assertEqual(quiet.stderr, b"")

    def test_empty_values(self):
        for option in ("--journal", "--now", "--queue", "--output", "--where", "--since"):
            done = self.run_program("data", "messages", option, "", "x")
            self.assertEqual((done.returncode, done.stdout), (USAGE, b""), option)
            self.assertIn(option.encode() + b": the value is empty", done.stderr)

    def test_options_that_want_a_value(self):
        for option in ("--format", "--body", "--output", "--max-pages", "--bindings", "--broker"):
            done = self.run_print(option)
            self.assertEqual((done.returncode, done.stdout), (USAGE, b""), option)
            self.assertIn(option.encode(), done.stderr)


class Places(ProgramTest):
    """Every way to say where a store is gives the same listing."""

    def setUp(self):
        super().setUp()
        self.expected = self.run_print(self.store())

    def check_same(self, *arguments, **options):
        done = self.run_print(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout),
                         (self.expected.returncode, self.expected.stdout), arguments)

    def test_data_folder(self):
        self.check_same(self.store() + "/")
        done = self.run_print("store", cwd=os.path.dirname(self.store()))
        self.assertEqual(done.returncode, self.expected.returncode)

    def test_instance_folder(self):
        self.write("etc/broker.xml", broker_xml(self.store()))
        self.check_same(self.folder)
        self.check_same(os.path.join(self.folder, "etc"))
        self.check_same(os.path.join(self.folder, "etc", "broker.xml"))
        self.check_same(f"file:{self.folder}/etc/broker.xml")

    def test_bootstrap_xml(self):
        xml = self.write("etc/broker.xml", broker_xml(self.store()))
        bootstrap = self.write(
            "etc/bootstrap.xml",
            f'<broker xmlns="http://activemq.apache.org/schema"><server configuration="file:{xml}"/>'
            "</broker>")
        self.check_same(bootstrap)
        self.check_same(f"xml:{bootstrap}")

    def test_environment(self):
        self.write("etc/broker.xml", broker_xml(self.store()))
        self.check_same(env={**os.environ, "ARTEMIS_INSTANCE": self.folder})

    def test_options_win(self):
        xml = self.write("broker.xml", broker_xml("/nowhere"))
        named = [f"--{part}={self.store()}/{part}" for part in PARTS]
        self.check_same("--broker", xml, *named)
        self.check_same(self.store("xa"), *named)

    def test_parts_alone(self):
        """A part that was not named is not missed."""
        for part, code in (("bindings", 0), ("journal", 0), ("paging", 0), ("large-messages", 0)):
            objects, exit_code = self.objects(os.path.join(self.store(), part))
            self.assertEqual(exit_code, code, part)
            self.assertEqual([item for item in objects if item["type"] == "finding"], [])

    def test_single_journal_files(self):
        for name, part in (("journal/activemq-data-1.amq", "journal"),
                           ("bindings/activemq-bindings-1.bindings", "bindings")):
            objects, code = self.objects(os.path.join(self.store(), name))
            whole, _ = self.objects(self.store())
            self.assertEqual(code, 0)
            self.assertEqual([item["name"] for item in objects if item["type"] == "part"], [part])
            wanted = [{**item, "file": os.path.basename(item["file"])} for item in whole
                      if item["type"] == "record" and item["file"] == name]
            self.assertEqual([item for item in objects if item["type"] == "record"], wanted)

    def test_single_jms_file(self):
        folder = os.path.join(self.store("artemis-1.5"), "bindings")
        name = next(entry for entry in sorted(os.listdir(folder)) if entry.endswith(".jms"))
        objects, code = self.objects(os.path.join(folder, name))
        self.assertEqual(code, 0)
        self.assertEqual({item["journal"] for item in objects if "journal" in item}, {"jms"})

    def test_single_page(self):
        folder = os.path.join(self.store(), "paging")
        store = sorted(os.listdir(folder))[0]
        page = sorted(name for name in os.listdir(os.path.join(folder, store))
                      if name.endswith(".page"))[0]
        objects, code = self.objects(os.path.join(folder, store, page))
        self.assertEqual(code, 0)
        numbers = {item["page_number"] for item in objects if item["type"] == "paged_message"}
        self.assertLessEqual(numbers, {int(page.split(".")[0])})
        self.assertEqual(objects[-1]["page_count"], 1)

    def test_single_body(self):
        path = self.file_of("file 77.msg\n  bytes 12345\n", "77.msg")
        objects, code = self.objects(path)
        self.assertEqual(code, 0)
        body = next(item for item in objects if item["type"] == "large_file")
        self.assertEqual((body["id"], body["size_bytes"], body["referenced"]), (77, 5, None))

    def test_short_file(self):
        path = self.file_of("file activemq-data-9.amq\n  bytes short\n", "activemq-data-9.amq")
        objects, code = self.objects(path)
        self.assertEqual(code, 1)
        self.assertEqual([item["code"] for item in objects if item["type"] == "finding"],
                         ["short-file"])


class Failures(ProgramTest):
    def test_no_store(self):
        empty = os.path.join(self.folder, "empty")
        os.makedirs(empty)
        for path in (empty, os.path.join(self.folder, "missing"), self.write("x/readme", "x")):
            done = self.run_print(path)
            self.assertIn(done.returncode, (FAILED, USAGE), path)
            self.assertEqual(done.stdout, b"")
            self.assertIn(path.encode(), done.stderr)
        done = self.run_print(cwd=empty, env={"PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"no store was named", done.stderr)

    def test_database(self):
        store = "<store><database-store><jdbc-connection-url>x</jdbc-connection-url>" \
                "</database-store></store>"
        xml = self.write("broker.xml", broker_xml(self.store(), store))
        done = self.run_print("--broker", xml)
        self.assertEqual((done.returncode, done.stdout), (FAILED, b""))
        self.assertIn(b"JDBC stores are not supported", done.stderr)

    def test_broken_configuration(self):
        done = self.run_print(self.write("etc/broker.xml", "<configuration><core>"))
        self.assertEqual((done.returncode, done.stdout), (FAILED, b""))
        self.assertIn(b"broker.xml", done.stderr)

    def test_unreadable_folder(self):
        if os.geteuid() == 0 and not shutil.which("setpriv"):
            self.skipTest("root may read everything")
        os.chmod(self.root, 0o755)
        os.chmod(self.folder, 0o755)
        os.makedirs(os.path.join(self.folder, "data", "journal"), mode=0o755)
        os.chmod(os.path.join(self.folder, "data", "journal"), 0)
        program = shutil.copy(self.saranga, self.folder)
        library = os.path.dirname(self.saranga)
        for name in os.listdir(library):
            if name.startswith("libsaranga.so"):
                shutil.copy(os.path.join(library, name), self.folder)
        user = ["setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups"]
        command = [*(user if os.geteuid() == 0 else []), program, "data", "print",
                   os.path.join(self.folder, "data")]
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S,
                              env={**os.environ, "LD_LIBRARY_PATH": self.folder})
        os.chmod(os.path.join(self.folder, "data", "journal"), 0o755)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertIn(b"journal", done.stderr)


class Streams(ProgramTest):
    def test_standard_input_is_not_needed(self):
        done = self.shell('"$1" data print "$2" <&-', self.store())
        self.assertEqual((done.returncode, done.stdout),
                         (0, self.run_print(self.store()).stdout))

    def test_closed_output_is_an_error(self):
        done = self.shell('"$1" data print "$2" >&-', self.store())
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"cannot write the output", done.stderr)

    def test_closed_error_stream_does_no_harm(self):
        """What would be told there must not end up in a file that is open."""
        path = os.path.join(self.folder, "out.txt")
        done = self.shell('"$1" data print "$2" --output "$3" 2>&-', self.store("crash"), path)
        self.assertEqual(done.returncode, 1)
        with open(path, "rb") as made:
            self.assertEqual(made.read(), self.run_print(self.store("crash")).stdout)

    def test_output_in_order_with_narration(self):
        """Data and narration never mix: standard output is the same whatever is told."""
        told = self.run_print(self.store("crash"), "--verbose")
        self.assertNotEqual(told.stderr, b"")
        self.assertEqual(told.stdout, self.run_print(self.store("crash"), "--quiet").stdout)
        for line in told.stderr.splitlines():
            self.assertTrue(line.startswith(b"saranga: "), line)

    def test_mode_of_a_replaced_file_stays(self):
        path = self.write("out.txt", "old")
        os.chmod(path, 0o640)
        self.run_print(self.store("xa"), "--output", path)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        self.assertGreater(os.path.getsize(path), 1000)

    def test_what_is_no_file_is_not_replaced(self):
        done = self.run_print(self.store("xa"), "--output", self.folder)
        self.assertEqual(done.returncode, FAILED)
        self.assertTrue(os.path.isdir(self.folder))


class Signals(ProgramTest):
    RECORDS = 1_000_000

    def big_store(self):
        """A journal that takes a while: many equal records, each an acknowledgement."""
        body = struct.pack(">q", 5)
        record = struct.pack(">BibqiB", 12, 1, 0, 7, len(body), 33) + body + struct.pack(">i", 31)
        self.assertEqual(len(record), 31)
        path = os.path.join(self.folder, "data", "journal", "activemq-data-1.amq")
        os.makedirs(os.path.dirname(path))
        with open(path, "wb") as out:
            out.write(struct.pack(">iiq", 2, 0, 1) + record * self.RECORDS)
        return os.path.join(self.folder, "data")

    def interrupt(self, number):
        """Starts a long listing into a file and sends a signal as soon as something is written."""
        out = os.path.join(self.folder, "out")
        os.makedirs(out)
        path = os.path.join(out, "listing.txt")
        with open(path, "w", encoding="utf-8") as old:
            old.write("old")
        process = subprocess.Popen([self.saranga, "data", "print", self.big_store(), "--output",
                                    path], stderr=subprocess.PIPE)
        deadline = time.monotonic() + TIMEOUT_S
        while process.poll() is None and time.monotonic() < deadline:
            sizes = [os.path.getsize(os.path.join(out, name)) for name in os.listdir(out)
                     if name != "listing.txt"]
            if sizes and sizes[0] > 0:
                break
        process.send_signal(number)
        errors = process.communicate(timeout=TIMEOUT_S)[1]
        with open(path, encoding="utf-8") as kept:
            return process.returncode, errors, kept.read(), sorted(os.listdir(out))

    def test_interrupt_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                code, _, content, names = self.interrupt(number)
                self.assertEqual((code, content, names), (INTERRUPTED, "old", ["listing.txt"]))
                shutil.rmtree(self.folder)
                os.makedirs(self.folder)

    def test_kill_leaves_the_old_file(self):
        code, _, content, _ = self.interrupt(signal.SIGKILL)
        self.assertEqual((code, content), (-signal.SIGKILL, "old"))

    def test_interrupted_stream_has_no_summary(self):
        process = subprocess.Popen([self.saranga, "data", "print", self.big_store(), "--format",
                                    "jsonl"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        start = process.stdout.read(1 << 20)
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=TIMEOUT_S)[0]
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertTrue(start.startswith(b'{"type":"header"'))
        self.assertNotIn(b'"type":"summary"', rest)

    def test_head_ends_quietly(self):
        for form in ("text", "jsonl"):
            done = self.shell('"$1" data print "$2" --format "$3" | head -n 1; echo ${PIPESTATUS[0]}',
                              self.store(), form)
            self.assertEqual(done.stderr, b"")
            code = int(done.stdout.split()[-1])
            self.assertIn(code, (0, 128 + signal.SIGPIPE))


class Locks(ProgramTest):
    def hold(self, path):
        """A child that holds a record lock on a file until its input ends."""
        ready, told = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ready)
            with open(path, "r+b") as locked:
                fcntl.lockf(locked, fcntl.LOCK_EX, 1, 1)
                os.write(told, b"!")
                signal.pause()
            os._exit(0)
        os.close(told)
        os.read(ready, 1)
        os.close(ready)
        return child

    def test_running_broker_is_noticed(self):
        store = os.path.join(self.folder, "data")
        shutil.copytree(self.store("xa"), store)
        lock = os.path.join(store, "journal", "serverlock.1")
        with open(lock, "wb") as made:
            made.write(b"\0\0")
        free = self.run_print(store)
        self.assertNotIn(b"a broker is running", free.stderr)
        child = self.hold(lock)
        try:
            held = self.run_print(store)
            quiet = self.run_print(store, "--quiet")
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        self.assertRegex(held.stderr.decode(), rf"notice: a broker is running .*process {child} ")
        self.assertIn(lock.encode(), held.stderr)
        self.assertEqual((held.returncode, held.stdout), (free.returncode, free.stdout))
        self.assertEqual(quiet.stderr, b"")

    def test_the_moving_tail_is_no_fault(self):
        """A page that ends within an entry: normal where a running broker writes, damage else."""
        for page, code in (("last", 0), ("first", 2)):
            whole = self.store("paging")
            folder = min(os.scandir(os.path.join(whole, "paging")), key=lambda entry: entry.name)
            pages = sorted(name for name in os.listdir(folder) if name.endswith(".page"))
            torn = os.path.join(folder, pages[-1 if page == "last" else 0])
            store = recipe_store.changed(
                self.saranga, whole, os.path.join(self.folder, page),
                f"change {os.path.relpath(torn, whole)}", f"  cut {os.path.getsize(torn) - 10}")
            lock = os.path.join(store, "journal", "serverlock.1")
            for verb in (["print"], ["verify", "--level", "bodies"], ["queues"]):
                command = [self.saranga, "data", *verb, store, "--verbose"]
                self.assertEqual(subprocess.run(command, capture_output=True).returncode, 2)
                child = self.hold(lock)
                try:
                    held = subprocess.run(command, capture_output=True)
                finally:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                self.assertEqual(held.returncode, code, held.stderr)
                self.assertEqual(b"may be writing it now" in held.stderr + held.stdout,
                                 page == "last", held)

    def test_no_lock_file_is_made(self):
        store = os.path.join(self.folder, "data")
        shutil.copytree(self.store("xa"), store, ignore=lambda _, names: [
            name for name in names if name.startswith("server")])
        before = sorted(os.listdir(os.path.join(store, "journal")))
        self.assertEqual(self.run_print(store).returncode, 0)
        self.assertEqual(sorted(os.listdir(os.path.join(store, "journal"))), before)


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    options, rest = parser.parse_known_args()
    ProgramTest.saranga = os.path.abspath(options.saranga)
    ProgramTest.fixtures = os.path.abspath(options.fixtures)
    with tempfile.TemporaryDirectory(prefix="saranga-program-") as ProgramTest.root:
        for name in NAMES:
            fixture_store.unpack_fixture(ProgramTest.fixtures, name, ProgramTest.root)
        unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
