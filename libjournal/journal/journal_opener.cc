// Opening a journal for appending: what the start of a broker does to its folder
// (docs/format/journal.md#loading-a-journal, docs/format/journal.md#control-file).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "libjournal/journal/writer_state.h"
#include "saranga/journal/scanner.h"

namespace saranga::journal {
namespace {

constexpr std::uint64_t kSmallestFileBytes = 1024;
constexpr std::uint32_t kSmallestBlockBytes = 512;
constexpr std::string_view kCompactedSuffix = ".cmp";
constexpr std::int64_t kGreatestId = INT64_MAX / 2;  // above it, new ids could run out

std::string final_name(const JournalFile& compacted) {
  return compacted.name.substr(0, compacted.name.size() - kCompactedSuffix.size());
}

bool has_file(const JournalFolder& folder, std::string_view name) {
  return std::ranges::find(folder.files, name, &JournalFile::name) != folder.files.end();
}

Result<void> check_options(const WriterOptions& options) {
  const auto refuse = [](std::string text) {
    return fail(ErrorCode::kInvalidArgument, std::move(text));
  };
  const std::uint32_t alignment = options.alignment_bytes;
  if (alignment != 1 && (alignment < kSmallestBlockBytes || !std::has_single_bit(alignment))) {
    return refuse(fmt::format("the alignment is {}, it has to be 1 or a power of two from {} on",
                              alignment, kSmallestBlockBytes));
  }
  const std::uint64_t size = options.file_size_bytes;
  if (size < kSmallestFileBytes || size > INT32_MAX || size % alignment != 0 || size == alignment) {
    return refuse(
        fmt::format("the file size is {}, it has to be from {} to {} and a multiple of "
                    "the alignment {}",
                    size, kSmallestFileBytes, INT32_MAX, alignment));
  }
  if (options.min_files < 2) return refuse("a journal has at least 2 files");
  if (options.buffer_bytes == 0 || options.buffer_bytes % alignment != 0) {
    return refuse(fmt::format("the buffer size is {}, it has to be a multiple of the alignment {}",
                              options.buffer_bytes, alignment));
  }
  if (journal_kind_of("x." + options.extension) != options.kind) {
    return refuse(fmt::format("files of this journal do not end in .{}", options.extension));
  }
  return {};
}

// What a folder must not hold, because opening would lose it or hide it.
Result<void> check_folder(const JournalFolder& folder) {
  for (const OddFile& odd : folder.odd) {
    if (odd.why == OddFile::Why::kUnreadable) {
      return fail(ErrorCode::kIo, "cannot be read, so the journal cannot be opened", odd.name);
    }
    if (odd.why == OddFile::Why::kDuplicate) {
      return fail(ErrorCode::kUnsupported, "waits for its retention copy; move it away first",
                  odd.name);
    }
  }
  for (const JournalFile& file : folder.files) {
    if (file.role == JournalFile::Role::kRetention) {
      return fail(ErrorCode::kUnsupported,
                  "holds records and waits for its retention copy; start the broker with retention "
                  "once, or give the file its name without .bkp back",
                  file.name);
    }
    if (file.header_guessed || file.header.id > kGreatestId ||
        name_number(file.name) > kGreatestId) {
      return fail(ErrorCode::kDamaged,
                  "its header or its number is damaged, so the journal cannot be opened",
                  file.name);
    }
    if (file.role == JournalFile::Role::kCompacted && has_file(folder, final_name(file))) {
      return fail(ErrorCode::kDamaged, "is to be renamed, but there is a file of that name",
                  file.name);
    }
  }
  if (folder.plan && !folder.plan->renames.empty()) {
    return fail(ErrorCode::kUnsupported, "lists renames, which no release writes",
                std::string(kControlFileName));
  }
  return {};
}

}  // namespace

/// One opening, step by step.
class JournalWriter::Opener {
 public:
  Opener(WritableDirectory& directory, WriteEngine& engine, WriterOptions options,
         FindingSink& sink, const RecordVisitor& visitor)
      : directory_(directory),
        engine_(engine),
        options_(std::move(options)),
        sink_(sink),
        visitor_(visitor) {}

  Result<std::unique_ptr<JournalWriter>> open() {
    if (auto valid = check_options(options_); !valid) return std::unexpected(valid.error());
    auto folder = read_folder(directory_, options_.kind, "", sink_);
    if (!folder) return std::unexpected(folder.error());
    folder_ = std::move(*folder);
    for (const auto step :
         {&Opener::check, &Opener::finish_compaction, &Opener::tidy_up, &Opener::read_files,
          &Opener::sort_files, &Opener::sync_data_files, &Opener::free_files, &Opener::create_files,
          &Opener::choose_current, &Opener::roll_back}) {
      if (auto done = (this->*step)(); !done) return std::unexpected(done.error());
    }
    state_->opened.live_ids = state_->accounts.live_ids();
    state_->maintain_automatically();
    return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state_)));
  }

 private:
  /// A file that has been read.
  struct ReadFile {
    State::DataFile data;
    FileHeader header;
    bool has_data = false;
    std::uint64_t end_of_records = 0;
  };

  Result<void> check() { return check_folder(folder_); }
  Result<void> finish_compaction();
  Result<void> tidy_up();
  Result<void> read_files();
  Result<void> read_file(const JournalFile& file);
  void apply(const Record& record, ReadFile& read);
  Result<void> sort_files();
  Result<void> free_files();
  Result<void> sync_data_files();
  Result<void> create_files();
  Result<void> choose_current();
  Result<void> go_on(const ReadFile& last);
  Result<void> roll_back();
  Result<void> remove_odd(std::initializer_list<OddFile::Why> reasons);
  Result<void> sync_names() { return options_.datasync ? directory_.sync() : Result<void>{}; }

  WritableDirectory& directory_;
  WriteEngine& engine_;
  WriterOptions options_;
  FindingSink& sink_;
  const RecordVisitor& visitor_;
  JournalFolder folder_;
  std::unique_ptr<State> state_;
  std::vector<ReadFile> read_;
  std::vector<const ReadFile*> with_data_;
  std::vector<const ReadFile*> empty_;
};

Result<void> JournalWriter::Opener::remove_odd(std::initializer_list<OddFile::Why> reasons) {
  for (const OddFile& odd : folder_.odd) {
    if (std::ranges::find(reasons, odd.why) == reasons.end()) continue;
    if (auto removed = directory_.remove(odd.name); !removed) return removed;
  }
  return {};
}

// Every step may be repeated, and the control file goes last, when all else is durable.
Result<void> JournalWriter::Opener::finish_compaction() {
  if (auto removed = remove_odd({OddFile::Why::kConsumed}); !removed) return removed;
  for (JournalFile& file : folder_.files) {
    if (file.role != JournalFile::Role::kCompacted) continue;
    std::string name = final_name(file);
    if (auto renamed = directory_.rename(file.name, name); !renamed) return renamed;
    file.name = std::move(name);
  }
  if (folder_.plan) {
    if (auto synced = sync_names(); !synced) return synced;
  }
  return remove_odd({OddFile::Why::kControl});
}

// What a process renamed or removed before it was killed may not be durable yet; without this sync,
// records could go to a file whose name a power failure takes away.
Result<void> JournalWriter::Opener::tidy_up() {
  auto removed =
      remove_odd({OddFile::Why::kCreating, OddFile::Why::kLeftover, OddFile::Why::kShort});
  return removed ? sync_names() : removed;
}

Result<void> JournalWriter::Opener::read_files() {
  std::int64_t last_id = 0;
  for (const JournalFile& file : folder_.files) {
    last_id = std::max({last_id, file.header.id, name_number(file.name)});
  }
  state_ = std::make_unique<State>(directory_, engine_, options_, last_id);
  for (const JournalFile& file : folder_.files) {
    if (auto read = read_file(file); !read) return read;
  }
  state_->accounts.end_of_load();
  return {};
}

Result<void> JournalWriter::Opener::read_file(const JournalFile& file) {
  auto opened = directory_.open(file.name);
  if (!opened) return std::unexpected(opened.error());
  ReadFile read{.data = {.file = {.name = file.name,
                                  .id = file.header.id,
                                  .size_bytes = (*opened)->size_bytes()},
                         .slot = state_->accounts.open_file()},
                .header = file.header};
  FileScanner scanner(**opened, file.header);
  Batch batch;
  for (;;) {
    const auto more = scanner.next(batch);
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    for (const Record& record : batch.records) {
      apply(record, read);
      if (visitor_) visitor_(record, file);
    }
  }
  read.has_data = read.has_data || scanner.marked();
  read.end_of_records = scanner.end_of_records();
  const ByteAccount& account = scanner.account();
  const bool only_own = account.stale_bytes + account.unreadable_bytes == 0;
  read.data.file.dirty_bytes = only_own ? read.end_of_records : read.data.file.size_bytes;
  read_.push_back(std::move(read));
  return {};
}

void JournalWriter::Opener::apply(const Record& record, ReadFile& read) {
  const RecordFields fields{.kind = record.kind,
                            .user_type = record.user_type,
                            .number = record.number,
                            .tx_id = record.tx_id,
                            .id = record.id};
  if (state_->accounts.apply(fields, record.length_bytes, read.data.slot)) read.has_data = true;
  ++state_->opened.records;
  if (traits(record.kind).has_user_type && record.kind != RecordKind::kEvent) {
    state_->opened.max_id = std::max(state_->opened.max_id, record.id);
  }
}

Result<void> JournalWriter::Opener::sort_files() {
  for (ReadFile& read : read_) (read.has_data ? with_data_ : empty_).push_back(&read);
  return {};
}

// Files without data get new ids, in load order. Nothing was written before all was read and is
// durable.
Result<void> JournalWriter::Opener::free_files() {
  for (const ReadFile* read : empty_) {
    if (auto kept = state_->pool.keep(read->data.file); !kept) return kept;
    state_->accounts.forget(read->data.slot);
  }
  return {};
}

Result<void> JournalWriter::Opener::create_files() {
  const auto wanted = static_cast<std::size_t>(options_.min_files);
  while (with_data_.size() + state_->pool.free_files() < wanted) {
    if (auto created = state_->pool.create(); !created) return created;
  }
  return {};
}

// What a process wrote before it was killed may not be durable yet, and whoever opens the journal
// acts on it. The file that it wrote to need not be the last one: leftovers can make a file behind
// it look like one with data.
Result<void> JournalWriter::Opener::sync_data_files() {
  if (!options_.datasync) return {};
  for (const ReadFile* read : with_data_) {
    auto file = directory_.open_for_writing(read->data.file.name);
    if (!file) return std::unexpected(file.error());
    if (auto synced = (*file)->sync_data(); !synced) return synced;
  }
  return {};
}

// Goes on in a file of our size and format only; records of format version 2 in a file of version 1
// could never be read.
Result<void> JournalWriter::Opener::go_on(const ReadFile& last) {
  const bool possible = options_.continue_last_file &&
                        last.header.format_version == kFormatVersion &&
                        last.data.file.size_bytes == options_.file_size_bytes;
  if (!possible) return {};
  auto file = directory_.open_for_writing(last.data.file.name);
  if (!file) return std::unexpected(file.error());
  state_->current = last.data;
  if (options_.zero_before_reuse && last.data.file.dirty_bytes > last.end_of_records) {
    auto zeroed = write_zeros(**file, last.end_of_records, last.data.file.dirty_bytes);
    if (zeroed && options_.datasync) zeroed = (*file)->sync_data();
    if (!zeroed) return zeroed;
    state_->current.file.dirty_bytes = last.end_of_records;
  }
  state_->stream.attach(std::move(*file),
                        std::max(last.end_of_records, state_->pool.first_record_offset()),
                        last.data.file.size_bytes);
  with_data_.pop_back();
  return {};
}

Result<void> JournalWriter::Opener::choose_current() {
  if (!with_data_.empty()) {
    if (auto gone_on = go_on(*with_data_.back()); !gone_on) return gone_on;
  }
  for (const ReadFile* read : with_data_) state_->closed.push_back(read->data);
  if (!state_->current.file.name.empty()) return {};
  auto taken = state_->pool.take();
  if (!taken) return std::unexpected(taken.error());
  auto file = directory_.open_for_writing(taken->name);
  if (!file) return std::unexpected(file.error());
  state_->begin(*taken, std::move(*file));
  return {};
}

Result<void> JournalWriter::Opener::roll_back() {
  for (const OpenTransactionState& tx : state_->accounts.open_transactions()) {
    if (tx.prepared) {
      state_->opened.prepared.push_back(tx.tx_id);
      continue;
    }
    auto ended = state_->append({.kind = RecordKind::kRollback, .tx_id = tx.tx_id}, {});
    if (!ended) return std::unexpected(ended.error());
    state_->opened.rolled_back.push_back(tx.tx_id);
  }
  return {};
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::open(WritableDirectory& directory,
                                                           WriteEngine& engine,
                                                           WriterOptions options, FindingSink& sink,
                                                           const RecordVisitor& visitor) {
  return Opener(directory, engine, std::move(options), sink, visitor).open();
}

}  // namespace saranga::journal
