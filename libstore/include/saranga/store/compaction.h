// Compacting a store: what the compactor of journals has to be told about those of a broker
// (docs/format/journal.md#compaction).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "saranga/journal/compactor.h"
#include "saranga/store/location.h"
#include "saranga/store/parts.h"

namespace saranga::store {

/// One journal of a store.
struct JournalPart {
  journal::JournalKind kind = journal::JournalKind::kMessages;
  std::string_view name;    ///< "journal", "bindings", "jms"
  std::string_view folder;  ///< the part of the store that its files are in
};

/// The journals that a store has: that of the messages, of the bindings, and of JMS when there is
/// one, as before 2.0.
[[nodiscard]] SARANGA_API std::vector<JournalPart> journals_of(const StoreParts& parts);

/// How to compact one of them. Delivery counts and schedules say anew what the last one of the same
/// message and queue said; Artemis forgets the queue.
[[nodiscard]] SARANGA_API journal::CompactorOptions compactor_options(
    const JournalPart& part, const JournalSettings& settings);

}  // namespace saranga::store
