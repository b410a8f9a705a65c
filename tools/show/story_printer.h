// Prints what `saranga data show` found, as text or JSON Lines (schema saranga.show/1,
// docs/json.md).
#pragma once

#include <memory>
#include <string>

#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/print/body_detail.h"
#include "tools/show/answers.h"
#include "tools/show/subject.h"

namespace saranga::show {

/// Prints subjects one after the other.
class StoryPrinter {
 public:
  virtual ~StoryPrinter() = default;
  /// What comes before everything else, findings included.
  virtual void begin() = 0;
  /// Everything known about a subject; false when the store knows nothing of it.
  [[nodiscard]] virtual Result<bool> show(Answers& answers, const Subject& subject,
                                          const Meaning& meaning) = 0;
  virtual void finding(const Finding& finding) { (void)finding; }
  virtual void end(cli::ExitCode code) { (void)code; }
};

struct StoryPrinterOptions {
  std::string store{};  ///< as it was given
  print::BodyDetail body = print::BodyDetail::kText;
  std::int64_t now_ms = 0;  ///< ages count to it
};

/// The two forms. `output` must outlive the printer.
[[nodiscard]] std::unique_ptr<StoryPrinter> make_text_story(cli::Output& output,
                                                            const StoryPrinterOptions& options);
[[nodiscard]] std::unique_ptr<StoryPrinter> make_json_story(cli::Output& output,
                                                            const StoryPrinterOptions& options);

}  // namespace saranga::show
