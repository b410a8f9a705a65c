// Counts what the program takes from the heap. One thread allocates at a time in this test.
#pragma once

#include <cstddef>

namespace saranga::test {

/// Bytes that are in use now.
[[nodiscard]] std::size_t heap_bytes();
/// The most bytes that were in use at once since reset_heap_peak().
[[nodiscard]] std::size_t heap_peak_bytes();
void reset_heap_peak();

}  // namespace saranga::test
