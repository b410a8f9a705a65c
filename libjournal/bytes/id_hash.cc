#include "saranga/bytes/id_hash.h"

#include <random>

namespace saranga {

std::uint64_t id_hash_seed() {
  static const std::uint64_t seed = [] {
    std::random_device source;
    return std::uint64_t{source()} << 32 | source();
  }();
  return seed;
}

}  // namespace saranga
