// The frame of every verb's JSON: as JSON Lines (a header, one object a line, a summary) or as one
// document (docs/json.md).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/finding.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/json_writer.h"
#include "tools/cli/output.h"

namespace saranga::cli {

/// Writes the members of a finding into an object that is open.
void write_finding_members(JsonWriter& json, const Finding& finding);

/// One report. Lists come one after the other, objects within a list, then the summary. Findings
/// may come at any time: as a line of their own between objects, or in a list behind the others.
class JsonReport {
 public:
  enum class Form : std::uint8_t { kLines, kDocument };
  struct Head {
    std::string_view schema;  ///< "saranga.queues/1"
    std::string_view store;   ///< as it was given
  };

  /// Nothing is written before there is something to write, so that a run that fails at once leaves
  /// no half of a document. `output` must outlive the report.
  JsonReport(Output& output, Form form, Head head);
  JsonReport(const JsonReport&) = delete;
  JsonReport& operator=(const JsonReport&) = delete;

  /// Begins a list of objects: "queues", a constant. In JSON Lines it is not seen.
  void begin_list(std::string_view name);
  /// Begins an object of a list, with its type; its members follow.
  [[nodiscard]] JsonWriter& begin_object(std::string_view type);
  void end_object();

  void finding(const Finding& finding);
  /// Counts a finding that is left out.
  void leave_out(const Finding& finding) { ++counts_[static_cast<std::size_t>(finding.severity)]; }

  /// Ends the lists and begins the summary, whose own members follow.
  [[nodiscard]] JsonWriter& begin_summary();
  /// Adds the numbers of findings and the exit code, and ends the report.
  void end_summary(ExitCode code);

 private:
  void open();
  void open_list();
  void end_list();
  void write_finding(const Finding& finding);

  Output& output_;
  Form form_;
  std::string schema_;
  std::string store_;
  bool open_ = false;
  JsonWriter json_;
  std::string_view list_{};  // the list that has begun, until its first object is written
  bool in_list_ = false;
  bool in_object_ = false;
  std::vector<Finding> held_;              // of the object that is open, or of the whole document
  std::array<std::uint64_t, 3> counts_{};  // by severity
};

}  // namespace saranga::cli
