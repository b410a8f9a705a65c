#include "tools/cli/finding_log.h"

#include <fmt/format.h>

namespace saranga::cli {
namespace {

constexpr std::size_t kToldAtMost = 100;

std::string line_of(const Finding& finding) {
  std::string line = finding.file;
  if (finding.offset) line += fmt::format(":{:#x}", *finding.offset);
  if (!line.empty()) line += ": ";
  line += fmt::format("{}: {} [{}]", severity_name(finding.severity), finding.text, finding.code);
  if (!finding.next.empty()) line += "; see " + finding.next;
  return line;
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kDamage: return "damage";
  }
  return "damage";
}

void FindingLog::finding(Finding finding) {
  if (broker_runs_ && finding.at_tail) {
    finding.severity = Severity::kInfo;
    finding.text += "; a broker is running and may be writing it now";
  }
  switch (finding.severity) {
    case Severity::kInfo: ++infos_; break;
    case Severity::kWarning: ++warnings_; break;
    case Severity::kDamage: ++damage_; break;
  }
  if (listener_) listener_(finding);
  if (options_.quiet) return;
  if (finding.severity == Severity::kInfo && !options_.verbose) return;
  if (told_ >= kToldAtMost && !options_.verbose) {
    ++untold_;
    return;
  }
  ++told_;
  context_.say(line_of(finding));
}

ExitCode FindingLog::exit_code() const {
  if (damage_ != 0) return ExitCode::kDamage;
  return warnings_ != 0 ? ExitCode::kWarnings : ExitCode::kClean;
}

void FindingLog::finish() const {
  if (untold_ != 0) {
    context_.say(fmt::format("… and {} findings more; --verbose tells all of them", untold_));
  }
}

}  // namespace saranga::cli
