#include "tools/list/message_printer.h"

#include <fmt/format.h>

#include "saranga/store/times.h"
#include "tools/cli/csv_writer.h"
#include "tools/cli/humanise.h"
#include "tools/cli/json_report.h"
#include "tools/cli/table.h"
#include "tools/cli/text_width.h"
#include "tools/list/message_json.h"
#include "tools/list/message_text.h"

namespace saranga::list {
namespace {

using cli::Column;
using store::LiveMessage;
using store::MessageState;

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

void flush_if_long(cli::Output& output) {
  if (output.buffer().size() >= kFlushBytes) output.flush();
}

// ---- for people
// -----------------------------------------------------------------------------------

constexpr std::string_view kIndent = "    ";

class TextMessages final : public MessagePrinter {
 public:
  TextMessages(cli::Output& output, const MessagePrinterOptions& options)
      : output_(output), options_(options), table_(columns(), options.width) {}

  void message(const LiveMessage& message, BodyReader& bodies) override;
  void end(const MessagesShown& shown, cli::ExitCode code) override;

 private:
  [[nodiscard]] static std::vector<Column> columns();

  cli::Output& output_;
  MessagePrinterOptions options_;
  cli::Table table_;
};

std::vector<Column> TextMessages::columns() {
  using Kind = Column::Kind;
  return {{"QUEUE", Kind::kText, 12},
          {"ID", Kind::kNumber},
          {"STATE", Kind::kText},
          {"SENT", Kind::kText, 0, 4},
          {"PRI", Kind::kNumber, 0, true},
          {"DELIVERIES", Kind::kNumber, 0, true},
          {"TYPE", Kind::kText, 0, true},
          {"BODY", Kind::kNumber},
          {"PROPERTIES", Kind::kText, 20, 5}};
}

std::string state_text(const LiveMessage& message, std::int64_t now_ms) {
  std::string text;
  switch (message.state) {
    case MessageState::kPending: text = "pending"; break;
    case MessageState::kScheduled:
      text = "scheduled " + store::format_time(message.scheduled_ms);
      break;
    case MessageState::kInDoubtAck: text = "in doubt: ack"; break;
    case MessageState::kInDoubtSend: text = "in doubt: send"; break;
  }
  const std::int64_t expiration_ms = message.facts.expiration_ms;
  if (expiration_ms > 0 && expiration_ms < now_ms) text += ", expired";
  if (message.paged) text += ", paged";
  if (message.facts.large) text += ", large";
  return text;
}

void TextMessages::message(const LiveMessage& message, BodyReader& bodies) {
  const MessageBody body = bodies.read(message);
  const bool amqp = message.message.amqp.has_value();
  const auto size = body_size(message, body);
  table_.add(
      output_.buffer(),
      {message.queue == nullptr ? fmt::format("(id {})", message.queue_id) : message.queue->name,
       fmt::format("{}", message.id), state_text(message, options_.now_ms),
       message.facts.timestamp_ms == 0 ? "-" : store::format_time(message.facts.timestamp_ms),
       fmt::format("{}", message.facts.priority), fmt::format("{}", message.delivery_count),
       fmt::format("{} {}", amqp ? "amqp" : "core", body_kind(message)),
       size ? cli::human_bytes(*size) : "missing", properties_text(message.message)},
      body_lines(message, body, options_.detail, kIndent));
  flush_if_long(output_);
}

void TextMessages::end(const MessagesShown& shown, cli::ExitCode /*code*/) {
  TextBuffer& out = output_.buffer();
  table_.finish(out);
  if (shown.messages + shown.prepared != 0) out.put('\n');
  out.put(fmt::format("{} on {}, {} in doubt{}\n", cli::human_plural(shown.messages, "message"),
                      cli::human_plural(shown.queues, "queue"), cli::human_count(shown.prepared),
                      shown.complete  ? ""
                      : shown.limited ? "; there may be more, --limit ended the list"
                                      : "; there may be more, the list was ended early"));
}

// ---- JSON
// -----------------------------------------------------------------------------------------

class JsonMessages final : public MessagePrinter {
 public:
  JsonMessages(cli::Output& output, cli::JsonReport::Form form,
               const MessagePrinterOptions& options)
      : output_(output),
        options_(options),
        report_(output, form, {.schema = "saranga.messages/1", .store = options_.store}) {
    report_.begin_list("messages");
  }

  void message(const LiveMessage& message, BodyReader& bodies) override {
    const MessageBody body = bodies.read(message);
    cli::JsonWriter& json = report_.begin_object("message");
    write_live_message(json, message, body, options_.now_ms);
    bodies.write_json(json, output_, body);
    report_.end_object();
  }
  void finding(const Finding& finding) override { report_.finding(finding); }
  void end(const MessagesShown& shown, cli::ExitCode code) override {
    cli::JsonWriter& json = report_.begin_summary();
    json.field("message_count", shown.messages);
    json.field("prepared_count", shown.prepared);
    json.field("queue_count", shown.queues);
    json.field("complete", shown.complete);
    report_.end_summary(code);
  }

 private:
  cli::Output& output_;
  MessagePrinterOptions options_;
  cli::JsonReport report_;
};

// ---- CSV
// ------------------------------------------------------------------------------------------

class CsvMessages final : public MessagePrinter {
 public:
  CsvMessages(cli::Output& output, const MessagePrinterOptions& options);

  void message(const LiveMessage& message, BodyReader& bodies) override;
  void end(const MessagesShown& /*shown*/, cli::ExitCode /*code*/) override {}

 private:
  void body_field(const MessageBody& body);

  cli::Output& output_;
  MessagePrinterOptions options_;
  cli::CsvWriter csv_;
};

CsvMessages::CsvMessages(cli::Output& output, const MessagePrinterOptions& options)
    : output_(output), options_(options), csv_(output.buffer()) {
  for (const char* name :
       {"id",           "queue",    "queue_id",     "address",       "protocol", "message_type",
        "durable",      "priority", "timestamp_ms", "expiration_ms", "user_id",  "delivery_count",
        "scheduled_ms", "state",    "tx",           "paged",         "large",    "body_bytes",
        "file",         "offset",   "properties"}) {
    csv_.text(name);
  }
  if (options_.detail != BodyDetail::kNone) csv_.text("body");
  csv_.end_row();
}

void CsvMessages::body_field(const MessageBody& body) {
  if (options_.detail == BodyDetail::kNone) return;
  if (options_.detail == BodyDetail::kText) return csv_.nullable(plain_text(body));
  if (body.where == MessageBody::Where::kMissing) return csv_.nothing();
  csv_.text(body_json(body, options_.detail));
}

void CsvMessages::message(const LiveMessage& message, BodyReader& bodies) {
  const MessageBody body = bodies.read(message);
  const store::MessageFacts& facts = message.facts;
  const auto address = message.message.address();
  csv_.number(message.id);
  csv_.nullable(message.queue == nullptr ? std::nullopt : std::optional(message.queue->name));
  csv_.number(message.queue_id);
  csv_.nullable(address ? std::optional(address->str()) : std::nullopt);
  csv_.text(message.message.amqp ? "amqp" : "core");
  csv_.text(body_kind(message));
  csv_.truth(facts.durable);
  csv_.number(std::int64_t{facts.priority});
  csv_.number(facts.timestamp_ms);
  csv_.number(facts.expiration_ms);
  csv_.nullable(store::user_id(message.message));
  csv_.number(std::int64_t{message.delivery_count});
  if (message.scheduled_ms == 0) {
    csv_.nothing();
  } else {
    csv_.number(message.scheduled_ms);
  }
  csv_.text(store::state_name(message.state));
  if (message.tx_id < 0) {
    csv_.nothing();
  } else {
    csv_.number(message.tx_id);
  }
  csv_.truth(message.paged);
  csv_.truth(facts.large);
  if (const auto size = body_size(message, body)) {
    csv_.number(*size);
  } else {
    csv_.nothing();
  }
  csv_.text(message.file);
  csv_.number(message.offset);
  csv_.text(properties_json(message.message));
  body_field(body);
  csv_.end_row();
  flush_if_long(output_);
}

}  // namespace

std::unique_ptr<MessagePrinter> make_message_printer(const std::string& format, cli::Output& output,
                                                     const MessagePrinterOptions& options) {
  using Form = cli::JsonReport::Form;
  if (format == "json") return std::make_unique<JsonMessages>(output, Form::kDocument, options);
  if (format == "jsonl") return std::make_unique<JsonMessages>(output, Form::kLines, options);
  if (format == "csv") return std::make_unique<CsvMessages>(output, options);
  return std::make_unique<TextMessages>(output, options);
}

}  // namespace saranga::list
