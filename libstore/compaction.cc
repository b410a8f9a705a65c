#include "saranga/store/compaction.h"

#include <algorithm>

#include "saranga/journal/folder.h"

namespace saranga::store {
namespace {

// docs/format/messages.md: both bodies begin with the id of the queue.
constexpr std::int8_t kDeliveryCount = 34;
constexpr std::int8_t kSchedule = 36;
constexpr std::uint32_t kQueueIdBytes = 8;
constexpr std::uint32_t kDeliveryCountBytes = 12;
constexpr std::uint32_t kScheduleBytes = 16;
constexpr std::uint32_t kUsualBlockBytes = 4096;

bool has_files(const ReadableDirectory& folder, journal::JournalKind kind) {
  const auto entries = folder.list();
  return entries && std::ranges::any_of(*entries, [&](const DirectoryEntry& entry) {
           return !entry.is_directory && journal::journal_kind_of(entry.name) == kind;
         });
}

}  // namespace

std::vector<JournalPart> journals_of(const StoreParts& parts) {
  using journal::JournalKind;
  std::vector<JournalPart> journals{{JournalKind::kMessages, "journal", "journal"},
                                    {JournalKind::kBindings, "bindings", "bindings"}};
  if (has_files(*parts.bindings, JournalKind::kJms)) {
    journals.push_back({JournalKind::kJms, "jms", "bindings"});
  }
  return journals;
}

journal::CompactorOptions compactor_options(const JournalPart& part,
                                            const JournalSettings& settings) {
  journal::CompactorOptions options{.kind = part.kind, .label = std::string(part.folder)};
  if (part.kind != journal::JournalKind::kMessages) return options;
  options.min_files =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(settings.min_files.value_or(2), 1, 1000));
  if (settings.type == "ASYNCIO") options.alignment_bytes = kUsualBlockBytes;
  options.replaceable = {
      {.user_type = kDeliveryCount, .key_bytes = kQueueIdBytes, .body_bytes = kDeliveryCountBytes},
      {.user_type = kSchedule, .key_bytes = kQueueIdBytes, .body_bytes = kScheduleBytes}};
  return options;
}

}  // namespace saranga::store
