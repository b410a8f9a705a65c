#!/usr/bin/env python3
"""Make the text of `data print` comparable between runs, between Artemis releases and with saranga.

    normalise.py [--release R] [--store PATH] FILE          (FILE `-`: standard input)

saranga prints the text of Artemis 2.56.0. RULES lists, in the order in which they are applied,
everything that may differ all the same: what a JVM makes up anew in each run, and what an older
release words differently. A rule with `up_to` rewrites the text of 2.56.0 into that of the older
releases and leaves theirs alone, so both sides of a comparison go through the same rules. Nothing
but these rules may hide a difference. They are complete for 2.19.0, 2.28.0, 2.40.0 and 2.44.0.
"""
import argparse
import os
import re
import struct
import sys
from dataclasses import dataclass
from decimal import Decimal
from typing import Callable, List, Optional

NEWEST = "2.56.0"
SECTION_RULER = "*" * 44
PAGE_STORE_RULER = "#" * 100


@dataclass(frozen=True)
class Rule:
    name: str
    reason: str
    apply: Callable[[List[str]], List[str]]
    up_to: Optional[str] = None  # the last release whose text needs it; None: every release


def version(release):
    return tuple(int(part) for part in release.split("."))


# ---- ways to change lines ------------------------------------------------------------------------


def substitute(marker, pattern, replacement):
    """Applies a regular expression to the lines that contain the marker (a cheap first test)."""
    expression = re.compile(pattern)
    return lambda lines: [expression.sub(replacement, line) if marker in line else line
                          for line in lines]


def drop_lines(prefix):
    return lambda lines: [line for line in lines if not line.startswith(prefix)]


def sort_runs(prefix):
    """Sorts the lines of each uninterrupted run of lines that begin with the prefix."""
    def apply(lines):
        result, run = [], []
        for line in lines:
            if line.startswith(prefix):
                run.append(line)
                continue
            result += sorted(run) + [line]
            run = []
        return result + sorted(run)
    return apply


def sort_page_stores(lines):
    starts = [i for i, line in enumerate(lines) if line == PAGE_STORE_RULER]
    if not starts:
        return lines
    blocks = [lines[start:end] for start, end in zip(starts, starts[1:] + [len(lines)])]
    return lines[:starts[0]] + [line for block in sorted(blocks, key=lambda b: b[1:2])
                                for line in block]


def drop_banner(lines):
    """The art, the line that names the program, and the blank lines, up to the first section."""
    for i, line in enumerate(lines[:12]):
        if line == SECTION_RULER:
            return lines[i:]
    return lines


def drop_queue_counts_of_pages(lines):
    """`^^^ Previous record has …` and the blank line that follows it."""
    result, skip = [], False
    for line in lines:
        if skip and not line:
            skip = False
            continue
        skip = line.startswith("^^^ Previous record has ")
        if not skip:
            result.append(line)
    return result


# ---- numbers -------------------------------------------------------------------------------------

NUMBER = re.compile(r"(?<==)-?\d+\.\d+(?:E-?\d+)?(?=[,\]}])")


def as_float(value):
    """The float that is nearest to a number; None when only a double can hold it."""
    try:
        nearest = struct.unpack(">f", struct.pack(">f", value))[0]
    except OverflowError:
        return None
    return nearest if nearest or not value else None


def shortest_digits(value, convert):
    """The fewest decimal digits that still denote the number, and its decimal exponent."""
    for count in range(17):
        nearest = Decimal(f"{value:.{count}e}")
        unit = Decimal(1).scaleb(nearest.adjusted() - count)
        # At a power of two the nearest decimal may denote the next number, its neighbour this one.
        for decimal in (nearest, nearest + unit, nearest - unit):
            if convert(float(decimal)) == value:
                text = f"{decimal:.{count}e}".lstrip("-")
                return text.partition("e")[0].replace(".", ""), decimal.adjusted()
    raise ValueError(f"{value} has no digits")


def java_number(negative, digits, exponent):
    """The form of Java's Float.toString and Double.toString."""
    sign = "-" if negative else ""
    if not -3 <= exponent < 7:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole, fraction = digits[:exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1:]
    return f"{sign}{whole}.{fraction or '0'}"


def nearest_number(match):
    """The number as a JVM since 19 prints it: the fewest digits, and of those the nearest."""
    text = match[0]
    digits = text.partition("E")[0].lstrip("-").replace(".", "").strip("0")
    # Two digits are always printed, the nearest ones: 4.9E-324, although 5E-324 would do.
    if len(digits) <= 2:
        return text
    # Nine digits say all of a float, so a longer number is a double.
    single = as_float(float(text)) if len(digits) <= 9 else None
    shortest, exponent = (shortest_digits(float(text), float) if single is None
                          else shortest_digits(single, as_float))
    return java_number(text.startswith("-"), shortest, exponent)


# ---- texts of older releases ---------------------------------------------------------------------

OLD_QUEUE_FIELDS = (
    "id name address filterString user autoCreated maxConsumers purgeOnNoConsumers enabled "
    "exclusive lastValue lastValueKey nonDestructive consumersBeforeDispatch delayBeforeDispatch "
    "routingType configurationManaged groupRebalance groupRebalancePauseDispatch groupBuckets "
    "groupFirstKey autoDelete autoDeleteDelay autoDeleteMessageCount").split()
NEW_QUEUE_FIELDS = (
    "id name address routingType filterString durable user maxConsumers exclusive groupRebalance "
    "groupRebalancePauseDispatch groupBuckets groupFirstKey lastValue lastValueKey nonDestructive "
    "purgeOnNoConsumers enabled consumersBeforeDispatch delayBeforeDispatch consumerPriority "
    "autoDelete autoDeleteDelay autoDeleteMessageCount ringSize configurationManaged temporary "
    "autoCreateAddress internal transient autoCreated fqqn").split()
NEW_QUEUE = re.compile(
    r"PersistentQueueBindingEncoding \[queueConfiguration=QueueConfiguration \["
    + ", ".join(f"{name}=(?P<{name}>.*)" for name in NEW_QUEUE_FIELDS) + r"\]\]")
ROUTING_NUMBER = {"MULTICAST": "0", "ANYCAST": "1"}


def old_queue_binding(match):
    values = match.groupdict()
    values["routingType"] = ROUTING_NUMBER.get(values["routingType"], values["routingType"])
    fields = ", ".join(f"{name}={values[name]}" for name in OLD_QUEUE_FIELDS)
    return f"PersistentQueueBindingEncoding [{fields}]"


NEW_DIVERT = re.compile(
    r"DivertConfiguration \[name=(.*), routingName=(.*), address=(.*), forwardingAddress=(.*), "
    r"exclusive=(.*), filterString=(.*), routing-type=.*, transformerConfiguration=(.*)\]\}")
OLD_DIVERT = (r"DivertConfiguration{name='\1', routingName='\2', address='\3', "
              r"forwardingAddress='\4', exclusive=\5, filterString='\6', "
              r"transformerConfiguration=\7}}")

CORE_MESSAGE = re.compile(
    r"CoreMessage\[messageID=(.*?), durable=(.*?), userID=(.*?), priority=(.*?), timestamp=(.*?), "
    r"expiration=(.*?), durable=(.*?), address=(.*?), size=(\d+), properties=TypedProperties\[")
OLD_CORE_MESSAGE = (r"CoreMessage[messageID=\1,durable=\2,userID=\3,priority=\4, timestamp=\5,"
                    r"expiration=\6, durable=\7, address=\8,size=\9,properties=TypedProperties[")
PROPERTIES = re.compile(r"TypedProperties\[.*\]\]")

# What 2.28.0 shows of an address setting, by its present names. Fields that came later are left
# out of the comparison, and so are those that older releases miss.
OLD_SETTINGS = (
    "addressFullMessagePolicy deadLetterAddress expiryAddress expiryDelay minExpiryDelay "
    "maxExpiryDelay defaultLastValueQueue defaultLastValueKey defaultNonDestructive "
    "defaultExclusiveQueue maxDeliveryAttempts maxSizeBytes maxSizeBytesRejectThreshold "
    "messageCounterHistoryDayLimit pageSizeBytes pageMaxCache redeliveryDelay "
    "redeliveryMultiplier redeliveryCollisionAvoidanceFactor maxRedeliveryDelay "
    "redistributionDelay sendToDLAOnNoRoute slowConsumerThreshold "
    "slowConsumerThresholdMeasurementUnit slowConsumerCheckPeriod slowConsumerPolicy "
    "autoCreateJmsQueues autoDeleteJmsQueues autoCreateJmsTopics autoDeleteJmsTopics "
    "autoCreateQueues autoDeleteQueues autoDeleteCreatedQueues autoDeleteQueuesDelay "
    "autoDeleteQueuesMessageCount configDeleteQueues autoCreateAddresses autoDeleteAddresses "
    "autoDeleteAddressesDelay configDeleteAddresses configDeleteDiverts managementBrowsePageSize "
    "managementMessageAttributeSizeLimit defaultMaxConsumers defaultPurgeOnNoConsumers "
    "defaultQueueRoutingType defaultAddressRoutingType defaultConsumersBeforeDispatch "
    "defaultDelayBeforeDispatch defaultConsumerWindowSize defaultGroupRebalance "
    "defaultGroupRebalancePauseDispatch defaultGroupBuckets defaultGroupFirstKey defaultRingSize "
    "retroactiveMessageCount autoCreateDeadLetterResources deadLetterQueuePrefix "
    "deadLetterQueueSuffix autoCreateExpiryResources expiryQueuePrefix expiryQueueSuffix "
    "enableMetrics enableIngressTimestamp pageLimitBytes pageLimitMessages "
    "pageFullMessagePolicy").split()
OLD_SETTING_NAMES = {"defaultClientWindowSize": "defaultConsumerWindowSize",
                     "enableIngressTime": "enableIngressTimestamp"}
SETTINGS_SINCE_2_28 = ["configDeleteDiverts", "pageLimitBytes", "pageLimitMessages",
                       "pageFullMessagePolicy"]
SETTINGS = re.compile(r"setting=AddressSettings ?[{\[](.*?)[}\]]+$")


def old_address_settings(fields):
    def rewrite(match):
        pairs = [pair.partition("=") for pair in match[1].split(", ")]
        values = {OLD_SETTING_NAMES.get(name, name): value for name, _, value in pairs}
        shown = ", ".join(f"{name}={values.get(name, '(missing)')}" for name in fields)
        return f"setting=AddressSettings [{shown}]]"
    return substitute("setting=AddressSettings", SETTINGS, rewrite)


def settings_before(fields):
    return [name for name in OLD_SETTINGS if name not in fields]


# ---- the rules -----------------------------------------------------------------------------------

RULES = [
    Rule("banner", "names the program and its release", drop_banner),
    Rule("message-hash", "messages end in a Java identity hash, made up in each run",
         substitute("]@", r"\]@\d+(?=$|,Queues = )", "]@HASH")),
    Rule("bridge-hash", "bridge configurations print as a Java class name and identity hash",
         substitute("BridgeConfiguration@", r"BridgeConfiguration@[0-9a-f]+",
                    "BridgeConfiguration@HASH")),
    Rule("xid-hash", "xids begin with a Java identity hash",
         substitute("XidImpl (", r"XidImpl \(\d+ bq:", "XidImpl (HASH bq:")),
    Rule("number-digits", "JVMs before 19 print some numbers with needless or other digits",
         substitute("roperties", NUMBER, nearest_number)),
    Rule("reference-counts", "counts by queue are printed in Java map order",
         sort_runs("queue id ")),
    Rule("page-counters", "page counters are printed in Java map order", sort_runs("Queue ")),
    Rule("page-stores", "page stores are printed in Java map order", sort_page_stores),

    Rule("stored-id", "showed 0, or the record id, for what 2.56.0 does the other way round",
         substitute("storeId=", r"^(.*userRecordType=(?:2[578]|47|52);.*?\bstoreId=)\d+", r"\1ID"),
         up_to="2.44.0"),
    Rule("settings-came-and-went", "dropMessagesWhenFull became diskFullMessagePolicy elsewhere",
         substitute("AddressSettings{",
                    r", (dropMessagesWhenFull|diskFullMessagePolicy)=[^,}]*", ""),
         up_to="2.44.0"),
    Rule("browse-page-size", "showed the default of a setting that is not set",
         substitute("AddressSettings{", "managementBrowsePageSize=null",
                    "managementBrowsePageSize=200"),
         up_to="2.44.0"),
    Rule("threshold-unit", "showed the default of a setting that is not set",
         substitute("AddressSettings{", "slowConsumerThresholdMeasurementUnit=null",
                    "slowConsumerThresholdMeasurementUnit=MESSAGES_PER_SECOND"),
         up_to="2.44.0"),

    Rule("core-message-blanks", "had fewer blanks in the text of a Core message",
         substitute("CoreMessage[", CORE_MESSAGE, OLD_CORE_MESSAGE), up_to="2.28.0"),
    Rule("properties-blanks", "had no blanks between the properties of a message",
         substitute("TypedProperties[", PROPERTIES, lambda match: match[0].replace(", ", ",")),
         up_to="2.28.0"),
    Rule("byte-values", "closed byte values with a parenthesis",
         substitute("TypedProperties[", r"(?<==)\[([0-9A-F .]+|\[\])\]", r"[\1)"),
         up_to="2.28.0"),
    Rule("amqp-status", "did not show how far an AMQP message had been decoded",
         substitute("Message( [", r"(AMQP\w+\( \[.*?), scanningStatus=\w+", r"\1"),
         up_to="2.19.0"),
    Rule("amqp-user-id", "knew the id of an AMQP message only after decoding it",
         substitute("AMQPStandardMessage( [",
                    r"userMessageID=[^;]*;(?=msg=AMQPStandardMessage\( \[)", ""),
         up_to="2.28.0"),
    Rule("queue-binding", "showed other fields of a queue, in another order",
         substitute("PersistentQueueBindingEncoding [", NEW_QUEUE, old_queue_binding),
         up_to="2.28.0"),
    Rule("address-binding", "did not know internal addresses",
         substitute("PersistentAddressBindingEncoding [",
                    r"(PersistentAddressBindingEncoding \[.*), internal=(?:true|false)\]", r"\1]"),
         up_to="2.28.0"),
    Rule("schedule", "did not show the queue of a scheduled delivery",
         substitute("ScheduledDeliveryEncoding [",
                    r"(ScheduledDeliveryEncoding \[scheduledDeliveryTime=-?\d+), queueID=-?\d+\]",
                    r"\1]"),
         up_to="2.28.0"),
    Rule("divert", "quoted the values of a divert and did not show its routing type",
         substitute("DivertConfiguration [", NEW_DIVERT, OLD_DIVERT), up_to="2.28.0"),
    Rule("security", "did not know the roles for viewing and editing",
         substitute("PersistedSecuritySetting [", r", viewRoles=.*, editRoles=.*\]", "]"),
         up_to="2.28.0"),
    Rule("settings", "showed other fields of an address setting, in another order",
         old_address_settings(OLD_SETTINGS), up_to="2.28.0"),
    Rule("fewer-settings", "did not know what 2.28.0 added to address settings",
         old_address_settings(settings_before(SETTINGS_SINCE_2_28)), up_to="2.19.0"),
    Rule("counter-values", "added increments (records of type 41) to the counters",
         substitute("value=", r"^((?:##SubsCounter for queue=|Queue )\d+,? value=)-?\d+",
                    r"\1VALUE"), up_to="2.19.0"),
    Rule("page-position", "showed a file offset, which is never stored",
         substitute("PagePositionImpl [", r", fileOffset=-?\d+\]", "]"), up_to="2.19.0"),
    Rule("page-count", "did not count the pages of a page store", drop_lines("Number of pages ::"),
         up_to="2.19.0"),
    Rule("routed-queues", "did not mark queues that have not acknowledged a paged message",
         substitute(",Queues = ", r"(?<=\d) \(OK\) ", ""), up_to="2.19.0"),
    Rule("acked-queues", "did not count the queues that have acknowledged a paged message",
         drop_queue_counts_of_pages, up_to="2.19.0"),
]


def rules_for(release):
    wanted = version(release)
    return [rule for rule in RULES if rule.up_to is None or wanted <= version(rule.up_to)]


def hide_path(text, store):
    """The golden texts have $STORE where the store was."""
    for path in sorted({store.rstrip("/"), os.path.realpath(store)}, key=len, reverse=True):
        text = text.replace(path + "/", "$STORE/")
    return text


def normalise(text, release=NEWEST, store=None):
    """The lines of a printed text, ready to be compared with those of another run."""
    if store:
        text = hide_path(text, store)
    # Not splitlines(): names and values may hold any of the other line ends it knows.
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    for rule in rules_for(release):
        lines = rule.apply(lines)
    return lines


def read_text(path):
    data = sys.stdin.buffer.read() if path == "-" else open(path, "rb").read()
    return data.decode("utf-8", "surrogateescape")


def main():
    parser = argparse.ArgumentParser(description="Make the text of `data print` comparable.")
    parser.add_argument("--release", default=NEWEST, help=f"that wrote the text ({NEWEST})")
    parser.add_argument("--store", help="its path is replaced by $STORE")
    parser.add_argument("file", help="the text, or - for standard input")
    options = parser.parse_args()
    lines = normalise(read_text(options.file), options.release, options.store)
    text = "".join(line + "\n" for line in lines)
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    main()
