"""What `data messages` says of a store, in a form in which stores can be compared.

A reference is a message on one queue. Its content is all that a consumer could tell, and nothing of
where it is stored: a dict from the name of a field to its value.
"""
import hashlib
import json
import os
import subprocess

NOW = ("--now", "1796050000000")  # when the fixtures were made
TIMEOUT_S = 120
# Of a message whatever its protocol, of Core messages, and of AMQP messages.
FIELDS = ("protocol", "durable", "priority", "expiration_ms", "large")
CORE_FIELDS = ("message_type", "timestamp_ms", "user_id", "properties")
AMQP_FIELDS = ("message_format", "extra_properties", "header", "delivery_annotations",
               "message_annotations", "application_properties", "footer", "properties")
LARGE_SIZES = ("_AMQ_LARGE_SIZE", "_HQ_LARGE_SIZE")


def objects(saranga, verb, store, *options):
    """The JSON Lines of a verb; damage is told, and no failure."""
    done = subprocess.run([str(saranga), "data", verb, str(store), *NOW, "--format", "jsonl",
                           *map(str, options)], capture_output=True, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL)
    if done.returncode > 2:
        raise AssertionError(f"{verb} {store}: {done.returncode}: {done.stderr.decode()[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def references(saranga, store, *options):
    """All references, in the order of delivery of each queue."""
    return [each for each in objects(saranga, "messages", store, "--body", "hex", *options)
            if each["type"] == "message"]


def content(store, message, digest_limit_bytes=1 << 30):
    """What a consumer could tell of a message. Bodies in files as their size and digest."""
    fields = {name: message.get(name) for name in FIELDS}
    for name in CORE_FIELDS if message["protocol"] == "core" else AMQP_FIELDS:
        fields[name] = message.get(name)
    if not message["large"]:
        fields["body"] = message["body"].get("data_hex", message["body"].get("text"))
        return fields
    path = os.path.join(store, message.get("body_file")
                        or f"large-messages/{message['id']}.{'msg' if message['durable'] else 'tmp'}")
    fields["body"] = file_digest(path, digest_limit_bytes)
    if message["protocol"] == "core":
        # An older release does without it; it is the size of the file.
        fields["properties"] = {name: value for name, value in message["properties"].items()
                                if name not in LARGE_SIZES}
    return fields


def file_digest(path, limit_bytes=1 << 30):
    """(size, SHA-256) of a file, or of its first bytes; None when it is not there."""
    if not os.path.exists(path):
        return None
    digest, left = hashlib.sha256(), limit_bytes
    with open(path, "rb") as body:
        while left > 0 and (piece := body.read(min(left, 1 << 20))):
            digest.update(piece)
            left -= len(piece)
    return os.path.getsize(path), digest.hexdigest()


def different(first, second):
    """The names of the fields that differ."""
    return sorted(name for name in first.keys() | second.keys()
                  if first.get(name) != second.get(name))


def digest(saranga, store, *options):
    """The digest of `data hash`."""
    return objects(saranga, "hash", store, *options)[-1]["sha256"]
