// Where a command's data comes from: standard input, or a file.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "saranga/bytes/error.h"

namespace saranga::cli {

/// Reads front to back, from a pipe as well. One thread uses it.
class Input {
 public:
  /// "-" is standard input. `interrupted`, which outlives it, ends the waiting of read().
  [[nodiscard]] static Result<Input> open(const std::string& path,
                                          const std::atomic<bool>* interrupted = nullptr);
  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;
  ~Input();

  /// How messages call it.
  [[nodiscard]] const std::string& label() const { return label_; }
  /// 0 when nobody knows.
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  /// Fills some of `to`, which is not empty; 0 at the end.
  [[nodiscard]] Result<std::size_t> read(std::span<char> to);

 private:
  Input(int descriptor, std::string label, const std::atomic<bool>* interrupted)
      : descriptor_(descriptor), label_(std::move(label)), interrupted_(interrupted) {}
  [[nodiscard]] bool wait() const;

  int descriptor_;
  std::string label_;
  std::uint64_t size_bytes_ = 0;
  const std::atomic<bool>* interrupted_;
};

}  // namespace saranga::cli
