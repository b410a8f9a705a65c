// Large tables on large pages: in a table of many megabytes, almost every look at a random place
// costs a miss of the address translation, unless its pages are large.
#pragma once

#include <cstddef>

#include "saranga/bytes/export.h"

namespace saranga {

/// Asks the kernel to back memory with huge pages that was allocated but not yet written to.
/// Changes nothing but speed; memory that is small or refused stays as it is.
SARANGA_API void advise_huge_pages(void* memory, std::size_t bytes);

}  // namespace saranga
