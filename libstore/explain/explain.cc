#include "saranga/store/explain.h"

#include <algorithm>
#include <map>

#include "libstore/explain/advice.h"
#include "libstore/explain/journal.h"
#include "libstore/explain/pages.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

// Of these types only the last update of an id counts, so that a compaction drops the others.
journal::LivenessOptions message_journal_options() {
  journal::LivenessOptions options;
  options.replaceable.set(static_cast<std::size_t>(message::kDeliveryCount));
  options.replaceable.set(static_cast<std::size_t>(message::kScheduledDelivery));
  return options;
}

std::string_view why_left(journal::OddFile::Why why) {
  switch (why) {
    case journal::OddFile::Why::kShort: return "short";
    case journal::OddFile::Why::kCreating: return "creating";
    case journal::OddFile::Why::kLeftover: return "leftover";
    case journal::OddFile::Why::kConsumed: return "consumed";
    case journal::OddFile::Why::kControl: return "control";
    case journal::OddFile::Why::kDuplicate: return "duplicate";
    case journal::OddFile::Why::kUnreadable: return "unreadable";
  }
  return "unreadable";
}

void list_leftovers(const LoadedJournal& loaded, std::string_view label, Explanation& out) {
  using Why = journal::OddFile::Why;
  for (const journal::OddFile& odd : loaded.folder.odd) {
    const bool deleted = odd.why != Why::kDuplicate && odd.why != Why::kUnreadable;
    out.leftovers.push_back({.file = std::string(label) + "/" + odd.name,
                             .size_bytes = odd.size_bytes,
                             .why = why_left(odd.why),
                             .next_start_deletes = deleted});
  }
}

// Files of a wrong size that were to become free are moved here, and stay.
void list_attic(const ReadableDirectory& journal, Explanation& out) {
  const auto entries = journal.list();
  if (!entries) return;
  const bool there = std::ranges::any_of(
      *entries, [](const DirectoryEntry& e) { return e.is_directory && e.name == "attic"; });
  if (!there) return;
  const auto attic = journal.open_directory("attic");
  if (!attic) return;
  const auto files = (*attic)->list();
  if (!files) return;
  for (const DirectoryEntry& file : *files) {
    if (file.is_directory) continue;
    out.leftovers.push_back(
        {.file = "journal/attic/" + file.name, .size_bytes = file.size_bytes, .why = "attic"});
  }
}

PartTotal total_of(std::string_view part, const std::vector<JournalFileReport>& files) {
  PartTotal total{.part = part, .files = files.size()};
  for (const JournalFileReport& file : files) {
    total.size_bytes += file.size_bytes;
    total.live_bytes += file.live_bytes + file.pending_bytes;
    total.dead_bytes += file.dead_bytes;
  }
  total.unused_bytes = total.size_bytes - total.live_bytes - total.dead_bytes;
  return total;
}

PartTotal total_of(const std::vector<PageReport>& pages) {
  PartTotal total{.part = "paging", .files = pages.size()};
  for (const PageReport& page : pages) {
    total.size_bytes += page.size_bytes;
    total.live_bytes += page.live_bytes;
  }
  total.dead_bytes = total.size_bytes - total.live_bytes;
  return total;
}

PartTotal total_of(const std::vector<LargeFileReport>& files) {
  PartTotal total{.part = "large-messages", .files = files.size()};
  for (const LargeFileReport& file : files) {
    const bool live = file.state == LargeState::kHeld || file.state == LargeState::kPage;
    total.size_bytes += file.size_bytes;
    (live ? total.live_bytes : total.dead_bytes) += file.size_bytes;
  }
  return total;
}

}  // namespace

StoreAccounting::StoreAccounting() : messages_(message_journal_options()) {}

void StoreAccounting::record(journal::JournalKind journal, const journal::Record& record,
                             std::size_t file) {
  (journal == journal::JournalKind::kMessages ? messages_ : bindings_).apply(record, file);
}

void StoreAccounting::finish() {
  messages_.finish();
  bindings_.finish();
}

std::uint64_t usual_file_size(const LoadedStore& store) {
  std::map<std::uint64_t, std::size_t> sizes;
  for (const journal::JournalFile& file : store.journal().folder.files) ++sizes[file.size_bytes];
  const auto usual =
      std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
  return usual == sizes.end() ? journal::CompactionRules{}.file_size_bytes : usual->first;
}

Explanation explain(const LoadedStore& store, const StoreAccounting& accounting,
                    const ExplainOptions& options, JobRunner& jobs, FindingSink& sink) {
  Explanation out;
  const HolderFinder finder(store);
  JournalExplainer journal(store.journal(), journal::JournalKind::kMessages, accounting.messages(),
                           &finder);
  JournalExplainer bindings(store.bindings(), journal::JournalKind::kBindings,
                            accounting.bindings(), nullptr);
  out.journal = journal.reports(store.model());
  out.bindings = bindings.reports(store.model());
  out.compaction = accounting.messages().outlook(options.rules, journal.verdicts());
  explain_pages(store, finder, jobs, sink, out);
  list_leftovers(store.journal(), "journal", out);
  list_leftovers(store.bindings(), "bindings", out);
  list_attic(*store.parts().journal, out);
  out.parts = {total_of("journal", out.journal), total_of("bindings", out.bindings),
               total_of(out.pages), total_of(out.large_files)};
  Adviser(store, journal, finder, options, out).advise();
  return out;
}

// ---- names
// ----------------------------------------------------------------------------------------

std::string_view release_name(Release release) {
  switch (release) {
    case Release::kNextStart: return "next_start";
    case Release::kPageDeleted: return "page_deleted";
    case Release::kPagedConsumed: return "paged_messages_consumed";
    case Release::kNewerIds: return "newer_duplicate_ids";
    case Release::kForgotten: return "forgotten";
    case Release::kReplaced: return "replaced";
    case Release::kConfiguration: return "configuration_removed";
    case Release::kCompaction: return "compaction";
  }
  return "compaction";
}

std::string_view page_state_name(PageState state) {
  switch (state) {
    case PageState::kHeld: return "held";
    case PageState::kCurrent: return "current";
    case PageState::kDone: return "done";
    case PageState::kAddressGone: return "address_gone";
    case PageState::kQuarantined: return "quarantined";
  }
  return "held";
}

std::string_view large_state_name(LargeState state) {
  switch (state) {
    case LargeState::kHeld: return "held";
    case LargeState::kPage: return "page";
    case LargeState::kUnreferenced: return "unreferenced";
    case LargeState::kOrphan: return "orphan";
    case LargeState::kTemporary: return "temporary";
    case LargeState::kSync: return "sync";
  }
  return "held";
}

std::string_view action_name(Advice::Action action) {
  switch (action) {
    case Advice::Action::kNothing: return "none";
    case Advice::Action::kStart: return "start";
    case Advice::Action::kAcknowledge: return "acknowledge";
    case Advice::Action::kEmptyQueue: return "empty_queue";
    case Advice::Action::kSettle: return "settle";
    case Advice::Action::kCompact: return "compact";
  }
  return "none";
}

std::string_view why_name(Pin::Why why) {
  switch (why) {
    case Pin::Why::kMessage: return "message";
    case Pin::Why::kUnreferenced: return "unreferenced_message";
    case Pin::Why::kRecord: return "record";
    case Pin::Why::kTransaction: return "transaction";
    case Pin::Why::kNeededDelete: return "needed_delete";
    case Pin::Why::kNeededOutcome: return "needed_outcome";
    case Pin::Why::kReplaced: return "replaced";
    case Pin::Why::kPaged: return "paged_message";
  }
  return "message";
}

}  // namespace saranga::store
