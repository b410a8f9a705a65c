#include "tools/cli/unpacked_input.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace saranga::cli {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{256} << 10;
constexpr int kGzip = 16 + MAX_WBITS;  // says to zlib that a gzip header is to be expected

}  // namespace

struct UnpackedInput::Inflater {
  z_stream stream{};
  bool between = false;  // two members of the file: its end may come

  Inflater() { (void)::inflateInit2(&stream, kGzip); }
  ~Inflater() { (void)::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

UnpackedInput::UnpackedInput(Input input) : input_(std::move(input)), packed_(kPackedBytes) {}
UnpackedInput::~UnpackedInput() = default;

std::uint64_t UnpackedInput::size_bytes() const {
  return inflater_ == nullptr ? input_.size_bytes() : 0;
}

// False at the end of the input.
Result<bool> UnpackedInput::fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  const auto got = input_.read(std::span(packed_).subspan(end_));
  if (!got) return std::unexpected(got.error());
  end_ += *got;
  return *got != 0;
}

Result<void> UnpackedInput::look_at_beginning() {
  looked_ = true;
  constexpr std::size_t kMagicBytes = 2;
  while (end_ < kMagicBytes) {
    const auto more = fill();
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
  }
  if (packed_[0] == '\x1f' && packed_[1] == '\x8b') inflater_ = std::make_unique<Inflater>();
  return {};
}

Result<std::size_t> UnpackedInput::read(std::span<char> to) {
  if (!looked_) {
    if (auto done = look_at_beginning(); !done) return std::unexpected(done.error());
  }
  if (inflater_ != nullptr) return inflate(to);
  if (begin_ == end_) return input_.read(to);
  const std::size_t count = std::min(to.size(), end_ - begin_);
  std::memcpy(to.data(), packed_.data() + begin_, count);
  begin_ += count;
  return count;
}

Result<std::size_t> UnpackedInput::inflate(std::span<char> to) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  while (stream.avail_out == to.size()) {
    if (begin_ == end_) {
      const auto more = fill();
      if (!more) return std::unexpected(more.error());
      if (!*more && inflater_->between) return 0;
      if (!*more) return fail(ErrorCode::kDamaged, "the gzip file is cut off", label());
    }
    if (std::exchange(inflater_->between, false)) (void)::inflateReset(&stream);
    stream.next_in = reinterpret_cast<Bytef*>(packed_.data() + begin_);
    stream.avail_in = static_cast<uInt>(end_ - begin_);
    const int state = ::inflate(&stream, Z_NO_FLUSH);
    begin_ = end_ - stream.avail_in;
    if (state == Z_STREAM_END) {
      inflater_->between = true;
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      return fail(ErrorCode::kDamaged, "the gzip file is damaged", label());
    }
  }
  return to.size() - stream.avail_out;
}

}  // namespace saranga::cli
