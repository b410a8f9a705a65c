// An engine that makes use of all that the contract of WriteEngine leaves open: requests are
// carried out late, and in any order in which a sync still covers what came before it for the same
// file.
#pragma once

#include <deque>
#include <optional>
#include <random>
#include <utility>

#include "saranga/io/write_engine.h"

namespace saranga::test {

class WildEngine final : public WriteEngine {
 public:
  explicit WildEngine(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t depth() const override { return 3; }
  void submit(WriteRequest request) override {
    requests_.push_back(std::move(request));
    if (random_() % 2 == 0) carry_out_one();
  }
  [[nodiscard]] Result<std::uint64_t> completed() override {
    if (random_() % 4 == 0) carry_out_one();
    if (error_) return std::unexpected(*error_);
    return completed_;
  }
  [[nodiscard]] Result<void> wait(std::uint64_t count) override {
    while (!error_ && completed_ < count) carry_out_one();
    if (error_) return std::unexpected(*error_);
    return {};
  }

 private:
  void carry_out_one() {
    if (error_ || requests_.empty()) return;
    carry_out(random_() % requests_.size());
    while (!requests_.empty() && !requests_.front()) {
      requests_.pop_front();
      ++completed_;
    }
  }
  void carry_out(std::size_t at) {
    if (!requests_[at]) return;
    const WriteRequest request = *std::exchange(requests_[at], std::nullopt);
    if (request.sync) {
      for (std::size_t earlier = 0; earlier < at; ++earlier) {
        if (requests_[earlier] && requests_[earlier]->file == request.file) carry_out(earlier);
      }
    }
    if (!request.bytes.empty()) note(request.file->write_at(request.offset, request.bytes));
    if (request.sync && !error_) note(request.file->sync_data());
  }
  void note(const Result<void>& outcome) {
    if (!outcome && !error_) error_ = outcome.error();
  }

  std::mt19937_64 random_;
  std::deque<std::optional<WriteRequest>> requests_;  // nothing: carried out
  std::uint64_t completed_ = 0;
  std::optional<Error> error_;
};

}  // namespace saranga::test
