#include "tools/print/body_detail.h"

#include "tools/cli/choice.h"

namespace saranga::print {

void add_body_option(cli::CommandLine& line, BodyDetail& detail, const char* text) {
  cli::add_choice<BodyDetail>(line, "--body", detail,
                              {{"none", BodyDetail::kNone},
                               {"summary", BodyDetail::kSummary},
                               {"text", BodyDetail::kText},
                               {"hex", BodyDetail::kHex},
                               {"full", BodyDetail::kFull}},
                              text);
}

}  // namespace saranga::print
