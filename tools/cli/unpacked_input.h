// An input that may be compressed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/cli/input.h"

namespace saranga::cli {

/// Reads like Input; what begins as a gzip file does is unpacked on the way. One thread.
class UnpackedInput {
 public:
  explicit UnpackedInput(Input input);
  ~UnpackedInput();
  UnpackedInput(const UnpackedInput&) = delete;
  UnpackedInput& operator=(const UnpackedInput&) = delete;

  [[nodiscard]] const std::string& label() const { return input_.label(); }
  /// 0 when nobody knows, as of what is packed.
  [[nodiscard]] std::uint64_t size_bytes() const;
  /// kDamaged when packed bytes make no sense or end too early.
  [[nodiscard]] Result<std::size_t> read(std::span<char> to);

 private:
  struct Inflater;
  [[nodiscard]] Result<void> look_at_beginning();
  [[nodiscard]] Result<std::size_t> inflate(std::span<char> to);
  [[nodiscard]] Result<bool> fill();

  Input input_;
  std::vector<char> packed_;
  std::size_t begin_ = 0;  // of what has not been used of them
  std::size_t end_ = 0;
  bool looked_ = false;
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace saranga::cli
