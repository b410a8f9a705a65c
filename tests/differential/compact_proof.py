#!/usr/bin/env python3
"""Proves with a real broker that `saranga data compact` may be interrupted, and keeps its locks.

    compact_proof.py [--saranga PATH] [--release 2.40.0] [--work DIR]

1. Compactions are interrupted at every step that changes names: ours, and finished or undone by a
   broker; those of `artemis data compact`, and finished by us. A broker must then hold what it
   holds after a start on the untouched store.
2. Locks: with a broker running, compact ends with 4 and changes nothing; while compact works, a
   broker that is started waits until it is done.

What compact leaves when nothing interrupts it is in matrix_proof.py. Prints a table and a line
`N passed, N failed`. Needs what tests/differential/run needs.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import fixture_store  # noqa: E402
import peer  # noqa: E402
import viewer  # noqa: E402
from matrix_proof import comparable  # noqa: E402

TIMEOUT_S = 120
CONTROL = "journal-rename-control.ctr"


def tree(folder):
    """What is in the files of a store, but for the locks."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and not path.name.startswith(("server.lock", "serverlock."))}


def compare(expected, found):
    return viewer.compare(expected, found, comparable)


class Proof:
    def __init__(self, saranga, brokers, work):
        self.saranga, self.brokers, self.work = saranga, brokers, work
        self.release = brokers.release
        self.passed, self.failures = 0, []

    def row(self, name, way, problem):
        if problem:
            self.failures.append((f"{name} {way}", problem))
        else:
            self.passed += 1
        print(f"{name:12} {way:44} {'FAIL' if problem else 'ok'}", flush=True)

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


# ---- 1. interrupted compactions ------------------------------------------------------------------


def stop_at(proof, store, call, count):
    """Runs compact and kills it at the n-th call of its kind, by the system's tracer; false when it
    makes fewer calls."""
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                           f"inject={call}:signal=KILL:when={count}", str(proof.saranga), "data",
                           "compact", str(store)], capture_output=True, timeout=TIMEOUT_S)
    return done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)


def prove_ours_interrupted(proof, source):
    """Kills at every sync, rename and removal; a broker goes on from what is there."""
    if not shutil.which("strace"):
        return print("interrupted: left out, there is no strace")
    base = proof.work / "ours"
    expected = proof.brokers.view(peer.copy_store(source, base / "untouched"))
    state = proof.digest(source)
    points, with_control, viewed = 0, 0, set()
    for call in ("fdatasync", "fsync", "renameat", "unlinkat", "openat"):
        for count in range(1, 60):
            store = peer.copy_store(source, base / "store")
            if not stop_at(proof, store, call, count):
                break
            points += 1
            if proof.digest(store) != state:
                proof.row("interrupted", f"ours at {call} {count}", "another live state")
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
            found = proof.brokers.view(store)
            problem = compare(expected, found if control else found.without_leftovers())
            left = [name for name in tree(store) if name.endswith((".cmp", ".tmp", ".ctr"))]
            proof.row("interrupted", way, problem or (left and f"left: {left}"))
    proof.row("interrupted", f"{points} kills, {with_control} with control",
              None if points > 20 and with_control > 3 else "too few")


def prove_theirs_interrupted(proof, source):
    """`artemis data compact` is stopped when its control file appears; we finish it."""
    base = proof.work / "theirs"
    expected = proof.brokers.view(peer.copy_store(source, base / "untouched"))
    found = 0
    for attempt in range(4):
        store = peer.copy_store(source, base / "store")
        process = subprocess.Popen(peer.data_command(proof.release, store, "compact"),
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
        problem = compare_after_theirs(expected, proof.brokers.view(store))
        proof.row("interrupted", way, problem or (left and f"left: {left}"))
    proof.row("interrupted", f"theirs caught {found} times", None if found else "never")


def compare_after_theirs(expected, found):
    """Artemis loses delivery counts and schedules of the other queues of a message."""
    def reduced(thing):
        return {name: value for name, value in comparable(thing).items()
                if name not in ("deliveryCount", "scheduledTime")}
    return viewer.compare(expected, found, reduced)


# ---- 2. locks ------------------------------------------------------------------------------------


def prove_locks(proof, source):
    store = peer.copy_store(source, proof.work / "locks")
    broker = peer.Broker(proof.release, viewer.ACTOR, store, "hold",
                         file_size=viewer.file_size(store))
    try:
        broker.wait_for("READY")
        before = tree(store)
        done = proof.data("compact", store, allowed=(4,))
        problem = None if b"is locked" in done.stderr else done.stderr.decode()
        done = proof.data("compact", store, "--to", store.with_name("live"), allowed=(4,))
        if tree(store) != before:
            problem = "the store has changed"
        proof.row("locks", "a broker is running", problem)
    finally:
        broker.kill()
    if shutil.which("strace"):
        prove_waiting(proof, peer.copy_store(source, proof.work / "waiting"))


def prove_waiting(proof, store):
    """A compaction is stopped while it holds the locks; a broker started now must wait for it."""
    compacting = subprocess.Popen(
        ["strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync", "-e",
         "inject=fdatasync:signal=STOP:when=1", str(proof.saranga), "data", "compact", str(store)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stopped = wait_until(lambda: stopped_child(compacting.pid), 20)
    path = store.with_name(store.name + ".view")
    broker = peer.Broker(proof.release, viewer.ACTOR, store, "view", str(path),
                         file_size=viewer.file_size(store))
    try:
        time.sleep(8)
        early = path.exists() or broker.process.poll() is not None
        finished = wait_until(lambda: continued_to_end(compacting), TIMEOUT_S)
        broker.stop()
        problem = ("compact could not be stopped" if not stopped
                   else "the broker did not wait" if early
                   else "compact did not end" if not finished
                   else compacting.returncode and f"compact ended with {compacting.returncode}"
                   or None)
        proof.row("locks", "a broker waits for compact", problem)
    finally:
        compacting.kill()
        broker.kill()


def continued_to_end(tracer):
    """Whether what is traced has ended. The tracer counts calls for each thread by itself, so the
    first sync of every thread stops the process once more."""
    child = stopped_child(tracer.pid)
    if child:
        os.kill(child, signal.SIGCONT)
    return tracer.poll() is not None


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
    with viewer.Viewer(options.release) as brokers:
        proof = Proof(options.saranga.resolve(), brokers, work)
        fixture_store.unpack_fixture(str(REPOSITORY / "fixtures"), "compact-cli",
                                     str(work / "fixtures"))
        source = work / "fixtures" / "compact-cli" / "store-before"
        for prove_one in (prove_ours_interrupted, prove_theirs_interrupted, prove_locks):
            try:
                prove_one(proof, source)
            except (peer.PeerError, OSError, subprocess.TimeoutExpired) as error:
                proof.row(prove_one.__name__[6:], "run", str(error)[-600:])
        return proof.finish()


def main():
    parser = argparse.ArgumentParser(description="Prove compact with real brokers.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--release", default="2.40.0")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        return prove(options, options.work)
    with tempfile.TemporaryDirectory(prefix="saranga-compact-") as work:
        return prove(options, Path(work))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
