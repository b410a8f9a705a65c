"""A broker's view of a store against what the broker that wrote the store held and showed.

golden/inside.json.gz of a fixture is what that one had in memory, live.json.gz what clients and
management saw of it. Not compared is what tests/cli/golden_messages.py explains: clients see AMQP
messages converted and compressed ones hidden. What else depends on the release or on the moment
of the start stands here, with its reason.
"""
import gzip
import json
from collections import Counter
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
JAVA_TYPES = {"boolean": "Boolean", "byte": "Byte", "short": "Short", "int": "Integer",
              "long": "Long", "float": "Float", "double": "Double", "char": "Character",
              "bytes": "byte[]", "string": "SimpleString"}
INSIDE = ("class", "deliveryCount", "scheduledTime", "paged", "priority", "durable", "address",
          "amqpLength", "amqpSha256")
QUEUE = ("address", "filter", "durable", "routingType", "paused", "exclusive", "lastValue",
         "lastValueKey", "nonDestructive", "ringSize", "user", "maxConsumers",
         "purgeOnNoConsumers", "groupRebalance", "groupBuckets", "groupFirstKey",
         "internalQueue", "enabled", "consumersBeforeDispatch", "delayBeforeDispatch",
         "messageCount", "scheduledCount")
CLIENT = ("type", "timestamp", "expiration", "userID", "priority", "durable", "address")
SETTINGS = {"AddressMatch": "addressMatch", "Name": "name", "Username": "username", "Url": "url"}


def read(fixture, name):
    path = FIXTURES / fixture / "golden" / f"{name}.json.gz"
    if not path.exists():
        return None
    with gzip.open(path) as text:
        return json.load(text)


def made_by_broker(name):
    """Queues and addresses that a broker makes when it starts, with a new id."""
    return name.startswith("$sys.") or name == "activemq.notifications"


class Golden:
    """What is known about a fixture; `imported` says that the view is of a store made of an export,
    whose pages are others and whose broker is another node."""

    def __init__(self, fixture):
        self.inside, self.live = read(fixture, "inside"), read(fixture, "live")

    def compare(self, view, imported=False):
        """The problems, and a Counter of what was compared."""
        comparison = Comparison(view, imported)
        if self.inside:
            comparison.inside(self.inside)
        if self.live:
            comparison.live(self.live)
        return comparison.problems, comparison.counts


class Comparison:
    def __init__(self, view, imported):
        self.imported = imported
        self.problems, self.counts = [], Counter()
        self.queues = {thing["name"]: thing for thing in view.of("queue")}
        self.addresses = {thing["name"]: thing for thing in view.of("address")}
        self.lists = {}
        for message in view.of("message"):
            self.lists.setdefault((message["queue"], message["list"]), []).append(message)
        self.view = view

    def equal(self, where, field, expected, found):
        self.counts["fields"] += 1
        if expected != found:
            self.problems.append(f"{where}: {field}: golden {str(expected)[:200]}, "
                                 f"found {str(found)[:200]}")

    # ---- memory ----------------------------------------------------------------------------------

    def inside(self, golden):
        if not self.imported:
            self.equal("broker", "node", golden["nodeId"], self.view.of("node")[0]["id"])
        for name, queue in golden["queues"].items():
            found = self.queues.get(name)
            self.equal(f"queue {name}", "is there", True, found is not None)
            if not found:
                continue
            self.counts["queues"] += 1
            if not self.paged(name):
                self.equal(f"queue {name}", "messageCount", queue["messageCount"],
                           found["messageCount"])
            if not made_by_broker(name):
                self.equal(f"queue {name}", "id", queue["id"], found["id"])
            for which in ("messages", "scheduled"):
                self.references(f"{name}: {which}", queue[which], self.lists.get((name, which), []))
        self.equal("broker", "duplicate ids",
                   {name: sorted(pair["id"] for pair in pairs)
                    for name, pairs in golden["duplicateIds"].items()},
                   {thing["cache"]: sorted(thing["ids"]) for thing in self.view.of("duplicates")})
        self.settings(golden["stored"])
        for name, pages in golden["paging"].items():
            self.equal(f"address {name}", "paging", pages["paging"],
                       self.addresses.get(name, {}).get("paging"))

    def paged(self, name):
        """Whether a queue has messages in pages. Then its list begins with what the broker has
        read ahead, which is a matter of time, and releases count differently what is acknowledged
        in doubt."""
        return any(message["paged"] for message in self.lists.get((name, "messages"), []))

    def references(self, where, expected, found):
        # The list of scheduled ones has no order of its own.
        if where.endswith(": scheduled") or any(message["paged"] for message in found):
            expected, found = (sorted(some, key=lambda message: message["id"])
                               for some in (expected, found))
        self.equal(where, "ids", [m["id"] for m in expected], [m["id"] for m in found])
        for one, other in zip(expected, found):
            self.counts["messages"] += 1
            for field in INSIDE:
                # A delay of AMQP counts from the start of the broker.
                delay = field == "scheduledTime" and one["class"].startswith("AMQP") and one[field]
                if field in one and not delay:
                    self.equal(f"{where} {one['id']}", field, one[field], other.get(field))
            if "largeSha256" in one:
                self.equal(f"{where} {one['id']}", "large body", one["largeSha256"],
                           other.get("largeSha256"))

    def settings(self, stored):
        for what, settings in stored.items():
            found = [thing for thing in self.view.of("stored") if thing["what"] == what]
            self.equal("stored", f"number of {what}", len(settings), len(found))
            for key, member in SETTINGS.items():
                self.equal("stored", f"{key} of {what}", texts(settings, key), texts(found, member))

    # ---- clients ---------------------------------------------------------------------------------

    def live(self, golden):
        for name, queue in golden["queues"].items():
            found = self.queues.get(name)
            if not found:
                if queue.get("durable", True):
                    self.equal(f"queue {name}", "is there", True, False)
                continue
            self.counts["queues"] += 1
            for field in QUEUE:
                counted = field.endswith("Count") and self.paged(name)
                if field in queue and field in found and not counted:
                    self.equal(f"queue {name}", field, queue[field], found[field])
            messages = {message["id"]: message for which in ("messages", "scheduled")
                        for message in self.lists.get((name, which), [])}
            for message in queue["messages"] or ():
                where = f"{name}: {message['messageID']}"
                other = messages.get(message["messageID"])
                self.equal(where, "is there", True, other is not None)
                if other and "type" in other:
                    self.core(where, message, other)
        for name, address in golden["addresses"].items():
            found = self.addresses.get(name)
            self.equal(f"address {name}", "is there", True, found is not None)
            for field in ("routingTypes", "autoCreated", "internal", "paused", "paging"):
                if found and field in address and field in found:
                    self.equal(f"address {name}", field, address[field], found[field])
            self.counts["addresses"] += 1
        self.transactions(golden)

    def core(self, where, expected, found):
        self.counts["messages"] += 1
        golden, seen = (renamed(some["properties"]) for some in (expected, found))
        compressed = "_AMQ_LARGE_COMPRESSED" in seen
        for field in CLIENT:
            self.equal(where, field, expected[field], found[field])
        hidden = {"_AMQ_LARGE_COMPRESSED"} if compressed else set()
        if not found["scheduledTime"]:
            # When its time has come, a broker takes it off in memory, and not in what it sends.
            hidden.add("_AMQ_SCHED_DELIVERY")
        self.equal(where, "names of properties", sorted(golden.keys() - hidden),
                   sorted(seen.keys() - hidden))
        for name in golden.keys() & seen.keys() - hidden:
            self.equal(where, f"property {name}", golden_property(golden[name]),
                       found_property(seen[name]))
        if not compressed:
            digest = found.get("bodySha256") or found.get("largeSha256")
            self.equal(where, "body", expected["body"]["sha256"], digest)

    def transactions(self, golden):
        for outcome in ("Committed", "RolledBack"):
            xids = [thing["xid"] for thing in self.view.of("heuristic")
                    if thing["outcome"] == outcome]
            self.equal("broker", f"heuristic{outcome}", sorted(golden[f"heuristic{outcome}"] or ()),
                       sorted(xids))
        details = self.view.of("prepared")[0]["details"]
        expected, found = prepared(golden["preparedDetails"]), prepared(details)
        self.equal("broker", "prepared transactions", sorted(expected), sorted(found))
        for xid in expected.keys() & found.keys():
            # Releases before 2.10 do not tell what is acknowledged.
            if expected[xid]["tx_related_messages"]:
                self.equal(f"transaction {xid}", "is", expected[xid], found[xid])


def renamed(properties):
    """Properties of HornetQ under the names that they have in Artemis."""
    return {name.replace("_HQ_", "_AMQ_"): value for name, value in properties.items()}


def texts(settings, key):
    return sorted(str(setting[key]) for setting in settings if setting.get(key) is not None)


def golden_property(value):
    if value["type"] == "null":
        return ["null"]
    content = value["value"]
    text = str(content).lower() if isinstance(content, bool) else str(content)
    return [JAVA_TYPES[value["type"]], value.get("bits") or text]


def found_property(value):
    return [value[0], value[2] or value[1]] if len(value) == 3 else value


def prepared(details):
    """The transactions in doubt by their xid, without the time at which a broker has read them."""
    return {one["xid_as_base64"]: {name: value for name, value in one.items()
                                   if name != "creation_time"} for one in details or ()}
