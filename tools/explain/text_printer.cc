#include "tools/explain/text_printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/message/record_types.h"
#include "tools/cli/humanise.h"
#include "tools/cli/text_width.h"

namespace saranga::explain {
namespace {

using cli::Column;
using cli::human_bytes;
using cli::human_count;
using cli::human_plural;
using cli::Table;
using journal::FileState;

Column text_column(const char* title, std::size_t least = 0) {
  return {.title = title, .least = least};
}

Column number_column(const char* title, bool optional = false) {
  return {.title = title, .kind = Column::Kind::kNumber, .optional = optional};
}

std::string count_or_blank(std::uint64_t count) {
  return count == 0 ? std::string() : human_count(count);
}

std::string bytes_or_blank(std::uint64_t bytes) {
  return bytes == 0 ? std::string() : human_bytes(bytes);
}

template <class Report>
std::vector<const Report*> biggest_first(const std::vector<Report>& reports) {
  std::vector<const Report*> sorted;
  for (const Report& report : reports) sorted.push_back(&report);
  std::ranges::stable_sort(sorted, std::greater<>(), &Report::size_bytes);
  return sorted;
}

}  // namespace

// ---- small things
// ---------------------------------------------------------------------------------

void TextPrinter::title(std::string_view text) {
  if (started_) out().put('\n');
  started_ = true;
  out().put(text);
  out().put('\n');
}

std::string TextPrinter::age(std::int64_t time_ms) const {
  return time_ms == 0 ? std::string() : cli::human_age(options_.now_ms - time_ms);
}

std::size_t TextPrinter::shown(std::size_t rows) const {
  return options_.rows == 0 ? rows : std::min(rows, options_.rows);
}

void TextPrinter::more(std::size_t rows) {
  if (shown(rows) == rows) return;
  out().put(fmt::format("… and {} more; --limit 0 shows all\n", human_count(rows - shown(rows))));
}

// ---- the overview
// ---------------------------------------------------------------------------------

void TextPrinter::overview(const store::Explanation& explanation) {
  parts(explanation);
  advice(explanation);
  queues(explanation);
  journal(explanation);
  pages(explanation);
  large_files(explanation);
  leftovers(explanation);
  bindings(explanation);
}

void TextPrinter::parts(const store::Explanation& explanation) {
  title("What is on disk");
  std::vector<store::PartTotal> parts = explanation.parts;
  std::ranges::stable_sort(parts, std::greater<>(), &store::PartTotal::size_bytes);
  Table table({text_column("part"), number_column("files"), number_column("size"),
               number_column("in use"), number_column("dead"), number_column("unused")},
              options_.width);
  for (const store::PartTotal& part : parts) {
    table.add(out(), {std::string(part.part), human_count(part.files), human_bytes(part.size_bytes),
                      human_bytes(part.live_bytes), human_bytes(part.dead_bytes),
                      human_bytes(part.unused_bytes)});
  }
  table.finish(out());
}

void TextPrinter::advice(const store::Explanation& explanation) {
  title("What would free space");
  if (explanation.advice.empty()) out().put("nothing: everything on disk is in use\n");
  bool closing = false;
  std::size_t number = 0;
  for (const store::Advice& advice : explanation.advice) {
    out().put(fmt::format("{:2}. {}\n", ++number, words_->advice(advice)));
    closing = closing || advice.close_current;
  }
  if (closing) {
    out().put(
        "Deletes count when the journal file that they are in is full and closed: a busy broker "
        "gets there soon, an idle one does not.\n");
  }
  if (options_.pool_files && *options_.pool_files >= 0) {
    out().put(
        fmt::format("Free journal files are used again; the disk gets back what exceeds "
                    "journal-pool-files, {}.\n",
                    *options_.pool_files));
  }
}

void TextPrinter::queues(const store::Explanation& explanation) {
  if (explanation.queues.empty()) return;
  title("Queues, that which frees most when emptied first");
  Table table(
      {text_column("queue", 12), number_column("messages"), number_column("in journal"),
       number_column("files", true), number_column("in pages"), number_column("pages", true),
       number_column("large"), number_column("emptied, it frees")},
      options_.width);
  for (std::size_t i = 0; i < shown(explanation.queues.size()); ++i) {
    const store::QueueUsage& queue = explanation.queues[i];
    table.add(out(),
              {words_->queue(queue.queue_id), human_count(queue.messages + queue.paged_messages),
               bytes_or_blank(queue.journal_bytes), count_or_blank(queue.journal_files),
               bytes_or_blank(queue.page_bytes), count_or_blank(queue.pages),
               bytes_or_blank(queue.large_bytes),
               queue.when_empty ? human_bytes(queue.when_empty->bytes) : "?"});
  }
  table.finish(out());
  more(explanation.queues.size());
}

void TextPrinter::journal(const store::Explanation& explanation) {
  if (explanation.journal.empty()) return;
  const auto count = [&](FileState state) {
    return std::ranges::count(explanation.journal, state, &store::JournalFileReport::state);
  };
  title(fmt::format("Message journal: {}, {} kept, {} can go, {} free",
                    human_plural(explanation.journal.size(), "file"), count(FileState::kKept),
                    count(FileState::kReclaimable), count(FileState::kFree)));
  files(explanation.journal);
  compaction(explanation.compaction);
}

void TextPrinter::files(const std::vector<store::JournalFileReport>& files) {
  Table table(
      {text_column("file", 12), number_column("size"), number_column("live"), number_column("dead"),
       text_column("state"), number_column("oldest", true), text_column("kept by", 16)},
      options_.width);
  std::vector<const store::JournalFileReport*> sorted;
  for (const auto* file : biggest_first(files)) {
    if (file->state() != FileState::kFree) sorted.push_back(file);
  }
  for (std::size_t i = 0; i < shown(sorted.size()); ++i) {
    const store::JournalFileReport& file = *sorted[i];
    table.add(
        out(),
        {file.file, human_bytes(file.size_bytes), human_bytes(file.live_bytes + file.pending_bytes),
         human_bytes(file.dead_bytes), std::string(state_word(file.state())),
         file.oldest ? age(file.oldest->timestamp_ms) : "", words_->kept_by(file, files)});
  }
  table.finish(out());
  more(sorted.size());
}

void TextPrinter::compaction(const journal::CompactionOutlook& outlook) {
  const journal::CompactionRules& rules = *rules_;
  if (rules.min_files == 0) {
    out().put("The broker never compacts by itself: journal-compact-min-files is 0.\n");
    return;
  }
  out().put(fmt::format(
      "The broker {}: it does with more than {} closed files that hold less than "
      "{} % live bytes; {}, {} live, {} is the limit.\n",
      outlook.starts() ? "compacts by itself" : "does not compact by itself yet", rules.min_files,
      rules.percentage, human_plural(outlook.data_files, "closed file"),
      human_bytes(outlook.live_bytes), human_bytes(outlook.limit_bytes)));
  if (outlook.starts_by_updates) {
    out().put(fmt::format("It starts because of {} updates of {} records.\n",
                          human_count(outlook.replaceables), human_count(outlook.adds)));
  }
}

void TextPrinter::bindings(const store::Explanation& explanation) {
  if (explanation.bindings.empty()) return;
  title(fmt::format("Bindings journal: {}", human_plural(explanation.bindings.size(), "file")));
  files(explanation.bindings);
}

void TextPrinter::pages(const store::Explanation& explanation) {
  if (explanation.pages.empty()) return;
  title(fmt::format("Pages: {}", human_plural(explanation.pages.size(), "file")));
  Table table({text_column("address", 8), number_column("page"), number_column("size"),
               text_column("state"), number_column("entries", true), number_column("oldest", true),
               number_column("large", true), text_column("kept by", 16)},
              options_.width);
  std::size_t row = 0;
  for (const auto* page : biggest_first(explanation.pages)) {
    if (row++ == shown(explanation.pages.size())) break;
    table.add(out(),
              {page->address, page->number == 0 ? page->file : std::to_string(page->number),
               human_bytes(page->size_bytes), std::string(store::page_state_name(page->state)),
               human_count(page->entries), age(page->oldest_ms), bytes_or_blank(page->large_bytes),
               words_->kept_by(*page)});
  }
  table.finish(out());
  more(explanation.pages.size());
}

void TextPrinter::large_files(const store::Explanation& explanation) {
  if (explanation.large_files.empty()) return;
  title(fmt::format("Large messages: {}", human_plural(explanation.large_files.size(), "file")));
  Table table({text_column("file", 12), number_column("size"), text_column("state"),
               text_column("message is in", 12), text_column("kept by", 16)},
              options_.width);
  std::size_t row = 0;
  for (const auto* file : biggest_first(explanation.large_files)) {
    if (row++ == shown(explanation.large_files.size())) break;
    table.add(out(), {file->file, human_bytes(file->size_bytes),
                      std::string(store::large_state_name(file->state)), file->held_in,
                      words_->kept_by(*file)});
  }
  table.finish(out());
  more(explanation.large_files.size());
}

void TextPrinter::leftovers(const store::Explanation& explanation) {
  if (explanation.leftovers.empty()) return;
  title("Other files beside the journals");
  Table table({text_column("file", 12), number_column("size"), text_column("what it is"),
               text_column("next start")},
              options_.width);
  for (const store::Leftover& leftover : explanation.leftovers) {
    table.add(out(), {leftover.file, human_bytes(leftover.size_bytes), std::string(leftover.why),
                      leftover.next_start_deletes ? "deletes it" : "leaves it"});
  }
  table.finish(out());
}

// ---- targets
// --------------------------------------------------------------------------------------

void TextPrinter::begin_target(const store::Explanation& explanation, const Target& target,
                               const IdFacts* facts) {
  pins_.reset();
  pinned_file_.clear();
  switch (target.kind) {
    case Target::Kind::kJournalFile: {
      const auto& files = target.journal == journal::JournalKind::kMessages ? explanation.journal
                                                                            : explanation.bindings;
      journal_target(files[target.index], files);
      break;
    }
    case Target::Kind::kPage: page_target(explanation.pages[target.index]); break;
    case Target::Kind::kLargeFile: large_target(explanation.large_files[target.index]); break;
    case Target::Kind::kId:
      if (facts != nullptr) id_target(target, *facts);
  }
}

void TextPrinter::journal_target(const store::JournalFileReport& file,
                                 const std::vector<store::JournalFileReport>& all) {
  title(fmt::format("{}: {}", cli::printable(file.file), state_word(file.state())));
  out().put(fmt::format("  {}: {} live, {} dead, {} of earlier uses, {} never written\n",
                        human_bytes(file.size_bytes),
                        human_bytes(file.live_bytes + file.pending_bytes),
                        human_bytes(file.dead_bytes), human_bytes(file.account.stale_bytes),
                        human_bytes(file.account.padding_bytes)));
  const std::string reasons = words_->kept_by(file, all);
  if (!reasons.empty()) out().put(fmt::format("  kept by: {}\n", reasons));
  switch (file.state()) {
    case FileState::kFree: out().put("  holds nothing; a broker uses it again\n"); return;
    case FileState::kCurrent: out().put("  is written to, and takes no part in checks\n"); return;
    case FileState::kReclaimable: out().put("  becomes free at the next check\n"); return;
    case FileState::kKept: break;
  }
  if (file.too_many) {
    out().put("  waits for more than 256 earlier files: a compaction is the way\n");
    return;
  }
  out().put("  For it to go:\n");
  out().put(file.needs ? words_->needs(*file.needs, "    ")
                       : std::string("    everything in these files has to go\n"));
  for (const std::uint32_t other : file.held_by) {
    if (&all[other] == &file) continue;
    out().put(fmt::format("    {} has to go before it\n", cli::printable(all[other].file)));
  }
}

void TextPrinter::page_target(const store::PageReport& page) {
  title(fmt::format("{}: {}", cli::printable(page.file), store::page_state_name(page.state)));
  out().put(fmt::format("  page {} of address {}: {}, {}, {} of them still to be consumed\n",
                        page.number, cli::printable(page.address), human_bytes(page.size_bytes),
                        human_plural(page.entries, "message"), human_count(page.messages)));
  out().put(fmt::format("  kept by: {}\n", words_->kept_by(page)));
  if (page.large_bytes != 0) {
    out().put(fmt::format("  with it go large messages of {}\n", human_bytes(page.large_bytes)));
  }
}

void TextPrinter::large_target(const store::LargeFileReport& file) {
  title(fmt::format("{}: {}", cli::printable(file.file), store::large_state_name(file.state)));
  out().put(fmt::format("  body of message {}: {}\n", file.id, human_bytes(file.size_bytes)));
  if (!file.held_in.empty()) {
    out().put(fmt::format("  the message is in {}\n", cli::printable(file.held_in)));
  }
  out().put(fmt::format("  kept by: {}\n", words_->kept_by(file)));
}

void TextPrinter::id_target(const Target& target, const IdFacts& facts) {
  title(fmt::format("id {}", target.id));
  if (facts.queue != nullptr) {
    out().put(fmt::format("  queue {} of address {}\n", cli::printable(facts.queue->name),
                          cli::printable(facts.queue->address)));
    if (facts.usage == nullptr) out().put("  keeps nothing\n");
  }
  if (facts.usage != nullptr) {
    const store::QueueUsage& usage = *facts.usage;
    out().put(fmt::format(
        "  {} in {}, {} in {}, {} ({})\n", human_plural(usage.messages, "message"),
        human_plural(usage.journal_files, "journal file"), human_count(usage.paged_messages),
        human_plural(usage.pages, "page"), human_plural(usage.large_files, "large message"),
        human_bytes(usage.large_bytes)));
    if (usage.when_empty) {
      out().put(fmt::format("  emptied, it frees {}\n", human_bytes(usage.when_empty->bytes)));
    }
  }
  if (facts.transaction != nullptr) {
    out().put(fmt::format("  {} transaction, with records in {}\n",
                          facts.transaction->prepared ? "prepared" : "unfinished",
                          human_plural(facts.transaction->files.size(), "journal file")));
  }
  if (facts.large != nullptr) {
    out().put(fmt::format("  {}: {}, kept by: {}\n", cli::printable(facts.large->file),
                          human_bytes(facts.large->size_bytes), words_->kept_by(*facts.large)));
  }
}

void TextPrinter::pin(const Target& /*target*/, const store::Pin& pin) {
  if (!pins_ || pinned_file_ != pin.file) {
    if (pins_) pins_->finish(out());
    pinned_file_ = pin.file;
    out().put(fmt::format("  In {}:\n", cli::printable(pin.file)));
    pins_.emplace(
        std::vector<Column>{text_column("  place"), text_column("kind"), number_column("id"),
                            text_column("type", 12), text_column("kept by", 16)},
        options_.width);
  }
  const bool paged = pin.why == store::Pin::Why::kPaged;
  const RecordType* type = pin.user_type == 0 ? nullptr : message::find_record_type(pin.user_type);
  const bool has_id = paged || journal::traits(pin.kind).has_id;
  pins_->add(out(), {paged ? fmt::format("  message {}", pin.page_index)
                           : fmt::format("  0x{:x}", pin.offset),
                     paged ? "paged" : std::string(journal::traits(pin.kind).name),
                     std::to_string(has_id ? pin.id : pin.tx_id),
                     type == nullptr ? "" : std::string(type->name), words_->why(pin)});
}

void TextPrinter::end_target(const Target& target, std::uint64_t pins, std::uint64_t left_out) {
  if (pins_) pins_->finish(out());
  pins_.reset();
  if (left_out != 0) {
    out().put(fmt::format("  … and {} more; --limit 0 shows all\n", human_count(left_out)));
  }
  if (pins == 0 && target.kind == Target::Kind::kId) {
    out().put("  keeps no journal file and no page\n");
  }
  output_.flush();
}

}  // namespace saranga::explain
