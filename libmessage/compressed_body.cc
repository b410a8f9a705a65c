#include "saranga/message/compressed_body.h"

#include <zlib.h>

#include <algorithm>
#include <span>

namespace saranga::message {
namespace {

constexpr std::size_t kFirstBytes = 4096;
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

/// Owns the state of zlib.
class Inflater {
 public:
  Inflater() { ready_ = inflateInit(&stream_) == Z_OK; }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] z_stream& stream() { return stream_; }
  [[nodiscard]] const z_stream& stream() const { return stream_; }
  /// `body` is what zlib reads next, and stays in place until it has.
  void set_input(Bytes body) {
    // zlib's interface predates const; it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(body.data()));
    stream_.avail_in = static_cast<uInt>(body.size());
  }
  void set_output(std::span<std::byte> room) {
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

Error damaged() { return {.code = ErrorCode::kDamaged, .text = "the compressed body is damaged"}; }
Error cut() { return {.code = ErrorCode::kDamaged, .text = "the compressed body is cut"}; }
Error too_long() {
  return {.code = ErrorCode::kUnsupported, .text = "the body is too long to be inflated here"};
}

/// Counts what comes out of a compressed body that is fed piece by piece.
class InflatedCounter {
 public:
  explicit InflatedCounter(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  [[nodiscard]] bool ready() const { return inflater_.ready(); }
  [[nodiscard]] std::uint64_t count() const { return inflater_.stream().total_out; }
  /// True at the end of the stream.
  [[nodiscard]] Result<bool> feed(Bytes piece) {
    z_stream& stream = inflater_.stream();
    inflater_.set_input(piece);
    while (true) {
      inflater_.set_output(room_);
      const int state = inflate(&stream, Z_NO_FLUSH);
      if (stream.total_out > limit_bytes_) return std::unexpected(too_long());
      if (state == Z_STREAM_END) return true;
      if (state != Z_OK && state != Z_BUF_ERROR) return std::unexpected(damaged());
      if (stream.avail_out != 0) return false;
    }
  }

 private:
  Inflater inflater_;
  std::uint64_t limit_bytes_;
  std::vector<std::byte> room_ = std::vector<std::byte>(kPieceBytes);
};

}  // namespace

Result<std::vector<std::byte>> inflate_body(Bytes body, std::size_t limit_bytes) {
  Inflater inflater;
  if (!inflater.ready()) return fail(ErrorCode::kIo, "cannot start the decompression");
  z_stream& stream = inflater.stream();
  std::vector<std::byte> result(std::min(std::max(body.size() * 4, kFirstBytes), limit_bytes));
  inflater.set_input(body);
  while (true) {
    inflater.set_output(std::span(result).subspan(stream.total_out));
    const int state = inflate(&stream, Z_NO_FLUSH);
    if (state == Z_STREAM_END) break;
    if (state != Z_OK && state != Z_BUF_ERROR) {
      return std::unexpected(damaged());
    }
    if (stream.avail_out != 0) return std::unexpected(cut());
    if (result.size() == limit_bytes) return std::unexpected(too_long());
    result.resize(std::min(result.size() * 2, limit_bytes));
  }
  result.resize(stream.total_out);
  return result;
}

Result<std::uint64_t> inflated_size(Bytes body, std::uint64_t limit_bytes) {
  InflatedCounter counter(limit_bytes);
  if (!counter.ready()) return fail(ErrorCode::kIo, "cannot start the decompression");
  const auto ended = counter.feed(body);
  if (!ended) return std::unexpected(ended.error());
  if (!*ended) return std::unexpected(cut());
  return counter.count();
}

Result<std::uint64_t> inflated_size(const ReadableFile& file, std::uint64_t limit_bytes) {
  InflatedCounter counter(limit_bytes);
  if (!counter.ready()) return fail(ErrorCode::kIo, "cannot start the decompression");
  std::vector<std::byte> piece(kPieceBytes);
  std::uint64_t at = 0;
  while (true) {
    const auto got = file.read_at(at, piece);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return std::unexpected(cut());
    const auto ended = counter.feed(Bytes(piece).first(*got));
    if (!ended) return std::unexpected(ended.error());
    if (*ended) return counter.count();
    at += *got;
  }
}

}  // namespace saranga::message
