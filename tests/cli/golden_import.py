#!/usr/bin/env python3
"""Import what real Artemis exported of the stores in fixtures/, and compare with the stores.

    golden_import.py [--saranga PATH] [--fixtures DIR] [NAME…]

`saranga data import` makes a store of golden/exp.xml.gz; what `data messages` says of it has to be
what it says of the store from which Artemis made the document: every message on every queue, with its
headers, properties with their types, and body. What the document cannot carry, or Artemis leaves out
(docs/format/export-xml.md), is listed in this file and counted. Ends with a line
`N passed, N failed` and 1 when something failed.
"""
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "support"))
import artemis_exports  # noqa: E402
import fixture_store  # noqa: E402
import live_view  # noqa: E402

# Documents that no parser takes to their end, and what the import has to say of them.
NOT_WELL_FORMED = {"badchars": "not well-formed: a character or a sign that XML does not allow",
                   "bindings-2.28": "the document is cut"}
# Of releases before 2.0: the names of queues keep their prefixes, to be those of the store.
PREFIXED = {"hornetq-2.4", "artemis-1.5"}
# Artemis exports what a queue is through with when the page is still there.
PAGED = {"paging", "paging-2.19", "artemis-1.5", "artemis-2.0", "artemis-2.6", "artemis-2.10",
         "hornetq-2.4"}


class Fixture:
    def __init__(self, name):
        self.name = name
        self.problems = []
        self.known = Counter()
        self.compared = Counter(messages=0, fields=0)

    def read(self, saranga, store):
        """References by message and queue, but those that a document never has."""
        found = {}
        for each in live_view.references(saranga, store):
            if each["state"] == "prepared_send":
                self.known["messages that prepared transactions have sent"] += 1
            elif (each["id"], each["queue"]) in found:
                self.problems.append(f"message {each['id']} is on {each['queue']} twice")
            else:
                found[each["id"], each["queue"]] = each
        return found

    def is_known(self, field, wanted, got, original):
        """Why a field may differ; None when it must not."""
        if field == "durable" and got is True:
            return "messages that were not durable"
        if field == "properties":
            differing = [name for name in wanted.keys() | got.keys()
                         if wanted.get(name) != got.get(name)]
            blanks = all(name in wanted and name in got and got[name]["value"]
                         == re.sub("[\t\r\n]", " ", str(wanted[name]["value"]))
                         for name in differing)
            return "line ends in properties, which Artemis makes blanks" if blanks else None
        if field == "scheduled_ms" and original["properties"].get("_HQ_SCHED_DELIVERY"):
            return "schedules that only HornetQ knows"
        if field == "scheduled_ms" and "_AMQ_SCHED_DELIVERY" not in original["properties"]:
            return "delivery times that the broker had set"
        return None

    def compare_one(self, stores, original, imported):
        self.compared["messages"] += 1
        if original["protocol"] == "amqp":
            self.known["AMQP messages, which are converted"] += 1
            return
        wanted = live_view.content(stores[0], original)
        got = live_view.content(stores[1], imported)
        for each, message in ((wanted, original), (got, imported)):
            each["scheduled_ms"] = message["scheduled_ms"]
        self.compared["fields"] += len(wanted) + len(wanted["properties"])
        for field in live_view.different(wanted, got):
            known = self.is_known(field, wanted[field], got[field], original)
            if known:
                self.known[known] += 1
            else:
                self.problems.append(f"message {original['id']} of {original['queue']}: {field}: "
                                     f"{got[field]} instead of {wanted[field]}"[:400])

    def compare(self, saranga, store, imported_store):
        wanted, got = self.read(saranga, store), self.read(saranga, imported_store)
        self.problems += [f"message {key} is missing" for key in wanted.keys() - got.keys()]
        for key in got.keys() - wanted.keys():
            if self.name in PAGED:
                self.known["references that a queue is through with"] += 1
            else:
                self.problems.append(f"message {key} is not in the store")
        for key in wanted.keys() & got.keys():
            self.compare_one((store, imported_store), wanted[key], got[key])


def check(saranga, fixtures, name):
    fixture = Fixture(name)
    with tempfile.TemporaryDirectory(prefix="saranga-import-") as scratch:
        store = fixture_store.unpack_fixture(str(fixtures), name, scratch)
        imported = f"{scratch}/imported"
        options = ["--legacy-prefixes"] if name in PREFIXED else []
        done = subprocess.run([saranga, "data", "import", fixtures / name / "golden/exp.xml.gz",
                               imported, *options], capture_output=True,
                              timeout=live_view.TIMEOUT_S)
        if name in NOT_WELL_FORMED:
            told = done.stderr.decode()
            if done.returncode != 2 or NOT_WELL_FORMED[name] not in told:
                fixture.problems.append(f"{done.returncode} and: {told}")
            if Path(imported).exists():
                fixture.problems.append("there is a store")
        elif done.returncode not in (0, 1):
            fixture.problems.append(f"exit code {done.returncode}: {done.stderr.decode()[-300:]}")
        else:
            fixture.compare(saranga, store, imported)
    return fixture


def main():
    return artemis_exports.check_all(artemis_exports.parse_arguments(
        "Compare `data import` with the stores."), check)


if __name__ == "__main__":
    sys.exit(main())
