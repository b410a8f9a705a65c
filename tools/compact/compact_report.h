// What `data compact` tells: a table for people, JSON for programs.
#pragma once

#include <memory>

#include "tools/compact/compact_run.h"

namespace saranga::cli {

/// Told in this order: findings, the outcome, the end.
class CompactReport {
 public:
  virtual ~CompactReport() = default;
  virtual void finding(const Finding& finding) = 0;
  virtual void outcome(const CompactOutcome& outcome) = 0;
  virtual void end(const CompactOutcome& outcome, ExitCode code) = 0;
};

/// In the form that the options ask for; both must outlive the report.
[[nodiscard]] std::unique_ptr<CompactReport> make_compact_report(VerbRun& run,
                                                                 const CompactOptions& options);

}  // namespace saranga::cli
