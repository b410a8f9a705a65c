// What the implementations on disk share: a descriptor that closes itself, and errors of the
// system.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "saranga/bytes/error.h"

namespace saranga {

/// Owns a file descriptor; a negative one is none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  /// The other one closes what was open here.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

/// "doing: what the system says to errno `number`", as an error of the file or folder `path`.
[[nodiscard]] std::unexpected<Error> system_error(int number, std::string_view doing,
                                                  std::string path);

}  // namespace saranga
