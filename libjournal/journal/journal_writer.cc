#include "saranga/journal/journal_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "libjournal/journal/writer_state.h"

namespace saranga::journal {
namespace {

std::unexpected<Error> refuse(ErrorCode code, std::int64_t record, std::string text) {
  return std::unexpected(Error{.code = code, .text = std::move(text), .record = record});
}

std::int32_t tag_of(const PoolFile& file) { return FileHeader{.id = file.id}.tag(); }

}  // namespace

Result<void> JournalWriter::State::check(const RecordFields& fields, std::uint64_t bytes) const {
  const std::uint64_t capacity = options.file_size_bytes - pool.first_record_offset();
  if (bytes > capacity) {
    return refuse(ErrorCode::kInvalidArgument, fields.id,
                  fmt::format("the record has {} bytes, a file of {} has room for {}", bytes,
                              options.file_size_bytes, capacity));
  }
  switch (fields.kind) {
    case RecordKind::kAdd:
      if (!accounts.is_live(fields.id)) return {};
      return refuse(ErrorCode::kExists, fields.id, "cannot be added: the id is live already");
    case RecordKind::kUpdate:
    case RecordKind::kDelete:
      if (accounts.is_live(fields.id)) return {};
      return refuse(ErrorCode::kNotFound, fields.id,
                    "cannot be updated or deleted: the id is not live");
    case RecordKind::kCommit:
    case RecordKind::kRollback:
      if (accounts.is_open(fields.tx_id)) return {};
      return fail(ErrorCode::kNotFound,
                  fmt::format("transaction {} is not open, so it cannot end", fields.tx_id));
    default: return {};
  }
}

Result<Position> JournalWriter::State::append(RecordFields fields, Slices body) {
  if (stream.error()) return std::unexpected(*stream.error());
  const std::uint64_t bytes = encoded_bytes(fields.kind, slices_bytes(body));
  if (auto possible = check(fields, bytes); !possible) return std::unexpected(possible.error());
  if (!stream.fits(bytes)) {
    if (auto rolled = roll(); !rolled) return std::unexpected(rolled.error());
  }
  // Both depend on the file, so they are not known before the record has one.
  fields.tag = tag_of(current.file);
  fields.number =
      traits(fields.kind).has_number ? accounts.count_in(fields.tx_id, current.slot) : 0;
  auto room = stream.append(static_cast<std::size_t>(bytes));
  if (!room) return std::unexpected(room.error());
  encode_record(fields, body, *room);
  accounts.apply(fields, static_cast<std::uint32_t>(bytes), current.slot);
  return stream.appended();
}

void JournalWriter::State::begin(const PoolFile& file, std::unique_ptr<WritableFile> opened_file) {
  current = {.file = file, .slot = accounts.open_file()};
  stream.attach(std::move(opened_file), pool.first_record_offset(), file.size_bytes);
}

// Whatever can fail without harm comes first: the current file stays until the next one is there.
Result<void> JournalWriter::State::roll() {
  if (!ahead) {
    auto taken = pool.take();
    if (!taken) return std::unexpected(taken.error());
    ahead = std::move(*taken);
  }
  auto next = directory.open_for_writing(ahead->name);
  if (!next) return std::unexpected(next.error());
  if (auto finished = stream.finish_file(); !finished) return finished;
  current.file.dirty_bytes = std::max(current.file.dirty_bytes, stream.offset());
  closed.push_back(current);
  begin(*std::exchange(ahead, std::nullopt), std::move(*next));
  check_due = true;
  maintain_automatically();
  return {};
}

Result<void> JournalWriter::State::reclaim() {
  // A file goes because of what later ones say, and a transaction deletes only with its commit,
  // which may be in the current file: all of it has to be durable first.
  if (auto synced = stream.sync(); !synced) return synced;
  std::vector<FileSlot> slots;
  for (const DataFile& file : closed) slots.push_back(file.slot);
  for (const FileSlot slot : accounts.reclaimable(slots)) {
    const auto found = std::ranges::find(closed, slot, &DataFile::slot);
    if (auto freed = pool.release(found->file, used_files() - 1); !freed) return freed;
    accounts.forget(slot);
    closed.erase(found);
    ++freed_total;
  }
  check_due = false;
  return {};
}

Result<void> JournalWriter::State::maintain() {
  if (check_due) {
    if (auto reclaimed = reclaim(); !reclaimed) return reclaimed;
  }
  if (ahead) return {};
  auto taken = pool.take();
  if (!taken) return std::unexpected(taken.error());
  ahead = std::move(*taken);
  return {};
}

void JournalWriter::State::maintain_automatically() {
  if (!options.automatic_maintenance) return;
  maintenance_error.reset();
  if (auto maintained = maintain(); !maintained) maintenance_error = maintained.error();
}

JournalWriter::JournalWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
JournalWriter::~JournalWriter() = default;

const OpenedJournal& JournalWriter::opened() const { return state_->opened; }

Result<Position> JournalWriter::append(RecordFields fields, Slices body) {
  return state_->append(fields, body);
}

Result<void> JournalWriter::start() { return state_->stream.start(); }
Result<void> JournalWriter::poll() { return state_->stream.poll(); }
Result<void> JournalWriter::sync() { return state_->stream.sync(); }
Position JournalWriter::appended() const { return state_->stream.appended(); }
Position JournalWriter::durable() const { return state_->stream.durable(); }
bool JournalWriter::is_live(std::int64_t id) const { return state_->accounts.is_live(id); }
Result<void> JournalWriter::maintain() { return state_->maintain(); }

bool JournalWriter::maintenance_due() const { return state_->check_due || !state_->ahead; }

const std::optional<Error>& JournalWriter::maintenance_error() const {
  return state_->maintenance_error;
}

WriterFiles JournalWriter::files() const {
  return {.current = state_->current.file.name,
          .current_id = state_->current.file.id,
          .closed = state_->closed.size(),
          .free = state_->pool.free_files() + (state_->ahead ? 1 : 0),
          .freed_total = state_->freed_total};
}

}  // namespace saranga::journal
