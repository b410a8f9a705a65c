#include "tools/verify/verify_printer.h"

#include "tools/verify/verify_json.h"
#include "tools/verify/verify_text.h"

namespace saranga::verify {

std::unique_ptr<VerifyPrinter> make_verify_printer(const std::string& format, cli::Output& output,
                                                   const VerifyPrinterOptions& options) {
  using Form = cli::JsonReport::Form;
  if (format == "json") return std::make_unique<VerifyJson>(output, Form::kDocument, options);
  if (format == "jsonl") return std::make_unique<VerifyJson>(output, Form::kLines, options);
  return std::make_unique<VerifyText>(output, options);
}

}  // namespace saranga::verify
