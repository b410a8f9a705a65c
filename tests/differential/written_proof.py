#!/usr/bin/env python3
"""Proves with real brokers that what the library writes is a store.

    written_proof.py [--saranga PATH] [--writer PATH] [--releases 2.19.0,2.28.0,2.40.0] [--work DIR]

A program writes a store with the library alone: bindings, messages in and out of transactions,
acknowledgements, a large message, pages with and without page transactions, a transaction in doubt;
once as NIO has it, once in blocks past the page cache.
`data verify` has to be content with it. Then a broker of each release starts on a copy and consumes
every message of every queue, which must be there by its id and in its order; afterwards only the
transaction in doubt is left. What the broker logs as a warning is a failure.

It needs Java 17 and releases as tests/differential/run does.
"""
import argparse
import json
import re
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
TIMEOUT_S = 120
SETTINGS = ('<address-setting match="paged"><max-size-bytes>50K</max-size-bytes>'
            "<page-size-bytes>20K</page-size-bytes></address-setting>")
# Older releases warn when an address goes on paging or stops, and of entries whose transaction never
# committed; the store has some on purpose.
EXPECTED_WARNING = re.compile(r"AMQ222038: Starting paging|AMQ224108: Stopped paging|"
                              r"AMQ222029: Could not locate page")


class Failure(Exception):
    """A broker sees something else than what was written."""


def saranga(options, *arguments, codes=(0, 1)):
    done = subprocess.run([str(options.saranga), "data", *map(str, arguments), "--format", "jsonl"],
                          capture_output=True, timeout=TIMEOUT_S)
    if done.returncode not in codes:
        raise Failure(f"{arguments[0]} ends with {done.returncode}: {done.stdout.decode()[-800:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def write_store(options, folder, layout):
    """The ids on each queue, as the program that wrote them says."""
    done = subprocess.run([str(options.writer), str(folder), *layout], capture_output=True,
                          text=True, timeout=TIMEOUT_S, check=True)
    queues = {}
    for line in done.stdout.splitlines():
        name, *ids = line.split()
        queues[name] = [int(number) for number in ids]
    return queues


def check_ours(options, store, queues):
    """saranga sees what was written, and finds nothing odd but the transaction in doubt."""
    odd = [o for o in saranga(options, "verify", store) if o["type"] == "finding"]
    unexpected = [o for o in odd if o["severity"] != "info" and o["code"] != "transaction-prepared"]
    if unexpected:
        raise Failure(f"verify finds {unexpected[:3]}")
    for name, ids in queues.items():
        seen = [o["id"] for o in saranga(options, "messages", store, "--queue", name,
                                         "--state", "pending") if o["type"] == "message"]
        if seen != ids:
            raise Failure(f"{name} has {seen[:5]}… instead of {ids[:5]}…")


def consume(release, store, queues):
    script = store.with_name(store.name + ".script")
    script.write_text("".join(f"consume {name} {' '.join(map(str, ids))}\n"
                              for name, ids in queues.items() if ids))
    broker = peer.Broker(release, ACTOR, store, "act", str(script), address_settings=SETTINGS)
    try:
        broker.stop()
    except peer.PeerError as error:
        raise Failure(f"{error}: {broker.log.read_text()[-1500:]}") from error
    finally:
        broker.kill()
    warnings = [line for line in broker.log.read_text().splitlines()
                if re.search(r"\bAMQ22[24]\d{3}\b", line) and re.search(r"\b(WARN|ERROR)", line)
                and not EXPECTED_WARNING.search(line)]
    if warnings:
        raise Failure(f"the broker warns: {warnings[:3]}")


def check_emptied(options, store):
    left = {o["name"]: (o["message_count"], o["prepared_count"])
            for o in saranga(options, "queues", store) if o["type"] == "queue"}
    wrong = {name: count for name, count in left.items()
             if count[0] != 0 or (count[1] != 0) != (name == "doubt")}
    if wrong or "doubt" not in left:
        raise Failure(f"left on the queues: {wrong or left}")


def prove_layout(options, work, layout):
    """How many releases see something else."""
    failed = 0
    name = "-".join(["written", *layout])
    queues = write_store(options, work / name, layout)
    check_ours(options, work / name, queues)
    for release in options.releases.split(","):
        try:
            store = peer.copy_store(work / name, work / f"{name}-{release}")
            consume(release, store, queues)
            check_emptied(options, store)
            print(f"ok   {release} consumed {sum(map(len, queues.values()))} messages of "
                  f"{len(queues)} queues, {name}")
        except Failure as failure:
            failed += 1
            print(f"FAIL {release}, {name}: {failure}")
    return failed


def prove(options, work):
    return prove_layout(options, work, []) + prove_layout(options, work, ["direct"])


def main():
    parser = argparse.ArgumentParser(description="Let real brokers start on a store of ours.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--writer", default=REPOSITORY / "build/test/tests/write_store", type=Path)
    parser.add_argument("--releases", default="2.19.0,2.28.0,2.40.0")
    parser.add_argument("--work", type=Path, help="folder for the stores, which stay there")
    options = parser.parse_args()
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        return prove(options, options.work)
    with tempfile.TemporaryDirectory() as work:
        return prove(options, Path(work))


if __name__ == "__main__":
    try:
        sys.exit(1 if main() else 0)
    except (Failure, peer.PeerError) as problem:
        print(f"FAIL: {problem}")
        sys.exit(1)
