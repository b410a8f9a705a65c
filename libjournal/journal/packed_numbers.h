// Many numbers, most of them small, in the order in which they are needed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace saranga::journal {

/// Keeps numbers, seven bits a byte, and gives them back once; what was read frees its memory. One
/// thread.
class PackedNumbers {
 public:
  /// Gives up, and gives its memory back, when it would take more than that.
  explicit PackedNumbers(std::size_t limit_bytes) : limit_chunks_(limit_bytes / kChunkBytes) {}

  void put(std::uint64_t value) {
    if (chunks_.empty() || chunks_.back().size() + kLongest > kChunkBytes) add_chunk();
    if (gave_up_) return;
    std::vector<std::byte>& chunk = chunks_.back();
    for (; value >= 0x80; value >>= 7) chunk.push_back(static_cast<std::byte>(value | 0x80));
    chunk.push_back(static_cast<std::byte>(value));
  }
  /// Whether it has all that was put.
  [[nodiscard]] bool complete() const { return !gave_up_; }
  /// Whether all were given back.
  [[nodiscard]] bool ended() {
    if (!chunks_.empty() && at_ == chunks_.front().size()) {
      chunks_.pop_front();
      at_ = 0;
    }
    return chunks_.empty();
  }
  /// The next one; there must be one.
  [[nodiscard]] std::uint64_t get() {
    if (ended()) return 0;
    const std::vector<std::byte>& chunk = chunks_.front();
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned>(chunk[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  }

  /// How a number differs from another, near zero when they are near each other.
  [[nodiscard]] static std::uint64_t difference(std::int64_t now, std::int64_t before) {
    const std::uint64_t apart =
        static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(before);
    return apart << 1 ^ (apart >> 63 != 0 ? ~std::uint64_t{0} : 0);
  }
  [[nodiscard]] static std::int64_t add_difference(std::int64_t before, std::uint64_t difference) {
    const std::uint64_t apart = difference >> 1 ^ ((difference & 1) != 0 ? ~std::uint64_t{0} : 0);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + apart);
  }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
  static constexpr std::size_t kLongest = 10;  // bytes of one number

  void add_chunk() {
    if (gave_up_ || chunks_.size() >= limit_chunks_) {
      gave_up_ = true;
      chunks_.clear();
    } else {
      chunks_.emplace_back().reserve(kChunkBytes);
    }
  }

  std::size_t limit_chunks_;
  bool gave_up_ = false;
  std::deque<std::vector<std::byte>> chunks_;
  std::size_t at_ = 0;  // of the reading, in the first chunk
};

}  // namespace saranga::journal
