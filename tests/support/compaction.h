// What the tests of compaction share: running one, and what must be the same before and after.
#pragma once

#include <map>
#include <string>

#include "saranga/bytes/no_findings.h"
#include "saranga/journal/compactor.h"
#include "tests/crash/fresh_read.h"
#include "tests/support/faulty_directory.h"
#include "tests/support/random_journal.h"

namespace saranga::test {

inline journal::CompactorOptions compactor_options() {
  return {.replaceable = {
              {.user_type = kReplaceableType, .key_bytes = 8, .body_bytes = kReplaceableBytes}}};
}

/// The state without updates that a later one replaces.
inline LoadedState without_replaced(LoadedState state) {
  std::set<std::pair<std::int64_t, Buffer>> later;
  std::vector<LoadedRecord> kept;
  for (auto record = state.records.rbegin(); record != state.records.rend(); ++record) {
    const bool replaceable = record->is_update && record->user_type == kReplaceableType &&
                             record->body.size() == kReplaceableBytes;
    const auto key = [&] { return Buffer(record->body.begin(), record->body.begin() + 8); };
    if (replaceable && !later.emplace(record->id, key()).second) continue;
    kept.push_back(std::move(*record));
  }
  state.records.assign(kept.rbegin(), kept.rend());
  return state;
}

inline LoadedState live_state(const std::map<std::string, Buffer>& files) {
  const FreshRead read = read_fresh(files);
  return read.failure.empty() ? without_replaced(read.state) : LoadedState{};
}

/// The state without updates whose add is not there: they say nothing to a broker, and their file
/// may be freed at any time.
inline LoadedState without_lone(LoadedState state) {
  std::set<std::int64_t> added;
  std::erase_if(state.records, [&](const LoadedRecord& record) {
    if (!record.is_update) added.insert(record.id);
    return !added.contains(record.id);
  });
  return state;
}

/// Compacts what is on the disk; gives the error, or nothing.
inline std::optional<Error> compact(FaultyDirectory& disk,
                                    journal::CompactorOptions options = compactor_options(),
                                    journal::CompactionFigures* figures = nullptr) {
  InlineRunner runner;
  PwriteEngine engine(runner);
  NoFindings sink;
  auto compactor = journal::Compactor::in_place(disk, engine, std::move(options), sink);
  while (true) {
    const auto more = compactor.step(1000);
    if (!more) return more.error();
    if (!*more) break;
  }
  if (figures != nullptr) *figures = compactor.figures();
  return std::nullopt;
}

inline void put_all(FaultyDirectory& disk, const std::map<std::string, Buffer>& files) {
  for (const auto& [name, content] : files) disk.put(name, content);
}

}  // namespace saranga::test
