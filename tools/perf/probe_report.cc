#include "tools/perf/probe_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tools/cli/table.h"

namespace saranga::perf {
namespace {

constexpr double kWorthChanging = 1.1;  // what is configured stays when it is nearly as fast
constexpr std::uint64_t kSmallestBandNs = 1024;
constexpr std::uint64_t kBarWidth = 40;

std::string human_ns(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1'000) return fmt::format("{} ns", ns);
  if (ns < 1'000'000) return fmt::format("{:.1f} us", value / 1e3);
  if (ns < 1'000'000'000) return fmt::format("{:.2f} ms", value / 1e6);
  return fmt::format("{:.2f} s", value / 1e9);
}

void print_table(TextBuffer& out, const ProbeReport& report) {
  using Kind = cli::Column::Kind;
  cli::Table table({{.title = "JOURNAL-TYPE"},
                    {.title = "WRITES/MS", .kind = Kind::kNumber},
                    {.title = "P50", .kind = Kind::kNumber},
                    {.title = "P90", .kind = Kind::kNumber},
                    {.title = "P99", .kind = Kind::kNumber},
                    {.title = "MAX", .kind = Kind::kNumber},
                    {.title = "BUFFER-TIMEOUT (NS)", .kind = Kind::kNumber}},
                   std::nullopt);
  for (const ProbeResult& result : report.results) {
    const std::string name(journal_type_name(result.type));
    if (!result.impossible.empty()) {
      table.add(out, {name, "-", "-", "-", "-", "-", "-"},
                fmt::format("  not possible here: {}\n", result.impossible));
      continue;
    }
    table.add(out, {name, fmt::format("{:.2f}", result.writes_per_ms(report.options)),
                    human_ns(result.latency_at(500)), human_ns(result.latency_at(900)),
                    human_ns(result.latency_at(990)), human_ns(result.latency_at(1000)),
                    std::to_string(result.buffer_timeout_ns(report.options))});
  }
  table.finish(out);
}

void print_bands(TextBuffer& out, const ProbeResult& result) {
  const auto bands = latency_bands(result);
  std::uint64_t most = 1;
  for (const LatencyBand& band : bands) most = std::max(most, band.count);
  out.put(fmt::format("\n{}: how long single blocks took\n", journal_type_name(result.type)));
  for (const LatencyBand& band : bands) {
    const std::uint64_t width = (band.count * kBarWidth + most - 1) / most;
    out.put(fmt::format("  below {:>10}  {:>6}  {}\n", human_ns(band.below_ns), band.count,
                        std::string(static_cast<std::size_t>(width), '#')));
  }
}

void print_advice(TextBuffer& out, const ProbeReport& report) {
  const ProbeResult* best = report.recommended();
  if (best == nullptr) {
    out.put("\nNothing could be measured here.\n");
    return;
  }
  const std::string_view name = journal_type_name(best->type);
  out.put(fmt::format("\n{} suits this disk: {:.2f} writes a millisecond.\n", name,
                      best->writes_per_ms(report.options)));
  if (!report.configured.empty() && report.configured != name) {
    out.put(fmt::format("broker.xml has {}.\n", report.configured));
  }
  out.put("In broker.xml:\n\n");
  out.put(fmt::format("  <journal-type>{}</journal-type>\n", name));
  out.put(fmt::format("  <journal-buffer-timeout>{}</journal-buffer-timeout>\n",
                      best->buffer_timeout_ns(report.options)));
  if (best->type == JournalType::kAsyncio) {
    out.put(fmt::format("  <journal-device-block-size>{}</journal-device-block-size>\n",
                        report.options.block_bytes));
  }
  if (!report.options.sync) {
    out.put("\nNothing was synced: this is the speed of the page cache, not of the disk.\n");
  }
}

}  // namespace

const ProbeResult* ProbeReport::recommended() const {
  const ProbeResult* best = nullptr;
  const ProbeResult* present = nullptr;
  for (const ProbeResult& result : results) {
    if (result.try_ns.empty()) continue;
    if (journal_type_name(result.type) == configured) present = &result;
    if (best == nullptr || result.writes_per_ms(options) > best->writes_per_ms(options)) {
      best = &result;
    }
  }
  if (present == nullptr) return best;
  const double gain = best->writes_per_ms(options) / present->writes_per_ms(options);
  return gain > kWorthChanging ? best : present;
}

std::vector<LatencyBand> latency_bands(const ProbeResult& result) {
  std::vector<LatencyBand> bands;
  for (const std::uint64_t latency : result.latency_ns) {
    const std::uint64_t below = std::max(std::bit_floor(latency) * 2, kSmallestBandNs);
    while (bands.empty() || bands.back().below_ns < below) {
      bands.push_back({.below_ns = bands.empty() ? below : bands.back().below_ns * 2});
    }
    ++bands.back().count;
  }
  return bands;
}

void print_text(TextBuffer& out, const ProbeReport& report) {
  const ProbeOptions& options = report.options;
  out.put(fmt::format("{} tries of {} writes of {} bytes in {}, {}{}\n\n", options.tries,
                      options.writes, options.block_bytes, options.folder,
                      options.sync ? "made durable" : "not synced",
                      options.sync_writes ? ", one after the other" : ""));
  print_table(out, report);
  for (const ProbeResult& result : report.results) {
    if (!result.latency_ns.empty()) print_bands(out, result);
  }
  print_advice(out, report);
}

void print_json(cli::JsonReport& report, const ProbeReport& probe) {
  report.begin_list("journal_types");
  for (const ProbeResult& result : probe.results) {
    cli::JsonWriter& json = report.begin_object("journal_type");
    const bool measured = result.impossible.empty();
    json.field("journal_type", journal_type_name(result.type));
    json.field("measured", measured);
    json.key("reason");
    measured ? json.null() : json.value(Text(result.impossible));
    json.field("writes_per_ms", result.writes_per_ms(probe.options));
    json.field("buffer_timeout_ns", result.buffer_timeout_ns(probe.options));
    json.field("p50_ns", result.latency_at(500));
    json.field("p90_ns", result.latency_at(900));
    json.field("p99_ns", result.latency_at(990));
    json.field("max_ns", result.latency_at(1000));
    json.key("tries_ns");
    json.begin_array();
    for (const std::uint64_t spent : result.try_ns) json.value(spent);
    json.end_array();
    json.key("latency_bands");
    json.begin_array();
    for (const LatencyBand& band : latency_bands(result)) {
      json.begin_object();
      json.field("below_ns", band.below_ns);
      json.field("count", band.count);
      json.end_object();
    }
    json.end_array();
    report.end_object();
  }
}

}  // namespace saranga::perf
