// A vector that grows by whole segments: elements never move, and growing costs no second copy.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "saranga/bytes/huge_pages.h"

namespace saranga::store {

/// Like std::vector as far as it goes; not copyable. Not thread-safe while it is changed.
template <class T>
class SegmentedVector {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t index) {
    return segments_[index / kSegment][index % kSegment];
  }
  [[nodiscard]] const T& operator[](std::size_t index) const {
    return segments_[index / kSegment][index % kSegment];
  }
  void push_back(const T& value) {
    if (size_ == segments_.size() * kSegment) {
      segments_.push_back(std::make_unique_for_overwrite<T[]>(kSegment));
      // The first one stays small in memory as long as little is in it.
      if (segments_.size() > 1) advise_huge_pages(segments_.back().get(), kSegment * sizeof(T));
    }
    segments_[size_ / kSegment][size_ % kSegment] = value;
    ++size_;
  }
  /// Cuts the end off and frees the segments that are no longer needed.
  void truncate(std::size_t size) {
    size_ = size;
    segments_.resize((size + kSegment - 1) / kSegment);
  }

 private:
  static constexpr std::size_t kSegment = std::size_t{1} << 18;
  std::vector<std::unique_ptr<T[]>> segments_;
  std::size_t size_ = 0;
};

}  // namespace saranga::store
