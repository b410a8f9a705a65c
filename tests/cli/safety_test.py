#!/usr/bin/env python3
"""What commands must not destroy or misreport: stores in use that --force would replace, inputs that
--output would overwrite, what is left when a command is stopped, and what is done when nobody can be
told.

    safety_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import contextlib
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import verb_test_case  # noqa: E402

FAILED = 3
IN_USE = 4
USAGE = 64
INTERRUPTED = 130
RECIPE = b"journal journal/activemq-data-1.amq id=1 size=1024\n"
TEXT = b"#File,JournalFileImpl: (activemq-data-1.amq id = 1, recordID = 1)\n"


def tree(folder):
    """Content by path of every file below a folder."""
    found = {}
    for base, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(base, name), "rb") as file:
                found[os.path.relpath(os.path.join(base, name), folder)] = file.read()
    return found


class SafetyTest(verb_test_case.VerbTestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(dir=self.root)

    def path(self, *names):
        return os.path.join(self.work, *names)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def copy(self, name="orders", to="store"):
        return shutil.copytree(self.store(name), self.path(to))

    def archive(self, name="orders"):
        path = self.path(name + ".jsonl")
        self.data("export", self.store(name), "--format", "jsonl", "--output", path)
        return path

    def wait_for(self, condition):
        for _ in range(600):
            if condition():
                return
            time.sleep(0.05)
        self.fail("nothing happened")

    def data(self, *arguments, expect=0, **options):
        """Standard error, after checking the exit code."""
        options.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run([self.saranga, "data", *arguments], stderr=subprocess.PIPE,
                              timeout=verb_test_case.TIMEOUT_S, **options)
        told = done.stderr.decode()
        self.assertEqual(done.returncode, expect, f"{arguments}: {told}")
        return told


@contextlib.contextmanager
def locked(path, start=0, length=0):
    """Held by this process as a broker holds it: nothing may open the file here meanwhile."""
    with open(path, "a+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, length, start)
        yield


def lock_like_a_command(file):
    """The second byte, by the open file: until that is closed."""
    fcntl.fcntl(file, fcntl.F_OFD_SETLK,
                struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1, 1, 0))


class Force(SafetyTest):
    def replacements(self, target):
        """Everything that replaces a store, as arguments and the folder that would go."""
        archive = self.archive()
        recipe, text = self.write("recipe", RECIPE), self.write("text", TEXT)
        whole = os.path.join(self.store("xa"))
        return [("import", archive, target, "--force"),
                ("build", recipe, target, "--force"),
                ("compact", whole, "--to", target, "--force"),
                ("decode", "--input", text, "--directory", target + "/journal", "--force"),
                ("decode", "--input", text, "--directory", target + "/bindings", "--force",
                 "--suffix", "bindings", "--prefix", "activemq-bindings"),
                ("build", recipe, target + "/paging/", "--force")]

    def test_a_running_broker_of_any_release(self):
        target = self.copy()
        with open(target + "/journal/server.lock", "ab"), \
                open(target + "/journal/serverlock.1", "ab"):
            pass
        os.makedirs(target + "/paging/journal")  # something that --force would replace
        before = tree(target)
        replacements = self.replacements(target)
        # The whole of serverlock.1 from 2.10 on, a byte of server.lock before.
        for name, start, length in (("serverlock.1", 0, 0), ("server.lock", 1, 1)):
            for arguments in replacements:
                with locked(f"{target}/journal/{name}", start, length):
                    told = self.data(*arguments, expect=IN_USE)
                self.assertIn("a broker runs on it", told)
                self.assertIn(f"process {os.getpid()} holds", told)
                self.assertIn(f"journal/{name}", told)
        self.assertEqual(tree(target), before)

    def test_locks_that_no_primary_holds(self):
        target = self.copy()
        with open(target + "/journal/serverlock.2", "ab"):
            pass
        # A backup that waits, and the state byte, are no broker that runs.
        with locked(target + "/journal/server.lock", 2, 1), \
                locked(target + "/journal/serverlock.2"):
            self.data("import", self.archive(), target, "--force")

    def test_a_broker_that_starts_meanwhile(self):
        target = self.copy()
        before = tree(target)
        archive = self.archive()
        with subprocess.Popen([self.saranga, "data", "import", "-", target, "--force"],
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            with open(archive, "rb") as content:
                whole = content.read()
            running.stdin.write(whole[:-1])
            running.stdin.flush()
            self.wait_for(lambda: any(n.endswith(".tmp") for n in os.listdir(self.work)))
            with locked(target + "/journal/server.lock", 1, 1):
                running.stdin.write(whole[-1:])
                running.stdin.close()
                told = running.stderr.read().decode()
            self.assertEqual(running.wait(), IN_USE, told)
        self.assertIn("a broker runs on it", told)
        self.assertEqual(tree(target), before)
        self.assertEqual([n for n in os.listdir(self.work) if n.endswith(".tmp")], [])

    def test_a_reader_tells_of_an_old_broker(self):
        target = self.copy()
        with locked(target + "/journal/server.lock", 1, 1):
            told = self.data("queues", target)
            self.data("compact", target, "--to", self.path("copy"), expect=IN_USE)
        self.assertIn("a broker is running on this store", told)
        self.assertFalse(os.path.exists(self.path("copy")))

    def test_what_is_read_lies_in_the_target(self):
        target = self.copy()
        os.mkdir(target + "/attic")
        packed = shutil.make_archive(target + "/attic/case", "tar", self.store("xa"))
        archive = shutil.copy(self.archive(), target + "/attic/in.jsonl")
        recipe, text = self.write("store/attic/recipe", RECIPE), self.write("store/attic/t", TEXT)
        before = tree(target)
        for arguments in (("import", archive, target), ("build", recipe, target),
                          ("compact", packed, "--to", target),
                          ("decode", "--input", text, "--directory", target)):
            told = self.data(*arguments, "--force", expect=USAGE)
            self.assertIn("what is read", told)
        self.assertEqual(tree(target), before)


class Outputs(SafetyTest):
    def refuse(self, *arguments, output):
        """The output is refused, and nothing has changed."""
        before = tree(self.work)
        told = self.data(*arguments, "--output", output, expect=USAGE)
        self.assertIn("nothing is written there", told)
        self.assertEqual(tree(self.work), before)

    def test_the_other_store_of_a_comparison(self):
        store, other = self.copy("xa", "a"), self.copy("orders", "b")
        packed = shutil.make_archive(self.path("case"), "gztar", other)
        for compared in (other, packed):
            self.refuse("diff", store, compared, output=packed if compared == packed
                        else other + "/x")
        self.refuse("diff", packed, store, output=packed)
        self.refuse("diff", store, other, output=store + "/x")
        link = self.path("link")
        os.symlink(other, link)
        self.refuse("diff", store, link, output=other + "/x")
        self.refuse("diff", store, other, output=link + "/x")

    def test_the_input_or_the_target_of_an_import(self):
        archive = self.archive()
        os.link(archive, self.path("twin"))
        self.refuse("import", archive, self.path("new"), output=archive)
        self.refuse("import", "--input", archive, self.path("new"), output=archive)
        self.refuse("import", archive, self.path("new"), output=self.path("new", "report"))
        self.refuse("import", archive, "--into", self.copy(), output=archive)
        self.refuse("import", archive, "--into", self.path("store"), output=self.path("store", "x"))
        target = self.copy(to="old")
        self.refuse("import", archive, target, "--force", output=target + "/report")
        self.refuse("compact", self.path("store"), "--to", target, "--force",
                    output=target + "/report")
        # A second name of the same file keeps what it has.
        self.data("import", archive, self.path("new"), "--output", self.path("twin"))
        self.assertGreater(os.path.getsize(archive), os.path.getsize(self.path("twin")))

    def test_the_configuration(self):
        store = self.copy()
        os.makedirs(self.path("instance", "etc"))
        xml = self.write("instance/etc/broker.xml", (
            '<configuration xmlns="urn:activemq"><core xmlns="urn:activemq:core">'
            + "".join(f"<{part}-directory>{store}/{folder}</{part}-directory>"
                      for part, folder in (("journal", "journal"), ("bindings", "bindings"),
                                           ("paging", "paging"),
                                           ("large-messages", "large-messages")))
            + f"<journal-retention-directory>{self.path('kept')}</journal-retention-directory>"
            "</core></configuration>").encode())
        profile = self.write("instance/etc/artemis.profile", b"JAVA_ARGS=''\n")
        os.mkdir(self.path("kept"))
        for verb in ("export", "print", "queues", "messages", "stats", "verify", "explain", "hash",
                     "encode"):
            self.refuse(verb, "--broker", xml, output=xml)
        for given in ((xml,), (self.path("instance", "etc"),), (self.path("instance"),),
                      ("--broker", xml)):
            for output in (xml, profile, self.path("kept", "x")):
                self.refuse("queues", *given, output=output)
        self.data("queues", "--broker", xml, "--output", self.path("instance", "etc", "queues.txt"))


class Signals(SafetyTest):
    def targets(self):
        """What makes a store of its standard input, as arguments, and an input of it."""
        with open(self.archive(), "rb") as archive:
            yield ("import", "-", self.path("new")), archive.read()
        yield ("build", "-", self.path("new")), RECIPE
        yield ("decode", "--directory", self.path("new")), TEXT
        with open(self.archive(), "rb") as archive:
            yield ("import", "-", "--into", self.copy()), archive.read()

    @contextlib.contextmanager
    def running(self, arguments, given, **options):
        """The command, which has a part of its input and waits for more."""
        with subprocess.Popen([self.saranga, "data", *arguments], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              **options) as process:
            process.stdin.write(given)
            process.stdin.flush()
            if "--into" not in arguments:
                self.wait_for(self.temporaries)
            yield process
            process.stdin.close()
            process.stderr.close()

    def temporaries(self):
        return [name for name in os.listdir(self.work) if name.endswith(".tmp")]

    def test_every_signal_leaves_nothing(self):
        for arguments, content in self.targets():
            before = sorted(os.listdir(self.work))
            for signals in ([signal.SIGINT], [signal.SIGTERM] * 2, [signal.SIGHUP] * 2):
                with self.running(arguments, content[:-1]) as process:
                    for number in signals:
                        process.send_signal(number)
                    # It waits for an input that does not come.
                    code = process.wait(verb_test_case.TIMEOUT_S)
                self.assertEqual(code, INTERRUPTED, (arguments, signals))
                self.assertEqual(sorted(os.listdir(self.work)), before, (arguments, signals))

    def test_nohup_is_respected(self):
        archive = self.archive()
        with open(archive, "rb") as file:
            content = file.read()
        with self.running(("import", "-", self.path("new")), content[:-1],
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as one:
            one.send_signal(signal.SIGHUP)
            one.stdin.write(content[-1:])
            one.stdin.close()
            self.assertEqual(one.wait(verb_test_case.TIMEOUT_S), 0)
        self.assertTrue(os.path.isdir(self.path("new", "journal")))

    def test_what_is_done_ends_as_done(self):
        """A signal behind the rename: the command waits to tell what it has done."""
        for arguments, content in (("build", "-", self.path("new")), RECIPE), \
                (("decode", "--directory", self.path("new")), TEXT):
            told, say = os.pipe()
            os.set_blocking(say, False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(say, b"x" * 4096)
            os.set_blocking(say, True)
            with subprocess.Popen([self.saranga, "data", *arguments], stdin=subprocess.PIPE,
                                  stderr=say) as process:
                os.close(say)
                process.stdin.write(content)
                process.stdin.close()
                self.wait_for(lambda: os.path.exists(self.path("new")))
                process.send_signal(signal.SIGTERM)
                with open(told, "rb") as pipe:
                    pipe.read()
                self.assertEqual(process.wait(verb_test_case.TIMEOUT_S), 0, arguments)
            shutil.rmtree(self.path("new"))

    def test_the_exit_code_tells_what_is_there(self):
        """Whenever the signal comes: interrupted means no target, done means a whole one."""
        archive, new = self.archive("large"), self.path("new")
        for arguments in (("compact", self.store("xa"), "--to", new), ("import", archive, new)):
            for delay_ms in range(0, 40, 2):
                process = subprocess.Popen([self.saranga, "data", *arguments],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(delay_ms / 1000)
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=verb_test_case.TIMEOUT_S)
                # Before main() the signal still has the effect that it has by itself.
                self.assertIn(process.returncode, (0, INTERRUPTED, -signal.SIGTERM))
                self.assertEqual(os.path.exists(new), process.returncode == 0, arguments)
                self.assertEqual(self.temporaries(), [])
                shutil.rmtree(new, ignore_errors=True)


class LostReports(SafetyTest):
    def full(self, *arguments):
        """What is told when standard output takes nothing."""
        with open("/dev/full", "wb") as full:
            return self.data(*arguments, expect=FAILED, stdout=full)

    def test_what_was_done_is_told(self):
        archive, store = self.archive(), self.copy()
        for form in ("text", "json", "jsonl"):
            for arguments in (("import", archive, self.path("new-" + form)),
                              ("import", archive, "--into", store)):
                told = self.full(*arguments, "--format", form)
                self.assertIn("the import itself is done and complete; do not repeat it", told)
            self.assertTrue(os.path.isdir(self.path("new-" + form, "journal")))
            for arguments in (("compact", store), ("compact", store, "--to",
                                                    self.path("copy-" + form))):
                told = self.full(*arguments, "--format", form)
                self.assertIn("the compaction itself is done and complete", told)
        for arguments in (("compact", store, "--dry-run"), ("queues", store)):
            self.assertNotIn("do not repeat", self.full(*arguments))


class Waiting(SafetyTest):
    """What is told of another command, which holds the locks by an open file and not as a process."""

    def test_another_command_ends_in_time(self):
        archive, store = self.archive(), self.copy()
        for arguments in (("import", archive, "--into", store), ("compact", store)):
            with open(store + "/journal/server.lock", "a+b") as file:
                lock_like_a_command(file)
                process = subprocess.Popen([self.saranga, "data", *arguments], text=True,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                first = process.stderr.readline()
            rest = process.communicate(timeout=verb_test_case.TIMEOUT_S)[1]
            self.assertEqual(process.returncode, 0, first + rest)
            self.assertIn(f"waiting a moment for the lock on {store}/journal/server.lock, which "
                          "another command holds", first)
            self.assertNotIn("broker", first + rest)
            self.assertNotIn("incomplete", first + rest)

    def test_another_command_goes_on(self):
        archive, store = self.archive(), self.copy()
        before = tree(store)
        with open(store + "/journal/server.lock", "a+b") as file:
            lock_like_a_command(file)
            for arguments in (("import", archive, "--into", store), ("compact", store),
                              ("compact", store, "--to", self.path("to"))):
                told = self.data(*arguments, "--quiet", expect=IN_USE)
                self.assertIn("another command works on this store", told)
                self.assertNotIn("waiting", told)
            told = self.data("import", archive, store, "--force", expect=IN_USE)
            self.assertIn("another command works on it", told)
            self.assertIn("another command is writing to this store", self.data("queues", store))
        self.assertEqual({n: c for n, c in tree(store).items() if "server" not in n},
                         {n: c for n, c in before.items() if "server" not in n})


if __name__ == "__main__":
    verb_test_case.run(__doc__)
