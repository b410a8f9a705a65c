#include "libstore/verify/target_check.h"

#include <fmt/format.h>

#include "saranga/bindings/record_ids.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

constexpr ReleaseNumber kTwo{2, 0, 0};
constexpr std::string_view kIgnores = "target-ignores";
constexpr std::string_view kCannotRead = "target-cannot-read";

// Since which release a persister is understood (docs/format/messages.md#persisters).
struct PersisterRow {
  message::Persister persister;
  ReleaseNumber since;
  std::string_view name;
};
constexpr PersisterRow kPersisters[] = {
    {message::Persister::kCore, kTwo, "Core messages"},
    {message::Persister::kAmqpV1, kTwo, "AMQP messages of 2.0"},
    {message::Persister::kAmqpV2, {2, 3, 0}, "AMQP messages of 2.3"},
    {message::Persister::kAmqpLarge, {2, 12, 0}, "large AMQP messages of 2.12"},
    {message::Persister::kAmqpV3, {2, 17, 0}, "AMQP messages of 2.17"},
};

// Page entries of 2.12 and later say in another byte that a body is a file.
constexpr ReleaseNumber kPageKindsSince{2, 12, 0};
constexpr std::size_t kKindOffset = 8;
constexpr std::byte kOldCoreLarge{0xFF};

// Layouts of address settings that no 2.x broker tries.
bool is_old_settings(std::string_view layout) {
  return layout == "1.4" || layout == "1.3" || layout == "1.0" || layout == "hornetq";
}

std::optional<TargetProblem> too_old(const RecordType& type, const DecodedRecord* decoded) {
  if (type.form == BodyForm::kOldMessage) {
    return TargetProblem{kCannotRead, "messages of before 2.0 (record type 31)"};
  }
  if (decoded == nullptr) return std::nullopt;
  if (type.form == BodyForm::kAddressSettings && is_old_settings(decoded->layout)) {
    return TargetProblem{kCannotRead, "address settings in a layout of before 2.0"};
  }
  if (type.number == bindings::kQueueBinding && type.effect == RecordEffect::kConfiguration &&
      decoded->values.get("metadata").state == FieldValue::State::kAbsent) {
    return TargetProblem{kCannotRead, "queue bindings of HornetQ, which have three fields"};
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t TargetTally::file_index(const std::string& file) {
  // Places come file by file.
  if (files_.empty() || files_.back() != file) files_.push_back(file);
  return static_cast<std::uint32_t>(files_.size() - 1);
}

void TargetTally::add(std::string_view code, const std::string& reason, const std::string& file,
                      std::uint64_t offset, std::int64_t id) {
  Row& row = rows_.try_emplace(reason, Row{.code = code}).first->second;
  row.items.push_back({.id = id, .offset = offset, .file = file_index(file)});
}

void TargetTally::merge(const TargetTally& later) {
  for (const auto& [reason, row] : later.rows_) {
    Row& own = rows_.try_emplace(reason, Row{.code = row.code}).first->second;
    for (Item item : row.items) {
      item.file = file_index(later.files_[item.file]);
      own.items.push_back(item);
    }
  }
}

void TargetTally::report(const ReleaseNumber& target,
                         const std::function<bool(std::int64_t id)>& counts,
                         FindingSink& sink) const {
  for (const auto& [reason, row] : rows_) {
    const Item* first = nullptr;
    std::uint64_t count = 0;
    for (const Item& item : row.items) {
      if (!counts(item.id)) continue;
      if (first == nullptr) first = &item;
      ++count;
    }
    if (first == nullptr) continue;
    const bool ignores = row.code == kIgnores;
    sink.finding({.code = row.code,
                  .severity = Severity::kWarning,
                  .file = files_[first->file],
                  .offset = first->offset,
                  .id = first->id,
                  .text = fmt::format("release {} {} {}: there are {}, the first one here",
                                      release_text(target), ignores ? "ignores" : "cannot read",
                                      reason, count)});
  }
}

std::optional<TargetProblem> record_problem(const ReleaseNumber& target, const RecordType* type,
                                            const DecodedRecord* decoded) {
  if (type == nullptr) return std::nullopt;  // reported as unknown anyway
  const auto since = parse_release(type->since);
  // Releases before 2.0 know no persisters: message_problem() says it better.
  if (since && target < *since && type->form != BodyForm::kMessage) {
    return TargetProblem{kIgnores, fmt::format("records of type {}, {}, which are of {} and later",
                                               type->number, type->name, type->since)};
  }
  return target >= kTwo ? too_old(*type, decoded) : std::nullopt;
}

std::optional<TargetProblem> message_problem(const ReleaseNumber& target,
                                             const message::StoredMessage& message) {
  if (message.core && message.core->old_layout) return std::nullopt;  // see too_old()
  for (const PersisterRow& row : kPersisters) {
    if (row.persister != message.persister || target >= row.since) continue;
    return TargetProblem{kCannotRead, std::string(row.name)};
  }
  return std::nullopt;
}

std::optional<TargetProblem> paged_problem(const ReleaseNumber& target,
                                           const paging::PagedMessage& paged, Bytes payload) {
  if (paged.old_layout && target >= kTwo) {
    return TargetProblem{kCannotRead, "page entries of before 2.0"};
  }
  const bool new_kind = paged.large != paging::LargeKind::kNone && payload.size() > kKindOffset &&
                        payload[kKindOffset] != kOldCoreLarge;
  if (new_kind && target < kPageKindsSince) {
    return TargetProblem{kCannotRead,
                         "page entries of large messages as 2.12 and later write them"};
  }
  return std::nullopt;
}

}  // namespace saranga::store
