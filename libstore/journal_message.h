// Reading a message of the journal again, by its place. Private to this folder.
#pragma once

#include <optional>

#include "saranga/store/live_messages.h"

namespace saranga::store {

/// One thread, within the lifetime of the store and the sink.
class JournalMessageReader {
 public:
  JournalMessageReader(const LoadedStore& store, FindingSink& sink)
      : store_(store), sink_(sink), fetcher_(store.fetcher()) {}

  /// What the record says: no queue, state or schedule. Views hold until the next call. Nothing,
  /// and a finding, when the record is no longer there.
  [[nodiscard]] std::optional<LiveMessage> read(const Message& message);

 private:
  const LoadedStore& store_;
  FindingSink& sink_;
  journal::RecordFetcher fetcher_;
};

}  // namespace saranga::store
