#include "tools/print/body_detail.h"

#include <CLI/CLI.hpp>

namespace saranga::print {

void add_body_option(CLI::App& app, BodyDetail& detail, const char* text) {
  static const std::map<std::string, BodyDetail> kDetails = {{"none", BodyDetail::kNone},
                                                             {"summary", BodyDetail::kSummary},
                                                             {"text", BodyDetail::kText},
                                                             {"hex", BodyDetail::kHex},
                                                             {"full", BodyDetail::kFull}};
  app.add_option("--body", detail, text)->transform(CLI::CheckedTransformer(kDetails));
}

}  // namespace saranga::print
