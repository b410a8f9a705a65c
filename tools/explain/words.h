// The words of `data explain`: why a file is there, and what would let it go, as parts of
// sentences.
#pragma once

#include <string>

#include "saranga/store/explain.h"

namespace saranga::explain {

/// Makes text of reasons. Names from the store are made safe to show.
class Words {
 public:
  explicit Words(const bindings::Catalog& catalog) : catalog_(catalog) {}

  /// The name of a queue, or "queue id 55" when it has no binding.
  [[nodiscard]] std::string queue(std::int64_t id) const;
  /// "orders 12, DLQ 3": queues with their messages, at most `most` of them.
  [[nodiscard]] std::string queues(const std::vector<store::QueueShare>& shares,
                                   std::size_t most) const;
  /// "3 messages of queue DLQ and 1 of queue orders"; `left_out` queues are not among the shares.
  [[nodiscard]] std::string messages_of(const std::vector<store::QueueShare>& shares,
                                        std::size_t most, std::uint64_t left_out = 0) const;
  /// Why a journal file is in its state; `all` are those of the same journal.
  [[nodiscard]] std::string kept_by(const store::JournalFileReport& file,
                                    const std::vector<store::JournalFileReport>& all) const;
  [[nodiscard]] std::string kept_by(const store::PageReport& page) const;
  [[nodiscard]] std::string kept_by(const store::LargeFileReport& file) const;
  /// What has to happen, one sentence a line, each behind `indent`.
  [[nodiscard]] std::string needs(const store::Needs& needs, std::string_view indent) const;
  /// One line of advice.
  [[nodiscard]] std::string advice(const store::Advice& advice) const;
  /// Why a record holds its file.
  [[nodiscard]] std::string why(const store::Pin& pin) const;

 private:
  const bindings::Catalog& catalog_;
};

[[nodiscard]] std::string_view state_name(journal::FileState state);
/// How people call it: "can go" for kReclaimable.
[[nodiscard]] std::string_view state_word(journal::FileState state);
/// What lets records of a type go, as the end of a sentence.
[[nodiscard]] std::string_view release_words(store::Release release);
/// The file name without its folder.
[[nodiscard]] std::string_view base_name(std::string_view file);

}  // namespace saranga::explain
