#include "saranga/bindings/id_ranges.h"

#include "saranga/bytes/bytes.h"

namespace saranga::bindings {
namespace {

constexpr std::int64_t kGreatestCounter = INT64_MAX / 2;  // above it, ids could run out

}  // namespace

std::vector<std::byte> IdCounter::body() const {
  std::vector<std::byte> bytes(sizeof counter);
  store_be(bytes.data(), counter);
  return bytes;
}

Result<IdRanges> IdRanges::after(std::int64_t last_counter) {
  if (last_counter < 0 || last_counter > kGreatestCounter) {
    return fail(ErrorCode::kDamaged, "the id counter is " + std::to_string(last_counter) +
                                         ", it has to be from 0 to " +
                                         std::to_string(kGreatestCounter));
  }
  IdRanges ranges;
  ranges.next_ = ranges.limit_ = last_counter + 1;
  return ranges;
}

std::int64_t IdRanges::next() {
  if (next_ >= limit_) {
    limit_ += kRangeIds;
    due_ = true;
  }
  return next_++;
}

// Its own id comes from the range that it reserves.
std::optional<IdCounter> IdRanges::due() {
  if (!due_) return std::nullopt;
  due_ = false;
  return IdCounter{.record_id = next_++, .counter = limit_};
}

IdCounter IdRanges::stop() {
  const std::int64_t id = ++next_;
  return {.record_id = id, .counter = id};
}

}  // namespace saranga::bindings
