#include "saranga/bytes/text_buffer.h"

#include <algorithm>

namespace saranga {

void TextBuffer::grow(std::size_t count) {
  const std::size_t capacity = std::max({capacity_ * 2, size_ + count, std::size_t{256}});
  auto data = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ != 0) std::memcpy(data.get(), data_.get(), size_);
  data_ = std::move(data);
  capacity_ = capacity;
}

}  // namespace saranga
