// What `data import` tells: a few lines for people, JSON for programs.
#pragma once

#include "tools/import/import_run.h"

namespace saranga::importing {

/// Tells the outcome, in the form that the options ask for, and ends the run.
[[nodiscard]] cli::ExitCode report_import(cli::VerbRun& run, const ImportRunOptions& options,
                                          const ImportOutcome& outcome);

}  // namespace saranga::importing
