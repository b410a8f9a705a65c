// A growing character buffer with cheap appends: printers of a million lines go through it.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "saranga/bytes/export.h"

namespace saranga {

/// Owns its characters. Not thread-safe; one thread fills it, then hands it on by moving.
class TextBuffer {
 public:
  TextBuffer() = default;
  /// What was moved from is empty and may be used again.
  TextBuffer(TextBuffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  TextBuffer& operator=(TextBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }
  ~TextBuffer() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string_view view() const { return {data_.get(), size_}; }
  [[nodiscard]] std::string str() const { return std::string(view()); }
  void clear() { size_ = 0; }
  /// Cuts back to an earlier size.
  void truncate(std::size_t size) { size_ = size; }

  /// Room for `count` more characters; the caller writes there and calls commit().
  [[nodiscard]] char* reserve(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return data_.get() + size_;
  }
  void commit(std::size_t count) { size_ += count; }

  void put(char c) {
    *reserve(1) = c;
    ++size_;
  }
  void put(std::string_view text) {
    if (text.empty()) return;  // its pointer may be null, which memcpy must not see
    std::memcpy(reserve(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void put(const char* text) { put(std::string_view(text)); }
  void put(bool) = delete;  // a boolean has several spellings: see put_boolean
  void put_boolean(bool value) {
    put(value ? std::string_view("true") : std::string_view("false"));
  }
  void put_int(std::int64_t value) {
    char* at = reserve(24);
    size_ += static_cast<std::size_t>(std::to_chars(at, at + 24, value).ptr - at);
  }
  void put_unsigned(std::uint64_t value) {
    char* at = reserve(24);
    size_ += static_cast<std::size_t>(std::to_chars(at, at + 24, value).ptr - at);
  }

 private:
  SARANGA_API void grow(std::size_t count);

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace saranga
