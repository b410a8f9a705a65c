#include "libjournal/journal/append_stream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace saranga::journal {
namespace {

constexpr std::size_t kMemoryAlignment = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

void BlockBuffer::Free::operator()(std::byte* memory) const { std::free(memory); }

void BlockBuffer::grow(std::size_t bytes, std::size_t kept) {
  const auto size =
      static_cast<std::size_t>(round_up(std::max<std::size_t>(bytes, 1), kMemoryAlignment));
  std::unique_ptr<std::byte[], Free> data(
      static_cast<std::byte*>(std::aligned_alloc(kMemoryAlignment, size)));
  if (data == nullptr) return;  // the old size tells
  if (kept != 0) std::memcpy(data.get(), data_.get(), kept);
  data_ = std::move(data);
  size_ = size;
}

AppendStream::AppendStream(WriteEngine& engine, Options options)
    : engine_(engine), options_(options), submitted_(engine.completed().value_or(0)) {
  buffer_ = take_buffer();
}

AppendStream::~AppendStream() {
  if (!in_flight_.empty()) (void)engine_.wait(submitted_);
}

std::uint64_t AppendStream::aligned(std::uint64_t offset) const {
  return round_up(offset, options_.alignment_bytes);
}

void AppendStream::attach(std::shared_ptr<WritableFile> file, std::uint64_t offset,
                          std::uint64_t size_bytes) {
  file_ = std::move(file);
  offset_ = aligned(offset);
  file_size_bytes_ = size_bytes;
}

Result<void> AppendStream::finish_file() {
  auto handed = hand_over(true);
  if (handed) file_.reset();
  return handed;
}

bool AppendStream::fits(std::uint64_t bytes) const {
  const bool batch_is_full = filled_ != 0 && filled_ + bytes > options_.buffer_bytes;
  const std::uint64_t at = batch_is_full ? aligned(offset_ + filled_) : offset_ + filled_;
  return at + bytes <= file_size_bytes_;
}

Result<std::span<std::byte>> AppendStream::append(std::size_t bytes) {
  if (error_) return std::unexpected(*error_);
  if (filled_ != 0 && filled_ + bytes > options_.buffer_bytes) {
    if (auto handed = hand_over(false); !handed) return std::unexpected(handed.error());
  }
  if (filled_ + bytes > buffer_->size()) {
    buffer_->grow(static_cast<std::size_t>(aligned(filled_ + bytes)), filled_);
    if (filled_ + bytes > buffer_->size()) {
      return fail(ErrorCode::kIo, "no memory for a record of " + std::to_string(bytes) + " bytes");
    }
  }
  const std::span room(buffer_->data() + filled_, bytes);
  filled_ += bytes;
  ++appended_;
  return room;
}

Result<void> AppendStream::remember(Result<void> outcome) {
  if (!outcome && !error_) error_ = outcome.error();
  return outcome;
}

Result<void> AppendStream::wait_for(std::uint64_t number) {
  if (auto waited = remember(engine_.wait(number)); !waited) return waited;
  return poll();
}

// Waits until one more request may be handed over.
Result<void> AppendStream::make_way() {
  while (!in_flight_.empty() && in_flight_.size() >= engine_.depth()) {
    if (auto waited = wait_for(in_flight_.front().number); !waited) return waited;
  }
  // A commit must not become durable before the records that it commits in an earlier file.
  if (!in_flight_.empty() && in_flight_.back().file != file_.get()) {
    return wait_for(in_flight_.back().number);
  }
  return {};
}

Result<void> AppendStream::hand_over(bool sync) {
  if (error_) return std::unexpected(*error_);
  const bool sync_needed = sync && sync_asked_ != appended_;
  if (filled_ == 0 && !sync_needed) return {};
  if (auto way = make_way(); !way) return way;
  const auto length = static_cast<std::size_t>(aligned(filled_));
  std::memset(buffer_->data() + filled_, 0, length - filled_);
  const bool with_sync = sync && options_.datasync;
  InFlight request{.buffer = std::move(buffer_),
                   .file = file_.get(),
                   .number = ++submitted_,
                   .appended = appended_,
                   .makes_durable = with_sync || !options_.datasync};
  const Bytes bytes(request.buffer->data(), length);
  in_flight_.push_back(std::move(request));
  buffer_ = take_buffer();
  if (sync) sync_asked_ = appended_;
  engine_.submit({.file = file_, .offset = offset_, .bytes = bytes, .sync = with_sync});
  offset_ += length;
  filled_ = 0;
  return poll();
}

std::unique_ptr<BlockBuffer> AppendStream::take_buffer() {
  if (spare_.empty()) return std::make_unique<BlockBuffer>(options_.buffer_bytes);
  auto buffer = std::move(spare_.back());
  spare_.pop_back();
  return buffer;
}

Result<void> AppendStream::start() {
  if (auto polled = poll(); !polled) return polled;
  return in_flight_.empty() ? hand_over(true) : Result<void>{};
}

Result<void> AppendStream::poll() {
  if (error_) return std::unexpected(*error_);
  const auto completed = engine_.completed();
  if (!completed) return remember(std::unexpected(completed.error()));
  while (!in_flight_.empty() && in_flight_.front().number <= *completed) {
    InFlight& done = in_flight_.front();
    if (done.makes_durable) durable_ = done.appended;
    // A buffer that has grown for one huge record is not kept.
    if (done.buffer->size() < options_.buffer_bytes + kMemoryAlignment) {
      spare_.push_back(std::move(done.buffer));
    }
    in_flight_.pop_front();
  }
  return {};
}

Result<void> AppendStream::sync() {
  if (auto handed = hand_over(true); !handed) return handed;
  return in_flight_.empty() ? poll() : wait_for(in_flight_.back().number);
}

}  // namespace saranga::journal
