#!/usr/bin/env python3
"""Proves `saranga data explain` with a real broker.

    explain_proof.py [--saranga PATH] [--release 2.40.0] [--work DIR] [--seed N]

A broker makes a store of many small journal files that a few messages keep. For some of these files
`explain` names the messages that hold them. On copies of the store a broker then consumes all of
these messages but one, goes on to a new journal file, and the file must still be there; it consumes
the last one, goes on again, and the file must be gone or free. The same for the advice: exactly the
files that an advice counts must go, and no other.

Then Artemis' own journal classes load the store and every fixture, and their sums (positive counts,
live bytes, cancelled counts, what is freed) must be those of `explain`.

It needs Java 17 and a release as tests/differential/run does, and takes about a minute.
"""
import argparse
import json
import os
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

PROOF = HERE / "ExplainProof.java"
FILE_SIZE = "100K"
TARGETS = 4  # files that are proved one by one
TIMEOUT_S = 120
# Fixtures whose journal is another format or that only other releases read.
NOT_LOADED = ("hornetq-2.4", "artemis-1.5")


class Failure(Exception):
    """What `explain` said is not what happened."""


# ---- asking saranga ------------------------------------------------------------------------------


class Explained:
    """The answer of `data explain --format jsonl`, by type of object."""

    def __init__(self, saranga, store, *targets):
        done = subprocess.run([str(saranga), "data", "explain", str(store), *targets, "--format",
                               "jsonl"], capture_output=True, timeout=TIMEOUT_S)
        if done.returncode not in (0, 1):
            raise Failure(f"explain ends with {done.returncode}: {done.stderr.decode()[-500:]}")
        self.objects = [json.loads(line) for line in done.stdout.splitlines()]

    def of(self, kind):
        return [item for item in self.objects if item["type"] == kind]

    def journal(self):
        return [item for item in self.of("journal_file") if item["journal"] == "messages"]


def only_acknowledge(needs):
    return bool(needs and needs["message_count"] and not needs["settle"] and not needs["records"]
                and not needs["compaction"] and not needs["retention_copy"])


def messages_by_queue(explained):
    """Ids by queue of the messages that the pins name."""
    found = {}
    for pin in explained.of("pin"):
        if pin["why"] == "message":
            for queue in pin["queues"]:
                found.setdefault(queue["queue"], set()).add(pin["id"])
    return found


def goes_with(files, chosen):
    """Header ids of the kept files that go when nothing in `chosen` (names) holds any more."""
    return {item["file_id"] for item in files
            if item["state"] == "kept" and item["held_by"] is not None
            and set(item["held_by"]) <= set(chosen)}


# ---- asking a broker -----------------------------------------------------------------------------


class Broker(peer.Broker):
    """Runs ExplainProof and keeps the lines that it says."""

    def __init__(self, release, store, *arguments):
        super().__init__(release, PROOF, store, *arguments, file_size=FILE_SIZE)

    def lines(self):
        """All lines to the end, which must be a good one."""
        said = []
        try:
            for line in self.process.stdout:
                said.append(line.strip())
                if said[-1] == "STOPPED":
                    return said
            raise peer.PeerError(f"the broker ended early: see {self.log}")
        finally:
            self.kill()


def act(release, original, work, script):
    """Runs a script on a copy; gives the header ids that were there at each of its marks."""
    store = peer.copy_store(original, work)
    path = store.with_name(store.name + ".script")
    path.write_text("\n".join(script) + "\n")
    marks = {}
    for line in Broker(release, store, "act", str(path)).lines():
        words = line.split()
        if words and words[0] == "FILES":
            marks[words[1]] = {int(word) for word in words[2].split(",")}
    return store, marks


def consume_lines(messages):
    return [" ".join(["consume", queue, *map(str, sorted(ids))])
            for queue, ids in sorted(messages.items()) if ids]


# ---- the proofs ----------------------------------------------------------------------------------


def choose_targets(files):
    """Kept files that acknowledgements free: held by few, by many, only by others, by two queues."""
    possible = [item for item in files if only_acknowledge(item["needs"])]
    if len(possible) < TARGETS:
        raise Failure(f"the store has only {len(possible)} files to prove something with")
    chains = [item for item in possible if item["file"] not in item["held_by"]]
    queues = [item for item in possible if len(item["needs"]["acknowledge"]) > 1]
    chosen = {item["file"]: item for item in (chains[:1] + chains[-1:] + queues[-1:])}
    for item in possible[-1:] + possible[::2]:
        if len(chosen) < TARGETS:
            chosen.setdefault(item["file"], item)
    return list(chosen.values())


def prove_file(context, files, target):
    """The messages named for one file free it, and without one of them they do not."""
    name, header = target["file"], target["file_id"]
    explained = Explained(context.saranga, context.store, name)
    messages = messages_by_queue(explained)
    count = sum(map(len, messages.values()))
    claimed = {share["queue"]: share["message_count"] for share in target["needs"]["acknowledge"]}
    if claimed != {queue: len(ids) for queue, ids in messages.items()}:
        raise Failure(f"{name}: {claimed} needed, {messages} named")
    queue = sorted(messages)[-1]
    last = max(messages[queue])
    all_but_one = {q: ids - ({last} if q == queue else set()) for q, ids in messages.items()}
    _, marks = act(context.release, context.store, context.work / "file",
                   consume_lines(all_but_one) + ["roll", "files without"]
                   + consume_lines({queue: {last}}) + ["roll", "files with"])
    if header not in marks["without"]:
        raise Failure(f"{name} went although message {last} of {queue} was still there")
    if header in marks["with"]:
        raise Failure(f"{name} is still there although all {count} messages are consumed")
    expected = goes_with(files, target["held_by"])
    kept = {item["file_id"] for item in files if item["state"] == "kept"}
    gone = kept - marks["with"]
    if gone != expected:
        raise Failure(f"{name}: files {sorted(gone)} went, {sorted(expected)} should have")
    return f"{name}: without {count} messages {len(gone)} files gone, with one of them it stayed"


def prove_advice(context, files, steps):
    """Consuming what all lines of advice name frees as many files as they say together."""
    ids = {message for step in steps for message in step["message_ids"]}
    found = {}
    for item in files:
        explained = Explained(context.saranga, context.store, item["file"])
        for queue, named in messages_by_queue(explained).items():
            found.setdefault(queue, set()).update(named & ids)
    counted = {}
    for share in (share for step in steps for share in step["queues"]):
        counted[share["queue"]] = counted.get(share["queue"], 0) + share["message_count"]
    if counted != {queue: len(named) for queue, named in found.items() if named}:
        raise Failure(f"the advice counts {counted}, and names {found}")
    store, marks = act(context.release, context.store, context.work / "advice",
                       consume_lines(found) + ["roll", "files with"])
    gone = {item["file_id"] for item in files if item["state"] == "kept"} - marks["with"]
    promised = sum(step["frees"]["journal_file_count"] for step in steps)
    if len(gone) != promised:
        raise Failure(f"{len(gone)} files went, {promised} were promised")
    # What is left is explained in the same way: nothing that could go is still there.
    left = [item["file"] for item in Explained(context.saranga, store).journal()
            if item["state"] == "reclaimable"]
    if left:
        raise Failure(f"the broker left {left}")
    return f"{len(steps)} steps, {len(ids)} messages: {len(gone)} files gone, as promised"


def prove_emptying(context, files, queue):
    """Emptying a queue frees exactly the files that are counted for it."""
    ids = set()
    for item in files:
        found = messages_by_queue(Explained(context.saranga, context.store, item["file"]))
        ids |= found.get(queue["queue"], set())
    if len(ids) != queue["message_count"]:
        raise Failure(f"{queue['message_count']} messages counted, {len(ids)} named")
    _, marks = act(context.release, context.store, context.work / "empty",
                   consume_lines({queue["queue"]: ids}) + ["roll", "files with"])
    kept = {item["file_id"] for item in files if item["state"] == "kept"}
    gone = kept - marks["with"]
    promised = queue["emptied_frees"]["journal_file_count"]
    # Those that only wait for the current file to be closed go as well.
    promised += sum(item["state"] == "kept" and item["held_by"] == [] for item in files)
    if len(gone) != promised:
        raise Failure(f"{len(gone)} files went, {promised} were promised")
    return f"queue {queue['queue']}: {len(ids)} messages, {len(gone)} files gone, as promised"


# ---- Artemis' own sums ---------------------------------------------------------------------------


def artemis_sums(context, journals):
    """For each copy of a journal: the current file, and the sums of each data file, by header id."""
    sums, folder = {}, None
    arguments = [f"{path}:{size}" for path, size in journals]
    for line in Broker(context.release, context.work / "account", "account", *arguments).lines():
        words = line.split()
        if words[:1] == ["JOURNAL"]:
            folder = words[1]
            sums[folder] = {"current": int(words[2].partition("=")[2]), "files": {}}
        elif words[:1] == ["FILE"]:
            values = dict(word.split("=", 1) for word in words[2:])
            needed = values.pop("needed")
            values = {key: int(value) for key, value in values.items()}
            values["needed"] = {int(one.partition("=")[0]): int(one.partition("=")[2])
                                for one in needed.split(",") if one}
            sums[folder]["files"][int(words[1])] = values
    return sums


def own_sums(files):
    by_name = {item["file"]: item["file_id"] for item in files}
    current = [item["file_id"] for item in files if item["state"] == "current"]
    return {"current": current[0] if current else None,
            "files": {item["file_id"]: {
                "positive": item["positive_count"],
                "live": item["live_bytes"] + item["replaced_bytes"],
                "cancelled": item["cancelled_count"],
                "adds": item["add_count"],
                "replaceable": item["replaceable_count"],
                "needed": {by_name[needed["file"]]: needed["delete_count"] + needed["outcome_count"]
                           for needed in item["needed_for"]},
            } for item in files if item["state"] == "kept"}}


def prove_sums(context):
    """The counts of a load by Artemis' classes are those of `explain`, file by file."""
    stores = {"proof": context.store}
    for name in fixture_store.fixture_names(context.fixtures):
        if name not in NOT_LOADED and not name.startswith("cases/"):
            stores[name] = Path(fixture_store.unpack_fixture(context.fixtures, name,
                                                             context.work / "fixtures"))
    journals, own = {}, {}
    for name, store in stores.items():
        copy = peer.copy_store(store, context.work / "sums" / name.replace("/", "."))
        explained = Explained(context.saranga, store)
        own[name] = own_sums(explained.journal())
        journals[name] = (copy / "journal", explained.of("compaction")[0]["file_size_bytes"])
    sums = artemis_sums(context, journals.values())
    compared = 0
    for name, (path, _) in journals.items():
        theirs = sums[str(path)]
        if own[name] != theirs:
            raise Failure(f"{name}: explain has {own[name]}, Artemis has {theirs}")
        compared += len(theirs["files"]) + 1
    return f"{len(journals)} journals, {compared} files: same sums"


# ---- the run -------------------------------------------------------------------------------------


class Context:
    """Where everything is."""

    def __init__(self, saranga, release, work, fixtures):
        self.saranga, self.release, self.work, self.fixtures = saranga, release, work, fixtures
        self.store = work / "store"


def make_store(context, seed):
    context.store.mkdir(parents=True)
    Broker(context.release, context.store, "make", seed).lines()
    for folder in peer.FOLDERS:
        (context.store / folder).mkdir(exist_ok=True)
    return f"{len(list((context.store / 'journal').glob('*.amq')))} journal files"


def proofs(context, seed):
    """(name, function) of each proof; a function gives a line that says what was proved."""
    yield "store made", lambda: make_store(context, seed)
    explained = Explained(context.saranga, context.store)
    files = explained.journal()
    for target in choose_targets(files):
        yield f"file {target['file_id']}", lambda target=target: prove_file(context, files, target)
    steps = [item for item in explained.of("advice") if item["action"] == "acknowledge"]
    yield "advice", lambda: prove_advice(context, files, steps)
    for queue in explained.of("queue_usage"):
        if queue["emptied_frees"] and queue["emptied_frees"]["journal_file_count"]:
            yield f"queue {queue['queue_id']}", lambda queue=queue: prove_emptying(context, files,
                                                                                   queue)
            break
    yield "sums", lambda: prove_sums(context)


def run_proofs(saranga, release, work, fixtures=REPOSITORY / "fixtures", seed="1", report=print):
    """Runs everything in the empty folder `work`; gives the number of failures."""
    context = Context(saranga, release, Path(work), str(fixtures))
    failed = 0
    start = time.monotonic()
    for name, proof in proofs(context, seed):
        try:
            verdict, text = "ok", proof()
        except (Failure, peer.PeerError, OSError, ValueError, KeyError,
                subprocess.TimeoutExpired) as error:
            verdict, text = "FAIL", str(error)
            failed += 1
        seconds = time.monotonic() - start
        start = time.monotonic()
        report(f"{release:8} explain {name:14} {verdict:5}{seconds:6.1f} s  {text}")
        if failed and name == "store made":
            break
    return failed


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Prove `data explain` with a real broker.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--release", default="2.40.0")
    parser.add_argument("--work", type=Path, help="folder for the stores, which stay there")
    parser.add_argument("--seed", default="1", help="of the random part of the traffic")
    options = parser.parse_args(arguments)
    if not os.access(options.saranga, os.X_OK):
        sys.exit(f"explain_proof: no program {options.saranga}")
    with tempfile.TemporaryDirectory(prefix="saranga-explain-") as scratch:
        work = (options.work or Path(scratch)).resolve()
        if options.work and options.work.exists() and any(options.work.iterdir()):
            sys.exit(f"explain_proof: {options.work} is not empty")
        return 1 if run_proofs(options.saranga, options.release, work, seed=options.seed) else 0


if __name__ == "__main__":
    sys.exit(main())
