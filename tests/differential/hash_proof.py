#!/usr/bin/env python3
"""Proves with a real broker what `data hash` and `data diff` promise.

    hash_proof.py [--saranga PATH] [--release 2.40.0] [--work DIR]

The digest of a store is the same after a broker has started on it and stopped, and after Artemis' own
`data compact`; `diff` finds nothing there. After some messages were consumed, `diff` names exactly
those. Prints a line `N passed, N failed`.
"""
import argparse
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.insert(0, str(HERE))
import peer  # noqa: E402

ACTOR = HERE / "ExplainProof.java"
CONSUMED = 3
TIMEOUT_S = 120
# The broker must not expire or reschedule anything between two looks: both look from one moment.
NOW = ("--now", "1700000000000")


def differential_run():
    """The program `run` beside this file as a module: it makes the stores."""
    loader = importlib.machinery.SourceFileLoader("differential_run", str(HERE / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Proof:
    def __init__(self, saranga, release, work):
        self.saranga, self.release, self.work = saranga, release, work
        self.passed = self.failed = 0

    def data(self, *arguments):
        done = subprocess.run([str(self.saranga), "data", *map(str, arguments), *NOW, "--format",
                               "jsonl"], capture_output=True, timeout=TIMEOUT_S)
        if done.returncode > 1:
            raise peer.PeerError(f"{arguments}: {done.stderr.decode()[-500:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def digest(self, store):
        return self.data("hash", store, "--ids")[-1]["sha256"]

    def differences(self, first, second):
        return [o for o in self.data("diff", first, second, "--ids")
                if o["type"] == "message" or "difference" in o]

    def check(self, name, problem):
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {problem}")
        else:
            self.passed += 1
            print(f"ok   {name}")

    def restarted(self, original, name, script=""):
        """A copy on which a broker has started, done what the script says, and stopped."""
        store = peer.copy_store(original, self.work / name)
        path = self.work / f"{name}.script"
        path.write_text(script)
        broker = peer.Broker(self.release, ACTOR, store, "act", str(path))
        try:
            broker.stop()
        finally:
            broker.kill()
        return store

    def compacted(self, original):
        store = peer.copy_store(original, self.work / "compacted")
        done = subprocess.run(peer.data_command(self.release, store, "compact"),
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
        if b"Compactation succeeded" not in done.stdout:
            raise peer.PeerError(f"data compact failed: {done.stderr.decode()[-500:]}")
        return store

    def same(self, name, first, second):
        differences = self.differences(first, second)
        self.check(f"diff after {name}", differences and f"{len(differences)}: {differences[:3]}")
        self.check(f"hash after {name}",
                   self.digest(first) != self.digest(second) and "another digest")

    def consumable(self, original):
        """A queue, and the ids of its first messages: the actor finds them by their property n."""
        for queue in self.data("queues", original, "--sort", "messages"):
            if queue["type"] != "queue" or not queue["name"] or " " in queue["name"]:
                continue
            messages = [o for o in self.data("messages", original, "--queue", queue["name"],
                                             "--state", "pending") if o["type"] == "message"]
            numbers = [m["properties"].get("n", {}).get("value") for m in messages
                       if not m["paged"]]
            if len(numbers) >= CONSUMED and None not in numbers and len(set(numbers)) == len(numbers):
                return queue["name"], [m["id"] for m in messages[:CONSUMED]]
        raise peer.PeerError("no queue has messages that can be told apart")

    def consumed(self, original):
        """Consumes the first messages of a queue; diff must name them and nothing else."""
        queue, ids = self.consumable(original)
        script = f"consume {queue} {' '.join(map(str, ids))}\n"
        after = self.restarted(original, "consumed", script)
        found = self.differences(original, after)
        named = sorted((o["difference"], o["queue"], o["id"]) for o in found if "id" in o)
        wanted = sorted(("missing", queue, message) for message in ids)
        self.check("diff after consuming", named != wanted and f"wanted {wanted}, found {named}")


def prove(saranga, release, work):
    run = differential_run()
    peer.fetch(release)
    proof = Proof(saranga, release, work)
    original = run.make_store(release, "stopped", work, "3")
    # The first start after traffic settles what expires or is due; from then on nothing changes.
    settled = proof.restarted(original, "settled")
    proof.same("a restart", settled, proof.restarted(settled, "restarted"))
    proof.same("compaction", settled, proof.compacted(settled))
    proof.consumed(settled)
    print(f"{proof.passed} passed, {proof.failed} failed")
    return proof.failed == 0


def main():
    parser = argparse.ArgumentParser(description="Prove hash and diff with a real broker.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--release", default="2.40.0")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    saranga = options.saranga.resolve()
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        return prove(saranga, options.release, options.work)
    with tempfile.TemporaryDirectory(prefix="saranga-hash-") as work:
        return prove(saranga, options.release, Path(work))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
