#include "saranga/message/compressed_body.h"

#include <zlib.h>

#include <algorithm>

namespace saranga::message {
namespace {

constexpr std::size_t kFirstBytes = 4096;

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

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

Result<std::vector<std::byte>> inflate_body(Bytes body, std::size_t limit_bytes) {
  Inflater inflater;
  if (!inflater.ready()) return fail(ErrorCode::kIo, "cannot start the decompression");
  z_stream& stream = inflater.stream();
  std::vector<std::byte> result(std::min(std::max(body.size() * 4, kFirstBytes), limit_bytes));
  // zlib's interface predates const; it does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + stream.total_out);
    stream.avail_out = static_cast<uInt>(result.size() - stream.total_out);
    const int state = inflate(&stream, Z_NO_FLUSH);
    if (state == Z_STREAM_END) break;
    if (state != Z_OK && state != Z_BUF_ERROR) {
      return fail(ErrorCode::kDamaged, "the compressed body is damaged");
    }
    if (stream.avail_out != 0) return fail(ErrorCode::kDamaged, "the compressed body is cut");
    if (result.size() == limit_bytes) {
      return fail(ErrorCode::kUnsupported, "the body is too long to be inflated here");
    }
    result.resize(std::min(result.size() * 2, limit_bytes));
  }
  result.resize(stream.total_out);
  return result;
}

}  // namespace saranga::message
