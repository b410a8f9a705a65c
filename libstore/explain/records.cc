// The single records that hold a file: the file is read again, and those whose deletes it has.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "libstore/explain/pins.h"
#include "saranga/bytes/id_hash.h"
#include "saranga/journal/scanner.h"
#include "saranga/store/explain.h"
#include "saranga/store/pages.h"

namespace saranga::store {
namespace {

using journal::Record;
using journal::RecordKind;

bool is_add_or_update(RecordKind kind) {
  return kind == RecordKind::kAdd || kind == RecordKind::kUpdate || kind == RecordKind::kAddTx ||
         kind == RecordKind::kUpdateTx;
}

bool is_delete(RecordKind kind) {
  return kind == RecordKind::kDelete || kind == RecordKind::kDeleteTx;
}

bool is_outcome(RecordKind kind) {
  return kind == RecordKind::kCommit || kind == RecordKind::kRollback;
}

/// Reads every record of one file again.
Result<void> scan(const ReadableDirectory& directory, const journal::JournalFile& listed,
                  const std::function<bool(const Record&)>& visit) {
  const auto file = directory.open(listed.name);
  if (!file) return std::unexpected(file.error());
  journal::FileScanner scanner(**file, listed.header);
  journal::Batch batch;
  auto more = scanner.next(batch);
  for (; more && *more; more = scanner.next(batch)) {
    for (const Record& record : batch.records) {
      if (!visit(record)) return {};
    }
  }
  if (!more) return std::unexpected(more.error());
  return {};
}

void describe(Pin& pin, const Record& record) {
  pin.offset = record.offset;
  pin.length_bytes = record.length_bytes;
  pin.kind = record.kind;
  pin.user_type = record.user_type;
  pin.id = record.id;
  pin.tx_id = record.tx_id;
}

/// Tells what keeps a live record of the message journal.
void set_holder(Pin& pin, Holder holder) {
  switch (holder.kind) {
    case Holder::Kind::kMessage: pin.why = Pin::Why::kMessage; break;
    case Holder::Kind::kUnreferenced:
      pin.why = Pin::Why::kUnreferenced;
      pin.release = Release::kNextStart;
      break;
    case Holder::Kind::kRecord:
      pin.why = Pin::Why::kRecord;
      pin.release = release_of(journal::JournalKind::kMessages, holder.user_type);
  }
  pin.queues = std::move(holder.queues);
  pin.transactions = std::move(holder.transactions);
}

/// Matches the records of a file with what the accounting holds live in it.
class LiveMatcher {
 public:
  LiveMatcher(const journal::Liveness& liveness, std::uint32_t file)
      : liveness_(liveness), file_(file) {}

  /// Whether the accounting counts this record; each is counted once.
  [[nodiscard]] bool takes(const Record& record) {
    const auto [known, fresh] = left_.try_emplace(record.id);
    if (fresh) {
      known->second = liveness_.records_of(record.id);
      if (!known->second.empty()) first_types_[record.id] = known->second.back().user_type;
      std::erase_if(known->second, [this](const auto& r) { return r.file != file_; });
      std::ranges::reverse(known->second);
    }
    std::vector<journal::LiveRecord>& left = known->second;
    const auto found = std::ranges::find_if(left, [&](const journal::LiveRecord& counted) {
      return counted.user_type == record.user_type && counted.length_bytes == record.length_bytes;
    });
    if (found == left.end()) return false;
    left.erase(found);
    return true;
  }
  /// The type of the record that made an id live.
  [[nodiscard]] std::int8_t first_type(std::int64_t id) const {
    const auto found = first_types_.find(id);
    return found == first_types_.end() ? std::int8_t{0} : found->second;
  }

 private:
  const journal::Liveness& liveness_;
  std::uint32_t file_;
  IdMap<std::vector<journal::LiveRecord>> left_;
  IdMap<std::int8_t> first_types_;
};

/// The walk over one file of a journal.
class PinWalk {
 public:
  PinWalk(const LoadedStore& store, const StoreAccounting& accounting,
          const std::vector<JournalFileReport>& reports, journal::JournalKind kind,
          std::size_t file, PinVisitor& visitor)
      : loaded_(kind == journal::JournalKind::kMessages ? store.journal() : store.bindings()),
        directory_(kind == journal::JournalKind::kMessages ? *store.parts().journal
                                                           : *store.parts().bindings),
        liveness_(kind == journal::JournalKind::kMessages ? accounting.messages()
                                                          : accounting.bindings()),
        finder_(store),
        reports_(reports),
        kind_(kind),
        file_(file),
        visitor_(visitor),
        matcher_(liveness_, static_cast<std::uint32_t>(file)) {
    for (const journal::OpenTouch& open : liveness_.open()) open_.insert(open.tx_id);
  }

  [[nodiscard]] Result<void> walk();

 private:
  [[nodiscard]] Result<void> find_targets();
  [[nodiscard]] std::optional<Pin> pin_of(const Record& record);
  [[nodiscard]] bool pin_live(Pin& pin, const Record& record);
  [[nodiscard]] bool pin_needed(Pin& pin, const Record& record) const;

  const LoadedJournal& loaded_;
  const ReadableDirectory& directory_;
  const journal::Liveness& liveness_;
  HolderFinder finder_;
  const std::vector<JournalFileReport>& reports_;
  journal::JournalKind kind_;
  std::size_t file_;
  PinVisitor& visitor_;
  LiveMatcher matcher_;
  IdHashSet open_;
  // Earlier files that hold what is deleted or ended here, by record or transaction id.
  IdMap<std::vector<std::string_view>> deleted_in_;
  IdMap<std::vector<std::string_view>> ended_in_;
};

// Which deletes are needed is not in the accounting: only how many, and for which files.
Result<void> PinWalk::find_targets() {
  const auto& needed_for = reports_[file_].verdict.needed_for;
  if (needed_for.empty()) return {};
  auto scanned = scan(directory_, loaded_.folder.files[file_], [&](const Record& record) {
    if (is_delete(record.kind) && !liveness_.is_live(record.id) &&
        !(record.kind == RecordKind::kDeleteTx && open_.contains(record.tx_id))) {
      deleted_in_[record.id];
    } else if (is_outcome(record.kind)) {
      ended_in_[record.tx_id];
    }
    return true;
  });
  if (!scanned) return scanned;
  for (const journal::Cancelling& earlier : needed_for) {
    const std::string_view label = loaded_.labels[earlier.file];
    const auto note = [&](auto& found_in, std::int64_t id) {
      const auto found = found_in.find(id);
      if (found == found_in.end()) return;
      if (found->second.empty() || found->second.back() != label) found->second.push_back(label);
    };
    scanned = scan(directory_, loaded_.folder.files[earlier.file], [&](const Record& record) {
      if (is_add_or_update(record.kind)) note(deleted_in_, record.id);
      if (journal::traits(record.kind).has_tx && !is_outcome(record.kind)) {
        note(ended_in_, record.tx_id);
      }
      return true;
    });
    if (!scanned) return scanned;
  }
  return {};
}

bool PinWalk::pin_live(Pin& pin, const Record& record) {
  if (!matcher_.takes(record)) {
    if (reports_[file_].replaced_records == 0 || !liveness_.is_live(record.id)) return false;
    pin.why = Pin::Why::kReplaced;
    return true;
  }
  if (kind_ != journal::JournalKind::kMessages) {
    pin.why = Pin::Why::kRecord;
    pin.release = release_of(kind_, record.user_type);
    return true;
  }
  set_holder(pin, finder_.find(record.id, matcher_.first_type(record.id)));
  return true;
}

bool PinWalk::pin_needed(Pin& pin, const Record& record) const {
  const bool outcome = is_outcome(record.kind);
  const auto& found_in = outcome ? ended_in_ : deleted_in_;
  const auto found = found_in.find(outcome ? record.tx_id : record.id);
  if (found == found_in.end() || found->second.empty()) return false;
  pin.why = outcome ? Pin::Why::kNeededOutcome : Pin::Why::kNeededDelete;
  pin.needed_for = found->second;
  return true;
}

std::optional<Pin> PinWalk::pin_of(const Record& record) {
  Pin pin{.file = loaded_.labels[file_]};
  describe(pin, record);
  if (journal::traits(record.kind).has_tx && open_.contains(record.tx_id)) {
    pin.why = Pin::Why::kTransaction;
    pin.transactions = {record.tx_id};
    return pin;
  }
  const bool pinned = is_add_or_update(record.kind)                       ? pin_live(pin, record)
                      : is_delete(record.kind) || is_outcome(record.kind) ? pin_needed(pin, record)
                                                                          : false;
  if (!pinned) return std::nullopt;
  return pin;
}

Result<void> PinWalk::walk() {
  if (auto found = find_targets(); !found) return found;
  return scan(directory_, loaded_.folder.files[file_], [this](const Record& record) {
    const auto pin = pin_of(record);
    return !pin || visitor_.pin(*pin);
  });
}

/// The entries that hold one page.
class PagePins final : public PageVisitor {
 public:
  /// Of one message only, when an id is given.
  PagePins(const LoadedStore& store, PinVisitor& visitor, std::optional<std::int64_t> only = {})
      : prepared_(store.model()), visitor_(visitor), only_(only) {}

  void entry(const VisitedEntry& entry) override;
  bool done() override { return stopped_; }

 private:
  PreparedIndex prepared_;
  PinVisitor& visitor_;
  std::optional<std::int64_t> only_;
  bool stopped_ = false;
};

void PagePins::entry(const VisitedEntry& entry) {
  if (only_ && entry.paged.message.id() != *only_) return;
  Pin pin{
      .file = entry.label,
      .offset = entry.entry.offset,
      .length_bytes = static_cast<std::uint32_t>(entry.entry.payload.size() + paging::kFrameBytes),
      .why = Pin::Why::kPaged,
      .id = entry.paged.message.id(),
      .tx_id = entry.paged.tx_id,
      .page_index = entry.entry.number};
  for (const PagedReference& reference : entry.references) {
    const std::int64_t queue = reference.queue;
    switch (reference.state) {
      case PagedState::kPending: pin.queues.push_back(queue); break;
      case PagedState::kInDoubtAck:
        pin.transactions.push_back(
            prepared_.of_paged(queue, entry.page->number, entry.entry.number));
        break;
      case PagedState::kInDoubtSend:
        pin.transactions.push_back(prepared_.of_page_transaction(entry.paged.tx_id));
        break;
      case PagedState::kConsumed:
      case PagedState::kUncommitted:
      case PagedState::kUnbound: break;
    }
  }
  std::ranges::sort(pin.transactions);
  const auto rest = std::ranges::unique(pin.transactions);
  pin.transactions.erase(rest.begin(), rest.end());
  if (pin.queues.empty() && pin.transactions.empty()) return;
  stopped_ = !visitor_.pin(pin);
}

}  // namespace

Result<void> visit_pins(const LoadedStore& store, const StoreAccounting& accounting,
                        const Explanation& explanation, journal::JournalKind journal,
                        std::size_t file, PinVisitor& visitor) {
  const auto& reports =
      journal == journal::JournalKind::kMessages ? explanation.journal : explanation.bindings;
  return PinWalk(store, accounting, reports, journal, file, visitor).walk();
}

void visit_pins(const LoadedStore& store, const PageReport& page, PinVisitor& visitor,
                FindingSink& sink) {
  PagePins pins(store, visitor);
  for (const paging::PageStore& page_store : store.page_stores()) {
    if (!page.file.starts_with("paging/" + page_store.folder + "/")) continue;
    for (const paging::Page& listed : page_store.pages) {
      if (page.file.ends_with("/" + listed.name)) {
        visit_page(store, page_store, listed, pins, sink);
      }
    }
  }
}

Result<void> visit_records_of(const LoadedStore& store, const StoreAccounting& accounting,
                              std::int64_t id, PinVisitor& visitor, FindingSink& sink) {
  const journal::Liveness& liveness = accounting.messages();
  std::set<std::uint32_t> files;
  for (const journal::LiveRecord& record : liveness.records_of(id)) files.insert(record.file);
  const HolderFinder finder(store);
  bool stopped = false;
  for (const std::uint32_t file : files) {
    LiveMatcher matcher(liveness, file);
    Pin pin{.file = store.journal().labels[file], .id = id};
    const auto visit = [&](const Record& record) {
      if (!is_add_or_update(record.kind) || record.id != id || !matcher.takes(record)) return true;
      describe(pin, record);
      set_holder(pin, finder.find(id, matcher.first_type(id)));
      stopped = !visitor.pin(pin);
      return !stopped;
    };
    auto scanned = scan(*store.parts().journal, store.journal().folder.files[file], visit);
    if (!scanned || stopped) return scanned;
  }
  PagePins pins(store, visitor, id);
  visit_pages(store, {}, pins, sink);
  return {};
}

}  // namespace saranga::store
