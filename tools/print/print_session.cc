#include "tools/print/print_session.h"

namespace saranga::print {
namespace {

/// A step that only has to wait for its turn.
class StepJob final : public Job {
 public:
  explicit StepJob(std::function<void()> step) : step_(std::move(step)) {}
  void run() override {}
  void deliver() override { step_(); }

 private:
  std::function<void()> step_;
};

}  // namespace

PrintSession::PrintSession(const cli::Context& context, cli::Output& output, StorePrinter& printer,
                           cli::FindingLog& findings, Selection& selection, cli::Progress& progress)
    : context_(context),
      output_(output),
      printer_(printer),
      findings_(findings),
      selection_(selection),
      progress_(progress),
      jobs_(context.helper_threads),
      ordered_findings_(*this) {
  findings_.on_finding([this](const Finding& finding) { printer_.finding(out(), finding); });
}

bool PrintSession::must_stop() const {
  return context_.stop() || findings_.must_stop() || output_.failed();
}

void PrintSession::later(std::function<void()> step) {
  jobs_.submit(std::make_unique<StepJob>(std::move(step)));
}

void PrintSession::OrderedFindings::finding(Finding finding) {
  session_.later([this, held = std::move(finding)] { session_.findings_.finding(held); });
}

void PrintSession::deliver(const TextBuffer& text, RecordNotes& notes, bool survivors) {
  const std::string_view all = text.view();
  std::size_t done = 0;
  for (const CounterNote& note : notes.counters) {
    output_.put(all.substr(done, note.text_position - done));
    done = note.text_position;
    if (survivors) {
      printer_.survivor_counter(out(), note);
    } else {
      printer_.record_counter(out(), note);
    }
  }
  output_.put(all.substr(done));
  for (Finding& finding : notes.findings) findings_.finding(std::move(finding));
}

}  // namespace saranga::print
