#!/usr/bin/env python3
"""`saranga data show`: the answers about messages, queues, transactions, pages and names.

    show_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import os
import sys

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from verb_test_case import NOW, VerbTestCase, run  # noqa: E402

PAGE = "paging/e121112f-eccc-11f1-aa1b-02fc00000001/000000005.page"
MESSAGES = "journal/activemq-data-1.amq"


class ShowTest(VerbTestCase):
    verb = "show"

    def text(self, name, *arguments, expect=0):
        return self.output(self.store(name), *arguments, *NOW, expect=expect).decode()

    def lines(self, name, *arguments, expect=0):
        return self.text(name, *arguments, expect=expect).splitlines()

    def typed(self, kind, store, *arguments, expect=0):
        return [o for o in self.objects(store, *arguments, *NOW, expect=expect)
                if o["type"] == kind]


class Transactions(ShowTest):
    def test_name_for_management_is_that_of_artemis(self):
        lines = self.lines("compacted", "867")
        self.assertEqual(lines[0], "transaction 867: prepared, in doubt, 3 records")
        self.assertEqual(
            lines[1],
            "  for commitPreparedTransaction / rollbackPreparedTransaction: Y2JjZwEAAAA=")
        self.assertIn("  global id: cg (hex 6367, base64 Y2c=)", lines)
        self.assertIn("  branch: cb (hex 6362, base64 Y2I=)", lines)
        transaction, = self.typed("transaction", self.store("compacted"), "867")
        self.assertEqual(transaction["xid_base64"], "Y2JjZwEAAAA=")
        self.assertEqual(transaction["xid"], {"format_id": 1, "branch_qualifier_b64": "Y2I=",
                                              "global_id_b64": "Y2c="})

    def test_every_prepared_name_is_the_one_that_print_shows(self):
        for name in ("xa", "compacted", "paging"):
            self.verb = "print"
            printed = self.output(self.store(name)).decode()
            self.verb = "verify"
            found = [o for o in self.objects(self.store(name), *NOW)
                     if o.get("code") == "transaction-prepared"]
            self.verb = "show"
            self.assertTrue(found)
            for finding in found:
                shown, = self.typed("transaction", self.store(name), str(finding["id"]))
                self.assertIn(f"base64:{shown['xid_base64']}\n", printed)
                self.assertIn(f"for a broker's management {shown['xid_base64']})", finding["text"])

    def test_unfinished_and_settled_ones_say_so(self):
        self.assertEqual(
            self.lines("large", "206")[0],
            "transaction 206: unfinished, 5 records; the next start rolls it back")
        self.assertEqual(self.lines("orders", "273")[0], "transaction 273: committed, 3 records")
        self.assertEqual(self.lines("orders", "261")[0], "transaction 261: rolled back, 3 records")

    def test_records_name_what_they_are_about(self):
        self.assertIn(f"  {MESSAGES}:0x88a4  update_tx ACKNOWLEDGE_REF, id 258, queue orders.dead "
                      "(id 255), transaction 273 (committed)", self.lines("orders", "273"))


class Messages(ShowTest):
    def test_a_live_message(self):
        self.assertEqual(self.lines("orders", "22"), [
            "message 22: live, on 1 queue",
            "  on queue orders.types (id 19): pending",
            f"  stored at: {MESSAGES}:0x10",
            "  address: orders.types",
            "  type: core text",
            "  sent: 2023-11-14T22:13:20Z",
            "  durable: yes",
            "  priority: 4",
            "  body: 27 B",
            "    hello birch",
            "records, in order:",
            f"  {MESSAGES}:0x10  add ADD_MESSAGE_PROTOCOL, 131 B",
            f"  {MESSAGES}:0xaa  update ADD_REF, queue orders.types (id 19)"])

    def test_a_consumed_message_and_its_copy(self):
        lines = self.lines("orders", "258")
        self.assertEqual(lines[:3], [
            "message 258: no longer in the store",
            "  on queue orders.dead (id 255): delivered 2 times, acknowledged in transaction 273 "
            "(committed) and deleted",
            "  a copy is message 274 on DLQ"])
        self.assertIn("  copy of message 258 from queue orders.dead", self.lines("orders", "274"))
        gone, copy = self.typed("message", self.store("orders"), "258", "274")
        self.assertEqual((gone["state"], gone["deleted"]), ("gone", True))
        self.assertEqual(gone["copies"], [{"id": 274, "queue_id": 3, "queue": "DLQ"}])
        self.assertEqual((gone["queues"][0]["tx"], gone["queues"][0]["outcome"]),
                         (273, "committed"))
        self.assertEqual(copy["copy_of"], {"id": 258, "queue": "orders.dead",
                                           "address": "orders.dead"})

    def test_in_doubt(self):
        self.assertEqual(self.lines("compacted", "77")[:3], [
            "message 77: in doubt, on 1 queue",
            "  on queue orders.fan.1 (id 31): acknowledged in transaction 164 (committed)",
            "  on queue orders.fan.2 (id 34): in doubt: acknowledged in transaction 867 "
            "(prepared), delivered 6 times"])
        self.assertEqual(self.lines("compacted", "868")[1],
                         "  on queue orders.keep (id 21): in doubt: sent in transaction 867 "
                         "(prepared)")

    def test_sent_in_a_transaction_that_nobody_ended(self):
        message, = self.typed("message", self.store("large"), "208")
        self.assertEqual((message["state"], message["tx"]), ("not_sent", 206))

    def test_scheduled(self):
        self.verb = "messages"
        scheduled = [m for m in self.typed("message", self.store("compacted"))
                     if m["state"] == "scheduled"]
        self.verb = "show"
        self.assertTrue(scheduled)
        for message in scheduled:
            self.assertRegex(self.text("compacted", str(message["id"])),
                             r"\): scheduled until \d{4}-\d\d-\d\dT[0-9:.]+Z")

    def test_every_live_message_is_found_as_messages_lists_it(self):
        for name in ("orders", "xa", "paging", "protocols"):
            self.verb = "messages"
            listed = self.typed("message", self.store(name))
            self.verb = "show"
            ids = sorted({m["id"] for m in listed})
            shown = {(m["id"], q["queue_id"]): q["state"]
                     for m in self.typed("message", self.store(name), *map(str, ids))
                     for q in m["queues"]}
            for message in listed:
                self.assertEqual(shown[message["id"], message["queue_id"]], message["state"])

    def test_paged(self):
        self.assertEqual(self.lines("paging", "78")[:4], [
            "message 78: live, on 1 queue",
            "  on queue paged.sub.a (id 19): acknowledged, page 5 position 0",
            "  on queue paged.sub.b (id 22): pending, page 5 position 0",
            f"  stored at: {PAGE}:0x0"])

    def test_queue_that_was_deleted(self):
        self.assertEqual(self.lines("bindings", "185")[:2], [
            "message 185: no longer in the store",
            "  on queue deleted.queue (id 182, deleted): acknowledged in transaction 188 "
            "(committed) and deleted"])
        self.assertEqual(self.lines("bindings", "deleted.queue"), self.lines("bindings", "182"))
        self.assertEqual(self.lines("bindings", "182")[0], "queue deleted.queue (id 182): deleted")

    def test_queue_without_binding(self):
        store = self.changed("orders", "without bindings")
        text = self.output(store, "22", *NOW, expect=1).decode()
        self.assertTrue(text.startswith("message 22: still in the store, but on no queue; the "
                                        "next start deletes it\n  on queue id 19, which has no "
                                        "binding: routed, but the queue is gone"), text)

    def test_hex(self):
        self.assertIn("    00000000  01 00 00 00 16 68 00 65 00 6c 00 6c 00 6f 00 20  "
                      ".....h.e.l.l.o. ", self.lines("orders", "22", "--body", "hex"))


class Damage(ShowTest):
    def test_body_file_is_missing(self):
        store = self.changed("large", "without large-messages/98.msg")
        text = self.output(store, "98", *NOW, expect=2).decode()
        self.assertEqual(text.splitlines()[:2], [
            "message 98: live, on 1 queue",
            "  its body file large-messages/98.msg is missing: a broker delivers it empty"])
        found = self.objects(store, "98", *NOW, expect=2)
        self.assertIn("large-body-missing", [o.get("code") for o in found])
        self.assertTrue(next(o for o in found if o["type"] == "message")["body_missing"])
        self.assertEqual(found[-1]["findings"]["damage"], 1)

    def test_a_message_that_is_gone_may_lack_its_body(self):
        self.assertIn("message 84: no longer in the store", self.text("large", "84"))

    def test_record_does_not_decode(self):
        store = self.changed("orders", f"change {MESSAGES}",
                             "  put 0x2d hex:7f  # the length of the address")
        lines = self.output(store, "22", *NOW, expect=2).decode().splitlines()
        self.assertEqual(lines[1], "  its record does not decode: what is in it is not known")
        self.assertIn(f"  {MESSAGES}:0x10  add ADD_MESSAGE_PROTOCOL, does not decode", lines)
        for invented in ("priority", "durable", "sent"):
            self.assertNotIn(invented, "\n".join(lines))
        found = self.objects(store, "22", *NOW, expect=2)
        self.assertIn("body-undecodable", [o.get("code") for o in found])
        place, = [o for o in found if o["type"] == "place"]
        self.assertNotIn("message", place)


class Queues(ShowTest):
    def test_name_and_id_are_the_same(self):
        for form in ("text", "jsonl"):
            by_name = self.text("orders", "orders.types", "--format", form)
            self.assertEqual(by_name, self.text("orders", "19", "--format", form))
            self.assertIn("QUEUE_BINDING_RECORD", by_name)

    def test_heading(self):
        lines = self.lines("paging", "paged.any")
        self.assertEqual(lines[:5], [
            "queue paged.any (id 425) of address paged.any, ANYCAST",
            "  messages: 17 (0 scheduled, 17 paged, 0 expired), 14.6 KiB of bodies",
            "  in doubt: 3 (3 acknowledged, 0 sent by prepared transactions)",
            "  oldest message: 3y 16d old, sent 2023-11-14T22:17:07Z",
            "  paused: no"])
        self.assertTrue(lines[-1].startswith("next: saranga data messages "))
        self.assertTrue(lines[-1].endswith(" --queue paged.any"))
        self.assertIn("  filter: half = 'even'", self.lines("paging", "paged.sub.even"))

    def test_json_is_that_of_queues(self):
        shown, = self.typed("queue", self.store("paging"), "paged.any")
        self.verb = "queues"
        listed = self.typed("queue", self.store("paging"), "--queue", "paged.any")
        self.assertEqual([shown], listed)

    def test_address(self):
        lines = self.lines("paging", "paged.topic")
        self.assertEqual(lines[0], "address paged.topic (id 18), MULTICAST")
        self.assertIn("    paged.sub.a (id 19), MULTICAST", lines)
        self.assertIn("  page folder: paging/e121112f-eccc-11f1-aa1b-02fc00000001, 17 pages, "
                      "159 KiB", lines)
        self.assertEqual(lines, self.lines("paging", "18"))
        address, = self.typed("address", self.store("paging"), "paged.topic")
        self.assertEqual(address["page_folders"], ["e121112f-eccc-11f1-aa1b-02fc00000001"])


class Pages(ShowTest):
    def test_by_address_and_by_file(self):
        lines = self.lines("paging", "paged.topic:5")
        self.assertEqual(lines[:3], [
            "page 5 of address paged.topic: 9 entries, 9.72 KiB", f"  file: {PAGE}",
            "  queue paged.sub.a (id 19): 9 of 9 messages acknowledged, the page is complete"])
        self.assertIn("     0 0x00000000  message 78: paged.sub.a acknowledged, "
                      "paged.sub.b pending", lines)
        for name in (PAGE, os.path.join(self.store("paging"), PAGE)):
            self.assertEqual(self.lines("paging", name), lines)

    def test_json(self):
        objects = self.objects(self.store("paging"), "paged.topic:5", *NOW)
        page = objects[1]
        self.assertEqual((page["type"], page["page_number"], page["entry_count"]), ("page", 5, 9))
        self.assertEqual([(c["queue"], c["acknowledged_count"], c["page_complete"])
                          for c in page["cursors"]],
                         [("paged.sub.a", 9, True), ("paged.sub.b", 0, False),
                          ("paged.sub.even", 1, False)])
        self.assertEqual([o["id"] for o in objects if o["type"] == "page_entry"],
                         list(range(78, 87)))

    def test_damage_of_the_page_is_told(self):
        found = self.objects(self.store("cases/e1-torn-page"), self.torn_page(), *NOW, expect=2)
        self.assertIn("page", [o["type"] for o in found])

    def torn_page(self):
        """The page that verify complains about."""
        self.verb = "verify"
        torn = next(o["file"] for o in self.objects(self.store("cases/e1-torn-page"), *NOW,
                                                    expect=2)
                    if o.get("severity") == "damage")
        self.verb = "show"
        return torn

    def test_a_page_that_is_not_there(self):
        message = self.run_verb(self.store("paging"), "paged.topic:99", *NOW)
        self.assertEqual(message.returncode, 1)
        self.assertIn(b"no such page; it has 1 to 17", message.stderr)


class Names(ShowTest):
    def test_user_ids(self):
        for given in ("00112233-4455-6677-8899-aabbccddeeff",
                      "ID:00112233-4455-6677-8899-AABBCCDDEEFF"):
            lines = self.lines("protocols", given)
            self.assertEqual(lines[0], f"user id {given}: 1 message")
            self.assertEqual(lines[1], "message 67: live, on 1 queue")
            self.assertIn("records, in order:", lines)

    def test_user_id_that_looks_like_a_place(self):
        message, = self.typed("message", self.store("protocols"),
                              "ID:d7943c32-219e-4f05-887a-f63fa10daae0:1:1:1-1")
        self.assertEqual(message["id"], 450)

    def test_body_file_stands_for_its_message(self):
        self.assertEqual(self.lines("large", "large-messages/98.msg"), self.lines("large", "98"))

    def test_what_is_not_found_gets_advice(self):
        for given, advice in (("999999", b"the highest one of the journal is"),
                              ("ORDERS.TYPES", b"there is orders.types"),
                              ("nosuch", b"saranga data queues"),
                              ("activemq-data-1.amq", b"FILE:OFFSET")):
            done = self.run_verb(self.store("orders"), given, *NOW)
            self.assertEqual(done.returncode, 1)
            self.assertIn(advice, done.stderr)


if __name__ == "__main__":
    run(__doc__)
