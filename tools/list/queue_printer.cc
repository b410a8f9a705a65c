#include "tools/list/queue_printer.h"

#include <fmt/format.h>

#include <set>

#include "tools/cli/csv_writer.h"
#include "tools/cli/humanise.h"
#include "tools/cli/json_report.h"
#include "tools/cli/table.h"
#include "tools/cli/text_width.h"
#include "tools/list/queue_json.h"

namespace saranga::list {
namespace {

using cli::Column;
using store::AddressSummary;
using store::MessageTotals;
using store::QueueSummary;

/// Names of the addresses that have page files.
using PagingAddresses = std::set<std::string, std::less<>>;

PagingAddresses paging_addresses(const std::vector<AddressSummary>& addresses) {
  PagingAddresses paging;
  for (const AddressSummary& address : addresses) {
    if (address.pages != 0) paging.insert(address.name);
  }
  return paging;
}

bool is_paging(const QueueSummary& queue, const PagingAddresses& paging) {
  return queue.queue != nullptr && paging.contains(queue.queue->address);
}

std::string join(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

// ---- for people
// -----------------------------------------------------------------------------------

class TextQueues final : public QueuePrinter {
 public:
  TextQueues(cli::Output& output, const QueuePrinterOptions& options)
      : output_(output), options_(options) {}

  void queues(const store::StoreSummary& summary) override;
  void addresses(const std::vector<AddressSummary>& addresses) override;

 private:
  [[nodiscard]] std::string age(std::int64_t time_ms) const {
    return time_ms == 0 ? "-" : cli::human_age(options_.now_ms - time_ms);
  }
  void print_total(std::uint64_t rows, const char* noun, const MessageTotals& totals);

  cli::Output& output_;
  QueuePrinterOptions options_;
};

std::vector<std::string> states_of(const QueueSummary& queue, bool paging) {
  std::vector<std::string> states;
  if (queue.queue == nullptr) return {"orphan"};
  if (queue.paused) states.emplace_back(queue.queue->paused ? "paused" : "address paused");
  if (paging) states.emplace_back("paging");
  if (queue.queue->internal) states.emplace_back("internal");
  if (queue.queue->last_value) states.emplace_back("last value");
  if (queue.queue->non_destructive) states.emplace_back("non-destructive");
  if (queue.queue->ring_size >= 0) {
    states.push_back(fmt::format("ring of {}", queue.queue->ring_size));
  }
  if (queue.queue->filter) states.push_back(fmt::format("filter: {}", *queue.queue->filter));
  return states;
}

void TextQueues::queues(const store::StoreSummary& summary) {
  using Kind = Column::Kind;
  const PagingAddresses paging = paging_addresses(summary.addresses);
  cli::Table table({{"QUEUE", Kind::kText, 16},
                    {"ID", Kind::kNumber, 0, 3},
                    {"ADDRESS", Kind::kText, 12, 4},
                    {"TYPE", Kind::kText, 0, 1},
                    {"MESSAGES", Kind::kNumber},
                    {"SCHEDULED", Kind::kNumber, 0, 6},
                    {"IN DOUBT", Kind::kNumber, 0, 9},
                    {"PAGED", Kind::kNumber, 0, 7},
                    {"EXPIRED", Kind::kNumber, 0, 5},
                    {"BODIES", Kind::kNumber},
                    {"OLDEST", Kind::kNumber, 0, 8},
                    {"NEWEST", Kind::kNumber, 0, 2},
                    {"STATE", Kind::kText, 12}},
                   options_.width);
  MessageTotals all;
  for (const QueueSummary& queue : summary.queues) {
    const bindings::Queue* bound = queue.queue;
    const MessageTotals& totals = queue.totals;
    all.add(totals);
    table.add(output_.buffer(),
              {bound == nullptr ? fmt::format("(id {})", queue.id) : bound->name,
               fmt::format("{}", queue.id), queue.address,
               bound == nullptr ? "-" : bound->routing_type, cli::human_count(totals.messages),
               cli::human_count(totals.scheduled), cli::human_count(prepared_count(totals)),
               cli::human_count(totals.paged), cli::human_count(totals.expired),
               cli::human_bytes(totals.body_bytes), age(totals.oldest_ms), age(totals.newest_ms),
               join(states_of(queue, is_paging(queue, paging)), ", ")});
  }
  table.finish(output_.buffer());
  print_total(summary.queues.size(), "queue", all);
}

void TextQueues::addresses(const std::vector<AddressSummary>& addresses) {
  using Kind = Column::Kind;
  cli::Table table({{"ADDRESS", Kind::kText, 16},
                    {"ID", Kind::kNumber, 0, 1},
                    {"TYPES", Kind::kText, 0, 2},
                    {"QUEUES", Kind::kNumber, 0, 5},
                    {"MESSAGES", Kind::kNumber},
                    {"IN DOUBT", Kind::kNumber, 0, 4},
                    {"PAGED", Kind::kNumber, 0, 3},
                    {"BODIES", Kind::kNumber, 0, 6},
                    {"PAGES", Kind::kNumber},
                    {"PAGE BYTES", Kind::kNumber, 0, 7},
                    {"STATE", Kind::kText, 8}},
                   options_.width);
  MessageTotals all;
  for (const AddressSummary& address : addresses) {
    const bindings::Address* known = address.address;
    const MessageTotals& totals = address.totals;
    all.add(totals);
    std::vector<std::string> states;
    if (known == nullptr) states.emplace_back("no record");
    if (known != nullptr && known->paused) states.emplace_back("paused");
    if (address.pages != 0) states.emplace_back("paging");
    if (known != nullptr && known->internal) states.emplace_back("internal");
    table.add(
        output_.buffer(),
        {address.name, known == nullptr ? "-" : fmt::format("{}", known->id),
         known == nullptr || known->routing_types.empty() ? "-" : join(known->routing_types, ","),
         cli::human_count(address.queues), cli::human_count(totals.messages),
         cli::human_count(prepared_count(totals)), cli::human_count(totals.paged),
         cli::human_bytes(totals.body_bytes), cli::human_count(address.pages),
         cli::human_bytes(address.page_bytes), join(states, ", ")});
  }
  table.finish(output_.buffer());
  print_total(addresses.size(), "address", all);
}

void TextQueues::print_total(std::uint64_t rows, const char* noun, const MessageTotals& totals) {
  TextBuffer& out = output_.buffer();
  if (rows != 0) out.put('\n');
  const std::string counted = noun == std::string_view("address") && rows != 1
                                  ? cli::human_count(rows) + " addresses"
                                  : cli::human_plural(rows, noun);
  out.put(fmt::format("{}, {} ({} scheduled, {} paged, {} expired), {} in doubt, {} of bodies\n",
                      counted, cli::human_plural(totals.messages, "message"),
                      cli::human_count(totals.scheduled), cli::human_count(totals.paged),
                      cli::human_count(totals.expired), cli::human_count(prepared_count(totals)),
                      cli::human_bytes(totals.body_bytes)));
}

// ---- JSON
// -----------------------------------------------------------------------------------------

class JsonQueues final : public QueuePrinter {
 public:
  JsonQueues(cli::Output& output, cli::JsonReport::Form form, const QueuePrinterOptions& options)
      : store_(options.store),
        report_(output, form, {.schema = "saranga.queues/1", .store = store_}) {}

  void queues(const store::StoreSummary& summary) override;
  void addresses(const std::vector<AddressSummary>& addresses) override;
  void finding(const Finding& finding) override { report_.finding(finding); }
  void end(cli::ExitCode code) override;

 private:
  std::string store_;
  cli::JsonReport report_;
  const char* counted_ = "queue_count";
  std::uint64_t rows_ = 0;
  MessageTotals totals_;
};

void JsonQueues::queues(const store::StoreSummary& summary) {
  const PagingAddresses paging = paging_addresses(summary.addresses);
  report_.begin_list("queues");
  for (const QueueSummary& queue : summary.queues) {
    totals_.add(queue.totals);
    write_queue(report_.begin_object("queue"), queue, is_paging(queue, paging));
    report_.end_object();
  }
  rows_ = summary.queues.size();
}

void JsonQueues::addresses(const std::vector<AddressSummary>& addresses) {
  report_.begin_list("addresses");
  for (const AddressSummary& summary : addresses) {
    totals_.add(summary.totals);
    write_address(report_.begin_object("address"), summary);
    report_.end_object();
  }
  counted_ = "address_count";
  rows_ = addresses.size();
}

void JsonQueues::end(cli::ExitCode code) {
  cli::JsonWriter& json = report_.begin_summary();
  json.field(counted_, rows_);
  write_totals(json, totals_);
  report_.end_summary(code);
}

// ---- CSV
// ------------------------------------------------------------------------------------------

class CsvQueues final : public QueuePrinter {
 public:
  explicit CsvQueues(cli::Output& output) : csv_(output.buffer()) {}

  void queues(const store::StoreSummary& summary) override;
  void addresses(const std::vector<AddressSummary>& addresses) override;

 private:
  void titles(std::initializer_list<const char*> names) {
    for (const char* name : names) csv_.text(name);
    csv_.end_row();
  }
  void totals(const MessageTotals& totals);
  void time(std::int64_t time_ms) {
    if (time_ms == 0) return csv_.nothing();
    csv_.number(time_ms);
  }

  cli::CsvWriter csv_;
};

void CsvQueues::totals(const MessageTotals& totals) {
  for (const std::uint64_t count :
       {totals.messages, totals.scheduled, prepared_count(totals), totals.paged, totals.body_bytes,
        totals.prepared_acks, totals.prepared_sends, totals.delivered, totals.expired,
        totals.large}) {
    csv_.number(count);
  }
}

void CsvQueues::queues(const store::StoreSummary& summary) {
  const PagingAddresses paging = paging_addresses(summary.addresses);
  titles({"id",
          "name",
          "address",
          "routing_type",
          "filter",
          "paused",
          "message_count",
          "scheduled_count",
          "prepared_count",
          "paged_count",
          "body_bytes",
          "prepared_ack_count",
          "prepared_send_count",
          "delivered_count",
          "expired_count",
          "large_count",
          "oldest_ms",
          "newest_ms",
          "orphan",
          "paging",
          "internal",
          "auto_created"});
  for (const QueueSummary& row : summary.queues) {
    const bindings::Queue* queue = row.queue;
    csv_.number(row.id);
    if (queue == nullptr) {
      csv_.nothing();
      csv_.text(row.address);
      for (int i = 0; i < 3; ++i) csv_.nothing();
    } else {
      csv_.text(queue->name);
      csv_.text(queue->address);
      csv_.text(queue->routing_type);
      csv_.nullable(queue->filter);
      csv_.truth(row.paused);
    }
    totals(row.totals);
    time(row.totals.oldest_ms);
    time(row.totals.newest_ms);
    csv_.truth(queue == nullptr);
    csv_.truth(is_paging(row, paging));
    csv_.truth(queue != nullptr && queue->internal);
    csv_.truth(queue != nullptr && queue->auto_created);
    csv_.end_row();
  }
}

void CsvQueues::addresses(const std::vector<AddressSummary>& addresses) {
  titles({"id",
          "name",
          "routing_types",
          "recorded",
          "paused",
          "internal",
          "auto_created",
          "queue_count",
          "message_count",
          "scheduled_count",
          "prepared_count",
          "paged_count",
          "body_bytes",
          "prepared_ack_count",
          "prepared_send_count",
          "delivered_count",
          "expired_count",
          "large_count",
          "paging",
          "page_count",
          "page_bytes"});
  for (const AddressSummary& row : addresses) {
    const bindings::Address* address = row.address;
    if (address == nullptr) {
      csv_.nothing();
    } else {
      csv_.number(address->id);
    }
    csv_.text(row.name);
    csv_.text(address == nullptr ? "" : join(address->routing_types, " "));
    csv_.truth(address != nullptr);
    csv_.truth(address != nullptr && address->paused);
    csv_.truth(address != nullptr && address->internal);
    csv_.truth(address != nullptr && address->auto_created);
    csv_.number(row.queues);
    totals(row.totals);
    csv_.truth(row.pages != 0);
    csv_.number(row.pages);
    csv_.number(row.page_bytes);
    csv_.end_row();
  }
}

}  // namespace

std::uint64_t total_count(const MessageTotals& totals) {
  return totals.messages + prepared_count(totals);
}

std::unique_ptr<QueuePrinter> make_queue_printer(const std::string& format, cli::Output& output,
                                                 const QueuePrinterOptions& options) {
  using Form = cli::JsonReport::Form;
  if (format == "json") return std::make_unique<JsonQueues>(output, Form::kDocument, options);
  if (format == "jsonl") return std::make_unique<JsonQueues>(output, Form::kLines, options);
  if (format == "csv") return std::make_unique<CsvQueues>(output);
  return std::make_unique<TextQueues>(output, options);
}

}  // namespace saranga::list
