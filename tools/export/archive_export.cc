#include "tools/export/archive_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/bindings/record_ids.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/record_types.h"
#include "saranga/store/cross_findings.h"
#include "tools/cli/context.h"
#include "tools/print/amqp_json.h"
#include "tools/print/core_json.h"
#include "tools/print/record_json.h"

namespace saranga::exporting {
namespace {

using print::BodyDetail;
using store::LiveMessage;
using store::MessageOnQueue;

// Longer data and bodies go on in lines of their own, so that no line is longer than about four
// thirds of this and its other members.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

template <class T>
std::optional<T> unless(T value, T none) {
  return value == none ? std::nullopt : std::optional<T>(value);
}

print::RecordBody body_of(const journal::Record& record) {
  return {.id = record.id,
          .user_type = record.user_type,
          .is_update = record.is_update(),
          .body = record.body};
}

// The queue or address that a status record is about: the first field of both.
std::optional<std::int64_t> status_of(const journal::Record& record) {
  if (record.user_type != bindings::kQueueStatus && record.user_type != bindings::kAddressStatus) {
    return std::nullopt;
  }
  Cursor cursor(record.body);
  const std::int64_t id = cursor.i64();
  return cursor.ok() ? std::optional(id) : std::nullopt;
}

}  // namespace

Result<void> ArchiveExport::begin(const ExportScope& scope) {
  scope_ = scope;
  for (const bindings::Queue* queue : scope.queues) bound_.insert(queue->id);
  for (const bindings::Address* address : scope.addresses) bound_.insert(address->id);
  header();
  return bindings();
}

void ArchiveExport::header() {
  std::uint64_t file_size_bytes = 0;
  for (const journal::JournalFile& file : store_.journal().folder.files) {
    file_size_bytes = std::max(file_size_bytes, file.size_bytes);
  }
  json_.begin_object();
  json_.field("type", "header");
  json_.field("schema", "saranga.archive/1");
  json_.field("program", cli::program_version());
  json_.field("store", Text(store_name_));
  json_.field("whole", scope_.whole && scope_.every_message);
  json_.field("id_counter", store_.catalog().id_counter());
  json_.field("journal_file_bytes", file_size_bytes);
  json_.end_object();
  end_line();
}

Result<void> ArchiveExport::bindings() {
  return store::visit_binding_records(
      store_,
      [&](const journal::Record& record) {
        if (wants_binding(record)) binding(record);
      },
      sink_);
}

// The counter of ids is the concern of whoever writes a store.
bool ArchiveExport::wants_binding(const journal::Record& record) const {
  if (record.user_type == bindings::kIdCounter) return false;
  if (scope_.whole) return true;
  if (const auto target = status_of(record)) return bound_.contains(*target);
  const bool binds =
      record.user_type == bindings::kQueueBinding || record.user_type == bindings::kAddressBinding;
  return binds && bound_.contains(record.id);
}

void ArchiveExport::binding(const journal::Record& record) {
  ++bindings_;
  json_.begin_object();
  json_.field("type", "binding");
  json_.field("id", record.id);
  json_.field("record_type", int{record.user_type});
  json_.field("update", record.is_update());
  (void)print::write_bindings_record_json(json_, body_of(record));
  json_.base64_field("record_b64", record.body);
  json_.end_object();
  end_line();
}

// ---- messages -----------------------------------------------------------------------------------

void ArchiveExport::message(const LiveMessage& message, std::span<const MessageOnQueue> queues,
                            bool more) {
  json_.begin_object();
  json_.field("type", "message");
  json_.field("id", message.id);
  json_.field("address", message.message.address());
  json_.key("queues");
  json_.begin_array();
  for (const MessageOnQueue& on : queues) {
    json_.begin_object();
    place(on);
    json_.end_object();
  }
  json_.end_array();
  if (more) json_.field("more", true);
  json_.field("paged", message.paged);
  facts(message);
  content(message);
  json_.end_object();
  end_line();
  rest_of_data(message);
  if (message.facts.large) body_file(message);
}

void ArchiveExport::place(const MessageOnQueue& on) {
  json_.field("queue", on.queue == nullptr ? std::nullopt : std::optional(Text(on.queue->name)));
  json_.field("queue_id", on.queue_id);
  json_.field("state", store::state_name(on.state));
  json_.field("tx", unless<std::int64_t>(on.tx_id, -1));
  json_.field("delivery_count", int{on.delivery_count});
  json_.field("scheduled_ms", unless<std::int64_t>(on.scheduled_ms, 0));
  if (on.set_scheduled_ms != 0) json_.field("set_scheduled_ms", on.set_scheduled_ms);
  if (on.tx_id >= 0) transactions_.insert(on.tx_id);
}

// What people and programs want to see; an import takes it from the encoded message.
void ArchiveExport::facts(const LiveMessage& message) {
  if (message.facts.damaged) json_.field("damaged", true);
  if (message.message.amqp) {
    print::write_amqp_json(json_, *message.message.amqp, BodyDetail::kNone);
  } else if (message.message.core) {
    print::write_core_json(json_, *message.message.core, message.core_large, BodyDetail::kNone);
  } else {
    json_.null_field("protocol");
  }
}

void ArchiveExport::content(const LiveMessage& message) {
  const Bytes encoded = message.encoded;
  json_.field("record_type", int{store::encoded_type(message)});
  json_.field("record_bytes", std::uint64_t{encoded.size()});
  json_.base64_field("record_b64", encoded.first(std::min(encoded.size(), kPieceBytes)));
  if (!message.facts.large) return;
  const message::LargeFile* file = store_.large_file(message.id);
  json_.field("body_file_bytes", file == nullptr ? std::nullopt : std::optional(file->size_bytes));
  if (file == nullptr) sink_.finding(store::large_body_missing(message.id));
}

void ArchiveExport::rest_of_data(const LiveMessage& message) {
  for (std::size_t at = kPieceBytes; at < message.encoded.size(); at += kPieceBytes) {
    const Bytes rest = message.encoded.subspan(at);
    json_.begin_object();
    json_.field("type", "record_piece");
    json_.field("id", message.id);
    json_.base64_field("record_b64", rest.first(std::min(rest.size(), kPieceBytes)));
    json_.end_object();
    end_line();
  }
}

// Exactly as many bytes as its message has announced.
void ArchiveExport::body_file(const LiveMessage& message) {
  const message::LargeFile* named = store_.large_file(message.id);
  if (named == nullptr) return;
  const auto file = store_.parts().large_messages->open(named->name);
  piece_.resize(kPieceBytes);
  std::optional<Error> error;
  if (!file) error = file.error();
  for (std::uint64_t at = 0; at < named->size_bytes && !output_.failed();) {
    const std::size_t wanted = std::min<std::uint64_t>(kPieceBytes, named->size_bytes - at);
    const Result<std::size_t> got =
        error ? Result<std::size_t>(0) : (*file)->read_at(at, std::span(piece_).first(wanted));
    if (!got) error = got.error();
    if (!error && *got == 0) error = Error{.text = "has become shorter while it was read"};
    if (error) break;
    json_.begin_object();
    json_.field("type", "body_piece");
    json_.field("id", message.id);
    json_.base64_field("body_b64", Bytes(piece_).first(*got));
    json_.end_object();
    end_line();
    at += *got;
  }
  if (!error) return;
  sink_.finding({.code = "file-unreadable",
                 .severity = Severity::kDamage,
                 .file = "large-messages/" + named->name,
                 .id = message.id,
                 .text = error->text + "; an import of this archive ends there"});
}

void ArchiveExport::later(const LiveMessage& message, const MessageOnQueue& on) {
  json_.begin_object();
  json_.field("type", "reference");
  json_.field("id", message.id);
  place(on);
  json_.end_object();
  end_line();
}

// ---- the rest -----------------------------------------------------------------------------------

Result<void> ArchiveExport::end(const ExportCounts& counts) {
  // What an address remembers is not that of some of its messages: an import that leaves out what
  // it knows would leave out the others, too.
  if (scope_.whole && scope_.every_message) standing_records();
  transactions();
  json_.begin_object();
  json_.field("type", "summary");
  json_.field("binding_count", bindings_);
  json_.field("message_count", counts.messages);
  json_.field("reference_count", counts.references);
  json_.field("record_count", records_);
  json_.field("transaction_count", transaction_count_);
  json_.field("damage_count", counts.damage);
  json_.end_object();
  end_line();
  return {};
}

void ArchiveExport::standing_records() {
  store::visit_standing_records(
      store_, [&](const journal::Record& found) { record(found, std::nullopt); }, sink_);
}

void ArchiveExport::record(const journal::Record& record, std::optional<std::int64_t> tx_id) {
  ++records_;
  const bool removes = !journal::traits(record.kind).has_user_type;
  json_.begin_object();
  json_.field("type", "record");
  json_.field("id", record.id);
  json_.field("kind", removes ? "delete" : record.is_update() ? "update" : "add");
  json_.field("tx", tx_id);
  if (!removes) {
    json_.field("record_type", int{record.user_type});
    (void)print::write_message_record_json(json_, body_of(record));
  }
  json_.base64_field("record_b64", record.body);
  json_.end_object();
  end_line();
}

void ArchiveExport::transactions() {
  for (const store::PreparedTransaction& prepared : store_.model().prepared()) {
    const bool all = scope_.whole && scope_.every_message;
    if (!all && !transactions_.contains(prepared.tx_id)) continue;
    if (all) {
      store::visit_standing_records(
          store_, prepared, [&](const journal::Record& found) { record(found, prepared.tx_id); },
          sink_);
    }
    store::visit_prepare(
        store_, prepared,
        [&](const journal::Record& found) {
          ++transaction_count_;
          json_.begin_object();
          json_.field("type", "transaction");
          json_.field("id", prepared.tx_id);
          json_.key("xid");
          print::write_xid_json(json_, found.body);
          json_.base64_field("record_b64", found.body);
          json_.end_object();
          end_line();
        },
        sink_);
  }
}

void ArchiveExport::end_line() {
  json_.end_line();
  constexpr std::size_t kEnough = std::size_t{256} << 10;
  if (output_.buffer().size() >= kEnough) output_.flush();
}

}  // namespace saranga::exporting
