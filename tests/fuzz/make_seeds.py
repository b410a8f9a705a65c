#!/usr/bin/env python3
"""Make the first corpus of a fuzz target out of the fixtures.

    make_seeds.py TARGET FOLDER

The name of the target says what it reads: `journal` gets the beginnings of journal files, `page`
those of page files, `configuration` texts, `records` the bodies of records with three bytes in
front (journal, type, flags), `export` those of exports, and every other one the bodies with their
type in front. Files of
tests/fuzz/seeds/TARGET are added to them; targets that end in _text have no others.
"""
import gzip
import hashlib
import os
import shutil
import struct
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "..", "fixtures")
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402 (the path has to be set first)

STORES = ("orders", "protocols", "bindings", "xa", "paging", "large", "artemis-1.5", "hornetq-2.4")
PIECE = 16 << 10
PER_TYPE = 6  # bodies of one record type

TEXTS = (
    "ARTEMIS_INSTANCE='/var/lib/broker'\nif [ -z \"$JAVA_ARGS\" ]; then\n"
    "  JAVA_ARGS=\"-Xmx1G -Ddata.dir=${ARTEMIS_INSTANCE}/data -Da=${a}\"\nfi\n",
    "# a comment\njournalDirectory = a\\u0041\\\n  b\npagingDirectory:c\n!x\nkey value\n",
    "<c><core><journal-directory>${data.dir:x}/${b}</journal-directory></core></c>",
)


def record_bodies(data):
    """(type, body) of the records that carry a body, up to the first that makes no sense."""
    at = 16
    while at + 18 <= len(data) and 11 <= data[at] <= 19:
        kind, head = data[at], at + 6
        if kind in (11, 12, 13, 14):
            head += 8 if kind in (13, 14) else 0
            length, record_type = struct.unpack_from(">iB", data, head + 8)
            if length < 0 or head + 13 + length + 4 > len(data):
                return
            yield record_type, data[head + 13:head + 13 + length]
            at = head + 13 + length + 4
        elif kind in (15, 17):
            at = head + 12 + (8 if kind == 15 else 4)
            length = struct.unpack_from(">i", data, at - 4)[0]
            if length < 0:
                return
            at += length + 4
        else:
            at += 22 if kind == 18 else 18


def files_of(root, endings):
    for base, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            if name.endswith(endings):
                with open(os.path.join(base, name), "rb") as source:
                    yield source.read()


def pieces(root, endings):
    for data in files_of(root, endings):
        yield data[:PIECE].rstrip(b"\0") + bytes(16)


def bodies(root, head):
    """Some bodies of each record type; `head` makes the bytes in front of journal and type."""
    seen = {}
    for journal, endings in enumerate(((".amq", ".hq"), (".bindings",), (".jms",))):
        for data in files_of(root, endings):
            for record_type, body in record_bodies(data):
                key = (journal, record_type)
                seen[key] = seen.get(key, 0) + 1
                if seen[key] <= PER_TYPE and len(body) <= PIECE:
                    yield bytes(head(journal, record_type)) + body


def exports():
    """The beginnings of what Artemis exports of the stores, ended as a document should, with the
    size of pieces in front."""
    for name in STORES:
        path = os.path.join(FIXTURES, name, "golden", "exp.xml.gz")
        with gzip.open(path) as source:
            data = source.read()
        bindings = data.find(b"</bindings>")
        root = b"hornetq-journal" if b"<hornetq" in data else b"activemq-journal"
        messages = data[data.find(b"<messages>") + len(b"<messages>"):]
        end = b"</messages></" + root + b">"
        head = data[:min(bindings, 2000)]
        head = head[:head.rfind(b">") + 1] + b"</bindings><messages>"
        for message in messages.split(b"</message>")[:-1]:
            if len(message) <= PIECE // 4:
                yield b"\x40" + head + message + b"</message>" + end


def seeds(target, root):
    if "export" in target:
        return exports()
    if "configuration" in target:
        return (text.encode() for text in TEXTS)
    if "page" in target or "paging" in target:
        return pieces(root, (".page",))
    if target.endswith("_text"):
        return ()
    if any(word in target for word in ("journal", "scan", "folder")):
        return pieces(root, (".amq", ".hq", ".bindings"))
    if "records" in target:
        return bodies(root, lambda journal, record_type: (journal, record_type, 0))
    if "encode" in target:  # 3 stands for messages, whatever the record type
        return bodies(root, lambda journal, record_type: (
            3 if (journal, record_type) == (0, 45) else journal, record_type, 0))
    return bodies(root, lambda journal, record_type: (record_type,))


def main(target, folder):
    os.makedirs(folder, exist_ok=True)
    own = os.path.join(HERE, "seeds", target)
    for name in os.listdir(own) if os.path.isdir(own) else ():
        shutil.copy(os.path.join(own, name), folder)
    with tempfile.TemporaryDirectory() as root:
        for name in STORES:
            fixture_store.unpack_fixture(FIXTURES, name, root)
        for data in seeds(target, root):
            with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as out:
                out.write(data)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
