#!/usr/bin/env python3
"""Proves `saranga data compact` with real brokers.

    compact_proof.py [--saranga PATH] [--releases 2.19.0,2.44.0] [--only WORD] [--work DIR]

1. Every fixture that a release can read is compacted in place and to a copy. A broker of that release
   starts on each, and on the store as it was: it must hold the same (queues, messages in order, counts
   of deliveries, schedules, transactions in doubt, duplicate ids, settings), and its log must have no
   warning that the untouched store does not give.
2. Compactions are interrupted at every step that changes names: ours, and finished or undone by a broker;
   those of `artemis data compact`, and finished by us.
3. Locks: with a broker running, compact ends with 4 and changes nothing; while compact works, a broker
   that is started waits until it is done.

Prints a table and a line `N passed, N failed`. Needs what tests/differential/run needs.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import fixture_store  # noqa: E402
import peer  # noqa: E402

ACTOR = HERE / "CompactProof.java"
TIMEOUT_S = 120
CONTROL = "journal-rename-control.ctr"
# Written by these releases; an older broker may not know what is in them.
WRITTEN_BY = {"orders-2.17": "2.17.0", "orders-2.19": "2.19.0", "paging-2.19": "2.19.0",
              "orders-2.28": "2.28.0", "bindings-2.28": "2.28.0", "orders-2.44": "2.44.0",
              "artemis-1.5": "1.5.6", "artemis-2.0": "2.0.0", "artemis-2.6": "2.6.4",
              "artemis-2.10": "2.10.1", "orders-2.56": "2.56.0", "upgrade": "2.40.0"}
# Stores that are not for a broker as it is configured here.
LEFT_OUT = {"hornetq-2.4": "another product", "retention": "has to be configured",
            "unconvertible": "no broker starts on it"}
# What a broker says of the machine, or of its configuration, and not of the store. The bridge of a fixture
# leads to nobody; whether it finds out before the broker is stopped is chance.
ABOUT_OTHERS = re.compile(r"AMQ222(?:100|107|183|210|212)|AMQ224091|AMQ22[0-9]{4}: .*(?:libaio|AIO|NIO)|"
                          r"journal-type|security|Bridge BridgeImpl|because \"factory\" is null")
WARNING = re.compile(r"\b(?:WARN(?:ING)?|ERROR|SEVERE|FATAL)\b|\bAMQ(?:14|22)[24]\d{3}\b|Exception")


def version(release):
    return tuple(map(int, release.split(".")))


def reads(release, fixture):
    writer = WRITTEN_BY.get(fixture, "2.40.0")
    return version(release) >= version(writer)


def tree(folder):
    """What is in the files of a store, but for the locks."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and not path.name.startswith(("server.lock", "serverlock."))}


class Proof:
    def __init__(self, saranga, work):
        self.saranga, self.work = saranga, work
        self.passed, self.failures = 0, []
        self.mutex = threading.Lock()

    def row(self, name, release, way, problem):
        with self.mutex:
            if problem:
                self.failures.append((f"{name} {release} {way}", problem))
            else:
                self.passed += 1
            print(f"{name:16} {release:8} {way:34} {'FAIL' if problem else 'ok'}", flush=True)

    def finish(self):
        for title, problem in self.failures:
            print(f"\nFAIL {title}\n    {problem}")
        print(f"{self.passed} passed, {len(self.failures)} failed")
        return not self.failures and self.passed > 0

    def data(self, *arguments, allowed=(0, 1)):
        done = subprocess.run([str(self.saranga), "data", *map(str, arguments)],
                              capture_output=True, timeout=TIMEOUT_S)
        if done.returncode not in allowed:
            raise peer.PeerError(f"{arguments}: {done.returncode}: {done.stderr.decode()[-500:]}")
        return done

    def digest(self, store):
        done = self.data("hash", store, "--ids", "--delivery", "--now", "1700000000000",
                         "--format", "jsonl")
        return json.loads(done.stdout.splitlines()[-1])["sha256"]

    def view(self, release, store):
        """What a broker holds that has started on the store, and what it warned of."""
        path = store.with_name(store.name + ".view")
        log = store.with_name(store.name + ".broker.log")
        log.unlink(missing_ok=True)
        broker = peer.Broker(release, ACTOR, store, "view", str(path),
                             file_size=file_size(store))
        try:
            broker.stop()
        finally:
            broker.kill()
        warnings = [line for line in log.read_text(errors="replace").split("\n")
                    if WARNING.search(line) and not ABOUT_OTHERS.search(line)]
        return path.read_text().split("\n"), [without_names(line) for line in warnings]


# What every broker says of a compaction that did not come to its control file, its own as well.
ABOUT_LEFTOVERS = re.compile("Temporary files were left unattended|Deleting orphaned file")


def without_leftovers(found):
    view, warnings = found
    return view, [line for line in warnings if not ABOUT_LEFTOVERS.search(line)]


def without_names(line):
    """A warning without what differs in every run: time, thread, file names, ports."""
    line = re.sub(r"^.*?(WARN(?:ING)?|ERROR|SEVERE|FATAL)", r"\1", line)
    return re.sub(r"/\S+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\d{4,}", "X", line)


def file_size(store):
    """The size of the journal's files: a broker moves others away."""
    sizes = [path.stat().st_size for path in (store / "journal").glob("*.amq")]
    return max(set(sizes), key=sizes.count) if sizes else 1048576


def compare(expected, found):
    (view, warnings), (other_view, other_warnings) = expected, found
    new = [line for line in other_warnings if line not in warnings]
    if new:
        return f"warnings: {new[:3]}"
    differences = sorted(set(view) ^ set(other_view))
    return f"{len(differences)} lines differ: {differences[:4]}" if differences else None


# ---- 1. fixtures ---------------------------------------------------------------------------------


def prove_fixture(proof, fixture, release):
    source = proof.work / "fixtures" / fixture / "store"
    base = proof.work / release / fixture
    try:
        untouched = peer.copy_store(source, base / "untouched")
        expected = proof.view(release, untouched)
        if len(expected[0]) < 5:
            raise peer.PeerError("the broker holds nothing")
        in_place = peer.copy_store(source, base / "in-place")
        proof.data("compact", in_place)
        proof.row(fixture, release, "in place", compare(expected, proof.view(release, in_place)))
        copy = base / "copy"
        proof.data("compact", source, "--to", copy)
        proof.row(fixture, release, "copy", compare(expected, proof.view(release, copy)))
    except (peer.PeerError, OSError, subprocess.TimeoutExpired) as error:
        proof.row(fixture, release, "run", str(error)[-600:])


# ---- 2. interrupted compactions ------------------------------------------------------------------


def stop_at(proof, store, call, count):
    """Runs compact and kills it at the n-th call of its kind, by the system's tracer; false when it
    makes fewer calls."""
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                           f"inject={call}:signal=KILL:when={count}", str(proof.saranga), "data",
                           "compact", str(store)], capture_output=True, timeout=TIMEOUT_S)
    return done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)


def prove_ours_interrupted(proof, release, source):
    """Kills at every sync, rename and removal; a broker goes on from what is there."""
    if not shutil.which("strace"):
        return print("interrupted: left out, there is no strace")
    base = proof.work / release / "ours"
    expected = proof.view(release, peer.copy_store(source, base / "untouched"))
    state = proof.digest(source)
    points, with_control, viewed = 0, 0, set()
    for call in ("fdatasync", "fsync", "renameat", "unlinkat", "openat"):
        for count in range(1, 60):
            store = peer.copy_store(source, base / "store")
            if not stop_at(proof, store, call, count):
                break
            points += 1
            if proof.digest(store) != state:
                proof.row("interrupted", release, f"ours at {call} {count}", "another live state")
                continue
            control = (store / "journal" / CONTROL).exists() or \
                (store / "bindings" / CONTROL).exists()
            with_control += control
            # A broker looks at one state of the folder once: names tell states apart.
            names = frozenset(tree(store))
            if names in viewed:
                continue
            viewed.add(names)
            way = f"ours, killed at {call} {count}" + (", control" if control else "")
            found = proof.view(release, store)
            problem = compare(expected, found if control else without_leftovers(found))
            left = [name for name in tree(store) if name.endswith((".cmp", ".tmp", ".ctr"))]
            proof.row("interrupted", release, way, problem or (left and f"left: {left}"))
    proof.row("interrupted", release, f"{points} kills, {with_control} with control",
              None if points > 20 and with_control > 3 else "too few")


def prove_theirs_interrupted(proof, release, source):
    """`artemis data compact` is stopped when its control file appears; we finish it."""
    base = proof.work / release / "theirs"
    expected = proof.view(release, peer.copy_store(source, base / "untouched"))
    found = 0
    for attempt in range(4):
        store = peer.copy_store(source, base / "store")
        process = subprocess.Popen(peer.data_command(release, store, "compact"),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 30
        caught = False
        while process.poll() is None and time.monotonic() < until:
            outputs = list((store / "journal").glob("*.cmp"))
            if (store / "journal" / CONTROL).exists() or (attempt % 2 == 1 and outputs):
                os.kill(process.pid, signal.SIGKILL)
                caught = True
                break
        process.kill()
        process.wait()
        control = (store / "journal" / CONTROL).exists()
        if not caught:
            continue
        found += 1
        names = len(list((store / "journal").glob("*.cmp")))
        proof.data("compact", store)
        left = [name for name in tree(store) if name.endswith((".cmp", ".tmp", ".ctr"))]
        way = f"theirs, {names} outputs{', control' if control else ''}"
        problem = compare_after_theirs(expected, proof.view(release, store))
        proof.row("interrupted", release, way, problem or (left and f"left: {left}"))
    proof.row("interrupted", release, f"theirs caught {found} times", None if found else "never")


def compare_after_theirs(expected, found):
    """Artemis loses delivery counts and schedules of the other queues of a message."""
    def reduced(view):
        return [re.sub(r"deliveries \d+, scheduled \d+", "", line) for line in view]
    return compare((reduced(expected[0]), expected[1]), (reduced(found[0]), found[1]))


# ---- 3. locks ------------------------------------------------------------------------------------


def prove_locks(proof, release, source):
    store = peer.copy_store(source, proof.work / release / "locks")
    broker = peer.Broker(release, ACTOR, store, "hold", file_size=file_size(store))
    try:
        broker.wait_for("READY")
        before = tree(store)
        done = proof.data("compact", store, allowed=(4,))
        problem = None if b"is locked" in done.stderr else done.stderr.decode()
        done = proof.data("compact", store, "--to", store.with_name("live"), allowed=(4,))
        if tree(store) != before:
            problem = "the store has changed"
        proof.row("locks", release, "a broker is running", problem)
    finally:
        broker.kill()
    if shutil.which("strace"):
        prove_waiting(proof, release, peer.copy_store(source, proof.work / release / "waiting"))


def prove_waiting(proof, release, store):
    """A compaction is stopped while it holds the locks; a broker started now must wait for it."""
    compacting = subprocess.Popen(
        ["strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync", "-e",
         "inject=fdatasync:signal=STOP:when=1", str(proof.saranga), "data", "compact", str(store)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stopped = wait_until(lambda: stopped_child(compacting.pid), 20)
    path = store.with_name(store.name + ".view")
    broker = peer.Broker(release, ACTOR, store, "view", str(path), file_size=file_size(store))
    try:
        time.sleep(8)
        early = path.exists() or broker.process.poll() is not None
        child = stopped_child(compacting.pid)
        if child:
            os.kill(child, signal.SIGCONT)
        compacting.wait(timeout=TIMEOUT_S)
        broker.stop()
        problem = ("compact could not be stopped" if not stopped
                   else "the broker did not wait" if early
                   else compacting.returncode and f"compact ended with {compacting.returncode}"
                   or None)
        proof.row("locks", release, "a broker waits for compact", problem)
    finally:
        compacting.kill()
        broker.kill()


def stopped_child(pid):
    """The process that the tracer runs, when it is stopped."""
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            text = path.read_text()
        except OSError:
            continue
        if f"PPid:\t{pid}\n" in text and re.search(r"^State:\t[Tt]", text, re.MULTILINE):
            return int(path.parent.name)
    return None


def wait_until(condition, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.05)
    return False


# ---- the run -------------------------------------------------------------------------------------


def prove(options, work):
    proof = Proof(options.saranga.resolve(), work)
    releases = options.releases.split(",")
    fixtures = [name for name in fixture_store.fixture_names(str(REPOSITORY / "fixtures"))
                if not name.startswith("cases/") and name not in LEFT_OUT]
    for name in fixtures:
        fixture_store.unpack_fixture(str(REPOSITORY / "fixtures"), name, str(work / "fixtures"))
    for release in releases:
        peer.class_path(release, ACTOR)
    work_items = [(fixture, release) for release in releases for fixture in fixtures
                  if reads(release, fixture) and options.only in fixture]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda item: prove_fixture(proof, *item), work_items))
    source = work / "fixtures" / "compact-cli" / "store-before"
    for release in options.interrupt.split(",") if not options.only else []:
        for prove_one in (prove_ours_interrupted, prove_theirs_interrupted, prove_locks):
            try:
                prove_one(proof, release, source)
            except (peer.PeerError, OSError, subprocess.TimeoutExpired) as error:
                proof.row(prove_one.__name__[6:], release, "run", str(error)[-600:])
    return proof.finish()


def main():
    parser = argparse.ArgumentParser(description="Prove compact with real brokers.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--releases", default="2.19.0,2.44.0")
    parser.add_argument("--interrupt", default="2.40.0", help="releases for parts 2 and 3")
    parser.add_argument("--only", default="", help="only fixtures with this in their name")
    parser.add_argument("--jobs", default=2, type=int, help="brokers at a time")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        return prove(options, options.work)
    with tempfile.TemporaryDirectory(prefix="saranga-compact-") as work:
        return prove(options, Path(work))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
