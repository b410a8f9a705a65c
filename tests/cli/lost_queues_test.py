#!/usr/bin/env python3
"""Messages of queues without a binding: what counts them, counts all of them, in pages too.

    lost_queues_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import verb_test_case  # noqa: E402
from verb_test_case import NOW, TIMEOUT_S, parse  # noqa: E402

BINDINGS = """
journal bindings/activemq-bindings-1.bindings id=1
  add 2 ADDRESS_BINDING_RECORD name=news routing_types=MULTICAST auto_created=false internal=false
  add 6 ID_COUNTER_RECORD counter=1000
"""
QUEUE = """  add {id} QUEUE_BINDING_RECORD name=news.{id} address=news metadata="" auto_created=false \
max_consumers=-1 purge_on_no_consumers=false routing_type=MULTICAST
"""
JOURNAL = """
journal journal/activemq-data-1.amq id=1
  add 20 ADD_MESSAGE_PROTOCOL core address=news text=journal
  update 20 ADD_REF queue_id=5
"""
# Prepared: the second paged message is acknowledged, the third one sent.
PREPARED = """  add 60 ACKNOWLEDGE_CURSOR tx=61 queue_id=5 page_number=1 message_number=1
  prepare tx=61 format=1 branch=branch global=ack
  add 62 PAGE_TRANSACTION tx=63 page_tx=63 reference_count=1
  prepare tx=63 format=1 branch=branch global=send
"""
PAGES = """
file paging/3f2504e0-4f89-11d3-9a0c-0305e82c3301/address.txt
  bytes "news\\n"

page paging/3f2504e0-4f89-11d3-9a0c-0305e82c3301/000000001.page
  entry core id=70 address=news text=first queues=5
  entry core id=71 address=news text=second queues=5
  entry core id=72 address=news text=third queues=5{tx}
"""


class LostQueuesTest(verb_test_case.VerbTestCase):
    verb = "hash"

    def setUp(self):
        self.work = tempfile.mkdtemp(dir=self.root)

    def data(self, *arguments, expect=(0, 1), **options):
        done = subprocess.run([self.saranga, "data", *arguments], capture_output=True,
                              timeout=TIMEOUT_S, **options)
        self.assertIn(done.returncode, expect, done.stderr.decode())
        return done

    def lines(self, *arguments, **options):
        text = self.data(*arguments, "--format", "jsonl", **options).stdout
        return [parse(line) for line in text.splitlines()]

    def copy(self, store):
        target = os.path.join(self.work, f"store-{len(os.listdir(self.work))}")
        shutil.copytree(store, target)
        return target

    def built(self, recipe):
        target = os.path.join(self.work, f"store-{len(os.listdir(self.work))}")
        self.data("build", "-", target, input=recipe.encode())
        return target

    def imported(self, store, *selection):
        """What an archive of the store makes."""
        archive = self.data("export", store, *NOW, "--format", "jsonl", *selection).stdout
        target = os.path.join(self.work, f"store-{len(os.listdir(self.work))}")
        self.data("import", "-", target, input=archive)
        return target

    def digest(self, store, *options):
        """The digest of the store, and the messages of each queue id."""
        objects = self.lines("hash", store, *NOW, *options)
        return objects[-1]["sha256"], {each["id"]: each["message_count"] for each in objects
                                       if each["type"] == "queue" and each["message_count"]}

    def queues(self, store):
        return {each["id"]: each["message_count"] + each["prepared_ack_count"]
                + each["prepared_send_count"]
                for each in self.lines("queues", store, *NOW) if each["type"] == "queue"}

    def codes(self, store):
        done = self.data("verify", store, *NOW, "--format", "jsonl")
        found = {}
        for each in map(parse, done.stdout.splitlines()):
            if each["type"] == "finding" and each["severity"] != "info":
                found.setdefault(each["code"], []).append(each["id"])
        return done.returncode, found


class NoBindings(LostQueuesTest):
    COUNTS = {19: 18, 24: 70, 29: 6, 32: 4, 147: 40}

    def test_every_verb_counts_the_same(self):
        store = self.store("cases/k3-no-bindings")
        self.assertEqual(self.queues(store), self.COUNTS)
        self.assertEqual(self.digest(store)[1], self.COUNTS)
        listed = self.lines("messages", store, *NOW, "--limit", "0")
        self.assertEqual((listed[-1]["message_count"], listed[-1]["queue_count"]), (138, 5))
        text = self.data("messages", store, *NOW, "--limit", "0").stdout
        self.assertIn(b"138 messages on 5 queues", text)

    def test_lost_pages_are_a_difference(self):
        store = self.store("cases/k3-no-bindings")
        cut = self.copy(store)
        for name in os.listdir(os.path.join(cut, "paging")):
            shutil.rmtree(os.path.join(cut, "paging", name))
        self.assertNotEqual(self.digest(cut)[0], self.digest(store)[0])
        found = self.lines("diff", store, cut, *NOW)
        self.assertEqual((found[-1]["equal"], found[-1]["different"]), (51, 87))
        self.assertEqual(self.lines("diff", store, cut, *NOW, "--queue", "147")[-1]["different"],
                         40)
        self.assertEqual(self.lines("diff", store, cut, *NOW, "--queue", "29")[-1]["different"], 0)
        self.assertEqual(self.lines("diff", store, store, *NOW)[-1]["equal"], 138)

    def test_what_is_imported_is_the_same(self):
        store = self.store("cases/k3-no-bindings")
        copy = self.imported(store)
        for options in ((), ("--ids",), ("--delivery",)):
            self.assertEqual(self.digest(copy, *options), self.digest(store, *options))

    def test_a_store_that_a_broker_would_empty_is_not_in_order(self):
        """Its bindings journal has no queue, and all of its messages are on one."""
        copy = self.imported(self.store("cases/k3-no-bindings"))
        self.assertEqual(self.codes(copy), (1, {"references-without-queue": [19, 24, 29, 32],
                                                "paged-without-queue": [147, 24]}))
        paged = self.imported(self.store("cases/k3-no-bindings"), "--queue", "147")
        self.assertEqual(self.codes(paged), (1, {"paged-without-queue": [147]}))
        self.assertEqual(self.codes(self.store("cases/k3-no-bindings")),
                         (1, {"bindings-missing": [None]}))

    def test_account_and_last_line_agree(self):
        for store, every in ((self.store("cases/k3-no-bindings"), 94),
                             (self.imported(self.store("cases/k3-no-bindings")), 87)):
            summary = self.lines("verify", store, *NOW)[-1]
            self.assertEqual((summary["live_paged_message_count"], summary["paged_message_count"]),
                             (87, every))
            paging = next(each for each in summary["account"] if each["part"] == "paging")
            self.assertEqual(paging["live_bytes"], 83085)
            self.assertIn(b"47 live messages in the journal, 87 in pages: ",
                          self.data("verify", store, *NOW).stdout)
        store = self.store("cases/k3-no-bindings")
        summary = self.lines("verify", store, *NOW, "--level", "bodies")[-1]
        self.assertIsNone(summary["live_paged_message_count"])
        self.assertIn(b"94 in pages (live or not): ",
                      self.data("verify", store, *NOW, "--level", "bodies").stdout)


class InDoubt(LostQueuesTest):
    def states(self, store):
        return [(each["id"], each["state"], each["tx"])
                for each in self.lines("messages", store, *NOW) if each["type"] == "message"]

    def test_in_doubt_with_a_binding_or_without(self):
        states = [(20, "pending", None), (70, "pending", None), (71, "prepared_ack", 61),
                  (72, "prepared_send", 63)]
        tail = JOURNAL + PREPARED + PAGES.format(tx=" tx=63")
        for bindings in (BINDINGS + QUEUE.format(id=5), BINDINGS):
            store = self.built(bindings + tail)
            self.assertEqual(self.states(store), states)
            self.assertEqual(self.digest(store)[1], {5: 4})
            queue = next(each for each in self.lines("queues", store, *NOW)
                         if each["type"] == "queue" and each["id"] == 5)
            self.assertEqual([queue[name] for name in ("message_count", "prepared_ack_count",
                                                       "prepared_send_count")], [2, 1, 1])
            copy = self.imported(store)
            self.assertEqual(self.digest(copy), self.digest(store))
            self.assertEqual(self.states(copy), states)

    def test_what_is_decided_is_a_difference(self):
        doubtful = self.built(BINDINGS + JOURNAL + PREPARED + PAGES.format(tx=" tx=63"))
        decided = self.built(BINDINGS + JOURNAL + PAGES.format(tx=""))
        self.assertNotEqual(self.digest(doubtful)[0], self.digest(decided)[0])
        self.assertEqual(self.lines("diff", doubtful, decided, *NOW)[-1]["different"], 2)


class Leftovers(LostQueuesTest):
    def test_what_a_deleted_queue_leaves_in_pages_is_no_fault(self):
        """Another queue of the address still reads these pages."""
        queue = BINDINGS + QUEUE.format(id=7)
        store = self.built(queue + PAGES.format(tx="").replace("queues=5", "queues=5,7"))
        found = self.lines("verify", store, *NOW)
        told = [each["severity"] for each in found if each.get("code") == "paged-without-queue"]
        self.assertEqual(told, ["info"])
        self.assertEqual(self.digest(store)[1], {5: 3, 7: 3})

    def test_more_queue_ids_than_are_told_apart(self):
        """A page names 70,000 of them in one message."""
        numbers = ",".join(str(number) for number in range(1000, 71000))
        pages = PAGES.format(tx="").replace("queues=5", f"queues={numbers}", 1)
        store = self.built(BINDINGS + QUEUE.format(id=5) + JOURNAL + pages)
        objects = self.lines("hash", store, *NOW)
        self.assertEqual([each["code"] for each in objects if each["type"] == "finding"],
                         ["too-many-queue-ids"])
        rest = next(each for each in objects if each.get("name") == "(other ids)")
        self.assertGreater(rest["message_count"], 4000)
        self.assertEqual(sum(each["message_count"] for each in objects
                             if each["type"] == "queue"), 70003)
        self.assertIn("too-many-queue-ids", self.codes(store)[1])


class RoutingTypes(LostQueuesTest):
    def test_they_are_a_set(self):
        first, second, other = (
            self.built(BINDINGS.replace("routing_types=MULTICAST", f"routing_types={types}")
                       + QUEUE.format(id=5) + JOURNAL)
            for types in ("MULTICAST,ANYCAST", "ANYCAST,MULTICAST", "ANYCAST"))
        self.assertEqual(self.digest(first), self.digest(second))
        self.assertEqual(self.data("diff", first, second, *NOW, expect=(0,)).stdout,
                         b"1 message the same, 0 differ\n")
        self.assertIn(b"different address news: routing types: ANYCAST,MULTICAST, ANYCAST\n",
                      self.data("diff", first, other, *NOW, expect=(1,)).stdout)


if __name__ == "__main__":
    verb_test_case.run(__doc__)
