#include "saranga/paging/damage_finding.h"

#include <fmt/format.h>

namespace saranga::paging {

Finding damage_finding(const PageDamage& damage, std::string_view file, bool last_page) {
  // A message that was being paged at a crash was never confirmed, but others are not told apart
  // from it: what a page holds and nobody can read counts as lost. Fewer bytes than a frame has are
  // what Artemis itself passes over without a word.
  const bool trifle = damage.at_end && damage.length_bytes < kFrameBytes;
  return {.code = damage.at_end ? "torn-page-entry" : "page-entry-damaged",
          .severity = trifle ? Severity::kWarning : Severity::kDamage,
          .file = std::string(file),
          .offset = damage.offset,
          .length_bytes = damage.length_bytes,
          .text = fmt::format("{}; {} bytes are no entry{}", damage.problem, damage.length_bytes,
                              damage.at_end
                                  ? ", nothing readable follows"
                                  : ", what follows is found again, its positions are estimated"),
          .at_tail = damage.at_end && last_page};
}

}  // namespace saranga::paging
