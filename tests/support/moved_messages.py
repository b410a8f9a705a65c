"""Messages in one form, whoever tells of them: `data messages`, our XML, or a broker.

A message is a dict of its fields; each list has pairs of the name of a queue and a message on it.
What a form cannot carry is taken away from what is expected, and counted by kind.
"""
import base64
import hashlib
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

import live_view

PREFIX = "UndefinedQueue_"
CORE_TYPES = {0: "default", 2: "object", 3: "text", 4: "bytes", 5: "map", 6: "stream",
              7: "embedded", 8: "large_embedded"}
JAVA_TYPES = {"integer": "int", "character": "char", "simplestring": "string"}
COMPRESSED = "_AMQ_LARGE_COMPRESSED"
NOW_MS = int(live_view.NOW[1])
SCHEDULE = "_AMQ_SCHED_DELIVERY"
# Not in XML 1.0; a surrogate without its partner is no character.
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


# ---- properties ----------------------------------------------------------------------------------


def bits_of(kind, value):
    """The bits of a floating-point number; every NaN is the same one, as in text."""
    number = float(str(value).replace("Infinity", "inf"))
    if number != number:
        return 0x7FC00000 if kind == "float" else 0x7FF8000000000000
    form = (">f", ">i") if kind == "float" else (">d", ">q")
    return struct.unpack(form[1], struct.pack(form[0], number))[0]


def our_property(entry):
    kind = entry["type"]
    if kind in ("float", "double"):
        return [kind, bits_of(kind, entry["value"])]
    return [kind, entry["value_b64"] if kind == "bytes" else entry["value"]]


def broker_property(entry):
    kind = JAVA_TYPES.get(entry["type"], entry["type"])
    return [kind, entry["bits"] if kind in ("float", "double") else entry.get("value")]


def xml_property(element):
    """Name, and type and value as they are meant."""
    kind, value = element.get("type"), exact(element, "value")
    if value == "_AMQ_NULL" and element.get("x-value-utf16") is None:
        typed = ["null", None]
    elif kind is None:
        typed = ["char", value]
    elif kind == "simple-string":
        typed = ["string", value]
    elif kind == "bytes":
        typed = ["bytes", base64.b64encode(base64.urlsafe_b64decode(value)).decode()]
    elif kind in ("float", "double"):
        typed = [kind, bits_of(kind, value)]
    elif kind == "boolean":
        typed = [kind, value == "true"]
    else:
        typed = [JAVA_TYPES.get(kind, kind), int(value)]
    return exact(element, "name"), typed


def exact(element, name):
    units = element.get(f"x-{name}-utf16")
    if units is None:
        return element.get(name)
    return base64.urlsafe_b64decode(units).decode("utf-16-be", "surrogatepass")


def without_sizes(message):
    """The size of a body in a file is that of the file; old releases do without a property."""
    if message["large"]:
        for name in live_view.LARGE_SIZES:
            message["properties"].pop(name, None)
    return message


# ---- who tells -----------------------------------------------------------------------------------


def of_broker(line):
    message = {"durable": line["durable"], "priority": line["priority"],
               "expiration_ms": line["expiration"], "timestamp_ms": line["timestamp"],
               "scheduled": line["scheduled"] > NOW_MS, "large": line["large"]}
    if line["protocol"] != "core":
        return of_amqp(message)
    properties = {name: broker_property(value) for name, value in line["properties"].items()}
    if line["large"]:
        body = [line["body_bytes"], line["body_sha256"]]
    else:
        raw = base64.b64decode(line["body"])
        body = (zlib.decompress(raw) if COMPRESSED in properties else raw).hex()
    return without_sizes({"protocol": "core", **message, "user_id": line["user_id"],
                          "message_type": CORE_TYPES[line["message_type"]],
                          "properties": properties, "body": body})


def of_amqp(message):
    """Some releases look into a message only when they have to: the rest is compared as stored."""
    return {"protocol": "amqp", **{name: message[name] for name in ("durable", "large")}}


def of_store(store, each):
    message = {"durable": each["durable"], "priority": each["priority"],
               "expiration_ms": each["expiration_ms"], "timestamp_ms": each["timestamp_ms"],
               "scheduled": (each["scheduled_ms"] or 0) > NOW_MS, "large": each["large"]}
    if each["protocol"] != "core":
        return of_amqp(message)
    body = live_view.content(str(store), each)["body"]
    return without_sizes({
        "protocol": "core", **message, "user_id": each["user_id"],
        "message_type": each["message_type"], "body": list(body) if each["large"] else body,
        "properties": {name: our_property(value) for name, value in each["properties"].items()}})


def as_time_based(user_id):
    """Whoever reads a UUID in Artemis takes it for one of version 1."""
    return user_id and f"{user_id[:14]}1{user_id[15:]}"


def of_document(element):
    """A message of our XML, for those that were converted."""
    properties = dict(xml_property(each) for each in element.iter("property"))
    pieces = [line.strip() for line in (element.find("body").text or "").split("\n")]
    raw = b"".join(base64.urlsafe_b64decode(piece) for piece in pieces if piece)
    return {"protocol": "core", "durable": True, "priority": int(element.get("priority")),
            "expiration_ms": int(element.get("expiration")),
            "timestamp_ms": int(element.get("timestamp")), "large": False,
            "user_id": as_time_based(element.get("user-id")),
            "message_type": element.get("type"), "properties": properties, "body": raw.hex()}


def converted(document):
    """The messages of our XML by id."""
    root = ElementTree.fromstring(document.read_text(encoding="utf-8").strip())
    return {int(each.get("id")): each for each in root.iter("message")}


# ---- what is expected ----------------------------------------------------------------------------


def queue_of(each):
    return each["queue"] if each["queue"] is not None else f"{PREFIX}{each['queue_id']}"


def is_shown(each):
    """What is in doubt is not to be seen, but what is acknowledged in a page."""
    return each["state"] != "prepared_send" and (each["state"] != "prepared_ack" or each["paged"])


def by_archive(original, known):
    """Everything but what is in doubt, as it is; what HornetQ named has the names of today."""
    expected = []
    for each in filter(is_shown, original.references):
        message = of_store(original.store, each)
        old = [name for name in message.get("properties", {}) if name.startswith("_HQ_")]
        known["archive: properties by HornetQ's names"] += len(old)
        for name in old:
            message["properties"]["_AMQ_" + name[4:]] = message["properties"].pop(name)
        if COMPRESSED in message.get("properties", {}) and old and not message["large"]:
            message["body"] = zlib.decompress(bytes.fromhex(message["body"])).hex()
        expected.append((queue_of(each), with_set_schedule(message)))
    return expected


def with_set_schedule(message):
    """The broker keeps the time that it has set in a property of its own copy, until it is due."""
    if "properties" not in message:
        return message
    return {**message, "properties": {name: value for name, value in message["properties"].items()
                                      if name != SCHEDULE}}


def by_xml(original, known):
    """Without what our XML does not carry, in the order of the document."""
    document = converted(original.forms["xml"])
    places = {number: at for at, number in enumerate(document)}
    expected = []
    for each in sorted((each for each in original.references if each["state"] != "prepared_send"),
                       key=lambda each: places[each["id"]]):
        if each["protocol"] == "amqp":
            known["AMQP messages, compared as they are converted"] += 1
            message = of_document(document[each["id"]])
        else:
            message = of_store(original.store, each)
        message["scheduled"] = message["properties"].get(SCHEDULE, [None, 0])[1] > NOW_MS
        if not message["durable"]:
            known["messages that are durable after the import"] += 1
            message["durable"] = True
        if message["message_type"] in ("embedded", "large_embedded"):
            known["types that become default"] += 1
            message["message_type"] = "default"
        expected.append((queue_of(each), message))
    return expected


def as_artemis_reads(text):
    return NOT_IN_XML.sub("\ufffd", text)


def by_artemis(original, known):
    """Without what `artemis data imp` does not take, either."""
    return [(as_artemis_reads(queue), after_imp(message, known))
            for queue, message in by_xml(original, known)]


def after_imp(message, known):
    properties = {}
    for name, (kind, value) in message["properties"].items():
        if kind == "char":
            known["imp: properties of type char, which are dropped"] += 1
            continue
        if kind == "string" and value == "_AMQ_NULL":
            known["imp: texts that become null"] += 1
            kind, value = "null", None
        if kind == "string" and NOT_IN_XML.search(value):
            known["imp: values with characters that XML has not"] += 1
            value = as_artemis_reads(value)
        properties[as_artemis_reads(name)] = [kind, value]
    return sent_anew({**message, "properties": properties})


def sent_anew(message):
    """What a client decides: another user id, and which messages are large."""
    body = message["body"]
    if not message["large"]:
        raw = bytes.fromhex(body)
        body = [len(raw), hashlib.sha256(raw).hexdigest()]
    return {**without_sizes({**message, "large": COMPRESSED not in message["properties"]}),
            "body": body, "large": None, "user_id": message["user_id"] is not None}


def without_chance(view):
    """The lines of a broker's view without what differs in every life."""
    paged = {each["queue"] for each in view if each["type"] == "message" and each["paged"]}
    lines, positions = [], {}
    for each in map(dict, view):
        # A broker moves messages from pages into memory while it is asked.
        if each["type"] == "message" and not each["scheduled"] and not each["paged"]:
            each["position"] = positions[each["queue"]] = positions.get(each["queue"], 0) + 1
        if each["type"] == "queue" and each["name"].startswith("$sys."):
            each["id"] = None
        # 2.28 counts the messages in pages after the start, on another thread.
        if each["type"] == "queue" and each["name"] in paged:
            each["count"] = None
        # A delay of AMQP counts from the start of the broker.
        if each["type"] == "message" and each["protocol"] != "core" and each["scheduled"]:
            each["scheduled"] = "later"
        lines.append(each)
    return lines
