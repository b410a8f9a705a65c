// Large tables on large pages: a table of many megabytes that is looked up at random costs a miss of
// the address translation at almost every look, unless its pages are large.
#pragma once

#include <cstddef>

#include "saranga/bytes/export.h"

namespace saranga {

/// Asks the kernel to back memory that was allocated but not yet written to with huge pages. Changes
/// nothing but speed; memory that is small or refused stays as it is.
SARANGA_API void advise_huge_pages(void* memory, std::size_t bytes);

}  // namespace saranga
