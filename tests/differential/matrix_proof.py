#!/usr/bin/env python3
"""Real brokers start on every store that saranga writes, and find there what was in the original.

    matrix_proof.py [--saranga PATH] [--releases 2.19.0,2.28.0,2.40.0,2.44.0] [--only WORD]
                    [--ways place,copy,decoded,imported] [--jobs 2] [--work DIR]

Each fixture that a release can read is written anew in every way:

    place      compacted in place
    copy       compacted to a copy
    decoded    each journal encoded to text and decoded again
    imported   exported in JSON Lines and imported to a new store

A broker of the release starts on the store as it was and on each of these. It must hold the same
things (queues and addresses with their settings, messages in order with headers, properties and
bodies, counts of deliveries, schedules, duplicate ids, transactions in doubt, stored settings), and
those that the golden files of the fixture name; and its log must warn of nothing that it does not
warn of with the untouched store. Prints a matrix and a line `N passed, N failed`. What failed stays
in the folder of --work. Needs what tests/differential/run needs.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import fixture_store  # noqa: E402
import peer  # noqa: E402
import viewer  # noqa: E402
from golden_view import Golden, made_by_broker, prepared  # noqa: E402

RELEASES = "2.19.0,2.28.0,2.40.0,2.44.0"
TIMEOUT_S = 240
# Written by these releases; an older broker may not know what is in them.
WRITTEN_BY = {"orders-2.17": "2.17.0", "orders-2.19": "2.19.0", "paging-2.19": "2.19.0",
              "orders-2.28": "2.28.0", "bindings-2.28": "2.28.0", "orders-2.44": "2.44.0",
              "artemis-1.5": "1.5.6", "artemis-2.0": "2.0.0", "artemis-2.6": "2.6.4",
              "artemis-2.10": "2.10.1", "hornetq-2.4": "1.0.0",
              "orders-2.56": "2.44.0"}  # which knows everything that is in it
# No broker since 2.0 reads these as they are, neither their settings nor their pages. It must read
# them when they have been imported, and say of them what 2.19 says of every store with pages.
UNREADABLE = ("artemis-1.5", "hornetq-2.4")
OF_PAGES = "Starting paging on address"


def reads(release, fixture):
    return peer.version_of(release) >= peer.version_of(WRITTEN_BY.get(fixture, "2.40.0"))


# ---- ways ----------------------------------------------------------------------------------------


class Writer:
    """Makes stores of a store by the program."""

    def __init__(self, saranga):
        self.saranga = saranga

    def data(self, verb, *arguments, text=None):
        done = subprocess.run([str(self.saranga), "data", verb, *map(str, arguments)], input=text,
                              capture_output=True, timeout=TIMEOUT_S)
        if done.returncode not in (0, 1):
            said = done.stderr.decode(errors="replace")[-500:]
            raise peer.PeerError(f"{verb}: {done.returncode}: {said}")
        return done.stdout

    def place(self, source, target):
        self.data("compact", peer.copy_store(source, target))

    def copy(self, source, target):
        self.data("compact", source, "--to", target)

    def decoded(self, source, target):
        peer.copy_store(source, target)
        for part, suffix in (("bindings", "bindings"), ("bindings", "jms"), ("journal", "amq")):
            files = list((target / part).glob(f"*.{suffix}"))
            if not files:
                continue
            text = self.data("encode", "--directory", source / part, "--suffix", suffix)
            scratch = target.with_name(f"{target.name}-{suffix}")
            self.data("decode", "--directory", scratch, "--suffix", suffix, "--file-size",
                      max(path.stat().st_size for path in files), text=text)
            for path in files:
                path.unlink()
            for path in scratch.iterdir():
                path.rename(target / part / path.name)

    def imported(self, source, target):
        archive = self.data("export", source, "--format", "jsonl")
        self.data("import", "-", target, "--journal-file-size", viewer.file_size(source),
                  text=archive)


WAYS = ("place", "copy", "decoded", "imported")


# ---- comparison ----------------------------------------------------------------------------------


def comparable(thing):
    """A thing without what another start of a broker on the same store changes."""
    kind = thing["kind"]
    if kind in ("queue", "address") and made_by_broker(thing["name"]):
        thing = {**thing, "id": "new"}
    elif kind == "message" and thing["class"].startswith("AMQP") and thing["scheduledTime"]:
        # A delay of AMQP counts from the start of the broker.
        thing = {**thing, "scheduledTime": "later"}
    elif kind == "message" and thing["paged"]:
        # Where it stands depends on how many pages the broker has read ahead.
        thing = {**thing, "position": "paged"}
    elif kind == "prepared":
        thing = {**thing, "details": prepared(thing["details"])}
    elif kind == "stored" and re.match("Divert|Bridge", thing["what"]):
        # A broker stores these anew when it starts.
        thing = {**thing, "text": re.sub(r"storeId=\d+", "storeId=new", thing["text"])}
    return thing


def comparable_imported(thing):
    """The same of an imported store: it belongs to a new node and fills its pages anew."""
    if thing["kind"] == "node":
        return None
    thing = comparable(thing)
    if thing["kind"] == "address":
        thing = {name: value for name, value in thing.items() if name != "numberOfPages"}
    return thing


# ---- the run -------------------------------------------------------------------------------------


class Matrix:
    """The outcome of each cell, and what was compared. May be used by several threads."""

    def __init__(self, fixtures, releases, ways):
        self.fixtures, self.releases, self.ways = fixtures, releases, ways
        self.cells, self.problems, self.counts = {}, [], Counter()
        self.mutex = threading.Lock()

    def set(self, fixture, release, way, problem, counts=Counter()):
        with self.mutex:
            self.cells[fixture, release, way] = "FAIL" if problem else "ok"
            self.counts += counts
            if problem:
                self.problems.append(f"{fixture} {release} {way}: {problem}")
                print(f"FAIL {self.problems[-1][:1500]}", flush=True)

    def show(self):
        width = max(len(name) for name in self.fixtures) + 2
        columns = [(release, way) for release in self.releases for way in self.ways]
        group = 9 * len(self.ways)
        print(" " * width + "".join(f"{release:{group}}" for release in self.releases).rstrip())
        print(" " * width + "".join(f"{way:9}" for _, way in columns).rstrip())
        for fixture in self.fixtures:
            cells = (self.cells.get((fixture, *column), "-") for column in columns)
            print(f"{fixture:{width}}" + "".join(f"{cell:9}" for cell in cells).rstrip())
        print("-: the store is newer than the release, or no broker reads it as it was")

    def finish(self):
        self.show()
        print("compared with golden files: "
              + ", ".join(f"{self.counts[what]} {what}" for what in
                          ("queues", "addresses", "messages", "fields")))
        failed = sum(cell == "FAIL" for cell in self.cells.values())
        passed = len(self.cells) - failed
        print(f"{passed} passed, {failed} failed")
        return passed > 0 and failed == 0


def prove_fixture(matrix, writer, brokers, fixture, work):
    """All the cells of a fixture and a release."""
    source, base = work / "fixtures" / fixture / "store", work / brokers.release / fixture
    golden, expected = Golden(fixture), None
    base.mkdir(parents=True, exist_ok=True)
    if fixture not in UNREADABLE:
        try:
            expected = brokers.view(peer.copy_store(source, base / "untouched"))
        except (peer.PeerError, OSError) as error:
            for way in matrix.ways:
                matrix.set(fixture, brokers.release, way, f"the untouched store: {error}")
            return
    for way in matrix.ways:
        imported = way == "imported"
        adapt = comparable_imported if imported else comparable
        if not expected and not imported:
            continue
        try:
            getattr(writer, way)(source, base / way)
            found = brokers.view(base / way)
            problems, counts = golden.compare(found, imported)
            if expected:
                problem = viewer.compare(expected, found, adapt)
            else:
                problem = [line for line in found.warnings if OF_PAGES not in line]
            if problems and not problem:
                problem = f"{len(problems)} differences from the golden files: {problems[:6]}"
            matrix.set(fixture, brokers.release, way, problem, counts)
        except Exception as error:  # whatever goes wrong is the failure of this cell only
            matrix.set(fixture, brokers.release, way, f"{type(error).__name__}: {error}")
    # What a failure is about stays where --work says.
    if all(matrix.cells.get((fixture, brokers.release, way)) != "FAIL" for way in matrix.ways):
        shutil.rmtree(base, ignore_errors=True)


def work_through(matrix, writer, items, work):
    """What a thread does: items are taken until none is left; those of a release share a JVM."""
    brokers = None
    try:
        while True:
            with matrix.mutex:
                if not items:
                    return
                fixture, release = items.pop(0)
            if brokers is None or brokers.release != release:
                if brokers:
                    brokers.close()
                brokers = viewer.Viewer(release)
            prove_fixture(matrix, writer, brokers, fixture, work)
    finally:
        if brokers:
            brokers.close()


def prove(options, work):
    releases = options.releases.split(",")
    fixtures = [name for name in fixture_store.fixture_names(str(REPOSITORY / "fixtures"))
                if not name.startswith("cases/") and options.only in name]
    for name in fixtures:
        fixture_store.unpack_fixture(str(REPOSITORY / "fixtures"), name, str(work / "fixtures"))
    for release in releases:
        peer.class_path(release, viewer.ACTOR)
    matrix = Matrix(fixtures, releases, options.ways.split(","))
    writer = Writer(options.saranga.resolve())
    items = [(fixture, release) for release in releases for fixture in fixtures
             if reads(release, fixture)]
    threads = [threading.Thread(target=work_through, args=(matrix, writer, items, work))
               for _ in range(options.jobs)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"\n{time.monotonic() - begin:.0f} s")
    return matrix.finish()


def main():
    parser = argparse.ArgumentParser(description="Prove what saranga writes with real brokers.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--releases", default=RELEASES)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--only", default="", help="only fixtures with this in their name")
    parser.add_argument("--jobs", default=2, type=int, help="brokers at a time")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        return prove(options, options.work)
    with tempfile.TemporaryDirectory(prefix="saranga-matrix-") as work:
        return prove(options, Path(work))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
