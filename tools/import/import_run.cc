#include "tools/import/import_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/cli/feed.h"
#include "tools/cli/new_store.h"
#include "tools/cli/unpacked_input.h"

namespace saranga::importing {
namespace {

constexpr std::uint32_t kUsualBlockBytes = 4096;
constexpr std::size_t kWriteBytes = std::size_t{8} << 20;

Result<std::unique_ptr<WritableDirectory>> open_or_make(const store::Place& place,
                                                        std::string_view part) {
  if (place.path.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "nothing tells where the folder is: " + std::string(part));
  }
  std::error_code problem;
  std::filesystem::create_directories(place.path, problem);
  return open_writable_directory(place.path);
}

// Of the files that are there, so that they can be used again.
std::uint64_t file_size_of(const store::LoadedStore& store, const store::Location& location) {
  if (location.settings.file_size_bytes) return *location.settings.file_size_bytes;
  std::uint64_t size = 0;
  for (const auto& file : store.journal().folder.files) size = std::max(size, file.size_bytes);
  constexpr std::uint64_t kLeast = 1024;
  return size >= kLeast ? size : journal::WriterOptions{}.file_size_bytes;
}

/// Ends where a packed export is cut or damaged, when the rest is to be left out.
class InputToTheEnd {
 public:
  InputToTheEnd(cli::UnpackedInput& input, bool keep_going, FindingSink& sink)
      : input_(input), keep_going_(keep_going), sink_(sink) {}
  [[nodiscard]] Result<std::size_t> read(std::span<char> to) {
    auto count = input_.read(to);
    if (count || !keep_going_ || count.error().code != ErrorCode::kDamaged) return count;
    sink_.finding({.code = "export-cut",
                   .severity = Severity::kDamage,
                   .file = input_.label(),
                   .text = count.error().text});
    return std::size_t{0};
  }
  [[nodiscard]] std::uint64_t size_bytes() const { return input_.size_bytes(); }

 private:
  cli::UnpackedInput& input_;
  bool keep_going_;
  FindingSink& sink_;
};

}  // namespace

Result<ImportOutcome> ImportRun::run() {
  auto input = cli::Input::open(options_.input, run_.context().interrupted);
  if (!input) return std::unexpected(input.error());
  cli::UnpackedInput unpacked(std::move(*input));
  import_ = options_.import;
  // Few large writes, each synced on a helper while the next is gathered.
  import_.journal.buffer_bytes = kWriteBytes;
  auto opened = options_.into.empty() ? open_new() : open_existing();
  if (!opened) return std::unexpected(opened.error());
  importer_ = store::StoreImporter::create(std::move(folders_), import_, existing_.get(),
                                           run_.jobs(), run_.findings());
  ImportReader reader(*importer_,
                      {.label = unpacked.label(),
                       .keep_going = options_.keep_going,
                       .legacy_prefixes = options_.legacy_prefixes},
                      run_.findings());
  InputToTheEnd source(unpacked, options_.keep_going, run_.findings());
  const auto read = cli::feed_all(run_, source, reader);
  if (!read) return std::unexpected(read.error());
  if (auto whole = check_transactions(); !whole) return std::unexpected(whole.error());
  const auto report = importer_->finish();
  if (!report) return std::unexpected(report.error());
  importer_.reset();
  for (const auto& [queue, address, exported] : report->queues_elsewhere) {
    run_.findings().finding(
        {.code = "export-queue-elsewhere",
         .severity = Severity::kWarning,
         .file = options_.input,
         .text = fmt::format("the export has a queue {} on address {}, and there is one on {}: its "
                             "messages come there; --map-queue gives them another queue",
                             queue, exported, address)});
  }
  if (target_ != nullptr) {
    if (auto placed = cli::commit_new_folder(*target_, options_.folder, options_.force); !placed)
      return std::unexpected(placed.error());
  }
  run_.done("import");
  return ImportOutcome{.read = *read, .report = *report};
}

Result<void> ImportRun::check_transactions() {
  for (const std::int64_t tx : importer_->unprepared_transactions()) {
    const std::string text = fmt::format(
        "messages or records are in doubt in transaction {}, and no line tells of it: a broker "
        "would drop them",
        tx);
    if (!options_.keep_going) return fail(ErrorCode::kDamaged, text, options_.input);
    run_.findings().finding({.code = "export-transaction-missing",
                             .severity = Severity::kDamage,
                             .file = options_.input,
                             .id = tx,
                             .text = text});
  }
  return {};
}

Result<void> ImportRun::open_new() {
  auto made = cli::begin_new_folder(options_.folder, options_.force, options_.input);
  if (!made) return std::unexpected(made.error());
  target_ = std::move(*made);
  for (const auto& [name, folder] :
       {std::pair("bindings", &folders_.bindings), std::pair("journal", &folders_.journal),
        std::pair("paging", &folders_.paging),
        std::pair("large-messages", &folders_.large_messages)}) {
    auto part = target_->add_folder(name);
    if (!part) return std::unexpected(part.error());
    *folder = std::move(*part);
  }
  import_.journal.fill_new_files = false;  // nobody sees them before they are whole
  if (options_.journal_file_bytes) import_.journal.file_size_bytes = *options_.journal_file_bytes;
  return {};
}

Result<void> ImportRun::open_existing() {
  // Not by the run, which would tell of whoever holds the locks that this waits for.
  const auto location =
      cli::locate_store(run_.context(), options_.verb.store, !options_.verb.quiet);
  if (!location) return std::unexpected(location.error());
  auto locks = cli::StoreLocks::take(run_.context(), *location,
                                     {.ignore_commands = options_.verb.store.ignored_f,
                                      .quiet = options_.verb.quiet,
                                      .instead = "import into a new folder"});
  if (!locks) return std::unexpected(locks.error());
  locks_ = std::move(*locks);
  auto parts = store::open_parts(*location);
  if (!parts) return std::unexpected(parts.error());
  const auto now = run_.now_ms();
  if (!now) return std::unexpected(now.error());
  auto loaded =
      store::load_store(std::move(*parts), {.now_ms = *now}, run_.findings(), run_.jobs());
  if (!loaded) return std::unexpected(loaded.error());
  existing_ = std::move(*loaded);
  for (const auto& [place, folder, part] :
       {std::tuple(&location->bindings, &folders_.bindings, "--bindings"),
        std::tuple(&location->journal, &folders_.journal, "--journal"),
        std::tuple(&location->paging, &folders_.paging, "--paging"),
        std::tuple(&location->large_messages, &folders_.large_messages, "--large-messages")}) {
    auto opened = open_or_make(*place, part);
    if (!opened) return std::unexpected(opened.error());
    *folder = std::move(*opened);
  }
  import_.journal.file_size_bytes = file_size_of(*existing_, *location);
  if (location->settings.type == "ASYNCIO") import_.journal.alignment_bytes = kUsualBlockBytes;
  return {};
}

}  // namespace saranga::importing
