#include "tools/verify/verify_json.h"

namespace saranga::verify {
namespace {

void write_account(cli::JsonWriter& json, const store::PartAccount& account) {
  json.begin_object();
  json.field("part", account.part);
  json.field("file_count", account.file_count);
  json.field("header_bytes", account.header_bytes);
  json.field("record_bytes", account.record_bytes);
  json.field("live_bytes", account.live_bytes);
  json.field("dead_bytes", account.dead_bytes());
  json.field("stale_bytes", account.stale_bytes);
  json.field("padding_bytes", account.padding_bytes);
  json.field("unreadable_bytes", account.unreadable_bytes);
  json.field("ignored_bytes", account.ignored_bytes);
  json.field("unread_bytes", account.unread_bytes);
  json.field("total_bytes", account.total_bytes);
  json.end_object();
}

}  // namespace

VerifyJson::VerifyJson(cli::Output& output, cli::JsonReport::Form form,
                       const VerifyPrinterOptions& options)
    : output_(output),
      report_(output, form, {.schema = "saranga.verify/1", .store = options.store}),
      counts_(options.limit) {}

void VerifyJson::finding(const Finding& finding) {
  if (counts_.takes(finding)) {
    report_.finding(finding);
  } else {
    report_.leave_out(finding);
  }
  constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
  if (output_.buffer().size() >= kFlushBytes) output_.flush();
}

void VerifyJson::end(const store::VerifyReport& report, cli::ExitCode code) {
  cli::JsonWriter& json = report_.begin_summary();
  json.field("level", store::level_name(report.level));
  json.field("record_count", report.record_count);
  json.field("message_count", report.message_count);
  json.field("reference_count", report.reference_count);
  json.field("paged_message_count", report.paged_message_count);
  json.field("live_paged_message_count", report.live_paged_message_count);
  json.field("large_file_count", report.large_file_count);
  json.key("account");
  json.begin_array();
  for (const store::PartAccount& part : report.parts) write_account(json, part);
  write_account(json, report.total());
  json.end_array();
  json.key("codes");
  json.begin_object();
  for (const auto& [name, count] : counts_.codes()) json.field(name, count);
  json.end_object();
  report_.end_summary(code);
}

}  // namespace saranga::verify
