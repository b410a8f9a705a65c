#include "tests/hostile/meter.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace {

std::size_t in_use = 0;
std::size_t peak = 0;

}  // namespace

namespace saranga::test {

std::size_t heap_bytes() { return in_use; }
std::size_t heap_peak_bytes() { return peak; }
void reset_heap_peak() { peak = in_use; }

}  // namespace saranga::test

// These take the place of the standard library's, in the library under test as well.
void* operator new(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  in_use += malloc_usable_size(memory);
  peak = std::max(peak, in_use);
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  in_use -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }
