// `data verify` for people: findings by severity, the byte account, one closing line.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "saranga/bytes/text_buffer.h"
#include "tools/verify/finding_counts.h"
#include "tools/verify/verify_printer.h"

namespace saranga::verify {

/// Keeps the findings that are to be shown until the end, because the worst ones come first.
class VerifyText final : public VerifyPrinter {
 public:
  VerifyText(cli::Output& output, const VerifyPrinterOptions& options)
      : output_(output), counts_(options.limit) {}
  void finding(const Finding& finding) override;
  void end(const store::VerifyReport& report, cli::ExitCode code) override;

 private:
  struct Group {
    std::string_view code;
    std::vector<Finding> findings;
  };

  void print_severity(Severity severity);
  void print_group(const Group& group);
  void print_finding(const Finding& finding);
  void print_account(const store::VerifyReport& report);
  void print_closing(const store::VerifyReport& report);

  cli::Output& output_;
  FindingCounts counts_;
  std::array<std::vector<Group>, 3>
      groups_;  // by severity, then in the order of their first finding
};

}  // namespace saranga::verify
