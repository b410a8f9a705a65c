// Prints what `saranga data show` found, as text or JSON Lines (schema saranga.show/1,
// docs/json.md).
#pragma once

#include <memory>
#include <string>

#include "saranga/store/story.h"
#include "tools/cli/exit_code.h"
#include "tools/print/body_detail.h"
#include "tools/show/subject.h"

namespace saranga::show {

/// Prints subjects one after the other.
class StoryPrinter {
 public:
  virtual ~StoryPrinter() = default;
  virtual void begin(const std::string& store) = 0;
  /// Everything known about an id or a queue's name; false when the store knows nothing of it.
  [[nodiscard]] virtual Result<bool> subject(const Subject& subject) = 0;
  /// The bytes at FILE:OFFSET; true when there is no error.
  [[nodiscard]] virtual Result<bool> place(const Subject& subject) = 0;
  virtual void end(cli::ExitCode code) = 0;
};

/// Everything must outlive the printer.
[[nodiscard]] std::unique_ptr<StoryPrinter> make_story_printer(const std::string& format,
                                                               TextBuffer& out,
                                                               const store::LoadedStore& store,
                                                               const store::StoryCollector& stories,
                                                               print::BodyDetail body);

}  // namespace saranga::show
