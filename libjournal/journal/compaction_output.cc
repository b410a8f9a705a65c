#include "libjournal/journal/compaction_output.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "saranga/journal/format.h"

namespace saranga::journal {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{2} << 20;
constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;

std::uint64_t mix(std::uint64_t sum, std::uint64_t word) {
  return (std::rotl(sum, 27) ^ word) * kMultiplier;
}

// Four sums side by side, so that one multiplication need not wait for the one before.
std::uint64_t bytes_sum(Bytes bytes) {
  std::uint64_t sums[4] = {1, 2, 3, bytes.size()};
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    for (std::size_t i = 0; i < 4; ++i) {
      sums[i] = mix(sums[i], load_be<std::uint64_t>(bytes.data() + at + i * 8));
    }
  }
  for (; at < bytes.size(); ++at)
    sums[at % 4] = mix(sums[at % 4], static_cast<unsigned>(bytes[at]));
  return mix(mix(mix(sums[0], sums[1]), sums[2]), sums[3]);
}

}  // namespace

OutputLayout::OutputLayout(std::uint64_t file_size_bytes, std::uint32_t alignment_bytes)
    : file_size_(file_size_bytes),
      alignment_(alignment_bytes),
      first_(std::max<std::uint64_t>(kHeaderBytes, alignment_bytes)) {}

std::size_t OutputLayout::place(std::uint64_t length_bytes) {
  if (sizes_.empty() || at_ + length_bytes > sizes_.back()) {
    const std::uint64_t needed = (first_ + length_bytes + alignment_ - 1) / alignment_ * alignment_;
    sizes_.push_back(std::max(file_size_, needed));
    at_ = first_;
  }
  at_ += length_bytes;
  return sizes_.size() - 1;
}

std::uint64_t OutputLayout::total_bytes() const {
  return std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
}

std::uint64_t content_sum(std::uint64_t before, const RecordFields& fields, Bytes body) {
  const std::uint64_t user_type = static_cast<std::uint8_t>(fields.user_type);
  std::uint64_t sum = mix(before, static_cast<std::uint64_t>(fields.kind) << 32 | user_type << 16 |
                                      static_cast<std::uint8_t>(fields.compact_count));
  sum = mix(sum, static_cast<std::uint64_t>(fields.id));
  sum = mix(sum, static_cast<std::uint64_t>(fields.tx_id));
  sum = mix(sum, static_cast<std::uint32_t>(fields.number));
  return mix(sum, bytes_sum(body));
}

OutputWriter::OutputWriter(WritableDirectory& directory, WriteEngine& engine,
                           const std::vector<OutputFile>& files, std::uint64_t first_record_offset,
                           bool datasync)
    : directory_(directory),
      engine_(engine),
      files_(files),
      first_record_offset_(first_record_offset),
      datasync_(datasync),
      buffers_(engine.depth() + 1),
      submitted_(engine.completed().value_or(0)) {}

OutputWriter::~OutputWriter() { (void)engine_.wait(submitted_); }

Result<void> OutputWriter::put(std::size_t file, RecordFields fields, Bytes body) {
  while (created_ <= file) {
    if (auto begun = begin_file(); !begun) return begun;
  }
  sum_ = content_sum(sum_, fields, body);
  fields.tag = FileHeader{.id = files_[file].id}.tag();
  const auto length = static_cast<std::size_t>(encoded_bytes(fields.kind, body.size()));
  auto to = room(length);
  if (!to) return std::unexpected(to.error());
  encode_record(fields, {&body, 1}, *to);
  return {};
}

Result<void> OutputWriter::begin_file() {
  if (auto ended = end_file(); !ended) return ended;
  auto made = directory_.create(files_[created_].name);
  if (!made) return std::unexpected(made.error());
  file_ = std::move(*made);
  written_ = 0;
  const std::int64_t id = files_[created_++].id;
  auto header = room(static_cast<std::size_t>(first_record_offset_));
  if (!header) return std::unexpected(header.error());
  std::ranges::fill(*header, std::byte{0});
  store_be(header->data(), kFormatVersion);
  store_be(header->data() + 8, id);
  return {};
}

Result<void> OutputWriter::end_file() {
  if (!file_) return {};
  if (auto zeroed = zero_rest(); !zeroed) return zeroed;
  if (auto handed = hand_over(datasync_); !handed) return handed;
  file_.reset();
  return {};
}

Result<void> OutputWriter::zero_rest() {
  const std::uint64_t size = files_[created_ - 1].size_bytes;
  while (written_ + filled_ < size) {
    const auto count = std::min<std::uint64_t>(size - written_ - filled_, kBufferBytes);
    auto zeros = room(static_cast<std::size_t>(count));
    if (!zeros) return std::unexpected(zeros.error());
    std::ranges::fill(*zeros, std::byte{0});
  }
  return {};
}

Result<std::span<std::byte>> OutputWriter::room(std::size_t bytes) {
  if (filled_ != 0 && filled_ + bytes > kBufferBytes) {
    if (auto handed = hand_over(false); !handed) return std::unexpected(handed.error());
  }
  Buffer& buffer = buffers_[buffer_];
  if (filled_ == 0) {
    if (auto free = engine_.wait(buffer.free_at); !free) return std::unexpected(free.error());
  }
  const std::size_t wanted = std::max(kBufferBytes, bytes);
  // One long record must not keep its room for ever.
  if (filled_ == 0 && buffer.bytes.size() != wanted) buffer.bytes = std::vector<std::byte>(wanted);
  const auto to = std::span(buffer.bytes).subspan(filled_, bytes);
  filled_ += bytes;
  return to;
}

Result<void> OutputWriter::hand_over(bool sync) {
  Buffer& buffer = buffers_[buffer_];
  engine_.submit({.file = file_,
                  .offset = written_,
                  .bytes = Bytes(buffer.bytes).first(filled_),
                  .sync = sync});
  buffer.free_at = ++submitted_;
  buffer_ = (buffer_ + 1) % buffers_.size();
  written_ += filled_;
  filled_ = 0;
  if (auto done = engine_.completed(); !done) return std::unexpected(done.error());
  return {};
}

Result<void> OutputWriter::finish() {
  while (created_ < files_.size()) {
    if (auto begun = begin_file(); !begun) return begun;
  }
  if (auto ended = end_file(); !ended) return ended;
  return engine_.wait(submitted_);
}

}  // namespace saranga::journal
