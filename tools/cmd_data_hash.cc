#include "tools/cmd_data_hash.h"

#include "saranga/store/cross_findings.h"
#include "saranga/store/digest.h"
#include "tools/cli/command_line.h"
#include "tools/cli/json_report.h"
#include "tools/cli/table.h"
#include "tools/cli/verb_options.h"

namespace saranga::cli {
namespace {

constexpr const char* kVerb = "saranga data hash";

struct Options {
  VerbOptions verb;
  store::DigestOptions digest;
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text", "json", "jsonl"},
                   "text (a table), json or jsonl (JSON Lines)");
  add_now_option(line, options.verb);
  line.flag("--ids", options.digest.ids, "message ids count: a store with new ids is another one");
  line.flag("--delivery", options.digest.delivery,
            "delivery counts and schedules count: compaction by Artemis loses some of them");
  line.footer(
      "Equal digests: the same queues with the same messages in the same order, in doubt or "
      "not,\nwherever they are stored. SHA-256. Nothing is ever written to the store.\n"
      "Exit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

void print_text(VerbRun& run, const store::StoreDigest& digest) {
  Table table({{.title = "QUEUE"},
               {.title = "MESSAGES", .kind = Column::Kind::kNumber},
               {.title = "DIGEST"}},
              std::nullopt);
  TextBuffer& out = run.output().buffer();
  for (const store::QueueDigest& queue : digest.queues) {
    table.add(out, {queue.name, std::to_string(queue.messages), store::to_hex(queue.digest)});
  }
  table.finish(out);
  out.put("whole store  ");
  out.put(store::to_hex(digest.whole));
  out.put('\n');
}

void print_json(JsonReport& report, const store::StoreDigest& digest) {
  report.begin_list("queues");
  for (const store::QueueDigest& queue : digest.queues) {
    JsonWriter& json = report.begin_object("queue");
    json.field("id", queue.queue_id);
    json.field("name", Text(queue.name));
    json.field("address", Text(queue.address));
    json.field("message_count", queue.messages);
    json.field("sha256", std::string_view(store::to_hex(queue.digest)));
    report.end_object();
  }
}

ExitCode run_hash(Context& context, const Options& options) {
  VerbRun run(context, options.verb, kVerb);
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  std::optional<JsonReport> report;
  if (options.verb.format != "text") {
    report.emplace(
        run.output(),
        options.verb.format == "json" ? JsonReport::Form::kDocument : JsonReport::Form::kLines,
        JsonReport::Head{.schema = "saranga.hash/1", .store = options.verb.store.store});
    run.findings().on_finding([&](const Finding& finding) { report->finding(finding); });
  }
  const auto loaded = run.load();
  if (!loaded) return run.fail(loaded.error());
  store::report_lost_bodies(**loaded, run.findings());
  store::DigestOptions how = options.digest;
  how.interrupted = context.interrupted;
  const store::StoreDigest digest = store::digest_store(**loaded, how, run.findings());
  if (!report) {
    print_text(run, digest);
    return run.finish([](ExitCode) {});
  }
  print_json(*report, digest);
  return run.finish([&](ExitCode code) {
    report->begin_summary().field("sha256", std::string_view(store::to_hex(digest.whole)));
    report->end_summary(code);
  });
}

}  // namespace

ExitCode cmd_data_hash(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Give a digest of what a store holds that does not depend on its files.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_hash(context, options);
}

}  // namespace saranga::cli
