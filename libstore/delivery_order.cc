#include <algorithm>
#include <array>

#include "saranga/store/live_messages.h"

namespace saranga::store {
namespace {

// Highest priority first, arrival within one priority. Linear where it matters: queues can be long,
// and most of them have one priority only.
void sort_by_priority(const Model& model, std::span<std::uint32_t> references,
                      std::vector<std::uint32_t>& spare) {
  constexpr std::size_t kPriorities = 16;  // Message::priority holds no more
  constexpr std::size_t kFew = 64;
  const auto level = [&](std::uint32_t reference) {
    const std::uint32_t message = model.references()[reference].message;
    return kPriorities - 1 - model.messages()[message].priority;
  };
  if (references.size() < kFew) {
    std::ranges::stable_sort(references, {}, level);
    return;
  }
  std::array<std::size_t, kPriorities + 1> begin{};
  for (const std::uint32_t reference : references) ++begin[level(reference) + 1];
  if (std::ranges::find(begin, references.size()) != begin.end()) return;
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  spare.resize(references.size());
  for (const std::uint32_t reference : references) spare[begin[level(reference)]++] = reference;
  std::ranges::copy(spare, references.begin());
}

}  // namespace

DeliveryOrder::DeliveryOrder(const Model& model) : begin_(model.queue_ids().size() + 1) {
  const auto& references = model.references();
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (references[i].state != Reference::State::kDead) ++begin_[references[i].queue + 1];
  }
  for (std::size_t q = 1; q < begin_.size(); ++q) begin_[q] += begin_[q - 1];
  order_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (references[i].state == Reference::State::kDead) continue;
    order_[next[references[i].queue]++] = static_cast<std::uint32_t>(i);
  }
  std::vector<std::uint32_t> spare;
  for (std::size_t q = 0; q + 1 < begin_.size(); ++q) {
    const auto queue = std::span(order_).subspan(begin_[q], begin_[q + 1] - begin_[q]);
    sort_by_priority(model, queue, spare);
  }
}

}  // namespace saranga::store
