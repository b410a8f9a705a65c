#include "tools/cli/packer.h"

#include <zlib.h>

#include <algorithm>
#include <climits>
#include <vector>

namespace saranga::cli {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr int kGzip = 16 + MAX_WBITS;  // says to zlib that a gzip header is wanted
constexpr int kMemoryLevel = 8;        // zlib's default

}  // namespace

struct Packer::State {
  Sink sink;
  z_stream stream{};
  std::vector<char> packed = std::vector<char>(kPieceBytes);

  explicit State(Sink to) : sink(std::move(to)) {
    (void)::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                         Z_DEFAULT_STRATEGY);
  }
  ~State() { (void)::deflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Packer::Packer(Sink sink) : state_(std::make_unique<State>(std::move(sink))) {}
Packer::~Packer() = default;

Result<void> Packer::put(std::string_view text) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, UINT_MAX);
    if (auto done = run(piece, Z_NO_FLUSH); !done) return done;
    text.remove_prefix(piece.size());
  }
  return {};
}

Result<void> Packer::finish() { return run({}, Z_FINISH); }

Result<void> Packer::run(std::string_view text, int flush) {
  State& s = *state_;
  // zlib does not write to what it reads, it only does not say so.
  s.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  s.stream.avail_in = static_cast<uInt>(text.size());
  do {
    s.stream.next_out = reinterpret_cast<Bytef*>(s.packed.data());
    s.stream.avail_out = static_cast<uInt>(s.packed.size());
    if (::deflate(&s.stream, flush) == Z_STREAM_ERROR) {
      return fail(ErrorCode::kIo, "the output cannot be packed");
    }
    const std::size_t made = s.packed.size() - s.stream.avail_out;
    if (auto done = made == 0 ? Result<void>{} : s.sink({s.packed.data(), made}); !done) {
      return done;
    }
  } while (s.stream.avail_out == 0);
  return {};
}

}  // namespace saranga::cli
