#include "libstore/verify/record_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/bindings/record_ids.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/record_ids.h"
#include "saranga/message/record_types.h"

namespace saranga::store {
namespace {

using journal::JournalKind;
using journal::Record;
using journal::RecordKind;

constexpr std::size_t kReferenceBytes = 8;

const RecordType* find_type(JournalKind kind, std::int8_t number) {
  switch (kind) {
    case JournalKind::kMessages: return message::find_record_type(number);
    case JournalKind::kBindings: return bindings::find_record_type(number);
    case JournalKind::kJms: return bindings::find_jms_record_type(number);
  }
  return nullptr;
}

/// A field whose value no release writes.
struct Bounds {
  std::int8_t type;
  std::string_view field;
  std::int64_t least;
};
constexpr Bounds kBounds[] = {
    {message::kDeliveryCount, "delivery_count", 0},
    {message::kScheduledDelivery, "scheduled_ms", 0},
    {message::kPageTransaction, "reference_count", 1},
    {message::kPageTransaction, "acknowledged_count", 0},
    {message::kAcknowledgeCursor, "page_number", 1},
    {message::kAcknowledgeCursor, "message_number", -1},
    {message::kPageComplete, "page_number", 1},
    {message::kPageComplete, "message_count", 0},
};

}  // namespace

/// One window being checked.
class RecordChecker::Window final : public WindowCheck {
 public:
  Window(RecordChecker& owner, JournalKind journal, const std::string& label)
      : owner_(owner), journal_(journal), label_(label) {}

  void record(const Record& record, const DecodedMessage& decoded) override;
  void deliver() override;

 private:
  void note_ids(const Record& record);
  void check_body(const Record& record, const DecodedMessage& decoded);
  void check_message_record(const Record& record, const RecordType& type,
                            const DecodedMessage& decoded);
  void check_fields(const Record& record, const RecordType& type);
  void check_bounds(const Record& record, const DecodedRecord& decoded);
  void check_prepare(const Record& record);
  void note_duplicate_id(const Record& record, const DecodedRecord& decoded);
  void note_metadata(const Record& record, const DecodedRecord& decoded);
  void note_target(const Record& record, const RecordType& type, const DecodedRecord* decoded);
  void add_target(const Record& record, std::optional<TargetProblem> problem);
  void report(std::string_view code, Severity severity, const Record& record, std::string text);
  void report_trailing(const Record& record, std::size_t bytes);

  RecordChecker& owner_;
  JournalKind journal_;
  const std::string& label_;
  std::vector<Finding> findings_;
  std::vector<BodyProblem> problems_;
  std::int64_t highest_id_ = -1;
  std::uint64_t highest_offset_ = 0;
  std::uint64_t record_count_ = 0;
  bool any_old_message_ = false;
  bool any_new_message_ = false;
  std::vector<std::pair<std::int64_t, std::string>> duplicate_ids_;
  std::vector<UsedId> null_metadata_;
  TargetTally target_;
};

void RecordChecker::Window::record(const Record& record, const DecodedMessage& decoded) {
  ++record_count_;
  note_ids(record);
  if (!owner_.bodies_) return;
  switch (record.kind) {
    case RecordKind::kAdd:
    case RecordKind::kUpdate:
    case RecordKind::kAddTx:
    case RecordKind::kUpdateTx:
    case RecordKind::kEvent: return check_body(record, decoded);
    case RecordKind::kPrepare: return check_prepare(record);
    default: return;
  }
}

void RecordChecker::Window::note_ids(const Record& record) {
  const std::int64_t id = std::max(record.id, record.tx_id);
  if (id <= highest_id_) return;
  highest_id_ = id;
  highest_offset_ = record.offset;
}

void RecordChecker::Window::check_body(const Record& record, const DecodedMessage& decoded) {
  const RecordType* type = find_type(journal_, record.user_type);
  if (type == nullptr) {
    return report(
        "record-type-unknown", Severity::kWarning, record,
        fmt::format("record type {} belongs to no release up to 2.57; a broker passes over it",
                    record.user_type));
  }
  if (journal_ == JournalKind::kMessages && holds_message(record.user_type)) {
    return check_message_record(record, *type, decoded);
  }
  // Most records of a journal: they have nothing that could be wrong but their length.
  const bool reference =
      journal_ == JournalKind::kMessages &&
      (type->effect == RecordEffect::kReference || type->effect == RecordEffect::kAcknowledge);
  if (reference && record.body.size() == kReferenceBytes) return;
  check_fields(record, *type);
}

void RecordChecker::Window::check_message_record(const Record& record, const RecordType& type,
                                                 const DecodedMessage& decoded) {
  any_old_message_ = any_old_message_ || type.form == BodyForm::kOldMessage;
  any_new_message_ = any_new_message_ || type.form == BodyForm::kMessage;
  if (decoded.problem != nullptr) {
    return report("body-undecodable", Severity::kDamage, record,
                  fmt::format("the message in the record does not decode: {}", decoded.problem));
  }
  note_target(record, type, nullptr);
  if (owner_.options_.target && type.form == BodyForm::kMessage) {
    add_target(record, message_problem(*owner_.options_.target, decoded.message));
  }
  if (decoded.trailing_bytes != 0) report_trailing(record, decoded.trailing_bytes);
  if (decoded.message.id() != record.id) {
    report("message-id-differs", Severity::kWarning, record,
           fmt::format(
               "the record has the id {}, the message in it {}; references go by the first, the "
               "body file of a large message by the second",
               record.id, decoded.message.id()));
  }
  problems_.clear();
  check_message(decoded.message, type.form == BodyForm::kLargeMessage, problems_);
  for (BodyProblem& problem : problems_) {
    report(problem.code, problem.severity, record, std::move(problem.text));
  }
}

void RecordChecker::Window::check_fields(const Record& record, const RecordType& type) {
  DecodedRecord decoded;
  const bool whole = journal_ == JournalKind::kMessages
                         ? message::decode_record(type, record.is_update(), record.body, decoded)
                         : bindings::decode_record(type, record.is_update(), record.body, decoded);
  if (!whole) {
    return report("body-undecodable", Severity::kDamage, record,
                  fmt::format("the body of {} does not decode: {}", type.name,
                              decoded.problem == nullptr ? "it is damaged" : decoded.problem));
  }
  if (!decoded.trailing.empty()) report_trailing(record, decoded.trailing.size());
  note_target(record, type, &decoded);
  if (journal_ == JournalKind::kBindings) note_metadata(record, decoded);
  if (journal_ != JournalKind::kMessages) return;
  check_bounds(record, decoded);
  if (record.user_type == message::kDuplicateId) note_duplicate_id(record, decoded);
}

void RecordChecker::Window::check_bounds(const Record& record, const DecodedRecord& decoded) {
  for (const Bounds& bounds : kBounds) {
    if (bounds.type != record.user_type) continue;
    const FieldValue& value = decoded.values.get(bounds.field);
    if (value.state != FieldValue::State::kPresent || value.number >= bounds.least) continue;
    report("value-implausible", Severity::kWarning, record,
           fmt::format("{} is {}, expected {} or more", bounds.field, value.number, bounds.least));
  }
}

void RecordChecker::Window::check_prepare(const Record& record) {
  Cursor cursor(record.body);
  (void)read_xid(cursor);
  if (!cursor.ok()) {
    return report(
        "prepared-xid-damaged", Severity::kDamage, record,
        fmt::format("the name of prepared transaction {} does not decode: {}; no transaction "
                    "manager finds it",
                    record.tx_id, cursor.problem()));
  }
  if (!cursor.at_end()) report_trailing(record, cursor.remaining());
}

void RecordChecker::Window::note_duplicate_id(const Record& record, const DecodedRecord& decoded) {
  duplicate_ids_.emplace_back(record.id, decoded.values.get("address").text.str());
}

// Absent is another thing than null: HornetQ has no metadata at all.
void RecordChecker::Window::note_metadata(const Record& record, const DecodedRecord& decoded) {
  if (record.user_type != bindings::kQueueBinding) return;
  if (decoded.values.get("metadata").state != FieldValue::State::kNull) return;
  null_metadata_.push_back({.id = record.id, .file = label_, .offset = record.offset});
}

void RecordChecker::Window::note_target(const Record& record, const RecordType& type,
                                        const DecodedRecord* decoded) {
  if (!owner_.options_.target || record.kind == RecordKind::kEvent) return;
  // The JMS journal is read by no 2.x release, and none is hurt by it.
  if (journal_ == JournalKind::kJms) return;
  add_target(record, record_problem(*owner_.options_.target, &type, decoded));
}

void RecordChecker::Window::add_target(const Record& record, std::optional<TargetProblem> problem) {
  if (!problem) return;
  target_.add(problem->code, problem->reason, label_, record.offset, record.id);
}

void RecordChecker::Window::report_trailing(const Record& record, std::size_t bytes) {
  report(
      "trailing-bytes", Severity::kInfo, record,
      fmt::format("{} bytes stand behind the fields that are known, as a later release might write "
                  "them; a broker passes over them",
                  bytes));
}

void RecordChecker::Window::report(std::string_view code, Severity severity, const Record& record,
                                   std::string text) {
  findings_.push_back({.code = code,
                       .severity = severity,
                       .file = label_,
                       .offset = record.offset,
                       .length_bytes = record.length_bytes,
                       .id = record.id != 0 ? record.id : record.tx_id,
                       .text = std::move(text)});
}

void RecordChecker::Window::deliver() {
  GatheredRecords& all = owner_.gathered_;
  UsedId& highest =
      journal_ == JournalKind::kMessages ? all.highest_journal_id : all.highest_bindings_id;
  // The JMS journal has ids of its own.
  if (journal_ != JournalKind::kJms) highest.take({highest_id_, label_, highest_offset_});
  all.record_count += record_count_;
  all.any_old_message = all.any_old_message || any_old_message_;
  all.any_new_message = all.any_new_message || any_new_message_;
  for (auto& [id, address] : duplicate_ids_) {
    const auto [cache, fresh] =
        all.caches.try_emplace(std::move(address), static_cast<std::uint32_t>(all.caches.size()));
    all.duplicate_ids.push_back({id, cache->second});
  }
  for (UsedId& place : null_metadata_) all.null_metadata.try_emplace(place.id, std::move(place));
  (journal_ == JournalKind::kMessages ? all.journal_target : all.bindings_target).merge(target_);
  for (Finding& finding : findings_) owner_.sink_.finding(std::move(finding));
}

std::unique_ptr<WindowCheck> RecordChecker::begin_window(JournalKind journal,
                                                         const std::string& label) {
  return std::make_unique<Window>(*this, journal, label);
}

}  // namespace saranga::store
