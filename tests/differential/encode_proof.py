#!/usr/bin/env python3
"""Proves with a real release what `data encode` and `data decode` promise.

    encode_proof.py [--saranga PATH] [--release 2.40.0] [--work DIR] [FIXTURE…]

For each journal of the fixtures: both programs give the same text; what Artemis decodes of our text
and what we decode of theirs holds the records of the store, but for what Artemis is known to lose
(docs/compatibility.md#the-text-of-a-journal). Brokers start on what we have decoded in
matrix_proof.py. Prints a line `N passed, N failed`.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
FIXTURES = REPOSITORY / "fixtures"
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "support"))
import fixture_store  # noqa: E402
import peer  # noqa: E402

TEXTS = ("orders", "protocols", "large", "paging", "xa", "bindings", "compacted", "crash", "aio",
         "retention", "upgrade", "artemis-1.5", "hornetq-2.4", "cases/c1-prepared-ack-lost-queue")
# Everything in one file: no file becomes free while Artemis decodes, and none is used again.
ONE_FILE = "67108864"
NO_BODY = "data"  # what Artemis takes for the body of a record without one
TIMEOUT_S = 240


class Proof:
    def __init__(self, saranga, release, work):
        self.saranga, self.release, self.work = saranga, release, work
        self.passed = self.failed = 0

    def check(self, name, problem):
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {problem}")
        else:
            self.passed += 1
            print(f"ok   {name}", flush=True)

    # ---- the two programs ------------------------------------------------------------------------

    def ours(self, verb, *arguments, text=None):
        done = subprocess.run([str(self.saranga), "data", verb, *map(str, arguments)], input=text,
                              capture_output=True, timeout=TIMEOUT_S)
        if done.returncode > 2:
            raise peer.PeerError(f"{verb} {arguments}: {done.stderr.decode()[-500:]}")
        return done.stdout

    def theirs(self, verb, store, *arguments):
        command = peer.data_command(self.release, store, verb, *map(str, arguments))
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=TIMEOUT_S)
        return done.stdout, done.stderr.decode(errors="replace")

    def records(self, folder, suffix):
        """The records of a journal as text has them, without their files."""
        text = self.ours("encode", "--directory", folder, "--suffix", suffix)
        return [line for line in text.decode().splitlines() if not line.startswith("#")]

    # ---- texts -----------------------------------------------------------------------------------

    def texts(self, name):
        store = Path(fixture_store.unpack_fixture(FIXTURES, name, self.work / "fixtures"))
        for part, suffix, prefix in (("journal", "amq", "activemq-data"),
                                     ("bindings", "bindings", "activemq-bindings")):
            if any(path.suffix == f".{suffix}" for path in (store / part).iterdir()):
                self.journal(f"{name}, {part}", store, part, suffix, prefix)

    def journal(self, name, store, part, suffix, prefix):
        options = ("--suffix", suffix, "--prefix", prefix)
        ours = self.ours("encode", store, *options)
        copy = peer.copy_store(store, self.work / "copy")
        theirs = self.theirs("encode", copy, "--directory", copy / part, *options)[0]
        self.check(f"{name}: one text",
                   first_difference(without_events(ours).split(b"\n"), theirs.split(b"\n")))
        if suffix == "amq" and b".bkp id" in ours:
            return  # Artemis does not read that file
        scratch = self.work / "decoded"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        original = self.records(store / part, suffix)
        self.ours("decode", "--directory", scratch / "ours", *options, text=theirs)
        self.check(f"{name}: our decode of their text", first_difference(
            [line for line in original if not line.startswith("operation@Event,")],
            self.records(scratch / "ours", suffix)))
        (scratch / "text").write_bytes(ours)
        said = self.theirs("decode", copy, "--directory", scratch / "theirs", "--input",
                           scratch / "text", "--file-size", ONE_FILE, *options)[1]
        (scratch / "theirs").mkdir(exist_ok=True)
        found = [without_number(line) for line in self.records(scratch / "theirs", suffix)]
        problem = first_difference(known_losses(original), found)
        self.check(f"{name}: their decode of our text", problem and f"{problem}; {said[-300:]}")


def without_events(text):
    return re.sub(rb"operation@Event,[^\n]*\n", b"", text)


def without_number(line):
    return re.sub(r"numberOfRecords@-?\d+", "numberOfRecords@", line)


def known_losses(lines):
    """What Artemis makes of the lines: see the table in docs/compatibility.md."""
    kept, live = [], set()
    for line in lines:
        fields = dict(part.split("@", 1) for part in line.split(","))
        operation, record = fields["operation"], fields.get("id")
        if operation == "Event" or (operation == "Prepare" and not fields["extraData"]):
            continue
        if operation in ("Update", "DeleteRecord") and record not in live:
            continue
        if operation in ("AddRecord", "AddRecordTX", "UpdateTX"):
            live.add(record)
        line = re.sub(r"compactCount@-?\d+", "compactCount@0", without_number(line))
        if operation == "DeleteRecordTX":
            line = re.sub(r"length@.*", "length@0,isUpdate@true,compactCount@0,data@", line)
        elif "data" in fields and not fields["data"]:
            line = line.replace("length@0", "length@3") + NO_BODY
        kept.append(line)
    return kept


def first_difference(wanted, found):
    if wanted == found:
        return None
    for i, (one, other) in enumerate(zip(wanted, found)):
        if one != other:
            return f"place {i}: wanted {one[:300]!r}, found {other[:300]!r}"
    return f"wanted {len(wanted)} lines, found {len(found)}"


def main():
    parser = argparse.ArgumentParser(description="Prove encode and decode with a real release.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--release", default="2.40.0")
    parser.add_argument("--work", type=Path)
    parser.add_argument("fixtures", nargs="*")
    options = parser.parse_args()
    peer.fetch(options.release)
    with tempfile.TemporaryDirectory(prefix="saranga-encode-") as scratch:
        work = options.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        proof = Proof(options.saranga.resolve(), options.release, work)
        for name in options.fixtures or TEXTS:
            proof.texts(name)
    print(f"{proof.passed} passed, {proof.failed} failed")
    return proof.failed == 0


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
