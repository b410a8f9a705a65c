// What `saranga perf-journal` says of what it measured.
#pragma once

#include <optional>
#include <vector>

#include "saranga/bytes/text_buffer.h"
#include "tools/cli/json_report.h"
#include "tools/perf/disk_probe.h"

namespace saranga::perf {

/// Everything that was measured.
struct ProbeReport {
  ProbeOptions options;
  std::string configured;  ///< journal-type of broker.xml, empty when there is none
  std::vector<ProbeResult> results;

  /// The way of writing that makes the most blocks durable; one that is configured wins when it is
  /// not slower by more than a tenth. Null when none could be measured.
  [[nodiscard]] const ProbeResult* recommended() const;
};

/// A span of latencies, and how many single writes fell into it.
struct LatencyBand {
  std::uint64_t below_ns = 0;  ///< and not below that of the band before
  std::uint64_t count = 0;
};

/// The latencies in bands that double, from the first to the last that has any.
[[nodiscard]] std::vector<LatencyBand> latency_bands(const ProbeResult& result);

void print_text(TextBuffer& out, const ProbeReport& report);
/// The list of ways of writing; the summary is begun by the caller.
void print_json(cli::JsonReport& json, const ProbeReport& report);

}  // namespace saranga::perf
