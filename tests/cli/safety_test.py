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
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import verb_test_case  # noqa: E402

IN_USE = 4
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


if __name__ == "__main__":
    verb_test_case.run(__doc__)
