#include "saranga/io/aio_engine.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "libjournal/io/descriptor.h"

namespace saranga {

struct AioEngine::State {
  /// One request on its way.
  struct Pending {
    enum class Phase : std::uint8_t { kWaiting, kWriting, kWritten, kSyncing, kComplete };
    WriteRequest request;
    std::uint64_t written_bytes = 0;
    bool sync_follows = false;  // an fdatasync of its own, behind the write
    Phase phase = Phase::kWaiting;
  };
  using Phase = Pending::Phase;

  State(std::unique_ptr<AsyncIo> given_io, std::size_t given_depth)
      : io(std::move(given_io)), depth(std::max<std::size_t>(given_depth, 1)) {}

  void take(WriteRequest request);
  void begin_what_can();
  [[nodiscard]] bool begin(Pending& pending, std::uint64_t token, bool sync);
  void reap(bool wait);
  void finish(const AsyncIo::Done& done);
  void retire();
  void note(Error what) {
    if (!error) error = std::move(what);
  }

  std::unique_ptr<AsyncIo> io;
  std::size_t depth;
  std::deque<Pending> requests;  // the first one has the number completed + 1
  std::uint64_t completed = 0;
  std::size_t under_way = 0;
  // Files with writes that no sync covers. One that was closed meanwhile costs a sync at worst.
  std::set<const WritableFile*> unsynced;
  std::optional<Error> error;
};

void AioEngine::State::take(WriteRequest request) {
  const WritableFile* file = request.file.get();
  const bool has_bytes = !request.bytes.empty();
  Pending pending{.request = std::move(request)};
  if (pending.request.sync) {
    pending.sync_follows = !has_bytes || unsynced.erase(file) != 0;
  } else if (has_bytes) {
    unsynced.insert(file);
  }
  if (!has_bytes) pending.phase = Phase::kWritten;
  requests.push_back(std::move(pending));
}

// False when it could not begin, now or ever.
bool AioEngine::State::begin(Pending& pending, std::uint64_t token, bool sync) {
  AsyncIo::Operation operation{.file = pending.request.file};
  if (!sync) {
    operation.offset = pending.request.offset + pending.written_bytes;
    operation.bytes =
        pending.request.bytes.subspan(static_cast<std::size_t>(pending.written_bytes));
    operation.durable = pending.request.sync && !pending.sync_follows;
  }
  const auto begun = io->begin(operation, token);
  if (!begun) note(begun.error());
  if (!begun || !*begun) return false;
  ++under_way;
  pending.phase = sync ? Phase::kSyncing : Phase::kWriting;
  return true;
}

// A sync covers what was written before it began, so it waits for all writes in front of it.
void AioEngine::State::begin_what_can() {
  bool all_written = true;
  std::uint64_t token = completed;
  for (Pending& pending : requests) {
    ++token;
    if (error || under_way >= depth) return;
    if (pending.phase == Phase::kWaiting && !begin(pending, token, false)) return;
    if (pending.phase == Phase::kWritten && pending.sync_follows && all_written) {
      if (!begin(pending, token, true)) return;
    }
    if (pending.phase <= Phase::kWriting) all_written = false;
  }
}

void AioEngine::State::finish(const AsyncIo::Done& done) {
  --under_way;
  Pending& pending = requests[static_cast<std::size_t>(done.token - completed - 1)];
  if (!done.bytes) return note(done.bytes.error());
  if (pending.phase == Phase::kSyncing) {
    pending.phase = Phase::kComplete;
    return;
  }
  pending.written_bytes += *done.bytes;
  if (pending.written_bytes >= pending.request.bytes.size()) {
    pending.phase = pending.sync_follows ? Phase::kWritten : Phase::kComplete;
    return;
  }
  // The rest gets a write of its own. One that takes nothing would go on for ever.
  pending.phase = Phase::kWaiting;
  if (*done.bytes == 0) {
    note(system_error(ENOSPC, "cannot write", pending.request.file->path()).error());
  }
}

void AioEngine::State::retire() {
  while (!requests.empty()) {
    const Pending& front = requests.front();
    const bool nothing_to_do = front.phase == Phase::kWritten && !front.sync_follows;
    if (front.phase != Phase::kComplete && !nothing_to_do) return;
    requests.pop_front();
    ++completed;
  }
}

void AioEngine::State::reap(bool wait) {
  const auto all = io->reap(wait);
  if (!all) return note(all.error());
  for (const AsyncIo::Done& done : *all) finish(done);
  retire();
  begin_what_can();
}

AioEngine::AioEngine(std::unique_ptr<AsyncIo> io, std::size_t depth)
    : state_(std::make_unique<State>(std::move(io), depth)) {}

AioEngine::~AioEngine() { (void)wait(state_->completed + state_->requests.size()); }

std::size_t AioEngine::depth() const { return state_->depth; }

void AioEngine::submit(WriteRequest request) {
  if (state_->error) return;
  state_->take(std::move(request));
  state_->retire();
  state_->begin_what_can();
}

Result<std::uint64_t> AioEngine::completed() {
  if (!state_->error && state_->under_way != 0) state_->reap(false);
  if (state_->error) return std::unexpected(*state_->error);
  return state_->completed;
}

Result<void> AioEngine::wait(std::uint64_t count) {
  State& state = *state_;
  while (state.error ? state.under_way != 0 : state.completed < count && !state.requests.empty()) {
    if (state.under_way == 0) state.begin_what_can();
    if (state.under_way == 0) {
      state.note({.code = ErrorCode::kIo, .text = "the kernel takes no write requests any more"});
      break;
    }
    const std::size_t before = state.under_way;
    state.reap(true);
    // Nothing more can be learned of what is under way when even asking fails.
    if (state.error && state.under_way == before) break;
  }
  if (state.error) return std::unexpected(*state.error);
  if (state.completed < count) {
    return fail(ErrorCode::kInvalidArgument, "waiting for more than was submitted");
  }
  return {};
}

EngineChoice choose_direct_engine(const std::string& folder, std::uint32_t alignment_bytes,
                                  JobRunner& jobs) {
  const auto otherwise = [&](std::string reason) {
    return EngineChoice{.engine = std::make_unique<PwriteEngine>(jobs),
                        .direct = false,
                        .reason = std::move(reason)};
  };
  const auto block = direct_block_bytes(folder);
  if (!block) return otherwise(block.error().message());
  if (alignment_bytes % *block != 0) {
    return otherwise("the alignment is " + std::to_string(alignment_bytes) + ", direct writes to " +
                     folder + " need a multiple of " + std::to_string(*block));
  }
  auto engine = AioEngine::create();
  if (!engine) return otherwise(engine.error().message());
  return {.engine = std::move(*engine), .direct = true, .reason = {}};
}

}  // namespace saranga
