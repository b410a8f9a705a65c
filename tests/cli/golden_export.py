#!/usr/bin/env python3
"""Compare `saranga data export` with what real Artemis exported of the stores in fixtures/.

    golden_export.py [--saranga PATH] [--fixtures DIR] [NAME…]

Both documents are parsed and compared message by message: attributes, properties with their types,
queues and bodies; bindings too. What differs on purpose (docs/compatibility.md) is listed in this
file and counted. Without names, every fixture with golden/exp.xml.gz is checked. Ends with a line
`N passed, N failed` and 1 when something failed.
"""
import base64
import gzip
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "support"))
import artemis_exports  # noqa: E402
import fixture_store  # noqa: E402

TIMEOUT_S = 120
NOW = "1796050000000"
# Artemis' documents that no parser takes to its end: characters that XML has not, an address
# without routing types.
NOT_WELL_FORMED = {"badchars", "bindings-2.28"}
# Releases before 2.0 export bindings in another form, and null without a type.
BEFORE_2 = {"artemis-1.5", "hornetq-2.4"}
# A broker's own clean-up: these differ in what Artemis forgets that a queue is through with a page.
PAGED = {"paging", "paging-2.19", "artemis-1.5", "artemis-2.0", "artemis-2.6", "artemis-2.10",
         "hornetq-2.4"}
LARGE_BYTES = 100 << 10
# Bodies of several AMQP sections; Artemis exports the first one.
SECTIONS = {("protocols", "49"), ("protocols", "55")}


def body_of(element):
    pieces = [line.strip() for line in (element.text or "").split("\n")]
    return b"".join(base64.urlsafe_b64decode(piece) for piece in pieces if piece)


class Message:
    def __init__(self, element):
        self.attributes = dict(element.attrib)
        self.properties = {each.get("name"): (each.get("type"), each.get("value"))
                           for each in element.iter("property")}
        self.queues = sorted(each.get("name") for each in element.iter("queue"))
        self.large = dict(element.find("body").attrib)
        self.body = body_of(element.find("body"))


def read(document):
    root = ElementTree.fromstring(document.strip())
    bindings = Counter((each.tag, tuple(sorted(each.items()))) for each in root.find("bindings"))
    return bindings, [Message(each) for each in root.find("messages")]


def map_entries(body):
    """The entries of a map body, as bytes: a Java map has them in an order of its own."""
    if body[:1] != b"\1":
        return body
    sizes = {0: 0, 2: 1, 3: 1, 5: 2, 6: 4, 7: 8, 8: 4, 9: 8, 11: 2}
    (count,), at, entries = struct.unpack_from(">i", body, 1), 5, []
    for _ in range(count):
        begin = at
        at += 4 + struct.unpack_from(">i", body, at)[0]
        kind = body[at]
        at += 1
        at += sizes[kind] if kind in sizes else 4 + struct.unpack_from(">i", body, at)[0]
        entries.append(body[begin:at])
    return sorted(entries) if at == len(body) else body


class Fixture:
    def __init__(self, name):
        self.name = name
        self.problems = []
        self.known = Counter()
        self.compared = Counter()

    def differ(self, ours, golden, what):
        self.problems.append(f"message {golden.attributes['id']}: {what}")

    def compare_attributes(self, ours, golden):
        ours_named, golden_named = dict(ours.attributes), dict(golden.attributes)
        # Of an AMQP id that is no UUID Artemis makes a random one.
        if "NATIVE_MESSAGE_ID" in golden.properties:
            if ("user-id" in ours_named) != ("user-id" in golden_named):
                self.differ(ours, golden, "user-id")
            ours_named.pop("user-id", None)
            golden_named.pop("user-id", None)
        if ours_named != golden_named:
            self.differ(ours, golden, f"{ours_named} instead of {golden_named}")

    def compare_properties(self, ours, golden):
        for name in ours.properties.keys() | golden.properties.keys():
            mine, theirs = ours.properties.get(name), golden.properties.get(name)
            if mine == theirs:
                continue
            if mine and theirs and mine[1] and re.sub("[\t\r\n]", " ", mine[1]) == theirs[1]:
                self.known["line ends in attributes, which Artemis makes blanks"] += 1
            elif name == "_AMQ_SCHED_DELIVERY" and "JMS_AMQP_MA_x-opt-delivery-delay" in golden.properties:
                self.known["delays that count from the export"] += 1
            elif name == "JMS_AMQP_HEADERPRIORITY" and mine is None and "isLarge" not in ours.large \
                    and len(ours.body) > LARGE_BYTES:
                self.known["priorities that large AMQP messages never gave"] += 1
            elif (self.name in BEFORE_2 and mine == ("bytes", "_AMQ_NULL")
                  and theirs in ((None, "_AMQ_NULL"), (None, "_HQ_NULL"))):
                self.known["null of releases before 2.0"] += 1
            else:
                self.differ(ours, golden, f"property {name}: {mine} instead of {theirs}")

    def compare_queues(self, ours, golden):
        if ours.queues == golden.queues:
            return
        if self.name in PAGED and set(ours.queues) < set(golden.queues):
            self.known["queues that are through with the page"] += 1
        else:
            self.differ(ours, golden, f"queues {ours.queues} instead of {golden.queues}")

    def compare_body(self, ours, golden):
        if ours.large != golden.large:
            self.differ(ours, golden, "isLarge")
        if ours.body == golden.body:
            return
        if ours.attributes["type"] == "map" and map_entries(ours.body) == map_entries(golden.body):
            return
        if ((self.name, golden.attributes["id"]) in SECTIONS
                and ours.body.startswith(golden.body)):
            self.known["further sections of a body"] += 1
        else:
            self.differ(ours, golden, f"body {ours.body[:40]} instead of {golden.body[:40]}")

    def compare(self, ours, golden):
        our_bindings, our_messages = ours
        golden_bindings, golden_messages = golden
        if self.name not in BEFORE_2 and our_bindings != golden_bindings:
            self.problems.append(f"bindings: {our_bindings - golden_bindings} instead of "
                                 f"{golden_bindings - our_bindings}")
        by_id = {message.attributes["id"]: message for message in our_messages}
        if len(by_id) != len(our_messages):
            self.problems.append("a message occurs twice")
        for message in golden_messages:
            mine = by_id.pop(message.attributes["id"], None)
            if mine is None:
                self.differ(mine, message, "is missing")
                continue
            self.compare_attributes(mine, message)
            self.compare_properties(mine, message)
            self.compare_queues(mine, message)
            self.compare_body(mine, message)
        self.problems += [f"message {each}: Artemis has none" for each in by_id]


def check(saranga, fixtures, name):
    fixture = Fixture(name)
    golden = gzip.decompress((fixtures / name / "golden/exp.xml.gz").read_bytes()).decode()
    with tempfile.TemporaryDirectory(prefix="saranga-export-") as scratch:
        fixture_store.unpack_fixture(str(fixtures), name, scratch)
        done = subprocess.run([saranga, "data", "export", f"{scratch}/{name}/store", "--now", NOW],
                              capture_output=True, timeout=TIMEOUT_S)
    if done.returncode not in (0, 1):
        fixture.problems.append(f"exit code {done.returncode}: {done.stderr.decode()[-300:]}")
        return fixture
    ours = read(done.stdout.decode())
    if name in NOT_WELL_FORMED:
        expected = len(re.findall("<message ", golden))
        if name == "badchars" and len(ours[1]) != expected:
            fixture.problems.append(f"{len(ours[1])} messages instead of {expected}")
    else:
        fixture.compare(ours, read(golden))
    fixture.compared["messages"] = len(ours[1])
    return fixture


def main():
    return artemis_exports.check_all(artemis_exports.parse_arguments(
        "Compare `data export` with the golden documents."), check)


if __name__ == "__main__":
    sys.exit(main())
