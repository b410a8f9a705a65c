#!/usr/bin/env python3
"""Compare `saranga data messages` and `queues` with what real brokers said of the fixtures.

    golden_messages.py [--saranga PATH] [--fixtures DIR] [NAME…]

Under golden/ of a fixture, inside.json.gz holds what the broker that wrote the store had in memory
after a start on a copy, and live.json.gz what Core clients and management saw of it. Compared are
each queue and address, and each message with its order, headers, properties and body. Ends with
the numbers of what was compared, and 1 when something differs.

What cannot be compared:
* Clients see AMQP messages converted to Core, so of those only the body is compared, where it is
  text. Of one with a delivery delay the schedule counts from the start of the broker.
* Clients see compressed messages as if they were not compressed, and all of them as large.
* Where messages are paged, a broker's own list begins with those it has read ahead, goes on with
  what prepared transactions have acknowledged, takes paged messages for durable, and learns of
  their schedules when it reads the page. So ids are compared as sets there.
* An expired message is hidden from browsers although it is on its queue.
"""
import argparse
import base64
import gzip
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402

NOW_MS = 1796050000000  # when the fixtures were made
CORE_TYPES = {0: "default", 2: "object", 3: "text", 4: "bytes", 5: "map", 6: "stream",
              7: "embedded", 8: "large_embedded"}
SHOWN = 20
TIMEOUT_S = 120


class Comparison:
    """Counts what is compared, and keeps what differs."""

    def __init__(self):
        self.counts = {"fixtures": 0, "addresses": 0, "queues": 0, "messages": 0, "fields": 0}
        self.problems = []

    def equal(self, where, field, expected, actual):
        self.counts["fields"] += 1
        if expected != actual:
            self.problems.append(f"{where}: {field}: the broker has {clip(expected)}, "
                                 f"saranga {clip(actual)}")


def clip(value):
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"


def read_golden(folder, name):
    path = os.path.join(folder, "golden", name)
    if not os.path.exists(path):
        return None
    with gzip.open(path) as golden:
        return json.load(golden)


def run(saranga, verb, store, *options):
    command = [saranga, "data", verb, store, "--format", "jsonl", "--now", str(NOW_MS), *options]
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def messages_by_queue(saranga, store):
    queues = {}
    for found in run(saranga, "messages", store, "--body", "hex"):
        if found["type"] == "message":
            queues.setdefault(found["queue"], []).append(found)
    return queues


# ---- what the broker had in memory ---------------------------------------------------------------


def compare_inside(comparison, name, inside, queues):
    for queue, expected in inside["queues"].items():
        comparison.counts["queues"] += 1
        found = queues.get(queue, [])
        for state, wanted in (("pending", expected["messages"]),
                              ("scheduled", expected["scheduled"])):
            actual = [message for message in found if listed_as(message) == state]
            where = f"{name}: {queue}: {state}"
            # The broker keeps scheduled ones by time; here they are in the order of arrival.
            if state == "scheduled" or any(message["paged"] for message in found):
                actual.sort(key=lambda m: m["id"])
                wanted = sorted(wanted, key=lambda m: m["id"])
            comparison.equal(where, "ids", [m["id"] for m in wanted], [m["id"] for m in actual])
            for one, other in zip(wanted, actual):
                compare_reference(comparison, f"{where} {one['id']}", one, other)


def listed_as(message):
    if message["paged"] and message["state"] in ("scheduled", "prepared_ack"):
        return "pending"
    return message["state"]


def compare_reference(comparison, where, expected, actual):
    comparison.counts["messages"] += 1
    for field, ours in (("address", "address"), ("deliveryCount", "delivery_count"),
                        ("durable", "durable"), ("paged", "paged"), ("priority", "priority")):
        if field != "durable" or not actual["paged"]:
            comparison.equal(where, field, expected[field], actual[ours])
    delayed = "x-opt-delivery-delay" in actual.get("message_annotations", {})
    if actual["state"] == "scheduled" and not actual["paged"] and not delayed:
        comparison.equal(where, "scheduledTime", expected["scheduledTime"], actual["scheduled_ms"])
    comparison.equal(where, "protocol", expected["class"].startswith("AMQP"),
                     actual["protocol"] == "amqp")
    comparison.equal(where, "large", "Large" in expected["class"], actual["large"])
    if "amqpLength" in expected and not actual["large"]:
        comparison.equal(where, "encoded size", expected["amqpLength"], actual["encoded_bytes"])


# ---- what clients saw ----------------------------------------------------------------------------


def typed(value):
    """A property of ours in the form of the golden file."""
    kind, content = value["type"], value.get("value")
    if kind == "null":
        return {"type": "null"}
    if kind == "bytes":
        return {"type": "bytes", "value": value["value_b64"]}
    if kind in ("float", "double"):
        number = {"NaN": float("nan"), "Infinity": float("inf"),
                  "-Infinity": float("-inf")}.get(content, content)
        bits = struct.pack(">f" if kind == "float" else ">d", number).hex()
        return {"type": kind, "bits": f"{value['bits']:x}" if "bits" in value else bits}
    return {"type": kind, "value": content}


def golden_property(value):
    if value["type"] in ("float", "double"):
        return {"type": value["type"], "bits": value["bits"]}
    return value


def compare_live(comparison, name, live, queues):
    for queue, expected in live["queues"].items():
        found = {message["id"]: message for message in queues.get(queue, [])}
        for message in expected["messages"]:
            where = f"{name}: {queue}: {message['messageID']}"
            actual = found.get(message["messageID"])
            if actual is None:
                comparison.equal(where, "is there", True, False)
            elif actual["protocol"] == "core":
                compare_core(comparison, where, message, actual)
            else:
                compare_amqp_body(comparison, where, message, actual)


def compare_core(comparison, where, expected, actual):
    comparison.counts["messages"] += 1
    compressed = actual["body"].get("compressed", False)
    for field, ours in (("address", "address"), ("durable", "durable"), ("priority", "priority"),
                        ("timestamp", "timestamp_ms"), ("expiration", "expiration_ms"),
                        ("userID", "user_id"), ("large", "large")):
        if field == "large" and compressed:
            continue
        comparison.equal(where, field, expected[field], actual[ours])
    comparison.equal(where, "type", CORE_TYPES[expected["type"]], actual["message_type"])
    comparison.equal(where, "names of properties", sorted(expected["properties"]),
                     sorted(actual["properties"]))
    for key, value in expected["properties"].items():
        if key in actual["properties"] and not (compressed and key == "_AMQ_LARGE_COMPRESSED"):
            comparison.equal(where, f"property {key}", golden_property(value),
                             typed(actual["properties"][key]))
    body = bytes.fromhex(actual["body"]["data_hex"])
    comparison.equal(where, "size of the body", expected["body"]["length"], len(body))
    comparison.equal(where, "body", expected["body"]["sha256"], hashlib.sha256(body).hexdigest())


def compare_amqp_body(comparison, where, expected, actual):
    comparison.counts["messages"] += 1
    text = expected["body"].get("text")
    if text is None or actual["body"]["kind"] != "value":
        return
    encoded = bytes.fromhex(actual["body"]["data_hex"])
    lead = {0xA1: 2, 0xB1: 5}.get(encoded[0])  # string with a size of one or four bytes
    if lead is not None:
        comparison.equal(where, "text", text, encoded[lead:].decode())


# ---- queues and addresses ------------------------------------------------------------------------


def compare_queues(comparison, saranga, name, live, store):
    actual = {found["name"]: found for found in run(saranga, "queues", store)
              if found["type"] == "queue"}
    for queue, expected in live["queues"].items():
        where, found = f"{name}: queue {queue}", actual.get(queue)
        comparison.equal(where, "is there", True, found is not None)
        if found is None:
            continue
        # The broker counts what a prepared transaction has acknowledged as being delivered.
        count = found["message_count"] + found["prepared_ack_count"]
        comparison.equal(where, "messageCount", expected["messageCount"], count)
        if not found["paged_count"]:
            comparison.equal(where, "scheduledCount", expected["scheduledCount"],
                             found["scheduled_count"])
        for field, ours in (("iD", "id"), ("address", "address"), ("filter", "filter"),
                            ("durable", "durable"), ("paused", "paused"),
                            ("routingType", "routing_type"), ("exclusive", "exclusive"),
                            ("lastValue", "last_value"), ("ringSize", "ring_size"),
                            ("internalQueue", "internal"), ("user", "user")):
            if field in expected:
                comparison.equal(where, field, expected[field], found[ours])
    actual = {found["name"]: found for found in run(saranga, "queues", store, "--addresses")
              if found["type"] == "address"}
    for address, expected in live["addresses"].items():
        comparison.counts["addresses"] += 1
        where, found = f"{name}: address {address}", actual.get(address)
        comparison.equal(where, "is there", True, found is not None)
        if found is None:
            continue
        for field, ours in (("paging", "paging"), ("numberOfPages", "page_count"),
                            ("paused", "paused"), ("internal", "internal"),
                            ("autoCreated", "auto_created")):
            if field in expected:
                comparison.equal(where, field, expected[field], found[ours])
        comparison.equal(where, "routingTypes", sorted(expected["routingTypes"]),
                         sorted(found["routing_types"]))


def compare_fixture(comparison, saranga, fixtures, name):
    folder = os.path.join(fixtures, name)
    inside, live = (read_golden(folder, f"{kind}.json.gz") for kind in ("inside", "live"))
    if inside is None:
        return
    comparison.counts["fixtures"] += 1
    with tempfile.TemporaryDirectory(prefix="saranga-golden-") as scratch:
        store = fixture_store.unpack_fixture(fixtures, name, scratch)
        queues = messages_by_queue(saranga, store)
        compare_inside(comparison, name, inside, queues)
        if live is not None:
            compare_live(comparison, name, live, queues)
            compare_queues(comparison, saranga, name, live, store)


def main():
    parser = argparse.ArgumentParser(description="Compare listings with what real brokers said.")
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    comparison = Comparison()
    for name in options.names or sorted(os.listdir(options.fixtures)):
        compare_fixture(comparison, os.path.abspath(options.saranga), options.fixtures, name)
    print(*comparison.problems[:SHOWN], sep="\n")
    if len(comparison.problems) > SHOWN:
        print(f"… and {len(comparison.problems) - SHOWN} more")
    print("compared with real brokers: "
          + ", ".join(f"{count} {what}" for what, count in comparison.counts.items())
          + f"; {len(comparison.problems)} differ")
    return 1 if comparison.problems or not comparison.counts["fixtures"] else 0


if __name__ == "__main__":
    sys.exit(main())
