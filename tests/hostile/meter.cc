#include "tests/hostile/meter.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace {

std::size_t in_use = 0;
std::size_t peak = 0;

void* take(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  in_use += malloc_usable_size(memory);
  peak = std::max(peak, in_use);
  return memory;
}

void give_back(void* memory) {
  if (memory == nullptr) return;
  in_use -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

namespace saranga::test {

std::size_t heap_bytes() { return in_use; }
std::size_t heap_peak_bytes() { return peak; }
void reset_heap_peak() { peak = in_use; }

}  // namespace saranga::test

// These take the place of the standard library's, in the library under test as well. All of them
// are needed, because those of the sanitizers do not call each other.
void* operator new(std::size_t size) {
  void* memory = take(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size); }

void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
