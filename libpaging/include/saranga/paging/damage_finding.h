// What a damaged stretch of a page file means.
#pragma once

#include <string_view>

#include "saranga/bytes/finding.h"
#include "saranga/paging/page_file.h"

namespace saranga::paging {

/// The finding for a stretch of a page; `file` is its name in findings.
[[nodiscard]] SARANGA_API Finding damage_finding(const PageDamage& damage, std::string_view file);

}  // namespace saranga::paging
