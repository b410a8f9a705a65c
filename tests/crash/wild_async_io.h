// A kernel for AioEngine that makes use of all that AsyncIo leaves open: operations are done late,
// in any order and in parts, and a durable write makes nothing durable but itself.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "saranga/io/aio_engine.h"
#include "tests/support/faulty_directory.h"

namespace saranga::test {

class WildAsyncIo final : public AsyncIo {
 public:
  WildAsyncIo(FaultyDirectory& disk, std::uint64_t seed) : disk_(disk), random_(seed) {}

  [[nodiscard]] Result<bool> begin(const Operation& operation, std::uint64_t token) override {
    if (!under_way_.empty() && random_() % 8 == 0) return false;
    under_way_.emplace_back(operation, token);
    return true;
  }
  [[nodiscard]] Result<std::vector<Done>> reap(bool wait) override {
    std::vector<Done> all;
    while (!under_way_.empty() && (random_() % 3 == 0 || (wait && all.empty()))) {
      const auto at = static_cast<std::ptrdiff_t>(random_() % under_way_.size());
      const auto [operation, token] = under_way_[static_cast<std::size_t>(at)];
      under_way_.erase(under_way_.begin() + at);
      all.push_back({token, carry_out(operation)});
    }
    return all;
  }

 private:
  static constexpr std::size_t kBlockBytes = 512;

  Result<std::uint64_t> carry_out(const Operation& operation) {
    Result<void> outcome;
    Bytes bytes = operation.bytes;
    if (bytes.size() >= 2 * kBlockBytes && random_() % 8 == 0) {
      bytes = bytes.first(bytes.size() / 2 / kBlockBytes * kBlockBytes);
    }
    if (bytes.empty()) {
      outcome = operation.file->sync_data();
    } else if (operation.durable) {
      outcome = disk_.write_durably(*operation.file, operation.offset, bytes);
    } else {
      outcome = operation.file->write_at(operation.offset, bytes);
    }
    if (!outcome) return std::unexpected(outcome.error());
    return bytes.size();
  }

  FaultyDirectory& disk_;
  std::mt19937_64 random_;
  std::vector<std::pair<Operation, std::uint64_t>> under_way_;
};

}  // namespace saranga::test
