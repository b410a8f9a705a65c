#include "tools/print/record_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "saranga/bytes/base64.h"
#include "saranga/bindings/address_settings.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/record_types.h"
#include "tools/print/configuration_text.h"
#include "tools/print/java_text.h"
#include "tools/print/template_text.h"

namespace saranga::print {
namespace {

struct TextRow {
  std::int8_t number;
  std::string_view text;
  std::string_view update_text = {};  // of an update, when it differs
};

constexpr TextRow kMessageTexts[] = {
    {29, "PendingLargeMessageEncoding::MessageID={message_id}"},
    {32, "AddRef;QueueEncoding [queueID={queue_id}]"},
    {33, "ACK;QueueEncoding [queueID={queue_id}]"},
    {34, "DeliveryCountUpdateEncoding [queueID={queue_id}, count={delivery_count}]"},
    {35,
     "PageTransactionInfoImpl(transactionID={page_tx},id={@id},"
     "numberOfMessages={reference_count})",
     "PageUpdateTXEncoding [pageTX={page_tx}, records={acknowledged_count}]"},
    {36, "ScheduledDeliveryEncoding [scheduledDeliveryTime={scheduled_ms}, queueID={queue_id}]"},
    {37, "DuplicateIDEncoding [address={address}, duplID={duplicate_id_b64}{@bridge_id}]"},
    {38, "HeuristicCompletionEncoding [xid={xid}, isCommit={commit}]"},
    {39,
     "CursorAckRecordEncoding [queueID={queue_id}, position=PagePositionImpl "
     "[pageNr={page_number}, messageNr={message_number}, recordID=-1]]"},
    {40,
     "PageCountRecord [queueID={queue_id}, value={value}, "
     "persistentSize={persistent_size_bytes?0}]"},
    {41,
     "PageCountRecordInc [queueID={queue_id}, value={delta}, "
     "persistentSize={persistent_size_delta_bytes?0}]"},
    {42,
     "PGComplete [queueID={queue_id}, position=PagePositionImpl "
     "[pageNr={page_number}, messageNr={message_count}, recordID=-1]]"},
    {43, "PageCountPendingImpl [queueID={queue_id}, pageID={page_number}]"},
    {53,
     "MapRecord{{collectionID={queue_id}, id={record_id}, key={@ack_retry}, "
     "value={@ack_retry}}}"},
};

// What a binding doesn't store is null; what an old one ends before is what Artemis assumes.
constexpr std::string_view kQueueText =
    "PersistentQueueBindingEncoding [queueConfiguration=QueueConfiguration [id={@id}, "
    "name={@queue_name}, address={@queue_address}, routingType={routing_type?MULTICAST}, "
    "filterString={filter}, durable=null, user={@queue_user}, maxConsumers={max_consumers?-1}, "
    "exclusive={exclusive?false}, groupRebalance={group_rebalance?false}, "
    "groupRebalancePauseDispatch={group_rebalance_pause_dispatch?false}, "
    "groupBuckets={group_buckets?-1}, groupFirstKey={group_first_key}, "
    "lastValue={last_value?false}, lastValueKey={last_value_key}, "
    "nonDestructive={non_destructive?false}, purgeOnNoConsumers={purge_on_no_consumers?false}, "
    "enabled={enabled?true}, consumersBeforeDispatch={consumers_before_dispatch?0}, "
    "delayBeforeDispatch={delay_before_dispatch_ms?-1}, consumerPriority=null, "
    "autoDelete={@auto_delete}, autoDeleteDelay={auto_delete_delay_ms?0}, "
    "autoDeleteMessageCount={auto_delete_message_count?0}, ringSize={ring_size?-1}, "
    "configurationManaged={configuration_managed}, temporary=null, autoCreateAddress=null, "
    "internal={internal}, transient=null, autoCreated={auto_created?false}, "
    "fqqn={@queue_qualified}]]";

constexpr TextRow kBindingsTexts[] = {
    {20, "GroupingEncoding [id={@id}, groupId={group_id}, clusterName={cluster_name}]"},
    {21, kQueueText},
    {22, "QueueStatusEncoding [id={@id}, queueID={queue_id}, status={status}]"},
    {24, "IDCounterEncoding [id={counter}]"},
    {25, "PersistedAddressSetting [storeId=0, addressMatch={address_match}, setting={@settings}]"},
    {26,
     "PersistedSecuritySetting [storeId={@id}, addressMatch={address_match}, sendRoles={send}, "
     "consumeRoles={consume}, createDurableQueueRoles={create_durable_queue}, "
     "deleteDurableQueueRoles={delete_durable_queue}, "
     "createNonDurableQueueRoles={create_non_durable_queue}, "
     "deleteNonDurableQueueRoles={delete_non_durable_queue}, manageRoles={manage}, "
     "browseRoles={browse}, createAddressRoles={create_address}, "
     "deleteAddressRoles={delete_address}, viewRoles={view}, editRoles={edit}]"},
    {27,
     "PersistedDivertConfiguration{{storeId={@id}, divertConfiguration=DivertConfiguration "
     "[name={name}, routingName={routing_name}, address={address}, "
     "forwardingAddress={forwarding_address}, exclusive={exclusive}, filterString={filter}, "
     "routing-type={routing_type}, transformerConfiguration={@transformer}]}}"},
    {28,
     "PersistedBridgeConfiguration{{storeId={@id}, "
     "bridgeConfiguration=org.apache.activemq.artemis.core.config.BridgeConfiguration@0}}"},
    {44,
     "PersistentAddressBindingEncoding [id={@id}, name={name}, "
     "routingTypes={{{@routing_types}}}, autoCreated={auto_created}, internal={internal?false}]"},
    {46, "AddressStatusEncoding{{status={status}, id={address_id}}}"},
    {47, "PersistedUser [storeId={@id}, username={username}, password=****]"},
    {48, "PersistedRole [storeId={@id}, username={username}, roles [{@roles}]]"},
};

constexpr TextRow kJmsTexts[] = {
    {1, "ConnectionFactory [id={@id}, name={name}]"},
    {2, "Destination [id={@id}, kind={kind}, name={name}, selector={selector}, durable={durable}]"},
    {3, "Bindings [id={@id}, kind={kind}, name={name}, jndi=[{@jndi_names}]]"},
};

// The bridge numbers its messages with the UUID of the node and the id there. Artemis forces the
// bits of a time-based UUID on it.
void append_bridge_id(TextBuffer& out, const RecordBody&, const DecodedRecord& decoded) {
  static constexpr std::size_t kUuidBytes = 16;
  const Bytes id = decoded.values.get("duplicate_id_b64").bytes;
  if (id.size() != kUuidBytes + 8) return;
  TextBuffer address;
  append_java_string(address, decoded.values.get("address").text);
  if (!address.view().starts_with("BRIDGE")) return;
  std::array<std::byte, kUuidBytes> uuid{};
  std::copy_n(id.begin(), kUuidBytes, uuid.begin());
  uuid[6] = (uuid[6] & std::byte{0x0F}) | std::byte{0x10};
  uuid[8] = (uuid[8] & std::byte{0x3F}) | std::byte{0x80};
  out.put(" / nodeUUID=");
  append_uuid(out, uuid);
  out.put(" messageID=");
  out.put_int(load_be<std::int64_t>(id.data() + kUuidBytes));
}

// A broker holds the retry as key and as value of a map, and prints the entry of that map.
void append_ack_retry(TextBuffer& out, const RecordBody& record, const DecodedRecord& decoded) {
  static const TextTemplate kText(
      "AckRetry{{nodeID='{node_id}', messageID={message_id}, reason={reason?NORMAL}, "
      "pageAttempts=0, queueAttempts=0, viewCount=0}}",
      decoded.type->fields, {});
  kText.append(out, record, decoded);
}

constexpr SpecialPlace kMessagePlaces[] = {
    {"bridge_id", append_bridge_id},
    {"ack_retry", append_ack_retry},
};

using FindType = const RecordType* (*)(std::int8_t);
using Decode = bool (*)(const RecordType&, bool, Bytes, DecodedRecord&);

// The printers of one journal, made from its rows at first use.
class JournalTexts {
 public:
  JournalTexts(std::span<const TextRow> rows, FindType find, Decode decoder,
               std::span<const SpecialPlace> places)
      : find_type_(find), decode_(decoder) {
    for (const TextRow& row : rows) {
      const RecordType& type = *find(row.number);
      const auto at = static_cast<std::size_t>(row.number);
      adds_[at] = updates_[at] = TextTemplate(row.text, type.fields, places);
      if (row.update_text.empty()) continue;
      updates_[at] = TextTemplate(row.update_text, type.update_fields, places);
    }
  }

  [[nodiscard]] const RecordType* type(std::int8_t number) const { return find_type_(number); }

  // The template of a record, null when Artemis has no text for its type.
  [[nodiscard]] const TextTemplate* text_of(const RecordBody& record) const {
    if (record.user_type < 0) return nullptr;
    const auto at = static_cast<std::size_t>(record.user_type);
    const TextTemplate& found = record.is_update ? updates_[at] : adds_[at];
    return found.empty() ? nullptr : &found;
  }

  [[nodiscard]] bool decode(const RecordBody& record, DecodedRecord& decoded) const {
    return decode_(*find_type_(record.user_type), record.is_update, record.body, decoded);
  }

 private:
  FindType find_type_;
  Decode decode_;
  std::array<TextTemplate, 128> adds_;
  std::array<TextTemplate, 128> updates_;
};

std::unexpected<Error> not_decoded(const RecordBody& record, const RecordType& type,
                                   std::string_view problem) {
  Error error{.code = ErrorCode::kDamaged,
              .text = fmt::format("body of type {} ({}) {}", type.number, type.name, problem)};
  error.record = record.id;
  return std::unexpected(std::move(error));
}

Result<void> append_text(const JournalTexts& texts, TextBuffer& out, const RecordBody& record) {
  const TextTemplate* text = texts.text_of(record);
  if (text == nullptr) {
    out.put(kNoText);
    return {};
  }
  DecodedRecord decoded;
  if (!texts.decode(record, decoded)) {
    return not_decoded(record, *texts.type(record.user_type), decoded.problem);
  }
  text->append(out, record, decoded);
  return {};
}

// Settings as JSON: the text itself, and what Artemis understands of it.
Result<void> append_json_settings(TextBuffer& out, const RecordBody& record,
                                  const RecordType& type) {
  DecodedRecord decoded;
  if (!bindings::decode_record(type, record.is_update, record.body, decoded)) {
    return not_decoded(record, type, decoded.problem);
  }
  const Text json = decoded.values.get("json").text;
  bindings::JsonSettings settings;
  if (!settings.parse(json)) return not_decoded(record, type, settings.problem());
  out.put("PersistedAddressSettingJSON{jsonSetting=");
  append_java_string(out, json);
  out.put(", storeId=0, addressMatch=");
  append_java_string(out, decoded.values.get("address_match").text);
  out.put(", setting=");
  append_settings_text(out, settings.values());
  out.put('}');
  return {};
}

// What of a type is left in safe mode; empty when it stays whole.
std::string_view safe_text(std::int8_t type) {
  if (type == 21) return "PersistentQueueBindingEncoding(safe data)";
  if (type == 44) return "PersistentAddressBindingEncoding(safe data)";
  return {};
}

void append_signed_bytes(TextBuffer& out, Bytes bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0) out.put('.');
    out.put_int(static_cast<std::int8_t>(bytes[i]));
  }
}

}  // namespace

Result<void> append_message_record_text(TextBuffer& out, const RecordBody& record) {
  static const JournalTexts kTexts(kMessageTexts, message::find_record_type, message::decode_record,
                                   kMessagePlaces);
  return append_text(kTexts, out, record);
}

Result<void> append_bindings_record_text(TextBuffer& out, const RecordBody& record, bool safe) {
  static const JournalTexts kTexts(kBindingsTexts, bindings::find_record_type,
                                   bindings::decode_record, configuration_places());
  static constexpr std::int8_t kJsonSettings = 52;
  if (record.user_type == kJsonSettings) {
    return append_json_settings(out, record, *bindings::find_record_type(kJsonSettings));
  }
  const std::size_t from = out.size();
  Result<void> result = append_text(kTexts, out, record);
  const std::string_view instead = safe && result ? safe_text(record.user_type) : "";
  if (!instead.empty()) {
    out.truncate(from);
    out.put(instead);
  }
  return result;
}

Result<void> append_jms_record_text(TextBuffer& out, const RecordBody& record) {
  static const JournalTexts kTexts(kJmsTexts, bindings::find_jms_record_type,
                                   bindings::decode_record, configuration_places());
  return append_text(kTexts, out, record);
}

void append_xid_text(TextBuffer& out, const Xid& xid) {
  out.put("XidImpl (0 bq:");
  append_signed_bytes(out, xid.branch_qualifier);
  out.put(" formatID:");
  out.put_int(xid.format_id);
  out.put(" gtxid:");
  append_signed_bytes(out, xid.global_id);
  out.put(" base64:");
  out.put(xid_base64(xid));
}

}  // namespace saranga::print
