#include "tools/explain/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cli/humanise.h"
#include "tools/cli/text_width.h"

namespace saranga::explain {
namespace {

using cli::human_bytes;
using cli::human_count;
using cli::human_plural;
using journal::FileState;
using store::Pin;
using store::Release;

constexpr std::size_t kMostQueues = 2;  // named in a row of a table
constexpr std::size_t kMostListed = 3;  // named in a sentence
constexpr std::size_t kMostIds = 20;

void add_part(std::string& text, const std::string& part, std::string_view between = ", ") {
  if (part.empty()) return;
  if (!text.empty()) text += between;
  text += part;
}

// "deletes of activemq-data-1.amq": what the file needs to stay for.
std::string needed_deletes(const store::JournalFileReport& file,
                           const std::vector<store::JournalFileReport>& all) {
  const auto& needed = file.verdict.needed_for;
  if (needed.empty()) return {};
  if (needed.size() == 1) {
    return fmt::format("has deletes for {}", base_name(all[needed.front().file].file));
  }
  return fmt::format("has deletes for {} earlier files", human_count(needed.size()));
}

std::string transactions(const std::vector<store::TransactionShare>& shares) {
  if (shares.empty()) return {};
  if (shares.size() > 1) return human_count(shares.size()) + " transactions";
  return fmt::format("{} transaction {}", shares[0].prepared ? "prepared" : "unfinished",
                     shares[0].tx_id);
}

std::string type_text(const store::RecordShare& share) {
  return share.name.empty() ? fmt::format("type {}", share.user_type) : std::string(share.name);
}

std::string records(const std::vector<store::RecordShare>& shares) {
  if (shares.empty()) return {};
  if (shares.size() == 1) {
    return fmt::format("{} {}", human_count(shares[0].records), type_text(shares[0]));
  }
  std::uint64_t count = 0;
  for (const store::RecordShare& share : shares) count += share.records;
  return fmt::format("{} of {} kinds", human_plural(count, "other record"), shares.size());
}

std::string freed(const store::Freed& freed) {
  std::string text;
  const auto part = [&](std::uint64_t count, const char* noun) {
    if (count != 0) add_part(text, human_plural(count, noun));
  };
  part(freed.journal_files, "journal file");
  part(freed.pages, "page");
  part(freed.large_files, "large message");
  part(freed.others, "leftover");
  return fmt::format("{} ({})", text, human_bytes(freed.bytes));
}

// ": 12, 15, 18"; too many of them are left to JSON.
std::string ids(const store::Advice& advice) {
  if (advice.message_ids.size() > kMostIds || advice.message_ids.size() < advice.messages)
    return {};
  std::string text;
  for (const std::int64_t id : advice.message_ids) add_part(text, std::to_string(id));
  return text.empty() ? text : ": " + text;
}

}  // namespace

std::string_view base_name(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string_view::npos ? file : file.substr(slash + 1);
}

std::string_view state_name(FileState state) {
  switch (state) {
    case FileState::kFree: return "free";
    case FileState::kCurrent: return "current";
    case FileState::kReclaimable: return "reclaimable";
    case FileState::kKept: return "kept";
  }
  return "kept";
}

std::string_view state_word(FileState state) {
  return state == FileState::kReclaimable ? "can go" : state_name(state);
}

std::string_view release_words(Release release) {
  switch (release) {
    case Release::kNextStart: return "the next start deletes them";
    case Release::kPageDeleted: return "they go with their pages";
    case Release::kPagedConsumed:
      return "they go when the transaction's paged messages are consumed";
    case Release::kNewerIds: return "newer duplicate ids push them out of the cache";
    case Release::kForgotten: return "they go when whoever waits for them has settled it";
    case Release::kReplaced: return "the next one replaces them";
    case Release::kConfiguration: return "they stay as long as what they describe";
    case Release::kCompaction: return "only a compaction removes them";
  }
  return {};
}

std::string Words::queue(std::int64_t id) const {
  const bindings::Queue* queue = catalog_.queue(id);
  return queue == nullptr ? fmt::format("queue id {}", id) : cli::printable(queue->name);
}

std::string Words::queues(const std::vector<store::QueueShare>& shares, std::size_t most) const {
  std::string text;
  for (const store::QueueShare& share : shares) {
    if (&share == shares.data() + most) {
      return fmt::format("{} and {}", text, human_plural(shares.size() - most, "other queue"));
    }
    add_part(text, fmt::format("{} {}", queue(share.queue_id), human_count(share.messages)));
  }
  return text;
}

std::string Words::messages_of(const std::vector<store::QueueShare>& shares, std::size_t most,
                               std::uint64_t left_out) const {
  std::string text;
  for (const store::QueueShare& share : shares) {
    if (&share == shares.data() + most) {
      return fmt::format("{} and of {}", text,
                         human_plural(shares.size() - most + left_out, "other queue"));
    }
    add_part(text,
             fmt::format("{} of queue {}",
                         text.empty() ? human_plural(share.messages, "message")
                                      : human_count(share.messages),
                         queue(share.queue_id)),
             " and ");
  }
  return text;
}

std::string Words::kept_by(const store::JournalFileReport& file,
                           const std::vector<store::JournalFileReport>& all) const {
  std::string text = queues(file.queues, kMostQueues);
  if (file.unreferenced != 0) {
    add_part(text, human_plural(file.unreferenced, "message") + " on no queue");
  }
  add_part(text, transactions(file.transactions));
  add_part(text, records(file.others));
  if (file.state() != FileState::kKept) return text;
  add_part(text, needed_deletes(file, all));
  if (file.verdict.cancelled_by_current != 0) add_part(text, "deleted in the current file");
  if (file.replaced_records != 0) add_part(text, "ids that were added twice");
  if (file.verdict.cancelled_too_early != 0) add_part(text, "deleted in an earlier file");
  if (file.verdict.retention_pending) add_part(text, "copy to the retention folder");
  return text;
}

std::string Words::kept_by(const store::PageReport& page) const {
  std::string text = queues(page.queues, kMostQueues);
  add_part(text, transactions(page.transactions));
  if (!text.empty()) return text;
  switch (page.state) {
    case store::PageState::kCurrent: return "goes when the address leaves page mode";
    case store::PageState::kDone: return "nothing: the next clean-up deletes it";
    case store::PageState::kAddressGone: return "nothing: there is no such address";
    case store::PageState::kQuarantined: return "put aside because of damage";
    case store::PageState::kHeld: break;
  }
  return text;
}

std::string Words::kept_by(const store::LargeFileReport& file) const {
  std::string text;
  const std::size_t named = std::min(file.queues.size(), kMostQueues + 1);
  for (std::size_t i = 0; i < named; ++i) add_part(text, queue(file.queues[i]));
  if (named < file.queues.size()) {
    add_part(text, human_plural(file.queues.size() - named, "other queue"));
  }
  for (const std::int64_t id : file.transactions) {
    add_part(text, fmt::format("prepared transaction {}", id));
  }
  switch (file.state) {
    case store::LargeState::kHeld: break;
    case store::LargeState::kPage:
      add_part(text, fmt::format("goes with page {}", base_name(file.held_in)));
      break;
    case store::LargeState::kUnreferenced:
      add_part(text, "nothing: its message is on no queue");
      break;
    case store::LargeState::kOrphan: add_part(text, "nothing: there is no such message"); break;
    case store::LargeState::kTemporary: add_part(text, "nothing: not durable"); break;
    case store::LargeState::kSync: add_part(text, "left by a replica"); break;
  }
  return text;
}

std::string Words::needs(const store::Needs& needs, std::string_view indent) const {
  std::string text;
  const auto line = [&](const std::string& sentence) {
    text += fmt::format("{}{}\n", indent, sentence);
  };
  if (needs.messages != 0) {
    line(messages_of(needs.acknowledge, kMostListed, needs.other_queues) +
         (needs.messages == 1 ? " has to be acknowledged" : " have to be acknowledged"));
  }
  if (needs.unreferenced != 0) {
    line(human_plural(needs.unreferenced, "message") + " on no queue: the next start deletes them");
  }
  for (const store::TransactionShare& share : needs.settle) {
    line(share.prepared
             ? fmt::format("prepared transaction {} has to be settled", share.tx_id)
             : fmt::format("unfinished transaction {}: the next start rolls it back", share.tx_id));
  }
  for (const store::RecordShare& share : needs.others) {
    line(fmt::format("{} {}: {}", human_count(share.records), type_text(share),
                     release_words(share.release)));
  }
  if (needs.compaction)
    line("ids that were added twice or deleted too early: only a compaction helps");
  if (needs.retention_copy) line("the copy to the retention folder has to be made");
  if (needs.close_current || needs.messages != 0) {
    line("the current file has to be full, so that the deletes in it count");
  }
  return text;
}

std::string Words::advice(const store::Advice& advice) const {
  using Action = store::Advice::Action;
  const std::string what = freed(advice.frees);
  switch (advice.action) {
    case Action::kNothing:
      return advice.close_current
                 ? fmt::format("nothing: {} can go when the current journal file is full", what)
                 : fmt::format("nothing: {} can go at the next check", what);
    case Action::kStart:
      return fmt::format(
          "starting the broker frees {}{}", what,
          advice.close_current ? ", part of it when the current journal file is full" : "");
    case Action::kAcknowledge:
      return fmt::format("acknowledging {} frees {}{}", messages_of(advice.queues, kMostListed),
                         what, ids(advice));
    case Action::kEmptyQueue:
      return fmt::format("emptying queue {} ({}) frees {}", queue(advice.queues[0].queue_id),
                         human_plural(advice.messages, "message"), what);
    case Action::kSettle:
      return fmt::format("{} prepared transaction {} frees {}",
                         advice.outcome == "commit"     ? "committing"
                         : advice.outcome == "rollback" ? "rolling back"
                                                        : "settling",
                         advice.tx_id, what);
    case Action::kCompact:
      return fmt::format("compacting the journal frees about {}, leaving {}{}", what,
                         human_plural(advice.output_files + 1, "file"),
                         advice.by_itself ? "; the broker starts it by itself" : "");
  }
  return {};
}

std::string Words::why(const Pin& pin) const {
  std::string text;
  for (const std::int64_t id : pin.queues) add_part(text, "queue " + queue(id));
  for (const std::int64_t id : pin.transactions) {
    add_part(text, fmt::format("transaction {}", id));
  }
  switch (pin.why) {
    case Pin::Why::kMessage:
    case Pin::Why::kPaged:
    case Pin::Why::kTransaction: return text;
    case Pin::Why::kUnreferenced: return "message on no queue";
    case Pin::Why::kRecord: return fmt::format("counts: {}", release_words(pin.release));
    case Pin::Why::kReplaced: return "was added again";
    case Pin::Why::kNeededDelete:
    case Pin::Why::kNeededOutcome: break;
  }
  for (const std::string_view file : pin.needed_for) add_part(text, std::string(base_name(file)));
  return fmt::format("{} what is in {}", pin.why == Pin::Why::kNeededDelete ? "deletes" : "ends",
                     text);
}

}  // namespace saranga::explain
