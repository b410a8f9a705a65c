// `data verify` as JSON (docs/json.md#sarangaverify1).
#pragma once

#include "tools/cli/json_report.h"
#include "tools/verify/finding_counts.h"
#include "tools/verify/verify_printer.h"

namespace saranga::verify {

class VerifyJson final : public VerifyPrinter {
 public:
  VerifyJson(cli::Output& output, cli::JsonReport::Form form, const VerifyPrinterOptions& options);
  void finding(const Finding& finding) override;
  void end(const store::VerifyReport& report, cli::ExitCode code) override;

 private:
  cli::Output& output_;
  cli::JsonReport report_;
  FindingCounts counts_;
};

}  // namespace saranga::verify
