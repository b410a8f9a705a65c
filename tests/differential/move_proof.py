#!/usr/bin/env python3
"""Proves `saranga data export` and `import` with real brokers.

    move_proof.py [--saranga PATH] [--release 2.40.0] [--others 2.19.0,2.28.0,2.44.0] [--only WORD]
                  [--work DIR]

Every fixture and case goes these ways; what `data messages` says of the original is what has to come
out of a real broker: queues, and of each message its headers, properties with their types, and body.

imp      our XML, by `artemis data imp`, into an empty broker that runs
xml      our XML, by `data import`, into a new store, on which a broker starts without a warning
archive  our JSON Lines, by `data import`, into a new store; a broker that starts on it holds what it
         holds on the original, in the same order, byte for byte as it stores it, and warns of nothing
         else
join     of some: two archives with half of the messages each, the second --into the store of the first

The other releases get the three fixtures of TYPICAL. What a form cannot carry
(docs/format/export-xml.md) is listed in this file and counted. Brokers of one release run one after the
other in one process. Prints a table, the number of messages and fields compared, and a line
`N passed, N failed`. Needs what tests/differential/run needs.
"""
import argparse
import json
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
import live_view  # noqa: E402
import matrix_proof  # noqa: E402
import moved_messages  # noqa: E402
import peer  # noqa: E402
import viewer  # noqa: E402

ACTOR = HERE / "MoveProof.java"
JOB_TIMEOUT_S = 120
# For the other releases: all that clients send, pages, other protocols.
TYPICAL = ("orders-2.19", "paging-2.19", "protocols")
# Stores that are cut in two and joined again, by one release: nothing is in doubt there.
JOINED = {"orders", "large", "crash", "cases/f1-orphan-large-files"}
# Pages whose messages are on several queues that nobody knows any more.
WITHOUT_BINDINGS = "paging-no-bindings"
PREFIX = "UndefinedQueue_"
FILE_BYTES = 1 << 20
# Stores that a broker cannot start on, or not without losing messages: what was made of them is compared
# with `data messages` alone.
NOT_STARTED = {"hornetq-2.4", "artemis-1.5", "unconvertible", "cases/d8-leftover-files"}
# Some releases' `data imp` leaves its connection open, or the broker closes a channel that is closed;
# loggers in one process meet.
ABOUT_CLIENTS = re.compile("disconnected because of server shutdown|The LogManager accessed before|"
                           "Cannot find channel with id|"
                           r"ClientSessionFactory you left open|^java\.lang\.Exception$")
# Queues that a broker makes of its own configuration or for itself.
MADE_BY_BROKERS = {"DLQ", "ExpiryQueue", "$sys.mqtt.sessions"}


# ---- brokers -------------------------------------------------------------------------------------


class Brokers:
    """One process that runs brokers of a release, each for one job."""

    def __init__(self, release, work):
        self.release, self.work = release, work
        self.log = work / f"brokers-{release}.log"
        self.jobs = 0
        self.seconds = 0.0
        command = [peer.java(), "-Xmx1g", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC",
                   "-Dlog4j2.level=WARN", "-cp",
                   peer.class_path(release, ACTOR) + peer.loggers(release), ACTOR.stem]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=log, text=True)

    def run(self, kind, store, *more):
        """What the broker holds, and what it warned of."""
        self.jobs += 1
        begin, start = self.log.stat().st_size, time.monotonic()
        port, view = peer.free_port(), store.with_name(store.name + ".view")
        xml = store.with_name(store.name + ".broker.xml")
        peer.write_broker_xml(xml, store, port, file_size=viewer.file_size(store))
        words = [kind, str(xml), str(view), str(port), *map(str, more)]
        # A broker that hangs must not hang the run.
        watchdog = threading.Timer(JOB_TIMEOUT_S, self.process.kill)
        watchdog.start()
        try:
            self.process.stdin.write("\t".join(words) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        finally:
            watchdog.cancel()
        self.seconds += time.monotonic() - start
        if answer != "DONE":
            raise peer.PeerError(f"{kind}: {answer or 'the process ended'}: see {self.log}")
        objects = [json.loads(line) for line in view.read_text().splitlines()]
        return objects, self.warnings(begin)

    def warnings(self, begin):
        with open(self.log, "rb") as log:
            log.seek(begin)
            lines = log.read().decode(errors="replace").split("\n")
        return [viewer.without_names(line) for line in lines
                if viewer.WARNING.search(line) and not ABOUT_CLIENTS.search(line)
                and not viewer.ABOUT_OTHERS.search(line)]

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


# ---- what has to come out ------------------------------------------------------------------------


def shown_once(found):
    """Messages of a broker's view. What is scheduled and in a page is among both kinds there."""
    seen = set()
    for each in found:
        if each["type"] != "message" or (each["scheduled"] and (each["queue"], each["id"]) in seen):
            continue
        seen.add((each["queue"], each["id"]))
        yield each


def compare_queues(original, way, found):
    """Queues and addresses of a broker against `data queues`."""
    expected = original.expected_queues(way)
    problems = []
    there = {each["name"]: each for each in found if each["type"] == "queue"}
    for name, queue in expected.items():
        if name not in there:
            # A broker removes an empty queue that was made for a client.
            if not (queue.get("auto_created") and queue["message_count"] == 0):
                problems.append(f"there is no queue {name}")
            continue
        for ours, theirs in (("address", "address"), ("filter", "filter"),
                             ("routing_type", "routing_type")):
            if queue[ours] is not None and queue[ours] != there[name][theirs]:
                problems.append(f"queue {name}: {theirs} {there[name][theirs]}, not {queue[ours]}")
    routing = {each["name"]: each["routing_types"] for each in found if each["type"] == "address"}
    for name, types in original.addresses.items():
        name = moved_messages.as_artemis_reads(name) if way == "imp" else name
        made_here = way == "imp" and name in original.lost.values()
        if sorted(types) != routing.get(name) and not made_here:
            problems.append(f"address {name}: {routing.get(name)}, not {types}")
    held = Counter(each["queue"] for each in shown_once(found))
    problems += [f"queue {name} should not be there" for name in there.keys() - expected.keys()
                 if name not in MADE_BY_BROKERS or held[name]]
    # How a queue with transactions in doubt counts is up to the release: see archive().
    problems += [f"queue {name} counts {queue['count']} and shows {held[name]} messages"
                 for name, queue in there.items() if way != "archive" and
                 queue["count"] != held[name]]
    return problems


def compare_messages(expected, found):
    """(problems, fields compared) of two lists of (queue, fields)."""
    fields = sum(len(each) + len(each.get("properties") or {}) for _, each in expected)
    key = lambda item: json.dumps(item, sort_keys=True)  # noqa: E731
    left, right = Counter(map(key, expected)), Counter(map(key, found))
    missing = [json.loads(each) for each in (left - right).elements()]
    extra = [json.loads(each) for each in (right - left).elements()]
    problems = []
    for queue, each in missing:
        near = [other for name, other in extra if name == queue and all(
            other.get(field) == each.get(field) for field in ("body", "timestamp_ms"))]
        what = f"{queue}: {each.get('timestamp_ms')}"
        if near:
            differing = {name: (near[0].get(name), each.get(name)) for name in
                         live_view.different(each, near[0])}
            problems.append(f"{what}: (found, expected) {differing}"[:600])
        else:
            problems.append(f"{what} is missing: {each}"[:600])
    if len(extra) > len(missing):
        problems.append(f"{len(extra)} instead of {len(missing)}, such as {extra[0]}"[:600])
    return problems, fields


def compare_order(expected, found):
    """Each queue gives its messages by priority, then as they were exported."""
    problems = []
    for queue in {name for name, _ in expected}:
        mine = [each for name, each in expected if name == queue and not each["scheduled"]]
        mine.sort(key=lambda each: -each["priority"])
        theirs = [each for name, each in found if name == queue and not each["scheduled"]]
        if mine != theirs:
            at = next(i for i, (a, b) in enumerate(zip(mine, theirs)) if a != b)
            problems.append(f"queue {queue}: another order from message {at} on")
    return problems


# ---- the proof -----------------------------------------------------------------------------------


class Original:
    """A fixture, unpacked, with what `data messages` and `data queues` say of it."""

    def __init__(self, proof, name):
        self.name = name
        fixture = "paging" if name == WITHOUT_BINDINGS else name
        work = proof.work / ("fixtures" if fixture == name else name)
        self.store = Path(fixture_store.unpack_fixture(str(REPOSITORY / "fixtures"), fixture,
                                                       str(work)))
        if fixture != name:
            shutil.rmtree(self.store / "bindings")
        self.references = live_view.references(proof.saranga, self.store)
        queues = [each for each in live_view.objects(proof.saranga, "queues", self.store)
                  if each["type"] == "queue"]
        self.queues = {each["name"]: each for each in queues if each["name"] is not None}
        self.addresses = {each["name"]: each["routing_types"] for each in live_view.objects(
            proof.saranga, "queues", self.store, "--addresses")
            if each["type"] == "address" and each["recorded"]}
        self.lost = {each["id"]: each["address"] for each in queues if each["name"] is None}
        self.forms = {}
        for form in ("xml", "jsonl"):
            self.forms[form] = proof.work / f"{name.replace('/', '-')}.{form}"
            proof.data("export", self.store, "--format", form, "--output", self.forms[form],
                       *live_view.NOW, allowed=(0, 1, 2))
        self.sendable = self.declared(proof) if self.lost else self.forms["xml"]

    def declared(self, proof):
        """A document that declares the queues without a binding, on the address of their messages.
        Artemis' import drops a message that is on a queue that nobody declares, or on queues of two
        addresses, also from the queues that are there."""
        store, document = (proof.work / f"{self.name.replace('/', '-')}.declared{end}"
                           for end in ("", ".xml"))
        rules = [f"--map-queue={number}={address}::{PREFIX}{number}"
                 for number, address in self.lost.items()]
        proof.data("import", self.forms["xml"], store, "--create-queues", *rules)
        proof.data("export", store, "--output", document, *live_view.NOW)
        return document

    def starts(self, release):
        """Whether a broker of the release starts on it as it is, and keeps all messages."""
        reads = matrix_proof.reads(release, self.name) or self.name in TYPICAL
        return reads and not self.lost and self.name not in NOT_STARTED

    def expected_queues(self, way):
        made = {f"{PREFIX}{number}": {"address": address if way == "imp" else f"{PREFIX}{number}",
                                      "filter": None, "routing_type": "ANYCAST"}
                for number, address in self.lost.items()}
        queues = {**self.queues, **made}
        if way == "imp":
            written = moved_messages.as_artemis_reads
            return {written(name): {**queue, "address": written(queue["address"])}
                    for name, queue in queues.items()}
        return queues


class Proof:
    def __init__(self, saranga, work):
        self.saranga, self.work = saranga, work
        self.passed, self.failures = 0, []
        self.mutex = threading.Lock()
        self.messages = self.fields = 0
        self.known = Counter()

    def finish(self):
        for what, count in sorted(self.known.items()):
            print(f"different on purpose: {count} {what}")
        print(f"{self.messages} messages with {self.fields} fields compared")
        for title, problem in self.failures:
            print(f"\nFAIL {title}\n    {problem}")
        print(f"{self.passed} passed, {len(self.failures)} failed")
        return not self.failures and self.passed > 0

    def row(self, name, release, way, problem):
        with self.mutex:
            if problem:
                self.failures.append((f"{name} {release} {way}", problem))
            else:
                self.passed += 1
            print(f"{name:16} {release:8} {way:34} {'FAIL' if problem else 'ok'}", flush=True)

    def data(self, *arguments, allowed=(0, 1)):
        done = subprocess.run([str(self.saranga), "data", *map(str, arguments)],
                              capture_output=True, timeout=JOB_TIMEOUT_S)
        if done.returncode not in allowed:
            raise peer.PeerError(f"{arguments}: {done.returncode}: {done.stderr.decode()[-500:]}")
        return done

    def count(self, expected, fields):
        self.messages += len(expected)
        self.fields += fields

    def compare(self, way, original, found, expected):
        """What is wrong with what a broker holds, in one line."""
        actual = [(each["queue"], moved_messages.of_broker(each)) for each in shown_once(found)]
        if way == "imp":
            actual = [(queue, moved_messages.sent_anew(message)) for queue, message in actual]
        elif way == "archive":
            actual = [(queue, moved_messages.with_set_schedule(message))
                      for queue, message in actual]
        problems = compare_queues(original, way, found)
        different, fields = compare_messages(expected, actual)
        problems += different
        if way != "archive" and not problems:
            problems += compare_order(expected, actual)
        self.count(expected, fields)
        return f"{len(problems)}: {'; '.join(problems[:4])}" if problems else None


def imp(proof, brokers, original, base):
    store = base / "imp"
    for folder in peer.FOLDERS:
        (store / folder).mkdir(parents=True)
    expected = moved_messages.by_artemis(original, proof.known)
    found, warnings = brokers.run("imp", store, original.sendable, len(expected))
    return proof.compare("imp", original, found, expected) or \
        (warnings and f"warnings: {warnings[:3]}")


def view_of_import(proof, brokers, original, form, store):
    """What a broker finds in our import of that form, and what it warns of."""
    proof.data("import", original.forms[form], store, "--journal-file-size", FILE_BYTES,
               *(["--create-queues"] if original.lost else []))
    return brokers.run("view", store)


def xml(proof, brokers, original, base):
    found, warnings = view_of_import(proof, brokers, original, "xml", base / "xml")
    expected = moved_messages.by_xml(original, proof.known)
    return proof.compare("xml", original, found, expected) or \
        (warnings and f"warnings: {warnings[:3]}")


def archive(proof, brokers, original, base):
    found, warnings = view_of_import(proof, brokers, original, "jsonl", base / "archive")
    expected = moved_messages.by_archive(original, proof.known)
    problem = proof.compare("archive", original, found, expected)
    if problem or not original.starts(brokers.release):
        return problem or (warnings and f"warnings: {warnings[:3]}")
    known, allowed = brokers.run("view", peer.copy_store(original.store, base / "original"))
    lines = [sorted(map(json.dumps, moved_messages.without_chance(view)))
             for view in (known, found)]
    new = [line for line in warnings if line not in allowed]
    differing = sorted(set(lines[0]) ^ set(lines[1]))
    if new:
        return f"warnings: {new[:3]}"
    return f"{len(differing)} lines differ: {differing[:4]}" if differing else None


def join(proof, brokers, original, base):
    """Two archives with half of the messages each; the second goes --into the store of the first."""
    store, second = base / "join", base / "second.jsonl"
    times = sorted(each["timestamp_ms"] for each in original.references)
    for comparison, target, place in (("<", base / "first.jsonl", [store]),
                                      (">=", second, ["--into", store])):
        proof.data("export", original.store, "--format", "jsonl", "--output", target, "--where",
                   f"JMSTimestamp {comparison} {times[len(times) // 2]}", *live_view.NOW)
        size = ["--journal-file-size", FILE_BYTES] if target != second else []
        proof.data("import", target, *place, *size)
    found, warnings = brokers.run("view", store)
    expected = moved_messages.by_archive(original, proof.known)
    return proof.compare("archive", original, found, expected) or \
        (warnings and f"warnings: {warnings[:3]}")


WAYS = {"imp": imp, "xml": xml, "archive": archive, "join": join}


def prove_release(proof, release, names, originals):
    brokers = Brokers(release, proof.work)
    start = time.monotonic()
    try:
        for name in names:
            for way, prove_way in WAYS.items():
                if way == "join" and name not in JOINED:
                    continue
                base = proof.work / release / name.replace("/", "-")
                try:
                    problem = prove_way(proof, brokers, originals[name], base)
                except (peer.PeerError, OSError, subprocess.TimeoutExpired, KeyError) as error:
                    problem = f"{type(error).__name__}: {error}"[-600:]
                    if brokers.process.poll() is not None:
                        brokers = Brokers(release, proof.work)
                proof.row(name.removeprefix("cases/")[:16], release, way, problem)
    finally:
        brokers.end()
    print(f"{release}: {brokers.jobs} brokers in {brokers.seconds:.0f} s of "
          f"{time.monotonic() - start:.0f} s")


def prove(options, work):
    proof = Proof(options.saranga.resolve(), work.resolve())
    names = fixture_store.fixture_names(str(REPOSITORY / "fixtures")) + [WITHOUT_BINDINGS]
    names = [name for name in names if options.only in name]
    others = [release for release in options.others.split(",") if release]
    for release in (options.release, *others):
        peer.class_path(release, ACTOR)
    originals = {name: Original(proof, name) for name in names}
    prove_release(proof, options.release, names, originals)
    for release in others:
        prove_release(proof, release, [name for name in names if name in TYPICAL], originals)
    return proof.finish()


def main():
    parser = argparse.ArgumentParser(description="Prove export and import with real brokers.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--release", default="2.40.0", help="for every fixture and case")
    parser.add_argument("--others", default="2.19.0,2.28.0,2.44.0",
                        help="releases for three fixtures")
    parser.add_argument("--only", default="", help="only fixtures with this in their name")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        return prove(options, options.work)
    with tempfile.TemporaryDirectory(prefix="saranga-move-") as work:
        return prove(options, Path(work))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
