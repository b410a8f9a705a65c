#include <algorithm>

#include "libstore/small_journal.h"
#include "libstore/verify/account.h"
#include "libstore/verify/cross_checks.h"
#include "libstore/verify/page_checker.h"
#include "libstore/verify/record_checker.h"
#include "saranga/store/cross_findings.h"
#include "saranga/store/verify.h"

namespace saranga::store {
namespace {

/// Lets the findings of the wanted levels through, with a command that helps.
class LevelSink final : public FindingSink {
 public:
  LevelSink(const VerifyOptions& options, FindingSink& sink) : options_(options), sink_(sink) {}

  void finding(Finding finding) override {
    const FindingCode* known = find_finding_code(finding.code);
    if (known != nullptr && known->level > options_.level) return;
    if (finding.next.empty()) finding.next = suggest_next(finding, options_.store);
    sink_.finding(std::move(finding));
  }

 private:
  const VerifyOptions& options_;
  FindingSink& sink_;
};

}  // namespace

struct Verifier::State {
  enum class Stage : std::uint8_t { kFolders, kLoad, kPages, kCross, kDone };

  State(StoreParts given, VerifyOptions wanted, FindingSink& outer, JobRunner& runner)
      : options(std::move(wanted)), sink(options, outer), jobs(runner), parts(std::move(given)) {
    report.level = options.level;
  }

  [[nodiscard]] Result<bool> step();
  [[nodiscard]] Result<void> read_folders();
  [[nodiscard]] Result<void> read_headers();
  [[nodiscard]] Result<void> read_jms();
  void begin_load();
  [[nodiscard]] Result<void> step_load();
  void check_across();
  void add_part(const PartAccount& account) {
    if (account.file_count != 0) report.parts.push_back(account);
  }

  VerifyOptions options;
  LevelSink sink;
  JobRunner& jobs;
  StoreParts parts;  // moved into the loader
  VerifyReport report;
  Stage stage = Stage::kFolders;
  RecordChecker records{options, sink};
  std::optional<LoadedJournal> jms;
  std::unique_ptr<Loader> loader;
  std::unique_ptr<LoadedStore> store;
  std::unique_ptr<PageChecker> pages;
};

Result<bool> Verifier::State::step() {
  Result<void> done;
  switch (stage) {
    case Stage::kFolders: done = read_folders(); break;
    case Stage::kLoad: done = step_load(); break;
    case Stage::kPages:
      if (pages->step()) break;
      jobs.drain();
      stage = Stage::kCross;
      break;
    case Stage::kCross:
      check_across();
      stage = Stage::kDone;
      break;
    case Stage::kDone: break;
  }
  if (!done) return std::unexpected(done.error());
  return stage != Stage::kDone;
}

Result<void> Verifier::State::read_folders() {
  if (options.level == CheckLevel::kHeader) {
    stage = Stage::kDone;
    return read_headers();
  }
  stage = Stage::kLoad;
  if (auto read = read_jms(); !read) return read;
  begin_load();
  return {};
}

// Only names, sizes and headers.
Result<void> Verifier::State::read_headers() {
  report_missing_journals(*parts.bindings, *parts.journal, sink);
  struct Row {
    const ReadableDirectory* directory;
    journal::JournalKind kind;
    std::string_view part;
    std::string_view label;
  };
  const Row rows[] = {
      {parts.bindings.get(), journal::JournalKind::kBindings, "bindings", "bindings"},
      {parts.bindings.get(), journal::JournalKind::kJms, "jms", "bindings"},
      {parts.journal.get(), journal::JournalKind::kMessages, "journal", "journal"}};
  for (const Row& row : rows) {
    const auto folder = journal::read_folder(*row.directory, row.kind, row.label, sink);
    if (!folder) return std::unexpected(folder.error());
    add_part(header_account(row.part, *folder));
  }
  const auto page_stores = paging::list_page_stores(*parts.paging, "paging", sink);
  if (!page_stores) return std::unexpected(page_stores.error());
  PartAccount paging{.part = "paging"};
  for (const paging::PageStore& page_store : *page_stores) {
    for (const paging::Page& page : page_store.pages) {
      paging.unread_bytes += page.size_bytes;
      paging.total_bytes += page.size_bytes;
    }
  }
  add_other_paging_files(*parts.paging, paging);
  add_part(paging);
  const auto large = message::list_large_files(*parts.large_messages, "large-messages", sink);
  if (!large) return std::unexpected(large.error());
  report.large_file_count = large->size();
  add_part(large_account(*parts.large_messages, std::nullopt));
  add_part(other_account(parts));
  return {};
}

// Releases before 2.0 keep a third journal beside the bindings.
Result<void> Verifier::State::read_jms() {
  auto loaded = load_small_journal(*parts.bindings, journal::JournalKind::kJms, "bindings",
                                   {.check = &records}, sink);
  if (!loaded) return std::unexpected(loaded.error());
  if (!loaded->folder.files.empty() || !loaded->folder.odd.empty()) jms = std::move(*loaded);
  return {};
}

void Verifier::State::begin_load() {
  LoadOptions load{.now_ms = options.now_ms};
  if (options.level >= CheckLevel::kTransactions) load.check = &records;
  loader = std::make_unique<Loader>(std::move(parts), load, sink, jobs);
}

Result<void> Verifier::State::step_load() {
  const auto more = loader->step();
  if (!more) return std::unexpected(more.error());
  if (*more) return {};
  store = loader->take();
  pages = std::make_unique<PageChecker>(*store, options, sink, jobs);
  stage = Stage::kPages;
  return {};
}

void Verifier::State::check_across() {
  const CrossInput input{.store = *store,
                         .options = options,
                         .records = records.gathered(),
                         .pages = pages->gathered()};
  std::optional<std::uint64_t> live_bodies;
  if (options.level >= CheckLevel::kTransactions) check_transactions(input, sink);
  if (options.level >= CheckLevel::kBodies) check_releases(input, sink);
  if (options.level >= CheckLevel::kCross) {
    check_bindings(input, sink);
    live_bodies = check_messages(input, sink);
    check_paging(input, sink);
  }
  add_part(journal_account("bindings", store->bindings(), options.level, sink));
  if (jms) add_part(journal_account("jms", *jms, options.level, sink));
  add_part(journal_account("journal", store->journal(), options.level, sink));
  PartAccount paging = pages->gathered().account;
  add_other_paging_files(*store->parts().paging, paging);
  add_part(paging);
  add_part(large_account(*store->parts().large_messages, live_bodies));
  add_part(other_account(store->parts()));
  for (const LoadedJournal* journal : {&store->bindings(), &store->journal()}) {
    for (const ScannedFile& file : journal->scanned) report.record_count += file.records;
  }
  if (jms) {
    for (const ScannedFile& file : jms->scanned) report.record_count += file.records;
  }
  report.message_count = store->model().live_messages();
  report.reference_count = store->model().live_references();
  report.paged_message_count = pages->gathered().message_count;
  if (options.level >= CheckLevel::kCross) {
    report.live_paged_message_count = pages->gathered().live_message_count;
  }
  report.large_file_count = store->large_files().size();
}

Verifier::Verifier(StoreParts parts, VerifyOptions options, FindingSink& sink, JobRunner& jobs)
    : state_(std::make_unique<State>(std::move(parts), std::move(options), sink, jobs)) {}

// Jobs that are under way refer to the state.
Verifier::~Verifier() { state_->jobs.drain(); }

Result<bool> Verifier::step() { return state_->step(); }
const VerifyReport& Verifier::report() const { return state_->report; }
std::uint64_t Verifier::read_bytes() const {
  return state_->loader ? state_->loader->read_bytes() : 0;
}
std::uint64_t Verifier::total_bytes() const {
  return state_->loader ? state_->loader->total_bytes() : 0;
}

void PartAccount::add(const PartAccount& other) {
  file_count += other.file_count;
  header_bytes += other.header_bytes;
  record_bytes += other.record_bytes;
  if (other.live_bytes) live_bytes = live_bytes.value_or(0) + *other.live_bytes;
  stale_bytes += other.stale_bytes;
  padding_bytes += other.padding_bytes;
  unreadable_bytes += other.unreadable_bytes;
  ignored_bytes += other.ignored_bytes;
  unread_bytes += other.unread_bytes;
  total_bytes += other.total_bytes;
}

PartAccount VerifyReport::total() const {
  PartAccount sum{.part = "total"};
  for (const PartAccount& part : parts) sum.add(part);
  // A sum in which something is missing would be wrong.
  const bool all_known = std::ranges::all_of(
      parts, [](const PartAccount& part) { return part.live_bytes || part.record_bytes == 0; });
  if (!all_known) sum.live_bytes.reset();
  return sum;
}

Result<VerifyReport> verify_store(StoreParts parts, VerifyOptions options, FindingSink& sink,
                                  JobRunner& jobs) {
  Verifier verifier(std::move(parts), std::move(options), sink, jobs);
  while (true) {
    const auto more = verifier.step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return verifier.report();
  }
}

}  // namespace saranga::store
