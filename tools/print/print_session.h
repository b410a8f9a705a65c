// What the drivers of printing share: output, printer, findings, threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "saranga/bytes/error.h"
#include "tools/cli/context.h"
#include "tools/cli/finding_log.h"
#include "tools/cli/ordered_jobs.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/print/selection.h"
#include "tools/print/store_printer.h"

namespace saranga::print {

/// One run of printing. The members belong to the command and outlive the session.
class PrintSession {
 public:
  PrintSession(const cli::Context& context, cli::Output& output, StorePrinter& printer,
               cli::FindingLog& findings, Selection& selection, cli::Progress& progress);

  [[nodiscard]] StorePrinter& printer() { return printer_; }
  [[nodiscard]] cli::FindingLog& findings() { return findings_; }
  [[nodiscard]] cli::Output& output() { return output_; }
  [[nodiscard]] cli::OrderedJobs& jobs() { return jobs_; }
  [[nodiscard]] Selection& selection() { return selection_; }
  [[nodiscard]] cli::Progress& progress() { return progress_; }
  /// The buffer that sequential steps print into.
  [[nodiscard]] TextBuffer& out() { return output_.buffer(); }
  /// Interrupted, or the first damage is to be fatal, or nobody takes the output.
  [[nodiscard]] bool must_stop() const;
  /// Runs `step` in its turn: behind everything submitted before, in front of what comes later.
  void later(std::function<void()> step);
  /// A sink that keeps findings in their turn among the jobs.
  [[nodiscard]] FindingSink& ordered_findings() { return ordered_findings_; }
  /// Writes the text of a batch, with the texts of its counter notes at their places.
  void deliver(const TextBuffer& text, RecordNotes& notes, bool survivors);

 private:
  /// Hands findings on through later().
  class OrderedFindings final : public FindingSink {
   public:
    explicit OrderedFindings(PrintSession& session) : session_(session) {}
    void finding(Finding finding) override;

   private:
    PrintSession& session_;
  };

  const cli::Context& context_;
  cli::Output& output_;
  StorePrinter& printer_;
  cli::FindingLog& findings_;
  Selection& selection_;
  cli::Progress& progress_;
  cli::OrderedJobs jobs_;
  OrderedFindings ordered_findings_;
};

}  // namespace saranga::print
