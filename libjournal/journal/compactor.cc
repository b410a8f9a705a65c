#include "saranga/journal/compactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "libjournal/journal/compaction_copy.h"
#include "libjournal/journal/compaction_plan.h"
#include "libjournal/journal/compaction_preview.h"
#include "libjournal/journal/control_file.h"
#include "libjournal/journal/folder_repair.h"
#include "libjournal/journal/journal_reading.h"
#include "libjournal/journal/listed_copy.h"
#include "libjournal/journal/record_outlines.h"
#include "saranga/bytes/no_findings.h"
#include "saranga/journal/gap_findings.h"

namespace saranga::journal {
namespace {

/// Hands findings on, and remembers whether one of them means that something is lost.
class DamageWatch final : public FindingSink {
 public:
  explicit DamageWatch(FindingSink& sink) : sink_(sink) {}
  void finding(Finding finding) override {
    if (finding.severity == Severity::kDamage) {
      if (count_++ == 0) first_ = finding;
    }
    sink_.finding(std::move(finding));
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const Finding& first() const { return first_; }

 private:
  FindingSink& sink_;
  std::uint64_t count_ = 0;
  Finding first_;
};

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = i;
  return indices;
}

}  // namespace

struct Compactor::State {
  State(const ReadableDirectory& given_from, CompactorOptions given_options, FindingSink& sink)
      : from(given_from), options(std::move(given_options)), watch(sink) {}
  ~State() { clean_up(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] Result<bool> step(std::uint64_t budget);
  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> advance(std::uint64_t budget);
  [[nodiscard]] Result<void> take_records();
  void check_record(const Record& record);
  [[nodiscard]] Result<void> end_reading();
  void end_file();
  void begin_measuring();
  void begin_copying();
  [[nodiscard]] Result<void> advance_reading(std::uint64_t budget);
  [[nodiscard]] Result<void> advance_copying(std::uint64_t budget);
  [[nodiscard]] Result<void> measure_some(std::uint64_t budget);
  [[nodiscard]] Result<void> end_measuring();
  void plan_files();
  [[nodiscard]] Result<void> name_outputs();
  [[nodiscard]] std::optional<Error> find_obstacle() const;
  [[nodiscard]] Result<void> repair();
  [[nodiscard]] Result<void> begin_writing();
  [[nodiscard]] Result<void> end_writing();
  void begin_checking();
  [[nodiscard]] Result<bool> check_some(std::uint64_t budget);
  [[nodiscard]] Result<void> end_checking();
  [[nodiscard]] Result<void> replace();
  [[nodiscard]] Result<void> write_control();
  void clean_up();
  [[nodiscard]] std::string control_beside() const {
    return "journal-rename-control." + name_pattern(folder).extension + ".tmp";
  }
  [[nodiscard]] Error mistake(std::string_view what) const {
    return {.code = ErrorCode::kIo,
            .text = fmt::format("what was written is not what should be there: {}; the old files "
                                "are unchanged",
                                what),
            .file = target->path()};
  }

  const ReadableDirectory& from;
  CompactorOptions options;
  DamageWatch watch;
  WritableDirectory* target = nullptr;  // none: only planning
  WriteEngine* engine = nullptr;
  bool in_place = false;

  bool begun = false;
  bool repaired = false;
  bool committed = false;  // the control file has its name
  std::optional<Error> failed;
  std::optional<Error> obstacle;
  Phase phase = Phase::kReading;
  JournalFolder folder;
  std::vector<std::string> names;
  std::vector<ReadFile> read;
  std::unique_ptr<CompactionChoice> choice;
  std::unique_ptr<JournalReading> reading;
  std::vector<std::size_t> inputs;  // files with records
  std::vector<bool> consumed;       // by file: goes when the new ones are there
  std::unique_ptr<OutputLayout> layout;
  std::unique_ptr<CompactionCopy> copy;
  RecordOutlines outlines{options.outline_bytes};
  CopyList list{options.outline_bytes};
  std::unique_ptr<ListedCopy> listed;  // none: everything is read, and `copy` chooses again
  std::vector<OutputFile> outputs;
  std::unique_ptr<OutputWriter> writer;
  CopyCounts planned;
  std::unique_ptr<CompactionPreview> preview;

  // Of the reading of what was written.
  std::vector<JournalFile> output_files;
  std::vector<std::string> output_names;
  std::unique_ptr<Survivors> check;
  std::unique_ptr<JournalReading> check_reading;
  std::size_t check_wanted = 0;  // files that it has been given
  std::uint64_t check_sum = 0;
  std::uint64_t check_records = 0;

  CompactionFigures figures;
  std::uint64_t input_bytes = 0;
  std::uint64_t done_before = 0;  // by readings that have ended
};

// ---- which records count ------------------------------------------------------------------------

Result<void> Compactor::State::begin() {
  begun = true;
  auto found = read_folder(from, options.kind, options.label, watch);
  if (!found) return std::unexpected(found.error());
  folder = std::move(*found);
  if (options.below_id) {
    std::erase_if(folder.files,
                  [&](const JournalFile& file) { return file.header.id >= *options.below_id; });
  }
  for (const JournalFile& file : folder.files) {
    names.push_back(options.label.empty() ? file.name : options.label + "/" + file.name);
    input_bytes += file.size_bytes;
    figures.bytes_before += file.size_bytes;
  }
  for (const OddFile& odd : folder.odd) figures.bytes_before += odd.size_bytes;
  figures.files_before = folder.files.size() + folder.odd.size();
  read.resize(folder.files.size());
  choice = std::make_unique<CompactionChoice>(options, watch, names);
  reading = std::make_unique<JournalReading>(from, folder.files, all_of(folder.files.size()),
                                             options.window_bytes, options.jobs);
  return {};
}

Result<void> Compactor::State::take_records() {
  const std::size_t file = reading->file();
  for (const Record& record : reading->records()) {
    switch (phase) {
      case Phase::kReading: {
        ReadFile& known = read[file];
        if (known.records++ == 0) {
          known.first_record_offset = record.offset;
          known.first_was_compacted = record.compact_count > 0;
        }
        ++figures.records_before;
        figures.record_bytes_before += record.length_bytes;
        choice->apply(record, file);
        outlines.add(record, file, choice->is_replaceable(record));
        break;
      }
      default:
        if (auto copied = copy->apply(record, file); !copied) return copied;
    }
  }
  return {};
}

void Compactor::State::check_record(const Record& record) {
  ++check_records;
  check_sum = content_sum(check_sum,
                          {.kind = record.kind,
                           .user_type = record.user_type,
                           .compact_count = record.compact_count,
                           .number = record.number,
                           .tx_id = record.tx_id,
                           .id = record.id},
                          record.body);
  check->apply(record, check_reading->file());
}

void Compactor::State::end_file() {
  if (phase != Phase::kReading) return;
  const std::size_t file = reading->file();
  const FileScanner& scanner = reading->scanner();
  report_gaps(scanner, names[file], folder.files[file].missing_bytes, watch);
  figures.unreadable_bytes += scanner.account().unreadable_bytes;
  read[file].marked = scanner.marked();
}

Result<void> Compactor::State::end_reading() {
  choice->finish();
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read[i].records != 0) inputs.push_back(i);
  }
  figures.file_size_bytes = usual_file_size(folder, options);
  figures.alignment_bytes = usual_alignment(read, options, figures.file_size_bytes);
  figures.live_records = choice->live_records();
  figures.kept_transactions = choice->kept_transactions();
  figures.rolled_back = choice->rolled_back();
  figures.damages = watch.count();
  begin_measuring();
  phase = Phase::kMeasuring;
  return {};
}

void Compactor::State::begin_measuring() {
  layout = std::make_unique<OutputLayout>(figures.file_size_bytes, figures.alignment_bytes);
  copy = std::make_unique<CompactionCopy>(*choice, *layout, list);
  reading = std::make_unique<JournalReading>(from, folder.files, inputs, options.window_bytes);
}

void Compactor::State::begin_copying() {
  layout = std::make_unique<OutputLayout>(figures.file_size_bytes, figures.alignment_bytes);
  if (list.complete()) {
    listed = std::make_unique<ListedCopy>(from, folder.files, list, *layout, *writer,
                                          options.window_bytes);
    return;
  }
  copy = std::make_unique<CompactionCopy>(*choice, *layout, *writer);
  reading = std::make_unique<JournalReading>(from, folder.files, inputs, options.window_bytes);
}

// ---- what the files will be ---------------------------------------------------------------------

// From the outlines, as the reading of the files would.
Result<void> Compactor::State::measure_some(std::uint64_t budget) {
  for (std::uint64_t done = 0; done < budget;) {
    const RecordOutline* outline = outlines.next();
    if (outline == nullptr) {
      done_before += input_bytes;
      return end_measuring();
    }
    if (auto measured = copy->apply(*outline); !measured) return measured;
    done += encoded_bytes(outline->record.kind, outline->body_bytes);
  }
  return {};
}

Result<void> Compactor::State::end_measuring() {
  planned = copy->counts();
  plan_files();
  if (auto named = name_outputs(); !named) return named;
  figures.records_after = planned.records;
  figures.record_bytes_after = planned.bytes;
  figures.replaced_updates = planned.replaced_updates;
  obstacle = find_obstacle();
  phase = Phase::kPlanned;
  if (in_place && obstacle) return std::unexpected(*obstacle);
  return {};
}

void Compactor::State::plan_files() {
  std::vector<std::uint64_t> sizes = layout->sizes();
  // Header ids go on from the greatest there is, so one file has to keep them.
  if (sizes.empty() && !folder.files.empty()) sizes.push_back(figures.file_size_bytes);
  for (const std::uint64_t size : sizes) outputs.push_back({.size_bytes = size});
  figures.input_files = folder.files.size();
  figures.output_files = sizes.size();
  for (const std::uint64_t size : sizes) figures.output_bytes += size;
  figures.files_after = sizes.size();
  figures.bytes_after = figures.output_bytes;
  consumed.assign(folder.files.size(), true);
  for (std::size_t i = 0; i < folder.files.size(); ++i) {
    const JournalFile& file = folder.files[i];
    if (!read[i].is_spare() || !file.header.readable() || file.header_guessed) continue;
    const bool wanted =
        options.below_id || (figures.files_after < static_cast<std::uint64_t>(options.min_files) &&
                             file.size_bytes == figures.file_size_bytes);
    if (!wanted || file.role != JournalFile::Role::kData) continue;
    consumed[i] = false;
    --figures.input_files;
    ++figures.files_after;
    figures.bytes_after += file.size_bytes;
  }
}

Result<void> Compactor::State::name_outputs() {
  const NamePattern pattern = name_pattern(folder);
  std::vector<std::int64_t> old_ids;
  std::vector<std::int64_t> kept_ids;
  const bool replaces = in_place || target == nullptr;
  const std::int64_t greatest = greatest_number(folder);
  for (std::size_t i = 0; replaces && i < folder.files.size(); ++i) {
    (consumed[i] ? old_ids : kept_ids).push_back(folder.files[i].header.id);
  }
  const auto ids = output_ids(outputs.size(), old_ids, kept_ids, replaces ? greatest : 0);
  std::int64_t number = replaces ? options.first_number.value_or(greatest + 1) : 1;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].id = ids[i];
    outputs[i].name = pattern.name(number++) + (replaces ? std::string(kCompactedSuffix) : "");
    if (options.below_id && ids[i] >= *options.below_id) {
      return fail(ErrorCode::kUnsupported,
                  "there are more new files than ids below that of the current file", from.path());
    }
  }
  return {};
}

std::optional<Error> Compactor::State::find_obstacle() const {
  if (auto checked = check_before_writing(folder); !checked) {
    Error error = checked.error();
    error.file = from.path() + "/" + error.file;
    return error;
  }
  if (watch.count() == 0) return std::nullopt;
  const Finding& first = watch.first();
  return Error{.code = ErrorCode::kDamaged,
               .text = fmt::format("is damaged, and compaction in place would discard what may "
                                   "still be recovered; first of {}: {} [{}]",
                                   watch.count(), first.text, first.code),
               .file = first.file.empty() ? from.path() : first.file,
               .offset = first.offset};
}

// ---- writing ------------------------------------------------------------------------------------

Result<void> Compactor::State::repair() {
  if (!in_place || options.below_id || std::exchange(repaired, true)) return {};
  auto finished = finish_compaction(*target, folder, options.datasync);
  return finished ? remove_leftovers(*target, folder, options.datasync) : finished;
}

Result<void> Compactor::State::begin_writing() {
  if (auto done = repair(); !done) return done;
  if (folder.files.empty()) {
    phase = Phase::kDone;
    return {};
  }
  writer = std::make_unique<OutputWriter>(*target, *engine, outputs, layout->first_record_offset(),
                                          options.datasync);
  begin_copying();
  begin_checking();
  phase = Phase::kWriting;
  return {};
}

Result<void> Compactor::State::end_writing() {
  if (auto finished = writer->finish(); !finished) return finished;
  const CopyCounts& written = listed ? listed->counts() : copy->counts();
  if (written.records != planned.records || written.bytes != planned.bytes) {
    return std::unexpected(mistake("the files changed while they were read"));
  }
  phase = Phase::kChecking;
  return {};
}

void Compactor::State::begin_checking() {
  for (const OutputFile& output : outputs) {
    output_files.push_back(
        {.name = output.name, .size_bytes = output.size_bytes, .header = {.id = output.id}});
    output_names.push_back(output.name);
  }
  check = std::make_unique<Survivors>(watch, output_names);
  check_reading = std::make_unique<JournalReading>(
      *target, output_files, std::vector<std::size_t>{}, options.window_bytes);
}

// Files are read as soon as they are complete, while the next ones are written. False when all that
// are complete have been read.
Result<bool> Compactor::State::check_some(std::uint64_t budget) {
  for (const std::size_t complete = writer->complete_files(); check_wanted < complete;) {
    check_reading->want(check_wanted++);
  }
  const std::uint64_t until = check_reading->done_bytes() + budget;
  do {
    const auto what = check_reading->next();
    if (!what) return std::unexpected(what.error());
    if (*what == JournalReading::What::kFinished) return false;
    if (*what != JournalReading::What::kRecords) continue;
    for (const Record& record : check_reading->records()) check_record(record);
  } while (check_reading->done_bytes() < until);
  return true;
}

// What is read back is what was written, and the reader that knows nothing of compaction finds as
// many live records in it as in the old files.
Result<void> Compactor::State::end_checking() {
  check->finish();
  std::uint64_t open = 0;
  for (const OpenTransaction& tx : check->open()) {
    if (tx.prepared || options.keep_open_transactions) ++open;
  }
  if (check_records != planned.records || check_sum != writer->sum()) {
    return std::unexpected(mistake("records differ from those that were written"));
  }
  if (check->records().size() + planned.replaced_updates != figures.live_records) {
    return std::unexpected(
        mistake(fmt::format("{} live records, {} were expected", check->records().size(),
                            figures.live_records - planned.replaced_updates)));
  }
  if (open != figures.kept_transactions || watch.count() != figures.damages) {
    return std::unexpected(mistake("transactions do not fit together"));
  }
  if (options.datasync) {
    if (auto synced = target->sync(); !synced) return synced;
  }
  if (in_place) preview = std::make_unique<CompactionPreview>(*target, folder, consumed, outputs);
  phase = in_place ? Phase::kReady : Phase::kDone;
  return {};
}

// ---- putting it in place ------------------------------------------------------------------------

// Beside its name first: with a part of it, a start would remove files whose successors it does not
// know. What a crash leaves of it there is removed by every start.
Result<void> Compactor::State::write_control() {
  CompactionPlan plan;
  for (std::size_t i = 0; i < consumed.size(); ++i) {
    if (consumed[i]) plan.consumed.push_back(folder.files[i].name);
  }
  for (const OutputFile& output : outputs) plan.produced.push_back(output.name);
  const auto bytes = encode_control_file(plan, figures.alignment_bytes);
  if (!bytes) return std::unexpected(bytes.error());
  {
    auto file = target->create(control_beside());
    if (!file) return std::unexpected(file.error());
    if (auto written = (*file)->write_at(0, *bytes); !written) return written;
    if (options.datasync) {
      if (auto synced = (*file)->sync_data(); !synced) return synced;
    }
  }
  auto renamed = target->rename(control_beside(), kControlFileName);
  // A system may fail and have done it all the same: then the new files must not be touched.
  if (!renamed) committed = target->open(kControlFileName).has_value();
  return renamed;
}

Result<void> Compactor::State::replace() {
  if (auto written = write_control(); !written) return written;
  committed = true;
  NoFindings nowhere;
  auto now = read_folder(*target, options.kind, "", nowhere);
  if (!now) return std::unexpected(now.error());
  if (auto finished = finish_compaction(*target, *now, options.datasync); !finished) {
    return finished;
  }
  if (options.datasync) {
    if (auto synced = target->sync(); !synced) return synced;
  }
  phase = Phase::kDone;
  return {};
}

void Compactor::State::clean_up() {
  if (target == nullptr || committed || phase == Phase::kDone || writer == nullptr) return;
  // Nothing may still be writing; what is removed then cannot matter any more.
  if (in_place) (void)target->remove(control_beside());
  for (std::size_t i = 0; i < writer->created(); ++i) (void)target->remove(outputs[i].name);
}

// ---- the steps ----------------------------------------------------------------------------------

Result<void> Compactor::State::advance(std::uint64_t budget) {
  if (phase == Phase::kMeasuring && outlines.complete()) return measure_some(budget);
  const bool copies = phase == Phase::kWriting && listed;
  if (auto done = copies ? advance_copying(budget) : advance_reading(budget); !done) return done;
  if (phase != Phase::kWriting) return {};
  auto checked = check_some(budget);
  if (!checked) return std::unexpected(checked.error());
  return {};
}

Result<void> Compactor::State::advance_copying(std::uint64_t budget) {
  const std::uint64_t until = listed->done_bytes() + budget;
  do {
    const auto more = listed->next();
    if (!more) return std::unexpected(more.error());
    if (!*more) {
      done_before += input_bytes;
      return end_writing();
    }
  } while (listed->done_bytes() < until);
  return {};
}

Result<void> Compactor::State::advance_reading(std::uint64_t budget) {
  const std::uint64_t until = reading->done_bytes() + budget;
  do {
    const auto what = reading->next();
    if (!what) return std::unexpected(what.error());
    switch (*what) {
      case JournalReading::What::kRecords:
        if (auto taken = take_records(); !taken) return taken;
        break;
      case JournalReading::What::kFileEnd: end_file(); break;
      case JournalReading::What::kFinished:
        done_before += reading->done_bytes();
        switch (phase) {
          case Phase::kReading: return end_reading();
          case Phase::kMeasuring: return end_measuring();
          default: return end_writing();
        }
    }
  } while (reading->done_bytes() < until);
  return {};
}

Result<bool> Compactor::State::step(std::uint64_t budget) {
  if (failed) return std::unexpected(*failed);
  Result<void> done;
  switch (phase) {
    case Phase::kReading:
      if (!begun) done = begin();
      if (done) done = advance(budget);
      break;
    case Phase::kPlanned:
      if (target == nullptr) return false;
      done = begin_writing();
      break;
    case Phase::kChecking: {
      const auto more = check_some(budget);
      done = more ? *more ? Result<void>{} : end_checking() : std::unexpected(more.error());
      break;
    }
    case Phase::kReady: done = replace(); break;
    case Phase::kDone: return false;
    default: done = advance(budget);
  }
  if (!done) {
    failed = done.error();
    return std::unexpected(*failed);
  }
  return phase != Phase::kDone && !(phase == Phase::kPlanned && target == nullptr);
}

Compactor::Compactor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Compactor::~Compactor() = default;
Compactor::Compactor(Compactor&&) noexcept = default;

Compactor Compactor::planning(const ReadableDirectory& from, CompactorOptions options,
                              FindingSink& sink) {
  return Compactor(std::make_unique<State>(from, std::move(options), sink));
}

Compactor Compactor::in_place(WritableDirectory& directory, WriteEngine& engine,
                              CompactorOptions options, FindingSink& sink) {
  auto state = std::make_unique<State>(directory, std::move(options), sink);
  state->target = &directory;
  state->engine = &engine;
  state->in_place = true;
  return Compactor(std::move(state));
}

Compactor Compactor::to(const ReadableDirectory& from, WritableDirectory& to, WriteEngine& engine,
                        CompactorOptions options, FindingSink& sink) {
  options.min_files = 0;
  auto state = std::make_unique<State>(from, std::move(options), sink);
  state->target = &to;
  state->engine = &engine;
  return Compactor(std::move(state));
}

Result<bool> Compactor::step(std::uint64_t budget_bytes) { return state_->step(budget_bytes); }
Compactor::Phase Compactor::phase() const { return state_->phase; }
Result<void> Compactor::repair() {
  if (state_->phase != Phase::kPlanned) return {};
  return state_->repair();
}
const CompactionFigures& Compactor::figures() const { return state_->figures; }
const std::optional<Error>& Compactor::obstacle() const { return state_->obstacle; }
const ReadableDirectory* Compactor::preview() const { return state_->preview.get(); }
bool Compactor::left_to_next_start() const {
  return state_->committed && state_->phase != Phase::kDone;
}
std::uint64_t Compactor::done_bytes() const {
  const bool reads = state_->reading != nullptr &&
                     (state_->phase < Phase::kPlanned || state_->phase == Phase::kWriting);
  const std::uint64_t checked = state_->check_reading ? state_->check_reading->done_bytes() : 0;
  const bool copies = state_->phase == Phase::kWriting && state_->listed != nullptr;
  const std::uint64_t read = copies  ? state_->listed->done_bytes()
                             : reads ? state_->reading->done_bytes()
                                     : 0;
  return state_->done_before + read + checked;
}
std::uint64_t Compactor::total_bytes() const {
  const std::uint64_t planning = state_->input_bytes * 2;
  if (state_->target == nullptr) return planning;
  return planning + state_->input_bytes + state_->figures.output_bytes;
}

}  // namespace saranga::journal
