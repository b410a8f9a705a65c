#include "tools/cmd_perf_journal.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "saranga/journal/folder.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json_report.h"
#include "tools/cli/verb_options.h"
#include "tools/perf/probe_report.h"

namespace saranga::cli {
namespace {

using perf::JournalType;

constexpr const char* kCommand = "saranga perf-journal";
constexpr std::uint64_t kGreatestFileBytes = std::uint64_t{1} << 34;

struct Options {
  VerbOptions verb;
  perf::ProbeOptions probe;
  std::optional<JournalType> type;
  bool sync = false;
  bool no_sync = false;
};

void add_options(CommandLine& line, Options& options) {
  add_store_options(line, options.verb.store);
  line.option("--format", options.verb.format, "text, json or jsonl (JSON Lines)")
      .one_of({"text", "json", "jsonl"});
  line.option("--output", options.verb.output,
              "write to this file, whole or not at all; - is standard output");
  line.flag("--quiet", options.verb.quiet, "tell nothing on standard error but errors");
  perf::ProbeOptions& probe = options.probe;
  line.option("--block-size", probe.block_bytes, "bytes of a write; 4096 by default")
      .range(1, 1 << 26);
  line.option("--writes", probe.writes, "writes of a try; 250 by default").range(1, 1'000'000);
  line.option("--tries", probe.tries, "tries, of which the fastest counts; 5 by default")
      .range(1, 1000);
  line.flag("--sync", options.sync, "make blocks durable, which is the default");
  line.flag("--no-sync", options.no_sync, "do not: measures the page cache; wins over --sync");
  add_choice<std::optional<JournalType>>(line, "--journal-type", options.type,
                                         {{"NIO", JournalType::kNio},
                                          {"ASYNCIO", JournalType::kAsyncio},
                                          {"MAPPED", JournalType::kMapped}},
                                         "measure only this one");
  line.flag("--sync-writes", probe.sync_writes, "wait for each block before the next");
  line.option("--file", probe.file_name,
              "name of the scratch file in the journal folder; test.tmp by default");
  line.option("--max-aio", probe.max_aio,
              "writes under way with ASYNCIO, 32 by default; more count as 32")
      .range(1, 1 << 16);
  line.footer(
      "Writes a scratch file of block size times writes into the journal folder; it loses its "
      "name\n"
      "before it is written, so nothing stays behind. Nothing else is touched.\n"
      "Exit codes: 0 measured, 3 could not finish, 64 usage, 130 interrupted.");
}

Result<void> check(const Options& options) {
  const perf::ProbeOptions& probe = options.probe;
  if (probe.block_bytes * probe.writes > kGreatestFileBytes) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--block-size times --writes is {} bytes, at most {}",
                            probe.block_bytes * probe.writes, kGreatestFileBytes));
  }
  const std::string& name = probe.file_name;
  if (name.find('/') != std::string::npos || name == "." || name == "..") {
    return fail(ErrorCode::kInvalidArgument, "--file is the name of a file, without a folder");
  }
  // A broker that starts at this moment would read it, or remove it.
  if (journal::journal_kind_of(name)) {
    return fail(ErrorCode::kInvalidArgument, "--file is the name of a journal file");
  }
  return {};
}

// The journal folder of the store; or STORE itself, when it is a folder that is no store.
Result<std::string> find_folder(VerbRun& run, const Options& options, std::string& configured) {
  const StoreOptions& given = options.verb.store;
  if (given.journal && given.store.empty() && !given.broker) return *given.journal;
  const auto location = run.locate();
  if (location) {
    configured = location->settings.type;
    return location->journal.path;
  }
  std::error_code problem;
  if (!given.store.empty() && std::filesystem::is_directory(given.store, problem)) {
    return given.store;
  }
  return std::unexpected(location.error());
}

ExitCode report(VerbRun& run, const Options& options, const perf::ProbeReport& probe) {
  const perf::ProbeResult* best = probe.recommended();
  if (best == nullptr) run.warn();
  if (options.verb.format == "text") {
    perf::print_text(run.output().buffer(), probe);
    return run.finish([](ExitCode) {});
  }
  JsonReport json(
      run.output(),
      options.verb.format == "json" ? JsonReport::Form::kDocument : JsonReport::Form::kLines,
      JsonReport::Head{.schema = "saranga.perf-journal/1", .store = probe.options.folder});
  perf::print_json(json, probe);
  return run.finish([&](ExitCode code) {
    JsonWriter& summary = json.begin_summary();
    summary.field("block_bytes", probe.options.block_bytes);
    summary.field("writes", probe.options.writes);
    summary.field("sync", probe.options.sync);
    summary.key("journal_type");
    best == nullptr ? summary.null() : summary.value(perf::journal_type_name(best->type));
    summary.key("journal_buffer_timeout_ns");
    best == nullptr ? summary.null() : summary.value(best->buffer_timeout_ns(probe.options));
    json.end_summary(code);
  });
}

ExitCode run_probe(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kCommand);
  if (auto valid = check(options); !valid) return run.fail(valid.error());
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  perf::ProbeReport probe{.options = options.probe, .configured = {}, .results = {}};
  probe.options.sync = !options.no_sync;
  const auto folder = find_folder(run, options, probe.configured);
  if (!folder) return run.fail(folder.error());
  probe.options.folder = *folder;
  std::vector<JournalType> types{JournalType::kNio, JournalType::kAsyncio, JournalType::kMapped};
  if (options.type) types = {*options.type};
  for (const JournalType type : types) {
    auto result = perf::probe_disk(run.context(), type, probe.options);
    if (!result) return run.fail(result.error());
    probe.results.push_back(std::move(*result));
  }
  return report(run, options, probe);
}

}  // namespace

ExitCode cmd_perf_journal(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Measure how fast the disk of a journal makes blocks durable.", kCommand);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_probe(context, options);
}

}  // namespace saranga::cli
