#!/usr/bin/env python3
"""JSON Lines of `saranga data print` say what the text says, for every fixture.

    json_test.py [--saranga PATH] [--fixtures DIR] [NAME…]

The text is compared with Artemis by golden_print.py; here every line of it must have its object,
with the same numbers, names and values. Besides: every line is JSON, the first and last object are
what docs/json.md promises, every byte of every file has its class, equal runs give equal bytes.
"""
import argparse
import base64
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402

TIMEOUT_S = 300
OPERATIONS = {"Event": "event", "AddRecord": "add", "Update": "update", "AddRecordTX": "add_tx",
              "UpdateTX": "update_tx", "DeleteRecordTX": "delete_tx", "DeleteRecord": "delete",
              "Prepare": "prepare", "Commit": "commit", "Rollback": "rollback"}
SECTIONS = {"B I N D I N G S  J O U R N A L": "bindings", "J M S  J O U R N A L": "jms",
            "M E S S A G E S   J O U R N A L": "journal", "P A G I N G": "paging"}
DESCRIPTION = re.compile(r"recordID=(-?\d+);userRecordType=(-?\d+);isUpdate=(true|false);"
                         r"compactCount=(\d+);(.*)", re.DOTALL)
LINE_STARTS = (r"operation@\w+[;,]|#JournalFileImpl: \(|#Counter queue |####### Counter |"
               r"#Counters during|### |##SubsCounter|recordID=|- recordID=|Transaction \d+ failed|"
               r"\d+\n- recordID=|\n")
# Members of a record's body that the text shows by name.
NAMED = ("name", "address", "username", "address_match", "filter", "group_id", "cluster_name",
         "forwarding_address", "last_value_key")


class Failure(Exception):
    """A text and its JSON do not agree."""


def require(truth, *what):
    if not truth:
        raise Failure(" ".join(str(part)[:400] for part in what))


# ---- the text ------------------------------------------------------------------------------------


def sections(text):
    """{part: text} of a listing."""
    stars = r"\n\*{44}\n([^\n]+)\n\*{44}\n"
    pieces = re.split(stars, text)
    return {SECTIONS[title]: body for title, body in zip(pieces[1::2], pieces[2::2])
            if title in SECTIONS}


def split_lines(text):
    """The lines of a journal section. Contents may hold line ends, so a line begins with a word
    that only the listing itself uses."""
    return [line for line in re.split(rf"\n(?={LINE_STARTS})", text) if line.strip()]


class JournalText:
    """One journal section, taken apart."""

    def __init__(self, text):
        head, rest = text.split("### Surviving Records Summary ###", 1)
        survivors, rest = re.split(r"\n### Prepared TX ###\n", rest, maxsplit=1)
        survivors = re.split(r"\n### Page Counters\n", survivors)[0]
        transactions, counts = rest.rsplit("### Message Counts ###\n", 1)
        title = "### Failed Transactions (Missing commit/prepare/rollback record) ###\n"
        prepared, _, failed = transactions.partition(title)
        self.operations = [line for line in split_lines("\n" + head)
                           if line.startswith("operation@")]
        self.files = re.findall(r"#JournalFileImpl: \((.+) id = (-?\d+), recordID = (\d+)\) "
                                r"\(size=(\d+)\)\n", head)
        self.survivors = [line for line in split_lines("\n" + survivors)
                          if line.startswith("recordID=")]
        self.prepared = re.findall(r"^(\d+)$", prepared, re.MULTILINE)
        self.prepared_records = [line for line in split_lines("\n" + prepared)
                                 if line.startswith("- recordID=")]
        self.failed = re.findall(r"Transaction (-?\d+) failed with these records:", failed)
        self.failed_records = [line for line in split_lines("\n" + failed)
                               if line.startswith("- recordID=")]
        self.counts = parse_counts(counts)


def parse_counts(text):
    match = re.match(r"message count=(\d+)\nlarge message count=(\d+)\nmessage reference count\n"
                     r"((?:queue id .*\n)*)prepared message count=(\d+)\n"
                     r"prepared large message count=(\d+)\nprepared message reference count\n"
                     r"((?:queue id .*\n)*)", text)
    require(match, "odd counts:", text[:200])

    def queues(lines):
        return {int(queue): int(count)
                for queue, count in re.findall(r"queue id (-?\d+),count=(-?\d+)", lines)}
    return {"surviving": (int(match[1]), int(match[2]), queues(match[3])),
            "prepared": (int(match[4]), int(match[5]), queues(match[6]))}


# ---- values as Java prints them ------------------------------------------------------------------


def java_date(milliseconds):
    if milliseconds == 0:
        return "0"
    return time.strftime("%a %b %d %H:%M:%S UTC %Y", time.gmtime(milliseconds // 1000))


def java_real(value):
    if isinstance(value, str):
        return value
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    digits, exponent = shortest(abs(value))
    sign = "-" if value < 0 else ""
    if 1e-3 <= abs(value) < 1e7:
        if exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
        whole = digits[:exponent + 1].ljust(exponent + 1, "0")
        return f"{sign}{whole}.{digits[exponent + 1:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"


def shortest(value):
    """The digits of the shortest text that reads back, and the decimal exponent of the first."""
    mantissa, _, exponent = repr(float(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    digits, power = whole + fraction, int(exponent or 0) + len(whole) - 1
    stripped = digits.lstrip("0")
    power -= len(digits) - len(stripped)
    return stripped.rstrip("0"), power


def java_text(text):
    """A surrogate without its partner prints as a question mark."""
    return re.sub("[\ud800-\udfff]", "?", text)


def java_bytes(key, data):
    digits = data.hex().upper()
    shown = " ".join(digits[i:i + 4] for i in range(0, len(digits), 4)) or "[]"
    if len(shown) >= 150:
        shown = shown[:75] + " ... " + shown[-75:]
    if not key.startswith("_AMQ_ROUTE_TO"):
        return f"[{shown}]"
    longs = [str(int.from_bytes(data[i:i + 8], "big", signed=True))
             for i in range(0, len(data) - 7, 8)]
    return f"[{shown}], bytesAsLongs[{', '.join(longs)}]"


def java_property(key, value):
    kind = value["type"]
    if kind == "null":
        text = "NULL-value"
    elif kind == "bytes":
        text = java_bytes(key, base64.b64decode(value["value_b64"]))
    elif kind in ("float", "double"):
        text = java_real(value["value"])
    elif kind == "boolean":
        text = str(value["value"]).lower()
    else:
        text = java_text(str(value["value"]))
    return f"{java_text(key)}={text}"


# ---- comparing -----------------------------------------------------------------------------------


def check_properties(text, properties):
    """The text of properties holds exactly these, in whatever order."""
    require(text.startswith("TypedProperties[") and text.endswith("]"), "no properties:", text)
    shown = [java_property(key, value) for key, value in properties.items()]
    for one in shown:
        require(one in text, "property", one, "is not in", text)
    length = len("TypedProperties[]") + sum(map(len, shown)) + 2 * max(len(shown) - 1, 0)
    require(len(text) == length, "other properties in", text, "than", properties)


def check_core(text, message):
    """`text` is what stands between the class and its end."""
    expected = {"messageID": message["id"], "durable": str(message["durable"]).lower(),
                "userID": message["user_id"] or "null", "priority": message["priority"],
                "timestamp": java_date(message["timestamp_ms"]),
                "expiration": java_date(message["expiration_ms"]),
                "address": java_text(message["address"] or "null")}
    if not message["large"]:
        expected["size"] = message["encoded_bytes"]
    if text.startswith("NullStorageLargeServerMessage"):
        expected = {key: expected[key] for key in ("messageID", "durable", "address")}
    for key, value in expected.items():
        require(re.search(rf"[\[, ]{key}={re.escape(str(value))}[,\]]", text),
                f"{key}={value} is not in", text)
    check_properties(re.search(r"properties=(TypedProperties\[.*\])\]", text, re.DOTALL)[1],
                     message["properties"])


def check_amqp(text, message):
    size = message.get("encoded_bytes", 0)
    for part in (f"messageID={message['id']},", f"address={message['address']},", f"size={size},"):
        require(part in text, part, "is not in", text)
    for section in ("application_properties", "message_annotations"):
        for key, value in message.get(section, {}).items():
            if value.get("type") in ("string", "symbol", "int", "long", "short", "byte"):
                part = f"{key}={java_text(str(value['value']))}"
                require(part in text, part, "is not in", text)
    if "extra_properties" in message:
        shown = text.rsplit("extraProperties = ", 1)[1]
        check_properties(shown[:-1], message["extra_properties"])


def check_message(text, message):
    if message["protocol"] == "core":
        check_core(text, message)
    else:
        check_amqp(text, message)
    user_id = re.match(r"(?:Large)?Message\(messageID=(-?\d+);(?:userMessageID=(.*?);)?msg=", text,
                       re.DOTALL)
    if user_id:
        require(int(user_id[1]) == message["id"], "another message id in", text)
        if message["protocol"] == "core":
            require(user_id[2] == message["user_id"], "another user id in", text)


def all_values(value):
    """Every number and text inside of a JSON value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from all_values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from all_values(inner)
    else:
        yield value


def check_body(text, record):
    """Numbers of the text are in the object; names of the object are in the text."""
    if text == "** null **" or "BridgeConfiguration@0" in text:  # the class prints no more
        return
    known = {str(value) for value in all_values(record) if value is not None}
    inside = " ".join(sorted(known))
    text = re.sub(r"duplID=[0-9A-F ]*|XidImpl \(0 bq:[-\d.]*|gtxid:\S*", "", text)
    for number in re.findall(r"(?<![\w.@-])-?\d+(?:\.\d+)?(?![\w.-])", text):
        # What a record of an old release lacks is shown with its default.
        if abs(float(number)) < 10 or number in known or f"{float(number):g}" in known:
            continue
        require(re.search(rf"(?<!\d){re.escape(number)}(?!\d)", inside), number, "of", text,
                "is not in", record)
    for name in NAMED:
        value = record.get("body", {}).get(name)
        if isinstance(value, str):
            require(java_text(value).split("::")[-1] in text, name, value, "is not in", text)


def check_description(text, record):
    match = DESCRIPTION.fullmatch(text)
    require(match, "no description:", text)
    shown = match[5]
    require((int(match[1]), int(match[4])) == (record["id"], record["compact_count"]),
            "other numbers in", text, record)
    require(int(match[2]) == record.get("record_type", 0), "another type in", text, record)
    require((match[3] == "true") == (record["kind"] in ("update", "update_tx", "delete_tx")),
            "another kind in", text, record)
    if "problem" in record:
        require(shown.startswith("** undecodable: "), "no problem in", text)
    elif "message" in record:
        check_message(shown, record["message"])
    else:
        check_body(shown, record)


def check_operation(line, record):
    operation, rest = re.match(r"operation@(\w+)[;,](.*)", line, re.DOTALL).groups()
    require(OPERATIONS[operation] == record["kind"], "another kind:", line, record)
    if record["tx"] is not None:
        match = re.match(r"txID=(-?\d+),?", rest)
        require(int(match[1]) == record["tx"], "another transaction:", line, record)
        rest = rest[match.end():]
    if operation == "DeleteRecord":
        require(rest == f"recordID={record['id']}", "another id:", line, record)
    elif operation == "Commit":
        require(rest == f"numberOfRecords={record['record_count']}", "another count:", line)
    elif operation == "Prepare":
        extra = base64.urlsafe_b64encode(base64.b64decode(record["extra_data_b64"])).decode()
        require(rest.startswith(f"numberOfRecords={record['record_count']},extraData={extra}, xid="),
                "another prepare:", line, record)
        require(rest.endswith("null") == (record["xid"] is None), "another xid:", line, record)
    elif operation != "Rollback":
        check_description(rest, record)


def check_journal(name, text, objects):
    mine = [item for item in objects if item.get("journal") == name]
    labels = {}
    start = next(i for i, item in enumerate(objects) if item == next(
        one for one in mine if one["type"] == "journal"))
    end = next(i for i, item in enumerate(objects) if i > start and item["type"] == "counts")
    for item in objects[start:end]:
        labels.setdefault(item["type"], []).append(item)
    files = [(os.path.basename(item["file"]), str(item["file_id"]), str(item["tag"]),
              str(item["size_bytes"])) for item in labels.get("file", [])]
    require(text.files == files, "other files:", text.files, files)
    records = labels.get("record", [])
    require(len(text.operations) == len(records), len(text.operations), "operations,",
            len(records), "records")
    for line, record in zip(text.operations, records):
        check_operation(line, record)
    check_selected(text, labels, {(item["file"], item["offset"]): item for item in records})
    counts = objects[end]
    for group in ("surviving", "prepared"):
        messages, large, queues = text.counts[group]
        shown = counts[group]
        require((messages, large) == (shown["message_count"], shown["large_message_count"]),
                "other counts of messages:", text.counts, counts)
        found = {queue["queue_id"]: queue["count"] for queue in shown["references"]
                 if group == "surviving" or queue["count"] != 0}
        require(queues == found, "other counts by queue:", queues, found)
    return len(records)


def check_selected(text, labels, records):
    """Survivors and the records of open transactions name records that were listed before."""
    survivors = labels.get("survivor", [])
    require(len(text.survivors) == len(survivors), len(text.survivors), "survivors in text,",
            len(survivors), "in JSON")
    for line, survivor in zip(text.survivors, survivors):
        record = records[survivor["file"], survivor["offset"]]
        require(survivor["record_type"] == record["record_type"], "another type:", survivor)
        check_description(line, record)
    states = {"prepared": [], "incomplete": []}
    for item in labels.get("transaction", []):
        states[item["state"]].append(str(item["tx"]))
    require(states == {"prepared": text.prepared, "incomplete": text.failed},
            "other transactions:", states, text.prepared, text.failed)
    held = {"prepared": [], "incomplete": []}
    state_of = {item["tx"]: item["state"] for item in labels.get("transaction", [])}
    for item in labels.get("transaction_record", []):
        held[state_of[item["tx"]]].append(item)
    for lines, items in ((text.prepared_records, held["prepared"]),
                         (text.failed_records, held["incomplete"])):
        require(len(lines) == len(items), "other records of transactions")
        for line, item in zip(lines, items):
            record = records[item["file"], item["offset"]]
            require(line.rstrip("\n").endswith(" <marked to delete>") == item["delete"], line, item)
            check_description(line[2:].rstrip("\n").removesuffix(" <marked to delete>"), record)


PAGED = re.compile(r"pg=(\d+), msg=(\d+),pgTX=(-?\d+)(?:,userMessageID=(.*?), msg=(.*),Queues = "
                   r"(.*?)(, \*\*PG_TX_NOT_FOUND\*\*)?|, msg=\*\* undecodable: (.*) \*\*)",
                   re.DOTALL)


def check_paged(line, item):
    match = PAGED.fullmatch(line)
    require(match, "no paged message:", line)
    tx = -1 if item["tx"] is None else item["tx"]
    require((int(match[1]), int(match[2]), int(match[3]))
            == (item["page_number"], item["message_number"], tx), "other numbers:", line, item)
    require((match[8] or "") == item.get("problem", ""), "another problem:", line, item)
    if match[8]:
        return
    require(bool(match[7]) == (item.get("tx_found") is False), "another transaction:", line, item)
    check_message(match[5], item["message"])
    queues = []
    for queue in item["queues"]:
        text = str(queue["queue_id"])
        text += " (ACK)" * queue["acknowledged"] + " (PG-COMPLETE)" * queue["page_complete"]
        text += " (N/A) " * (not queue["bound"])
        consumed = queue["acknowledged"] or queue["page_complete"]
        queues.append(text + " (OK) " * (queue["bound"] and not consumed))
    require(match[6] == ",".join(queues), "other queues:", line, item)


def check_paging(text, objects):
    stores = re.findall(r"#{100}\nExploring store (.*) folder = (.*)\n"
                        r"Number of pages ::(\d+), Current writing page ::(\d+)\n", text)
    shown = [(item["address"], item["path"], str(item["page_count"]),
              str(item["current_page_number"])) for item in objects if item["type"] == "page_store"]
    require(stores == shown, "other page stores:", stores, shown)
    pages = [int(page) for page in re.findall(r"^\*{7}   Page (\d+)$", text, re.MULTILINE)]
    require(pages == [item["page_number"] for item in objects if item["type"] == "page"],
            "other pages:", pages)
    lines = re.split(r"\n(?=pg=\d+, msg=\d+,pgTX=|\^\^\^ Previous record|\*{7}|#{100}\n|\n)", text)
    lines = [line for line in lines if line.startswith("pg=")]
    items = [item for item in objects if item["type"] == "paged_message"]
    require(len(lines) == len(items), len(lines), "paged messages in text,", len(items), "in JSON")
    for line, item in zip(lines, items):
        check_paged(line.removesuffix("\n"), item)
    return len(items)


# ---- the documentation ----------------------------------------------------------------------------


class Documentation:
    """What docs/json.md says: every name that is used must be in it, every example must be real."""

    def __init__(self):
        with open(os.path.join(REPOSITORY, "docs", "json.md"), encoding="utf-8") as source:
            text = source.read()
        self.names = set(re.findall(r"[`\"]([a-z][a-z0-9_]*)[`\"]", text))
        schema = text.split("\n## saranga.print/1\n")[1].split("\n## ")[0]
        self.examples = [json.loads(line) for line in schema.split("\n")
                         if line.startswith('{"type":')]
        self.members = {}

    def check(self, objects):
        for item in objects:
            self.members.setdefault(item["type"], set()).update(item)
            used = set(item) | {item["type"]}
            for inner in ("message", "body", "account", "xid"):
                used |= set(item.get(inner) or {})
            unknown = used - self.names
            require(not unknown, "docs/json.md does not know", unknown, "of", item)

    def check_examples(self):
        require({item["type"] for item in self.examples} >= set(self.members),
                "types without an example")
        for item in self.examples:
            require(set(item) <= self.members.get(item["type"], set(item)), "no such object:", item)


# ---- the stream itself ---------------------------------------------------------------------------


def check_frame(objects, exit_code):
    first, last = objects[0], objects[-1]
    require(first["type"] == "header" and first["schema"] == "saranga.print/1", "header:", first)
    require(last["type"] == "summary" and last["exit_code"] == exit_code, "summary:", last)
    require([item["type"] for item in objects].count("summary") == 1, "more than one summary")
    found = {"info": 0, "warning": 0, "damage": 0}
    for item in objects:
        if item["type"] == "finding":
            found[item["severity"]] += 1
    require(found == last["findings"], "other findings:", found, last)
    expected = 2 if found["damage"] else 1 if found["warning"] else 0
    require(exit_code == expected, "exit code", exit_code, "with", found)


def check_account(objects, store):
    """Every byte of every file has its class; in what is not damaged, none is unreadable."""
    parts = ("header_bytes", "record_bytes", "stale_bytes", "padding_bytes", "unreadable_bytes")
    total, pages = dict.fromkeys(parts, 0), [0, 0]
    for item in objects:
        if item["type"] == "file_end":
            account = item["account"]
            size = os.path.getsize(os.path.join(store, item["file"]))
            require(sum(account[part] for part in parts) == account["total_bytes"] == size,
                    "account of", item, "file has", size)
            for part in parts:
                total[part] += account[part]
        elif item["type"] == "page_end":
            size = os.path.getsize(os.path.join(store, item["file"]))
            require(item["entry_bytes"] + item["unreadable_bytes"] == size, "account of", item)
            pages[0] += item["entry_bytes"]
            pages[1] += item["unreadable_bytes"]
    summary = objects[-1]
    require({part: summary["account"][part] for part in parts} == total, "summary:", summary)
    require([summary["page_entry_bytes"], summary["page_unreadable_bytes"]] == pages,
            "summary:", summary)
    # Releases up to 2.35 wrote some records shorter than they say; no broker can read those.
    short = sum(item["length"] for item in objects
                if item["type"] == "finding" and item["code"] == "record-written-short")
    return total["unreadable_bytes"] + pages[1] - short


class Runner:
    def __init__(self, saranga):
        self.saranga = saranga
        self.jq = shutil.which("jq")
        self.documentation = Documentation()

    def run(self, store, *options):
        environment = {**os.environ, "TZ": "UTC"}
        done = subprocess.run([self.saranga, "data", "print", store, *options],
                              stdin=subprocess.DEVNULL, capture_output=True, env=environment,
                              timeout=TIMEOUT_S)
        require(done.returncode in (0, 1, 2), "exit code", done.returncode, done.stderr[-400:])
        return done

    def check_jq(self, output):
        """jq before 1.7 refuses half a surrogate pair, so lines with one are left out."""
        half = re.compile(rb"\\ud[89ab]..(?!\\ud[c-f])")
        lines = b"".join(line for line in output.splitlines(keepends=True)
                         if not half.search(line))
        if not self.jq:
            return
        done = subprocess.run([self.jq, "-c", ".type"], input=lines, capture_output=True,
                              timeout=TIMEOUT_S)
        require(done.returncode == 0, "jq says", done.stderr)
        require(done.stdout.count(b"\n") == lines.count(b"\n"), "jq reads other objects")

    def check(self, name, store):
        """Compares both forms of one store; gives the numbers of records and paged messages."""
        text = self.run(store)
        lines = self.run(store, "--format", "jsonl", "--body", "full")
        require(lines.returncode == text.returncode, "exit codes differ")
        again = self.run(store, "--format", "jsonl", "--body", "full")
        require(again.stdout == lines.stdout, "another run gives other bytes")
        require(lines.stdout.endswith(b"\n"), "the last line has no end")
        self.check_jq(lines.stdout)
        objects = [json.loads(line) for line in lines.stdout.decode().split("\n")[:-1]]
        check_frame(objects, lines.returncode)
        self.documentation.check(objects)
        unreadable = check_account(objects, store)
        require(unreadable == 0 or name.startswith("cases/"), unreadable, "bytes are unreadable")
        parts = sections(text.stdout.decode())
        records = sum(check_journal(part, JournalText(parts[part]), objects)
                      for part in ("bindings", "jms", "journal") if part in parts)
        require(records == objects[-1]["record_count"], "summary:", objects[-1])
        paged = check_paging(parts["paging"], objects)
        require(paged == objects[-1]["page_message_count"], "summary:", objects[-1])
        return records, paged


def main():
    parser = argparse.ArgumentParser(description="Compare JSON Lines with the text.")
    parser.add_argument("--saranga", default=os.path.join(REPOSITORY, "build/release/saranga"))
    parser.add_argument("--fixtures", default=os.path.join(REPOSITORY, "fixtures"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    names = options.names or fixture_store.fixture_names(options.fixtures)
    failed = records = paged = 0
    with tempfile.TemporaryDirectory(prefix="saranga-json-") as root:
        runner = Runner(os.path.abspath(options.saranga))
        for name in names:
            store = fixture_store.unpack_fixture(options.fixtures, name, root)
            try:
                counts = runner.check(name, store)
                records, paged = records + counts[0], paged + counts[1]
            except Failure as failure:
                failed += 1
                print(f"FAIL {name}: {failure}")
            shutil.rmtree(os.path.join(root, name))
    try:
        runner.documentation.check_examples()
    except Failure as failure:
        failed += 1
        print(f"FAIL docs/json.md: {failure}")
    print(f"{len(names) - failed} passed, {failed} failed; {records} records and {paged} paged "
          "messages compared")
    return 1 if failed or not records else 0


if __name__ == "__main__":
    sys.exit(main())
