// The forms of `data verify`: text for people, JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "saranga/bytes/finding.h"
#include "saranga/store/verify.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"

namespace saranga::verify {

/// Prints a run: findings as they come, then the end.
class VerifyPrinter {
 public:
  virtual ~VerifyPrinter() = default;
  virtual void finding(const Finding& finding) = 0;
  virtual void end(const store::VerifyReport& report, cli::ExitCode code) = 0;
};

struct VerifyPrinterOptions {
  std::string store{};                   ///< as it was given
  std::optional<std::uint64_t> limit{};  ///< findings of each code; unset = all
};

/// `format` is text, json or jsonl. `output` must outlive the printer.
[[nodiscard]] std::unique_ptr<VerifyPrinter> make_verify_printer(
    const std::string& format, cli::Output& output, const VerifyPrinterOptions& options);

}  // namespace saranga::verify
