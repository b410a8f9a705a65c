// Packing a stream into the form of gzip.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "saranga/bytes/error.h"

namespace saranga::cli {

/// Packs what it is given and hands it on in pieces. One thread.
class Packer {
 public:
  using Sink = std::function<Result<void>(std::string_view packed)>;

  explicit Packer(Sink sink);
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  [[nodiscard]] Result<void> put(std::string_view text);
  /// Ends the stream; nothing may follow.
  [[nodiscard]] Result<void> finish();

 private:
  struct State;
  [[nodiscard]] Result<void> run(std::string_view text, int flush);
  std::unique_ptr<State> state_;
};

}  // namespace saranga::cli
