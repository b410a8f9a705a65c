"""What real brokers hold that have started on a store, and what they warned of.

A JVM starts brokers one after another, because the first start in a JVM takes ten times as long as
those that follow.
"""
import json
import queue
import re
import subprocess
import threading
from collections import Counter
from pathlib import Path

import peer

ACTOR = Path(__file__).resolve().parent / "BrokerView.java"
VIEW_TIMEOUT_S = 240
# What a broker says of the machine, or of its configuration, and not of the store. The bridge of a
# fixture leads to nobody; whether it finds out before the broker is stopped is chance, and so is
# whether the timer of a journal's buffer outlives that journal.
ABOUT_OTHERS = re.compile(r"AMQ222(?:100|107|183|210|212)|AMQ224091|"
                          r"AMQ22[0-9]{4}: .*(?:libaio|AIO|NIO)|journal-type|security|"
                          r"Bridge BridgeImpl|because \"factory\" is null|LogManager accessed|"
                          r"TimedBuffer is not started")
WARNING = re.compile(r"\b(?:WARN(?:ING)?|ERROR|SEVERE|FATAL)\b|\bAMQ(?:14|22)[24]\d{3}\b|Exception")
# What every broker says of a compaction that did not come to its control file, its own as well.
ABOUT_LEFTOVERS = re.compile("Temporary files were left unattended|Deleting orphaned file")


class View:
    """The things that a broker holds, as JSON objects, and the lines of its log that warn."""

    def __init__(self, things, warnings):
        self.things, self.warnings = things, warnings

    def of(self, kind):
        return [thing for thing in self.things if thing["kind"] == kind]

    def without_leftovers(self):
        return View(self.things, [line for line in self.warnings
                                  if not ABOUT_LEFTOVERS.search(line)])


class Viewer:
    """A JVM of one release. Not for several threads at once."""

    def __init__(self, release):
        self.release = release
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()

    def view(self, store):
        """Starts a broker on the store, which changes it, and stops it."""
        xml, path = (store.with_name(f"{store.name}.{what}") for what in ("broker.xml", "view"))
        # Port 0: the system chooses one that is free.
        peer.write_broker_xml(xml, store, 0, file_size=file_size(store))
        path.unlink(missing_ok=True)
        self.start()
        self.process.stdin.write(f"{xml}\t{path}\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.next_line(lines)) not in ("VIEWED", "FAILED"):
            lines.append(line)
        store.with_name(store.name + ".broker.log").write_text("\n".join(lines))
        if line == "FAILED" or not path.exists():
            self.close()
            raise peer.PeerError(f"{self.release} does not start on {store}: "
                                 f"{first_problem(lines)}")
        warnings = [without_names(line) for line in lines
                    if WARNING.search(line) and not ABOUT_OTHERS.search(line)]
        things = path.read_text(encoding="utf-8").splitlines()
        return View([json.loads(line) for line in things], warnings)

    def start(self):
        if self.process:
            return
        classes = peer.class_path(self.release, ACTOR) + peer.loggers(self.release)
        command = [peer.java(), "-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                   "-Duser.timezone=UTC", "-Dlog4j2.level=WARN", "-cp", classes, ACTOR.stem,
                   "serve"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, encoding="utf-8",
                                        errors="replace")
        self.lines = queue.Queue()
        threading.Thread(target=read, args=(self.process.stdout, self.lines), daemon=True).start()

    def next_line(self, before):
        try:
            line = self.lines.get(timeout=VIEW_TIMEOUT_S)
        except queue.Empty:
            line = None
        if line is None:
            self.close()
            raise peer.PeerError(f"a broker of {self.release} hangs or is gone: {before[-5:]}")
        return line

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def read(stream, lines):
    for line in stream:
        lines.put(line.rstrip("\n"))
    lines.put(None)


def first_problem(lines):
    found = [line for line in lines if WARNING.search(line) and not ABOUT_OTHERS.search(line)]
    worst = [line for line in found if "Failure in initialisation" in line]
    after = found[found.index(worst[0]):] if worst else found
    return " | ".join((after or lines)[:3])


def without_names(line):
    """A warning without what differs in every run: time, thread, file names, ports."""
    line = re.sub(r"^.*?(WARN(?:ING)?|ERROR|SEVERE|FATAL)", r"\1", line)
    return re.sub(r"/\S+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\d{4,}", "X", line)


def file_size(store):
    """The size of the journal's files: a broker moves others away."""
    sizes = [path.stat().st_size for path in (store / "journal").glob("*.amq")]
    return max(set(sizes), key=sizes.count) if sizes else 1048576


def compare(expected, found, adapt=lambda thing: thing):
    """What is wrong with a view, in few words, or None; things are compared as `adapt` gives them,
    and those for which it gives None are not."""
    new = list((Counter(found.warnings) - Counter(expected.warnings)).elements())
    if new:
        return f"warnings: {new[:3]}"
    one, other = (sorted(json.dumps(thing, sort_keys=True)
                         for thing in map(adapt, view.things) if thing)
                  for view in (expected, found))
    if one == other:
        return None
    missing, added = ([line for line in lines if line not in others]
                      for lines, others in ((one, set(other)), (other, set(one))))
    if len(missing) == len(added) and missing:
        members = sorted({name for pair in zip(missing, added) for name in differing(*pair)})
        return f"{len(missing)} things differ, in {members}: {missing[0][:700]} <> {added[0][:700]}"
    return f"{len(missing)} things are missing, {len(added)} more: {missing[:2]} {added[:2]}"[:1500]


def differing(one, other):
    first, second = json.loads(one), json.loads(other)
    return {name for name in {*first, *second} if first.get(name) != second.get(name)}
