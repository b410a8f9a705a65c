#!/usr/bin/env python3
"""`saranga data import`: archives and XML into new stores, and into those that are there.

    import_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]

That nothing is lost on the way is tested by archive_test.py and golden_import.py.
"""
import base64
import collections
import contextlib
import fcntl
import gzip
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import verb_test_case  # noqa: E402
from verb_test_case import NOW, TIMEOUT_S  # noqa: E402

DAMAGE, IN_USE, FAILED, USAGE = 2, 4, 3, 64
# Of what a message carries, all but the place where it is stored.
PLACE = ("file", "offset", "length", "record_type", "page_number", "message_number", "page_tx",
         "queue_id", "id", "inner_id", "old_layout", "encoded_bytes", "body_file", "paged", "tx", "large")


def make_lines(messages, bindings=(), counts=None):
    """An archive of these messages."""
    lines = [{"type": "header", "schema": "saranga.archive/1"}, *bindings, *messages]
    summary = {"type": "summary", "binding_count": len(bindings), "message_count": len(messages),
               "reference_count": sum(len(each["queues"]) for each in messages),
               "record_count": 0, "transaction_count": 0}
    lines.append({**summary, **(counts or {})})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


class ImportTest(verb_test_case.VerbTestCase):
    verb = "import"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="saranga-import-")
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.target = os.path.join(self.scratch, "new")

    # ---- helpers ---------------------------------------------------------------------------------

    def saranga_output(self, *arguments, code=None):
        done = subprocess.run([self.saranga, "data", *arguments], capture_output=True,
                              timeout=TIMEOUT_S)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout

    def archive(self, store, *arguments):
        return self.saranga_output("export", "--format", "jsonl", store, *NOW, *arguments)

    def xml(self, store, *arguments):
        return self.saranga_output("export", store, *NOW, *arguments)

    def take(self, content, *arguments, expect=0, into=None):
        """Imports bytes; gives the report and what was told."""
        where = ("--into", into) if into else (self.target,)
        done = subprocess.run([self.saranga, "data", "import", "-", *where, "--format", "json",
                               *arguments], input=content, capture_output=True, timeout=TIMEOUT_S)
        report = json.loads(done.stdout)["summary"] if done.stdout else None
        if report and report["lost_reference_count"] and expect == 0:
            expect = 1  # a broker drops them
        self.assertEqual(done.returncode, expect, done.stderr.decode())
        return report, done.stderr.decode()

    def hash(self, store, *arguments):
        return self.saranga_output("hash", store, *NOW, *arguments)

    def whole_hash(self, store):
        return self.hash(store).split()[-1]

    def messages(self, store):
        """(queue, everything but places) of each message, in order."""
        found = []
        for line in self.saranga_output("messages", store, *NOW, "--body", "full", "--format",
                                        "jsonl").splitlines():
            each = json.loads(line)
            if each["type"] == "message":
                found.append({name: value for name, value in each.items() if name not in PLACE})
        return found

    def copy(self, name):
        made = os.path.join(self.scratch, name.replace("/", "-"))
        shutil.copytree(self.store(name), made)
        return made

    def tree(self, store):
        found = {}
        for folder, _, names in os.walk(store):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(file.name, store)] = file.read()
        return found

    def verify(self, store):
        self.saranga_output("verify", "--quiet", store, *NOW, code=0)

    def assert_absent(self):
        self.assertEqual(os.listdir(self.scratch), [])

    # ---- archives --------------------------------------------------------------------------------

    def test_what_was_paged_and_prepared_is_so_again(self):
        for name in ("paging", "xa"):
            store = self.store(name)
            self.take(self.archive(store), "--force")
            self.verify(self.target)
            columns = ("state", "paged", "tx", "queue", "id")
            view = [[[json.loads(line).get(column) for column in columns] for line in
                     self.saranga_output("messages", each, *NOW, "--format", "jsonl").splitlines()
                     if b'"type":"message"' in line] for each in (store, self.target)]
            self.assertEqual(*view)

    def test_new_ids(self):
        store = self.store("orders")
        self.take(self.archive(store), "--ids", "new")
        self.assertEqual(self.hash(store, "--delivery"), self.hash(self.target, "--delivery"))
        self.assertNotEqual(self.hash(store, "--ids"), self.hash(self.target, "--ids"))
        self.verify(self.target)

    def test_a_packed_archive(self):
        store = self.store("orders")
        packed = gzip.compress(self.archive(store))
        self.take(packed)
        self.assertEqual(self.whole_hash(store), self.whole_hash(self.target))
        shutil.rmtree(self.target)
        _, told = self.take(packed[:-30], expect=DAMAGE)
        self.assertIn("cut off", told)
        self.take(packed[:2000] + b"\x55" * 50 + packed[2050:], expect=DAMAGE)
        self.assert_absent()

    def test_an_archive_cut_anywhere_imports_nothing(self):
        archive = self.archive(self.store("xa"))
        line_ends = [at for at, byte in enumerate(archive) if byte == 10]
        for cut in [0, 1, 40, *line_ends[::9], len(archive) // 2, len(archive) - 2]:
            _, told = self.take(archive[:cut], expect=DAMAGE)
            self.assertIn("standard input: ", told)
            self.assert_absent()

    def test_the_rest_of_a_cut_archive(self):
        archive = self.archive(self.store("orders"))
        cut = archive[:archive.index(b'"type":"message"', len(archive) // 2) + 80]
        report, told = self.take(cut, "--keep-going", expect=DAMAGE)
        self.assertIn("export-cut", told)
        self.assertFalse(report["complete"])
        # The summary of the store tells of everything in front of the cut line.
        self.assertEqual(report["message_count"], cut.count(b'\n{"type":"message"') - 1)
        self.verify(self.target)

    def test_the_rest_of_a_cut_packed_archive(self):
        packed = gzip.compress(self.archive(self.store("orders")))
        cut = packed[:len(packed) // 2]
        _, told = self.take(cut, expect=DAMAGE)
        self.assertIn("the gzip file is cut off", told)
        self.assert_absent()
        report, told = self.take(cut, "--keep-going", expect=DAMAGE)
        self.assertIn("export-cut", told)
        self.assertGreater(report["message_count"], 10)
        self.verify(self.target)

    def test_a_transaction_that_no_line_tells_of(self):
        lines = self.archive(self.store("xa")).splitlines(keepends=True)
        gone = [line for line in lines if b'"type":"transaction"' in line]
        without = b"".join(line for line in lines if line != gone[0])
        count = re.compile(rb'"transaction_count":(\d+)')
        fewer = count.sub(lambda m: b'"transaction_count":%d' % (int(m.group(1)) - 1), without)
        _, told = self.take(fewer, expect=DAMAGE)
        self.assertIn(f"in transaction {json.loads(gone[0])['id']}, and no line tells", told)
        self.assert_absent()
        _, told = self.take(fewer, "--keep-going", expect=DAMAGE)
        self.assertIn("export-transaction-missing", told)

    def test_a_transaction_without_xid(self):
        lines = self.archive(self.store("xa")).splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if b'"type":"transaction"' in line)
        for xid in (b"", b"AAAA", b"AAAAAQAAAAX/"):
            lines[at] = re.sub(rb'"record_b64":"[^"]*"', b'"record_b64":"%s"' % xid, lines[at])
            _, told = self.take(b"".join(lines), expect=DAMAGE)
            self.assertIn(f"line {at + 1}, column ", told)
            self.assertIn("is no XID", told)
            self.assert_absent()

    def test_a_member_that_is_there_twice(self):
        lines = self.archive(self.store("orders")).splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines)
                  if b'"type":"message"' in line and b'"queues":[{' in line)
        for before, after, name in (
                (b'"paged":', b'"paged":true,"paged":', "paged"),
                (b'"queues":[', b'"queues":[],"queues":[', "queues"),
                (b'"record_b64":', b'"record_b64":"AAAA","record_b64":', "record_b64"),
                (b'"type":"message"', b'"type":"message","type":"message"', "type"),
                (b'"id":', b'"id":1,"id":', "id"),
                (b'"queue_id":', b'"queue_id":7,"queue_id":', "queue_id")):
            changed = [*lines]
            changed[at] = lines[at].replace(before, after, 1)
            _, told = self.take(b"".join(changed), expect=DAMAGE)
            self.assertIn(f"line {at + 1}, column ", told)
            self.assertIn(f'"{name}" is there twice', told)
            self.assert_absent()

    def test_a_queue_on_two_addresses(self):
        queue = '<queue-binding address="%s" filter-string="" name="q" routing-type="ANYCAST"/>'
        document = (f'<activemq-journal><bindings>{queue % "a"}{queue % "b"}</bindings>'
                    '<messages><message id="1" type="text"><queues><queue name="q"/></queues>'
                    "</message></messages></activemq-journal>")
        report, told = self.take(document.encode(), expect=1)
        self.assertIn("has a queue q on address b, and there is one on a", told)
        self.assertIn("export-queue-elsewhere", told)
        self.assertEqual(report["queue_count"], 1)
        self.verify(self.target)

    def test_an_archive_of_a_damaged_store(self):
        whole = self.archive(self.store("orders"))
        self.assertIn(b'"damage_count":0', whole)
        damaged = whole.replace(b'"damage_count":0', b'"damage_count":2')
        _, told = self.take(damaged, expect=1)
        self.assertIn("2 places of the store that was exported could not be read", told)
        self.assertIn("export-of-damage", told)
        self.verify(self.target)

    def test_ids_without_room_above_them(self):
        message = json.loads(next(line for line in self.archive(self.store("orders")).splitlines()
                                  if b'"type":"message"' in line))
        for number in (2 ** 63 - 1, 2 ** 63 - 2 ** 40):
            archive = make_lines([{**message, "id": number}])
            _, told = self.take(archive, "--create-queues", expect=DAMAGE)
            self.assertIn("leaves no room", told)
            self.assert_absent()
        report, _ = self.take(archive, "--create-queues", "--ids", "new")
        self.assertEqual(report["message_count"], 1)
        self.take(archive, "--create-queues", into=self.target)

    def test_lines_that_make_no_sense(self):
        good = json.loads(self.archive(self.store("orders")).splitlines()[-10].replace(
            b'"type":"record"', b'"type":"record"'))
        self.assertIn("type", good)
        core = {"type": "message", "id": 7, "record_type": 45, "record_b64": "AAAA",
                "queues": [{"queue": "q", "queue_id": 1, "state": "pending"}]}
        cases = (
            (b"", "is empty"), (b"\x00\x01", "is no export"), (b"hello\n", "is no export"),
            (b"{}\n", "is no archive"), (b'{"type":"header","schema":"saranga.archive/2"}\n',
                                         "saranga.archive/1"),
            (make_lines([], counts={"message_count": 1}), "the summary counts 1 messages, and 0"),
            (make_lines([]) + b'{"type":"message"}\n', "behind the summary"),
            (make_lines([{**core, "id": None}]), '"id"'),
            (make_lines([{**core, "id": "x"}]), "no whole number"),
            (make_lines([{**core, "id": 1.5}]), "no whole number"),
            (make_lines([{**core, "id": 1 << 64}]), "no whole number"),
            (make_lines([{**core, "record_b64": "A=A="}]), "no base64"),
            (make_lines([{**core, "record_b64": 5}]), "no line of an archive"),
            (make_lines([core]), "does not decode"),
            (make_lines([{**core, "record_type": 32}]), "holds no message"),
            (make_lines([{**core, "record_type": 45 + 256}]), '"record_type"'),
            (make_lines([{**core, "queues": [{"queue": "q", "state": "lost"}]}]), "cannot be"),
            (make_lines([{**core, "queues": [{"queue": "q", "state": "prepared_ack"}]}]), '"tx"'),
            (make_lines([{**core, "record_bytes": 1}]), "makes no sense"),
            (make_lines([{**core, "record_bytes": 1 << 40}]), "makes no sense"),
            (make_lines([{**core, "record_bytes": 10}]), "is not whole"),
            (make_lines([{**core, "body_file_bytes": -1}]), "makes no sense"),
            (make_lines([]).replace(b'{"type": "summary"',
                                    b'{"type":"body_piece","id":7}\n{"type": "summary"'),
             "belongs behind its message"),
            (b'{"type":"header","schema":"saranga.archive/1"}\n{"type":"mess', "line 2"),
            (b'{"type":"header","schema":"saranga.archive/1"}\n' + b"[" * 100000 + b"\n", "line 2"),
            (b'{"type":"header","schema":"saranga.archive/1"}\n{"a":' + b'{"a":' * 5000, "line 2"),
            (b'{"type":"header","schema":"saranga.archive/1"}\n{"a":"\xff"}\n', "line 2"),
        )
        for content, told_of in cases:
            _, told = self.take(content, expect=DAMAGE)
            self.assertIn(told_of, told, content[:200])
            self.assert_absent()

    def feed(self, pieces, *arguments):
        """Exit code, what was told, and the peak memory in KiB of an import from a pipe."""
        process = subprocess.Popen(
            [self.saranga, "data", "import", "-", self.target, *arguments], stdin=subprocess.PIPE,
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        with contextlib.suppress(BrokenPipeError):  # it has had enough
            for piece in pieces:
                process.stdin.write(piece)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        told = process.stderr.read().decode()
        process.stderr.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, told, usage.ru_maxrss

    def test_a_line_without_end_needs_no_memory(self):
        def pieces():
            yield b'{"type":"header","schema":"saranga.archive/1"}\n'
            for _ in range(1000):
                yield b" " * (1 << 20)
        code, told, kibibytes = self.feed(pieces())
        self.assertEqual(code, DAMAGE, told)
        self.assertIn("line 2 is longer than 64 MiB", told)
        self.assertLess(kibibytes, self.memory_limit(250))
        self.assert_absent()

    def test_lines_of_later_releases_are_passed_over(self):
        archive = self.archive(self.store("orders"))
        first, rest = archive.split(b"\n", 1)
        _, told = self.take(first + b'\n{"type":"hologram","x":[1,{}]}\n' + rest, expect=1)
        self.assertIn("hologram", told)
        self.assertEqual(self.whole_hash(self.store("orders")), self.whole_hash(self.target))

    def test_an_id_that_occurs_twice(self):
        archive = self.archive(self.store("large"), "--state", "large", "--limit", "1")
        lines = archive.splitlines(keepends=True)
        first = next(n for n, line in enumerate(lines) if b'"type":"message"' in line)
        last = len(lines) - 1
        twice = b"".join(lines[:last] + lines[first:last] + lines[last:])
        places = len(json.loads(lines[first])["queues"])
        twice = twice.replace(b'"message_count":1', b'"message_count":2').replace(
            f'"reference_count":{places}'.encode(), f'"reference_count":{2 * places}'.encode())
        _, told = self.take(twice, expect=DAMAGE)
        self.assertIn("--ids new", told)
        self.assert_absent()
        report, _ = self.take(twice, "--ids", "new")
        self.assertEqual(report["large_message_count"], 2)
        report, _ = self.take(twice, "--keep-going", "--force", expect=DAMAGE)
        self.assertEqual((report["message_count"], report["left_out_count"]), (1, 1))
        self.verify(self.target)

    def test_a_message_that_no_file_can_hold(self):
        _, told = self.take(self.archive(self.store("orders")), "--journal-file-size", "4096",
                            expect=DAMAGE)
        self.assertIn("a file of 4096 has room for", told)
        self.assert_absent()

    # ---- XML -------------------------------------------------------------------------------------

    def core_messages(self, store):
        """Core messages that nothing has in doubt, as far as XML carries them."""
        lost = ("delivery_count", "scheduled_ms", "state", "address", "durable", "expired",
                "body_bytes", "message_type")
        found = []
        for each in self.messages(store):
            if each.get("protocol") != "core" or each["state"].startswith("prepared"):
                continue
            for name in lost:
                each.pop(name, None)
            found.append(each)
        return sorted(found, key=lambda each: json.dumps(each, sort_keys=True))

    def test_our_xml_brings_every_character_back(self):
        for name in ("badchars", "cases/g2-control-characters"):
            self.take(self.xml(self.store(name)), "--force")
            self.assertEqual(self.core_messages(self.store(name)), self.core_messages(self.target))

    def test_hostile_xml(self):
        laughs = ('<!DOCTYPE x [<!ENTITY a "haha">' + "".join(
            f'<!ENTITY b{n} "{"&a;" * 10}">' for n in range(9)) + ']><activemq-journal>&b8;')
        external = ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
                    "<activemq-journal>&a;</activemq-journal>")
        for document in (laughs, external, "<html/>", "<a", "<activemq-journal>",
                         "<activemq-journal><bindings>" + "<x>" * 100000,
                         "<activemq-journal/><more/>"):
            _, told = self.take(document.encode(), expect=DAMAGE)
            self.assertIn("standard input", told)
            self.assert_absent()

    def test_an_attribute_of_a_gibibyte(self):
        def pieces():
            yield b'<activemq-journal><bindings><address-binding name="'
            for _ in range(1 << 10):
                yield b"a" * (1 << 20)
        code, told, kibibytes = self.feed(pieces())
        self.assertEqual(code, DAMAGE, told)
        self.assertLess(kibibytes, self.memory_limit(300))
        self.assert_absent()

    def test_xml_that_is_cut(self):
        document = self.xml(self.store("orders"))
        for cut in range(100, len(document), len(document) // 20):
            self.take(document[:cut], expect=DAMAGE)
            self.assert_absent()
        cut = document[:document.rindex(b"<message ")]
        report, told = self.take(cut, "--keep-going", expect=DAMAGE)
        self.assertIn("export-cut", told)
        self.assertEqual(report["message_count"], cut.count(b"<message "))

    def test_a_large_body_that_is_cut(self):
        document = (b"<activemq-journal><messages><message id='9' priority='4' expiration='0' "
                    b"timestamp='0' type='text'><properties><property name='_AMQ_LARGE_SIZE' "
                    b"value='%s' type='long'/></properties><queues><queue name='only'/></queues>"
                    b"<body isLarge='true'><![CDATA[AQ==]]></body></message></messages>"
                    b"</activemq-journal>")
        report, _ = self.take(document % b"100", "--create-queues", expect=1)
        self.assertEqual(report["lost_body_count"], 1)
        report, _ = self.take(document % b"1", "--create-queues", "--force")
        self.assertEqual(report["lost_body_count"], 0)

    def test_names_of_a_1x_export(self):
        old = (b"<activemq-journal><bindings><binding address='jms.queue.a' filter-string='' "
               b"queue-name='jms.queue.a' id='2'/></bindings><messages><message id='9' "
               b"priority='4' expiration='0' timestamp='0' type='text'><properties/><queues>"
               b"<queue name='jms.queue.a'/></queues><body><![CDATA[AAAAAAI=]]>\n</body></message>"
               b"</messages></activemq-journal>")
        self.take(old)
        self.assertEqual([each["queue"] for each in self.messages(self.target)], ["a"])
        self.take(old, "--force", "--legacy-prefixes")
        self.assertEqual([each["queue"] for each in self.messages(self.target)], ["jms.queue.a"])

    # ---- queues ----------------------------------------------------------------------------------

    def queue_names(self, store):
        return {each["queue"] for each in self.messages(store)}

    def test_a_lost_queue_by_its_id(self):
        store = self.store("cases/k3-no-bindings")
        lines = [json.loads(line) for line in self.archive(store).splitlines()]
        ids = {queue["queue_id"] for line in lines if line["type"] == "message"
               for queue in line["queues"]}
        one = str(sorted(ids)[0])
        _, told = self.take(self.archive(store, "--queue", one), "--map-queue", f"{one}=rescued",
                            expect=FAILED)
        self.assertIn("--create-queues", told)
        self.assert_absent()
        self.take(self.archive(store, "--queue", one), "--map-queue", f"{one}=place::rescued",
                  "--create-queues")
        self.assertEqual(self.queue_names(self.target), {"rescued"})
        self.take(self.xml(store, "--queue", one), "--map-queue", f"{one}=again",
                  "--create-queues", "--force")
        self.assertEqual(self.queue_names(self.target), {"again"})
        self.take(self.archive(store), "--create-queues", "--undefined-prefix", "x.", "--force")
        self.assertEqual(self.queue_names(self.target), {f"x.{each}" for each in ids})
        self.verify(self.target)

    def test_a_queue_that_goes_to_another(self):
        store = self.store("orders")
        busiest = max(self.queue_names(store), key=lambda name: sum(
            each["queue"] == name for each in self.messages(store)))
        self.take(self.archive(store, "--queue", busiest), "--map-queue", f"{busiest}=DLQ",
                  expect=FAILED)
        self.take(self.archive(store), "--map-queue", f"{busiest}=DLQ")
        self.assertNotIn(busiest, self.queue_names(self.target))
        moved = [each for each in self.messages(self.target) if each["queue"] == "DLQ"]
        self.assertEqual({each["address"] for each in moved}, {"DLQ"})
        self.assertEqual(len(self.messages(self.target)), len(self.messages(store)))
        for rule in ("x", "=x", "x="):
            self.assertIn("should be A=B", self.refused("-", self.target + "2", "--map-queue",
                                                        rule))

    def test_rules_that_do_nothing(self):
        archive = self.archive(self.store("orders"))
        report, _ = self.take(archive, "--map-queue", "nosuch=neu", "--map-queue", "DLQ=spare",
                              "--create-queues", expect=1)
        self.assertEqual(report["unused_rules"], ["nosuch"])
        names = self.saranga_output("queues", self.target, *NOW)
        self.assertNotIn(b"neu", names)
        self.assertIn(b"spare", names)
        self.assertIn("goes to a already", self.refused("-", self.target + "2", "--map-queue",
                                                        "q=a", "--map-queue", "q=b"))

    def test_queues_that_change_places(self):
        store = self.store("orders")
        counts = collections.Counter(each["queue"] for each in self.messages(store))
        (one, many), (two, few) = counts.most_common(2)
        self.take(self.archive(store), "--map-queue", f"{one}={two}", "--map-queue", f"{two}={one}")
        after = collections.Counter(each["queue"] for each in self.messages(self.target))
        self.assertEqual((after[two], after[one]), (many, few))

    def test_a_queue_that_nobody_declares(self):
        document = (b"<activemq-journal><messages><message id='9' priority='4' expiration='0' "
                    b"timestamp='0' type='text'><properties/><queues><queue name='only'/></queues>"
                    b"<body><![CDATA[AAAAAAI=]]>\n</body></message></messages></activemq-journal>")
        _, told = self.take(document, expect=DAMAGE)
        self.assertIn("--create-queues", told)
        report, _ = self.take(document, "--keep-going", expect=DAMAGE)
        self.assertEqual((report["message_count"], report["left_out_count"]), (0, 1))
        self.take(document, "--create-queues", "--force")
        self.assertEqual(self.queue_names(self.target), {"only"})

    def test_a_store_cut_in_two_and_joined(self):
        store = self.store("orders")
        half = os.path.join(self.scratch, "half")
        selector = "JMSPriority > 4"
        self.take(self.archive(store, "--where", selector))
        one = self.messages(self.target)
        rest = self.archive(store, "--where", f"NOT ({selector})")
        done = subprocess.run([self.saranga, "data", "import", "-", half], input=rest,
                              capture_output=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        both = one + self.messages(half)
        text = lambda messages: sorted(json.dumps(each) for each in messages)  # noqa: E731
        self.assertEqual(text(both), text(self.messages(store)))
        self.assertTrue(one)
        self.take(rest, "--skip-duplicates", into=self.target)
        self.assertEqual(text(self.messages(self.target)), text(self.messages(store)))
        self.verify(self.target)

    # ---- into a store ----------------------------------------------------------------------------

    def test_into_a_store(self):
        store = self.copy("orders")
        before = self.messages(store)
        other = self.store("large")
        report, _ = self.take(self.archive(other), into=store, expect=0)
        self.assertGreater(report["large_message_count"], 0)
        after = self.messages(store)
        text = lambda messages: sorted(json.dumps(each) for each in messages)  # noqa: E731
        self.assertEqual(text(after), text(before + self.messages(other)))
        self.verify(store)

    def test_pages_come_into_the_journal(self):
        store = self.copy("orders")
        other = self.store("paging")
        pending = self.archive(other, "--state", "pending")
        report, _ = self.take(pending, into=store)
        self.assertGreater(report["unpaged_count"], 0)
        self.assertEqual(report["before_pages_count"], 0)
        self.verify(store)

    def test_messages_that_come_in_front_of_pages(self):
        store = self.copy("paging")
        report, _ = self.take(self.archive(self.store("paging"), "--state", "pending"), into=store)
        self.assertGreater(report["before_pages_count"], 0)

    def test_what_is_in_doubt_stays_out_of_a_store(self):
        store = self.copy("orders")
        before = self.hash(store)
        _, told = self.take(self.archive(self.store("xa")), into=store, expect=DAMAGE)
        self.assertIn("prepared transaction", told)
        self.assertEqual(self.hash(store), before)
        self.verify(store)

    def test_duplicates_are_left_out(self):
        store = self.copy("orders")
        first = self.archive(self.store("orders"))
        report, _ = self.take(first, "--skip-duplicates", into=store)
        known = [each for each in self.messages(self.store("orders")) if each["user_id"]]
        self.assertGreaterEqual(report["duplicate_count"], 1)
        self.assertEqual(report["message_count"] + report["duplicate_count"], 165)
        self.assertLessEqual(report["message_count"], 165 - len({e["user_id"] for e in known}))
        # Nothing tells the others from new ones, which is told.
        self.assertEqual(report["without_id_count"], report["message_count"])
        again, _ = self.take(first, into=store)
        self.assertEqual((again["duplicate_count"], again["without_id_count"]), (0, 0))

    def test_what_an_address_remembers_is_not_taken_twice(self):
        store = self.copy("orders")
        before = json.loads(self.saranga_output("export", "--format", "jsonl", store, *NOW)
                            .splitlines()[-1])["record_count"]
        report, _ = self.take(self.archive(self.store("orders")), into=store)
        self.assertEqual(report["record_count"], 0)
        after = json.loads(self.archive(store).splitlines()[-1])["record_count"]
        self.assertEqual((before, after), (7, 7))

    def test_a_duplicate_id_that_is_remembered(self):
        # The message is gone, and a broker would refuse it all the same.
        store = self.store("orders")
        lines = [json.loads(line) for line in self.archive(store).splitlines()]
        known = [line for line in lines if line["type"] == "message"
                 and any(each["queue"] == "orders.dup" for each in line["queues"])]
        self.assertTrue(known)
        rest = [line for line in lines if line not in known]
        rest[-1]["message_count"] -= len(known)
        rest[-1]["reference_count"] -= len(known)
        self.take("".join(json.dumps(line) + "\n" for line in rest).encode())
        report, _ = self.take(self.archive(store, "--queue", "orders.dup"), "--skip-duplicates",
                              into=self.target)
        self.assertEqual(report["duplicate_count"], len(known))

    def test_a_refused_export_leaves_every_byte(self):
        store = self.copy("orders")
        before = self.tree(store)
        for content in (b"<!DOCTYPE a [<!ENTITY b 'c'>]><activemq-journal/>", b"<wrong/>", b"{}\n"):
            self.take(content, into=store, expect=DAMAGE)
            self.assertEqual(self.tree(store), before)

    def test_a_store_in_use(self):
        store = self.copy("orders")
        # A broker in another process: a lock of ours would not keep a child of ours out.
        with open(os.path.join(store, "journal", "serverlock.1"), "w+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            before = self.hash(store)
            _, told = self.take(self.archive(self.store("orders")), into=store, expect=IN_USE)
        self.assertIn("a broker is running", told)
        self.assertEqual(self.hash(store), before)

    def test_a_failure_leaves_a_store_as_it_was(self):
        store = self.copy("orders")
        before = self.hash(store)
        bodies = sorted(os.listdir(os.path.join(store, "large-messages")))
        archive = self.archive(self.store("large"))
        self.take(archive[:-100], into=store, expect=DAMAGE)
        self.assertEqual(self.hash(store), before)
        self.assertEqual(sorted(os.listdir(os.path.join(store, "large-messages"))), bodies)
        self.verify(store)

    def test_killed_at_any_time(self):
        archive = self.archive(self.store("orders"))
        store = self.copy("orders")
        before = self.hash(store)
        for share in (0.2, 0.5, 0.9, 0.999):
            for where in ((self.target,), ("--into", store)):
                process = subprocess.Popen([self.saranga, "data", "import", "-", *where],
                                           stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
                process.stdin.write(archive[:int(len(archive) * share)])
                process.stdin.flush()
                time.sleep(0.05)
                process.send_signal(signal.SIGKILL)
                process.wait()
                process.stdin.close()
                self.assertFalse(os.path.exists(self.target))
                self.assertEqual(self.hash(store), before)
        self.take(archive, into=store)
        self.verify(store)

    def test_no_room(self):
        archive = self.archive(self.store("large"))
        for limit in (0, 1 << 16):
            store = self.copy("orders")
            before = self.hash(store)
            for where in ((self.target,), ("--into", store)):
                done = subprocess.run(
                    [self.saranga, "data", "import", "-", *where], input=archive,
                    capture_output=True, timeout=TIMEOUT_S, preexec_fn=lambda: (
                        signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
                self.assertEqual(done.returncode, FAILED, done.stderr)
                self.assertFalse(os.path.exists(self.target))
                self.assertEqual(self.hash(store), before)
            shutil.rmtree(store)

    # ---- arguments -------------------------------------------------------------------------------

    def test_arguments(self):
        store = self.store("orders")
        path = os.path.join(self.scratch, "x.jsonl")
        with open(path, "wb") as out:
            out.write(self.archive(store))
        self.output("--input", path, self.target, "--sort", "--silent")
        self.assertIn("name a new folder", self.refused(path))
        self.assertIn("name the export", self.refused())
        self.assertIn("one argument too many", self.refused("--input", path, "a", "b"))
        self.assertIn("name a new folder", self.refused(path, "a", "--into", store))
        self.assertIn("running broker", self.refused(path, "a", "--url", "tcp://localhost:61616"))
        self.assertIn("--force belongs", self.refused(path, "--into", store, "--force"))
        self.refused(path, self.target, code=FAILED)  # it is there
        self.output(path, self.target, "--force", "--output", os.path.join(self.scratch, "report"))
        with open(os.path.join(self.scratch, "report"), encoding="utf-8") as report:
            self.assertIn("165  messages", report.read())
        self.assertIn("165  messages", self.output(path, self.target, "--force").decode())
        self.refused(os.path.join(self.scratch, "none"), self.target + "3", code=FAILED)
        self.assertIn("lies among the files of a store", self.refused(path, store + "/journal/new"))

    def test_a_large_body_needs_no_memory(self):
        headers = struct.pack(">q", 5) + b"\x00" + b"\x00" + b"\x04\x01" + bytes(16) + b"\x04\x00"
        size = 300 << 20
        piece = base64.b64encode(bytes(3 << 18)).decode()

        def archive():
            queue = {"queue": "q", "state": "pending"}
            yield json.dumps({"type": "header", "schema": "saranga.archive/1"})
            yield json.dumps({"type": "message", "id": 5, "record_type": 30, "queues": [queue],
                              "record_b64": base64.b64encode(headers).decode(),
                              "body_file_bytes": size})
            line = json.dumps({"type": "body_piece", "id": 5, "body_b64": piece})
            for _ in range(size // (3 << 18)):
                yield line
            yield make_lines([], counts={"message_count": 1, "reference_count": 1}).decode().split(
                "\n")[1]
        code, told, kibibytes = self.feed((line.encode() + b"\n" for line in archive()),
                                          "--create-queues")
        self.assertEqual(code, 0, told)
        self.assertLess(kibibytes, self.memory_limit(64))
        self.assertEqual(os.path.getsize(os.path.join(self.target, "large-messages", "5.msg")), size)


if __name__ == "__main__":
    verb_test_case.run(__doc__)
