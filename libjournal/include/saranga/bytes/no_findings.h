// For a second look at something whose findings have been told already, or are nobody's question.
#pragma once

#include "saranga/bytes/finding.h"

namespace saranga {

/// Takes findings and forgets them. Any number of threads.
class NoFindings final : public FindingSink {
 public:
  void finding(Finding /*finding*/) override {}
};

}  // namespace saranga
