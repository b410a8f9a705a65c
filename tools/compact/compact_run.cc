#include "tools/compact/compact_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "saranga/bytes/no_findings.h"
#include "saranga/io/archive.h"
#include "saranga/io/disk_space.h"
#include "saranga/io/folder_copy.h"
#include "saranga/store/cross_findings.h"
#include "saranga/store/digest.h"
#include "tools/cli/humanise.h"
#include "tools/cli/new_store.h"
#include "tools/cli/running_broker.h"
#include "tools/compact/retention_copy.h"

namespace saranga::cli {
namespace {

using journal::Compactor;

// What a journal takes besides its files: the control file, and what the file system needs.
constexpr std::uint64_t kSpareBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kStepBytes = std::uint64_t{8} << 20;
constexpr const char* kIdentityFiles[] = {"server.lock", "server.activation.sequence"};
constexpr std::uint64_t kIdentityBytes = 4096;

/// A folder that somebody else owns, as a part of a store.
class BorrowedDirectory final : public ReadableDirectory {
 public:
  explicit BorrowedDirectory(const ReadableDirectory& real) : real_(real) {}
  [[nodiscard]] const std::string& path() const override { return real_.path(); }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override { return real_.list(); }
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override {
    return real_.open(name);
  }
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override {
    return real_.open_directory(name);
  }

 private:
  const ReadableDirectory& real_;
};

/// What loading a store tells, but for what the compaction of its journals tells itself.
class BesideJournals final : public FindingSink {
 public:
  explicit BesideJournals(FindingSink& sink) : sink_(sink) {}
  void finding(Finding finding) override {
    const std::string_view file = finding.file;
    if (file.starts_with("journal/") || file.starts_with("bindings/")) return;
    sink_.finding(std::move(finding));
  }

 private:
  FindingSink& sink_;
};

std::unique_ptr<ReadableDirectory> borrow(const ReadableDirectory& real) {
  return std::make_unique<BorrowedDirectory>(real);
}

Result<void> check_space(const std::string& folder, std::uint64_t needed) {
  const auto free = free_disk_bytes(folder);
  if (!free) return std::unexpected(free.error());
  if (*free >= needed + kSpareBytes) return {};
  return fail(ErrorCode::kIo,
              fmt::format("compaction needs {} there before it frees anything, and {} are free; "
                          "make room, or use --to with a folder on another disk",
                          human_bytes(needed + kSpareBytes), human_bytes(*free)),
              folder);
}

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto inside = path.lexically_relative(folder);
  return !inside.empty() && *inside.begin() != "..";
}

}  // namespace

struct CompactRun::Work {
  store::JournalPart part;
  const ReadableDirectory* from = nullptr;
  std::unique_ptr<PwriteEngine> engine;
  std::unique_ptr<Compactor> compactor;
};

CompactRun::CompactRun(VerbRun& run, const CompactOptions& options)
    : run_(run), options_(options) {}

CompactRun::~CompactRun() = default;

Error CompactRun::interrupted() const {
  return {.code = ErrorCode::kDamaged, .text = "stopped at the first damage, as --strict asks for"};
}

Result<CompactOutcome> CompactRun::run() {
  if (auto found = find(); !found) return std::unexpected(found.error());
  if (options_.dry_run) return plan();
  return options_.to.empty() ? in_place() : copy();
}

// ---- the store ----------------------------------------------------------------------------------

Result<void> CompactRun::find() {
  const StoreOptions& given = options_.verb.store;
  const bool archive = is_archive_name(given.store);
  if (archive && options_.to.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "an archive cannot be compacted in place; name a folder with --to", given.store);
  }
  if (!archive) {
    auto location = locate_store(run_.context(), given, !options_.verb.quiet);
    if (!location) return std::unexpected(location.error());
    location_ = std::move(*location);
  }
  auto parts = archive ? store::open_archive_parts(given.store) : store::open_parts(location_);
  if (!parts) return std::unexpected(parts.error());
  parts_ = std::move(*parts);
  if (options_.to.empty()) return {};
  if (auto outside = run_.keep_out(options_.to, "--to"); !outside) return outside;
  std::error_code problem;
  const auto target = std::filesystem::weakly_canonical(options_.to, problem);
  for (const ReadableDirectory* part : {parts_.journal.get(), parts_.bindings.get(),
                                        parts_.paging.get(), parts_.large_messages.get()}) {
    const auto real = std::filesystem::weakly_canonical(part->path(), problem);
    if (!archive && is_below(real, target)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("a part of the store ({}) lies in it; nothing is written there",
                              part->path()),
                  options_.to);
    }
  }
  return check_new_folder(options_.to, options_.force);
}

Result<void> CompactRun::refuse_running_broker() const {
  const std::string& folder = lock_folder(location_);
  const auto broker = running_broker(folder);
  if (!broker || !*broker) return {};
  return fail(ErrorCode::kBusy,
              (*broker)->process < 0
                  ? "is locked: another command works on this store; wait for its end"
                  : "is locked: a broker is running on this store; stop it first",
              (*broker)->path);
}

Result<void> CompactRun::lock() {
  auto locks = StoreLocks::take(run_.context(), location_,
                                {.ignore_commands = options_.verb.store.ignored_f,
                                 .quiet = options_.verb.quiet,
                                 .instead = "use --to"});
  if (!locks) return std::unexpected(locks.error());
  locks_ = std::move(*locks);
  return {};
}

Result<void> CompactRun::open_folders() {
  for (const auto& [opened, place] :
       {std::pair(&journal_, &location_.journal), std::pair(&bindings_, &location_.bindings)}) {
    if (place->path.empty()) continue;
    auto folder = open_writable_directory(place->path);
    if (!folder && folder.error().code == ErrorCode::kNotFound) continue;
    if (!folder) return std::unexpected(folder.error());
    *opened = std::move(*folder);
  }
  return {};
}

// ---- steps --------------------------------------------------------------------------------------

Result<void> CompactRun::run_until(Work& work, Compactor::Phase phase) {
  Compactor& compactor = *work.compactor;
  while (compactor.phase() != phase && compactor.phase() != Compactor::Phase::kDone) {
    const auto more = compactor.step(kStepBytes);
    if (!more) {
      Error error = more.error();
      if (compactor.left_to_next_start()) {
        error.text +=
            "; the new files are complete, and the next compaction or start of a broker puts them "
            "in place";
      }
      return std::unexpected(error);
    }
    run_.progress().tell(compactor.done_bytes(), compactor.total_bytes());
    if (compactor.phase() == Compactor::Phase::kDone) break;  // whatever has come meanwhile
    if (run_.must_stop()) return std::unexpected(interrupted());
    if (!*more) break;
  }
  return {};
}

Result<std::string> CompactRun::digest(store::StoreParts parts, FindingSink& of_load,
                                       FindingSink& of_messages) {
  store::Loader loader(std::move(parts), {}, of_load, run_.jobs());
  while (true) {
    const auto more = loader.step();
    if (!more) return std::unexpected(more.error());
    if (run_.must_stop()) return std::unexpected(interrupted());
    if (!*more) break;
  }
  const auto loaded = loader.take();
  const store::DigestOptions how{
      .ids = true, .delivery = true, .interrupted = run_.context().interrupted};
  store::report_lost_bodies(*loaded, of_messages);
  auto text = store::to_hex(store::digest_store(*loaded, how, of_messages).whole);
  if (run_.must_stop()) return std::unexpected(interrupted());
  return text;
}

Result<void> CompactRun::digest_before(CompactOutcome& outcome) {
  if (options_.check != CompactCheck::kState) return {};
  BesideJournals beside(run_.findings());
  auto before = digest({.bindings = borrow(*parts_.bindings),
                        .journal = borrow(*parts_.journal),
                        .paging = borrow(*parts_.paging),
                        .large_messages = borrow(*parts_.large_messages)},
                       beside, run_.findings());
  if (!before) return std::unexpected(before.error());
  outcome.digest = std::move(*before);
  return {};
}

Result<void> CompactRun::check_state(store::StoreParts parts, CompactOutcome& outcome) {
  NoFindings told_before;
  const auto after = digest(std::move(parts), told_before, told_before);
  if (!after) return std::unexpected(after.error());
  if (*after == outcome.digest) return {};
  return fail(ErrorCode::kIo,
              fmt::format("the compacted store would not hold the same messages (digest {}, {} "
                          "before); nothing was changed",
                          *after, outcome.digest));
}

// ---- the plan -----------------------------------------------------------------------------------

Result<CompactOutcome> CompactRun::plan() {
  CompactOutcome outcome;
  for (const store::JournalPart& part : store::journals_of(parts_)) {
    auto work = std::make_unique<Work>();
    work->part = part;
    work->from = part.folder == "journal" ? parts_.journal.get() : parts_.bindings.get();
    auto how = options_for(part);
    if (!options_.to.empty()) how.min_files = 0;
    work->compactor = std::make_unique<Compactor>(
        Compactor::planning(*work->from, std::move(how), run_.findings()));
    if (auto done = run_until(*work, Compactor::Phase::kPlanned); !done) {
      return std::unexpected(done.error());
    }
    const auto& obstacle = work->compactor->obstacle();
    if (options_.to.empty() && obstacle) return std::unexpected(*obstacle);
    const journal::CompactionFigures& figures = work->compactor->figures();
    outcome.journals.push_back({.part = part,
                                .figures = figures,
                                .unchanged = options_.to.empty() && !figures.worthwhile()});
    works_.push_back(std::move(work));
  }
  if (options_.to.empty()) {
    if (auto room = check_space_in_place(); !room) return std::unexpected(room.error());
    return outcome;
  }
  outcome.copied = {{"paging", folder_bytes(*parts_.paging)},
                    {"large-messages", folder_bytes(*parts_.large_messages)}};
  const std::uint64_t copied = outcome.copied[0].bytes + outcome.copied[1].bytes;
  if (auto room = check_space_for_copy(copied); !room) return std::unexpected(room.error());
  return outcome;
}

journal::CompactorOptions CompactRun::options_for(const store::JournalPart& part) {
  auto options = store::compactor_options(part, location_.settings);
  options.jobs = &run_.jobs();
  return options;
}

// ---- in place -----------------------------------------------------------------------------------

Result<void> CompactRun::check_space_in_place() const {
  for (const auto& work : works_) {
    const journal::CompactionFigures& figures = work->compactor->figures();
    if (!figures.worthwhile()) continue;
    if (auto room = check_space(work->from->path(), figures.output_bytes); !room) return room;
  }
  return {};
}

store::StoreParts CompactRun::parts_with(const Work& work) const {
  const auto part = [&](std::string_view folder, const ReadableDirectory& otherwise) {
    const bool replaced = work.part.folder == folder && work.compactor->preview() != nullptr;
    return borrow(replaced ? *work.compactor->preview() : otherwise);
  };
  return {.bindings = part("bindings", *parts_.bindings),
          .journal = part("journal", *parts_.journal),
          .paging = borrow(*parts_.paging),
          .large_messages = borrow(*parts_.large_messages)};
}

Result<void> CompactRun::finish(Work& work, CompactOutcome& outcome) {
  const bool gains = work.compactor->figures().worthwhile();
  outcome.journals.push_back(
      {.part = work.part, .figures = work.compactor->figures(), .unchanged = !gains});
  if (!gains) return {};
  if (auto done = run_until(work, Compactor::Phase::kReady); !done) return done;
  if (!outcome.digest.empty()) {
    if (auto same = check_state(parts_with(work), outcome); !same) return same;
  }
  // What goes now has to be in the retention folder.
  if (location_.retention && work.part.kind == journal::JournalKind::kMessages) {
    const std::string& folder = location_.retention->path;
    auto kept = copy_current_file(*parts_.journal, folder, std::time(nullptr));
    if (!kept) return kept;
  }
  return run_until(work, Compactor::Phase::kDone);
}

Result<CompactOutcome> CompactRun::in_place() {
  CompactOutcome outcome;
  for (const auto step : {&CompactRun::lock, &CompactRun::open_folders}) {
    if (auto done = (this->*step)(); !done) return std::unexpected(done.error());
  }
  for (const store::JournalPart& part : store::journals_of(parts_)) {
    WritableDirectory* folder = part.folder == "journal" ? journal_.get() : bindings_.get();
    if (folder == nullptr) continue;
    auto work = std::make_unique<Work>();
    work->part = part;
    work->from = folder;
    work->engine = std::make_unique<PwriteEngine>(run_.jobs());
    work->compactor = std::make_unique<Compactor>(
        Compactor::in_place(*folder, *work->engine, options_for(part), run_.findings()));
    if (auto done = run_until(*work, Compactor::Phase::kPlanned); !done) {
      return std::unexpected(done.error());
    }
    works_.push_back(std::move(work));
  }
  // Leftovers of an earlier attempt may be what takes the room.
  for (const auto& work : works_) {
    if (auto repaired = work->compactor->repair(); !repaired) {
      return std::unexpected(repaired.error());
    }
  }
  if (auto room = check_space_in_place(); !room) return std::unexpected(room.error());
  if (auto done = digest_before(outcome); !done) return std::unexpected(done.error());
  for (const auto& work : works_) {
    if (auto done = finish(*work, outcome); !done) return std::unexpected(done.error());
  }
  return outcome;
}

// ---- into another folder ------------------------------------------------------------------------

Result<void> CompactRun::check_space_for_copy(std::uint64_t copied_bytes) const {
  std::uint64_t needed = copied_bytes;
  for (const auto& work : works_) needed += work->compactor->figures().output_bytes;
  const std::filesystem::path target = std::filesystem::absolute(options_.to).parent_path();
  return check_space(target.string(), needed);
}

Result<void> CompactRun::copy_journals(NewFolder& target, CompactOutcome& outcome) {
  for (const auto& [opened, name] :
       {std::pair(&journal_, "journal"), std::pair(&bindings_, "bindings")}) {
    auto folder = target.add_folder(name);
    if (!folder) return std::unexpected(folder.error());
    *opened = std::move(*folder);
  }
  for (const store::JournalPart& part : store::journals_of(parts_)) {
    const bool messages = part.folder == "journal";
    auto work = std::make_unique<Work>();
    work->part = part;
    work->from = messages ? parts_.journal.get() : parts_.bindings.get();
    work->engine = std::make_unique<PwriteEngine>(run_.jobs());
    work->compactor = std::make_unique<Compactor>(
        Compactor::to(*work->from, messages ? *journal_ : *bindings_, *work->engine,
                      options_for(part), run_.findings()));
    if (auto done = run_until(*work, Compactor::Phase::kPlanned); !done) return done;
    works_.push_back(std::move(work));
  }
  std::uint64_t copied = 0;
  for (const CopiedFolder& folder : outcome.copied) copied += folder.bytes;
  if (auto room = check_space_for_copy(copied); !room) return room;
  for (const auto& work : works_) {
    if (auto done = run_until(*work, Compactor::Phase::kDone); !done) return done;
    outcome.journals.push_back({.part = work->part, .figures = work->compactor->figures()});
  }
  return {};
}

Result<void> CompactRun::copy_rest(NewFolder& target) {
  for (const auto& [part, name] : {std::pair(parts_.paging.get(), "paging"),
                                   std::pair(parts_.large_messages.get(), "large-messages")}) {
    if (auto made = target.add_folder(name); !made) return std::unexpected(made.error());
    FolderCopy copying(*part, target.beside() + "/" + name, name, run_.findings());
    while (true) {
      const auto more = copying.step();
      if (!more) return std::unexpected(more.error());
      if (run_.must_stop()) return std::unexpected(interrupted());
      if (!*more) break;
    }
  }
  return {};
}

// The node id is in the journal folder: the copy is the same node.
Result<void> CompactRun::copy_identity() const {
  for (const char* name : kIdentityFiles) {
    const auto content = read_whole(*parts_.journal, name, kIdentityBytes);
    if (!content) continue;
    auto file = journal_->create(name);
    if (!file) return std::unexpected(file.error());
    if (auto written = (*file)->write_at(0, *content); !written) return written;
    if (auto synced = (*file)->sync_data(); !synced) return synced;
  }
  return {};
}

Result<CompactOutcome> CompactRun::copy() {
  CompactOutcome outcome;
  if (auto free = refuse_running_broker(); !free) return std::unexpected(free.error());
  auto target = begin_new_folder(options_.to, options_.force, options_.verb.store.store);
  if (!target) return std::unexpected(target.error());
  outcome.copied = {{"paging", folder_bytes(*parts_.paging)},
                    {"large-messages", folder_bytes(*parts_.large_messages)}};
  if (auto done = digest_before(outcome); !done) return std::unexpected(done.error());
  if (auto done = copy_journals(**target, outcome); !done) return std::unexpected(done.error());
  if (auto done = copy_rest(**target); !done) return std::unexpected(done.error());
  if (auto done = copy_identity(); !done) return std::unexpected(done.error());
  if (!outcome.digest.empty()) {
    auto paging = open_disk_directory((*target)->beside() + "/paging");
    auto large = open_disk_directory((*target)->beside() + "/large-messages");
    if (!paging) return std::unexpected(paging.error());
    if (!large) return std::unexpected(large.error());
    auto same = check_state({.bindings = borrow(*bindings_),
                             .journal = borrow(*journal_),
                             .paging = std::move(*paging),
                             .large_messages = std::move(*large)},
                            outcome);
    if (!same) return std::unexpected(same.error());
  }
  // A broker that was started meanwhile has changed what was copied.
  if (auto free = refuse_running_broker(); !free) return std::unexpected(free.error());
  auto committed = commit_new_folder(**target, options_.to, options_.force);
  if (!committed) return std::unexpected(committed.error());
  return outcome;
}

}  // namespace saranga::cli
