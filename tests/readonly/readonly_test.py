#!/usr/bin/env python3
"""Reading never writes: runs every reading verb and compares the store before and after.

    readonly_test.py [--saranga PATH] [--fixtures DIR]

Three rounds: every fixture as it is; some of them in folders without write permission, as an
ordinary user; the same on a read-only mount. The two last must also give the same output. A round
that this machine does not allow is reported as skipped.
"""
import argparse
import glob
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402

# Every verb that only reads, with options that change what it opens; STORE stands for the store.
# Verbs that the program does not have (yet) are left out, and said to be.
NOW = ("--now", "2027-01-01")  # ages are the same in every round
READING = (
    ("data", "print", "STORE"),
    ("data", "print", "STORE", "--format", "jsonl"),
    ("data", "print", "STORE", "--format", "recipe"),
    ("data", "print", "STORE", "--reclaimed", "--skip-bindings"),
    ("data", "queues", "STORE", *NOW),
    ("data", "queues", "STORE", *NOW, "--format", "jsonl"),
    ("data", "messages", "STORE"),
    ("data", "messages", "STORE", "--format", "jsonl"),
    ("data", "stats", "STORE", *NOW),
    ("data", "stats", "STORE", *NOW, "--format", "jsonl"),
    ("data", "verify", "STORE", *NOW),
    ("data", "verify", "STORE", *NOW, "--format", "jsonl"),
    ("data", "explain", "STORE", *NOW),
    ("data", "explain", "STORE", *NOW, "--format", "jsonl"),
    ("data", "hash", "STORE", *NOW),
    ("data", "compact", "STORE", "--dry-run", "--to", "no-such-folder"),
    ("data", "encode", "STORE"),
    ("data", "export", "STORE", *NOW),
    ("data", "diff", "STORE", "STORE", *NOW),
)
# Healthy, killed, paged, with leftovers, damaged, old.
RESTRICTED = ("orders", "crash", "paging", "cases/d8-leftover-files", "cases/a1-short-files",
              "hornetq-2.4")
ORDINARY_USER = 65534
FINISHED = (0, 1, 2)  # anything else says that the store could not be read
TIMEOUT_S = 300


def snapshot(root):
    """Every name below root, with what writing would change."""
    state = {}
    for base, folders, files in os.walk(root):
        for name in folders + files + ["."]:
            path = os.path.join(base, name)
            status = os.lstat(path)
            content = ""
            if stat.S_ISREG(status.st_mode):
                with open(path, "rb") as source:
                    content = hashlib.sha256(source.read()).hexdigest()
            size = status.st_size if content else 0
            state[os.path.relpath(path, root)] = (status.st_mode, size, status.st_mtime_ns,
                                                  status.st_ctime_ns, content)
    return state


def changes(before, after):
    return sorted(name for name in before.keys() | after.keys()
                  if before.get(name) != after.get(name))


def command_of(verb, program, store):
    return [program] + [store if word == "STORE" else word for word in verb]


def existing_verbs(saranga):
    """The rows of READING whose verb the program lists in its overview."""
    overview = run([saranga, "--help"]).stdout.decode()
    return [verb for verb in READING if f" {verb[0]} {verb[1]} " in overview]


class Report:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped = []

    def check(self, what, problems):
        self.passed, self.failed = self.passed + (not problems), self.failed + bool(problems)
        if problems:
            print(f"FAIL {what}", *problems, sep="\n    ")

    def skip(self, what, reason):
        print(f"skipped: {what}: {reason}")
        self.skipped.append(what)


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIMEOUT_S, **options)


def problems_of(done, reference=None):
    if done.returncode not in FINISHED:
        return [f"exit code {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"]
    if not done.stdout:
        return ["printed nothing"]
    if reference and (done.returncode, done.stdout) != (reference.returncode, reference.stdout):
        return [f"exit code {done.returncode} and {len(done.stdout)} bytes, elsewhere "
                f"{reference.returncode} and {len(reference.stdout)} bytes"]
    return []


def as_it_is(report, saranga, verbs, root, name):
    """The first round for one fixture; gives what each verb printed."""
    store, outputs = os.path.join(root, name, "store"), {}
    for verb in verbs:
        before = snapshot(store)
        done = run(command_of(verb, saranga, store))
        outputs[verb] = done
        problems = problems_of(done)
        problems += [f"changed: {path}" for path in changes(before, snapshot(store))]
        report.check(f"{name}: {' '.join(verb)}", problems)
    return outputs


def restricted(report, title, prefix, program, root, outputs):
    """Another round: the command is wrapped by what `prefix` gives for a store."""
    for name, references in outputs.items():
        store = os.path.join(root, name, "store")
        for verb, reference in references.items():
            done = run([*prefix(store), *command_of(verb, program, store)])
            report.check(f"{title}: {name}: {' '.join(verb)}", problems_of(done, reference))


def remove_write_permission(root):
    for base, _, files in os.walk(root):
        os.chmod(base, 0o555)
        for name in files:
            os.chmod(os.path.join(base, name), 0o444)


def restore_write_permission(root):
    for base, _, _ in os.walk(root):
        os.chmod(base, 0o755)


def ordinary_user(store):
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups"]


def read_only_mount(store):
    """A mount that only the command sees; the store is under its own path, but not writable."""
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", script, store]


def can_mount(folder):
    """Whether a read-only mount can be made here, and really refuses to be written to."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    try:
        probe = ["sh", "-c", '! touch "$0/probe" 2>/dev/null', folder]
        return run([*read_only_mount(folder), *probe]).returncode == 0
    except OSError:
        return False


def private_program(saranga, folder):
    """A copy that an ordinary user may execute, wherever the build folder is."""
    program = shutil.copy(saranga, os.path.join(folder, "saranga"))
    for library in glob.glob(os.path.join(os.path.dirname(saranga), "libsaranga.so*")):
        shutil.copy(library, folder)
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o755)
    os.environ["LD_LIBRARY_PATH"] = folder
    return program


def all_rounds(report, saranga, fixtures, root):
    outputs, verbs = {}, existing_verbs(saranga)
    missing = {verb[1] for verb in READING} - {verb[1] for verb in verbs}
    for verb in sorted(missing):
        report.skip(f"data {verb}", "the program does not have it")
    for name in fixture_store.fixture_names(fixtures):
        fixture_store.unpack_fixture(fixtures, name, root)
        made = as_it_is(report, saranga, verbs, root, name)
        if name in RESTRICTED:
            outputs[name] = made
        else:
            shutil.rmtree(os.path.join(root, name))

    if can_mount(root):
        restricted(report, "read-only mount", read_only_mount, saranga, root, outputs)
    else:
        report.skip("read-only mount", "needs root, unshare and the right to mount")

    bin_folder = os.path.join(root, "bin")
    os.makedirs(bin_folder)
    program = private_program(saranga, bin_folder)
    for name in outputs:
        remove_write_permission(os.path.join(root, name))
    try:
        restricted(report, "no write permission", ordinary_user, program, root, outputs)
    finally:
        restore_write_permission(root)


def main():
    parser = argparse.ArgumentParser(description="Check that reading never writes.")
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="saranga-readonly-") as root:
        os.chmod(root, 0o755)
        all_rounds(report, os.path.abspath(options.saranga), options.fixtures, root)
    print(f"{report.passed} passed, {report.failed} failed, {len(report.skipped)} skipped")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
