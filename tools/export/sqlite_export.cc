#include "tools/export/sqlite_export.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "saranga/bytes/fields.h"
#include "saranga/store/cross_findings.h"
#include "saranga/store/kept_records.h"
#include "tools/cli/context.h"
#include "tools/cli/json_writer.h"
#include "tools/export/scope_losses.h"
#include "tools/list/message_json.h"
#include "tools/print/amqp_json.h"

namespace saranga::exporting {
namespace {

namespace amqp = message::amqp;
using message::PropertyType;
using store::LiveMessage;
using store::MessageOnQueue;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Columns of the table of queues.
constexpr std::array<std::string_view, 8> kQueueSettings = {
    "user",      "paused",     "auto_created",    "internal",
    "exclusive", "last_value", "non_destructive", "ring_size"};

constexpr const char* kTables = R"(
CREATE TABLE export (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE addresses (id INTEGER PRIMARY KEY, name TEXT, routing_types TEXT, auto_created INTEGER,
  internal INTEGER, paused INTEGER);
CREATE TABLE queues (id INTEGER PRIMARY KEY, name TEXT, address TEXT, routing_type TEXT,
  filter TEXT, user TEXT, paused INTEGER, auto_created INTEGER, internal INTEGER,
  exclusive INTEGER, last_value INTEGER, non_destructive INTEGER, ring_size INTEGER);
CREATE TABLE messages (id INTEGER, address TEXT, protocol TEXT, message_type TEXT, durable INTEGER,
  priority INTEGER, timestamp_ms INTEGER, expiration_ms INTEGER, user_id TEXT, large INTEGER,
  body_bytes INTEGER, paged INTEGER, file TEXT, offset INTEGER, length INTEGER);
CREATE TABLE message_queues (message_id INTEGER, queue_id INTEGER, queue TEXT, state TEXT,
  tx INTEGER, delivery_count INTEGER, scheduled_ms INTEGER);
CREATE TABLE properties (message_id INTEGER, name TEXT, type TEXT, value);
CREATE TABLE bodies (message_id INTEGER, piece INTEGER, bytes BLOB, text TEXT);
CREATE TABLE acks (message_id INTEGER, queue_id INTEGER, tx INTEGER);
CREATE TABLE transactions (id INTEGER PRIMARY KEY, format_id INTEGER, branch_qualifier BLOB,
  global_id BLOB);
CREATE TABLE files (name TEXT, part TEXT, size_bytes INTEGER, record_count INTEGER,
  address TEXT, message_id INTEGER);
)";

constexpr const char* kIndexes = R"(
CREATE INDEX messages_by_id ON messages (id);
CREATE INDEX messages_by_address ON messages (address);
CREATE INDEX messages_by_time ON messages (timestamp_ms);
CREATE INDEX message_queues_by_message ON message_queues (message_id);
CREATE INDEX message_queues_by_queue ON message_queues (queue, state);
CREATE INDEX message_queues_by_queue_id ON message_queues (queue_id, tx);
CREATE INDEX properties_by_message ON properties (message_id);
CREATE INDEX properties_by_name ON properties (name, value);
CREATE INDEX bodies_by_message ON bodies (message_id, piece);
CREATE INDEX acks_by_message ON acks (message_id);
CREATE VIEW queue_depth AS SELECT q.name AS queue, q.address AS address,
  count(b.id) AS messages, coalesce(sum(b.body_bytes), 0) AS body_bytes,
  min(nullif(b.timestamp_ms, 0)) AS oldest_ms,
  (SELECT count(*) FROM message_queues d WHERE d.queue_id = q.id AND d.tx IS NOT NULL) AS in_doubt
  FROM queues q LEFT JOIN message_queues m ON m.queue_id = q.id AND m.tx IS NULL
  LEFT JOIN messages b ON b.id = m.message_id GROUP BY q.id;
)";

// Surrogates without their partner, which UTF-8 does not have, stay the three bytes that they are
// in this program; SQLite takes a text as it comes.
std::string text_of(const Text& text) { return text.str(); }

}  // namespace

struct SqliteExport::Inserts {
  explicit Inserts(SqliteWriter& writer)
      : messages(writer, "messages", 15),
        places(writer, "message_queues", 7),
        properties(writer, "properties", 4),
        bodies(writer, "bodies", 4),
        acks(writer, "acks", 3) {}
  SqliteInsert messages;
  SqliteInsert places;
  SqliteInsert properties;
  SqliteInsert bodies;
  SqliteInsert acks;
};

SqliteExport::SqliteExport(const store::LoadedStore& store, std::string store_name,
                           const std::string& path, Losses& losses, FindingSink& sink)
    : store_(store),
      store_name_(std::move(store_name)),
      losses_(losses),
      sink_(sink),
      bodies_(store, list::BodyDetail::kFull, sink),
      writer_(path) {}

SqliteExport::~SqliteExport() = default;

// ---- what surrounds the messages ----------------------------------------------------------------

Result<void> SqliteExport::begin(const ExportScope& scope) {
  writer_.run(kTables);
  addresses(scope);
  queues(scope);
  count_scope_losses(
      store_, scope,
      {.format = "the database", .queue_settings = kQueueSettings, .address_settings = true},
      losses_);
  inserts_ = std::make_unique<Inserts>(writer_);
  return {};
}

void SqliteExport::addresses(const ExportScope& scope) {
  SqliteInsert insert(writer_, "addresses", 6);
  for (const bindings::Address* address : scope.addresses) {
    std::string types;
    for (const std::string& type : address->routing_types) {
      types += (types.empty() ? "" : ",") + type;
    }
    insert.number(address->id)
        .text(address->name)
        .text(types)
        .number(address->auto_created ? 1 : 0)
        .number(address->internal ? 1 : 0)
        .number(address->paused ? 1 : 0)
        .row();
  }
}

void SqliteExport::queues(const ExportScope& scope) {
  SqliteInsert insert(writer_, "queues", 13);
  for (const bindings::Queue* queue : scope.queues) {
    insert.number(queue->id).text(queue->name).text(queue->address).text(queue->routing_type);
    insert.nullable(queue->filter).nullable(queue->user);
    for (const bool flag : {queue->paused, queue->auto_created, queue->internal, queue->exclusive,
                            queue->last_value, queue->non_destructive}) {
      insert.number(flag ? 1 : 0);
    }
    insert.number(queue->ring_size).row();
  }
}

void SqliteExport::transactions() {
  SqliteInsert insert(writer_, "transactions", 4);
  for (const store::PreparedTransaction& prepared : store_.model().prepared()) {
    const auto add = [&](const journal::Record& record) {
      Cursor cursor(record.body);
      const Xid xid = read_xid(cursor);
      insert.number(prepared.tx_id);
      if (cursor.ok()) {
        insert.number(xid.format_id).blob(xid.branch_qualifier).blob(xid.global_id);
      } else {
        insert.null().null().null();
      }
      insert.row();
    };
    store::visit_prepare(store_, prepared, add, sink_);
  }
}

void SqliteExport::files() {
  SqliteInsert insert(writer_, "files", 6);
  for (const auto& [part, journal] :
       {std::pair("bindings", &store_.bindings()), std::pair("journal", &store_.journal())}) {
    for (const store::ScannedFile& file : journal->scanned) {
      insert.text(file.label).text(part);
      insert.number(static_cast<std::int64_t>(file.account.total_bytes()));
      insert.number(static_cast<std::int64_t>(file.records)).null().null().row();
    }
  }
  for (const paging::PageStore& pages : store_.page_stores()) {
    for (const paging::Page& page : pages.pages) {
      insert.text(fmt::format("paging/{}/{}", pages.folder, page.name)).text("paging");
      insert.number(static_cast<std::int64_t>(page.size_bytes)).null();
      insert.text(pages.address).null().row();
    }
  }
  for (const message::LargeFile& file : store_.large_files()) {
    insert.text("large-messages/" + file.name).text("large-messages");
    insert.number(static_cast<std::int64_t>(file.size_bytes)).null().null();
    insert.number(file.id).row();
  }
}

void SqliteExport::figures(const ExportCounts& counts) {
  SqliteInsert insert(writer_, "export", 2);
  insert.text("schema").text("saranga.sqlite/1").row();
  insert.text("program").text(cli::program_version()).row();
  insert.text("store").text(store_name_).row();
  insert.text("message_count").number(static_cast<std::int64_t>(counts.messages)).row();
  insert.text("reference_count").number(static_cast<std::int64_t>(counts.references)).row();
}

Result<void> SqliteExport::end(const ExportCounts& counts) {
  inserts_.reset();
  transactions();
  files();
  figures(counts);
  writer_.run(kIndexes);
  return writer_.finish();
}

// ---- messages -----------------------------------------------------------------------------------

void SqliteExport::message(const LiveMessage& message, std::span<const MessageOnQueue> queues,
                           bool /*more*/) {
  if (writer_.failed()) return;
  const store::MessageFacts& facts = message.facts;
  const list::MessageBody read = bodies_.read(message);
  const auto address = message.message.address();
  const auto size = list::body_size(message, read);
  inserts_->messages.number(message.id)
      .nullable(address ? std::optional(text_of(*address)) : std::nullopt)
      .text(message.message.amqp ? "amqp" : "core")
      .text(list::body_kind(message))
      .number(facts.durable ? 1 : 0)
      .number(facts.priority)
      .number(facts.timestamp_ms)
      .number(facts.expiration_ms)
      .nullable(store::user_id(message.message))
      .number(facts.large ? 1 : 0)
      .number(size ? std::optional(static_cast<std::int64_t>(*size)) : std::nullopt)
      .number(message.paged ? 1 : 0)
      .text(message.file)
      .number(static_cast<std::int64_t>(message.offset))
      .number(message.length_bytes)
      .row();
  places(message.id, queues);
  properties(message);
  body(message, read);
}

void SqliteExport::places(std::int64_t id, std::span<const MessageOnQueue> queues) {
  for (const MessageOnQueue& on : queues) {
    const auto tx = on.tx_id < 0 ? std::nullopt : std::optional(on.tx_id);
    inserts_->places.number(id)
        .number(on.queue_id)
        .nullable(on.queue == nullptr ? std::nullopt : std::optional(on.queue->name))
        .text(store::state_name(on.state))
        .number(tx)
        .number(on.delivery_count)
        .number(on.scheduled_ms == 0 ? std::nullopt : std::optional(on.scheduled_ms))
        .row();
    if (on.state != store::MessageState::kInDoubtAck) continue;
    inserts_->acks.number(id).number(on.queue_id).number(tx).row();
  }
}

void SqliteExport::properties(const LiveMessage& message) {
  if (message.message.core) core_properties(message.id, message.message.core->headers.properties);
  if (message.message.amqp) amqp_properties(message.id, *message.message.amqp);
}

void SqliteExport::core_properties(std::int64_t id, const message::TypedProperties& properties) {
  message::TypedProperties::Iterator iterator(properties);
  while (const auto property = iterator.next()) {
    const message::PropertyValue& value = property->value;
    SqliteInsert& insert = inserts_->properties;
    insert.number(id).text(text_of(property->key));
    insert.text(message::property_type_name(value.type));
    switch (value.type) {
      case PropertyType::kNull: insert.null(); break;
      case PropertyType::kBytes: insert.blob(value.bytes); break;
      case PropertyType::kString: insert.text(text_of(value.text)); break;
      case PropertyType::kFloat: insert.real(value.as_float()); break;
      case PropertyType::kDouble: insert.real(value.as_double()); break;
      case PropertyType::kChar: {
        TextBuffer text;
        append_code_point(text, static_cast<std::uint32_t>(value.number) & 0xFFFF);
        insert.text(text.view());
        break;
      }
      default: insert.number(value.number); break;
    }
    insert.row();
  }
}

// Values that are one text or number stand for themselves, all others as JSON.
void SqliteExport::amqp_properties(std::int64_t id, const amqp::Stored& stored) {
  const amqp::Message scanned = amqp::Message::of(stored);
  count_amqp_losses(scanned, losses_);
  auto entries = scanned.section(amqp::SectionKind::kApplicationProperties).value.elements();
  TextBuffer out;
  while (const auto entry = entries.next_entry()) {
    if (entry->key.type() != amqp::Type::kString) continue;
    SqliteInsert& insert = inserts_->properties;
    insert.number(id).text(text_of(entry->key.text()));
    insert.text(amqp::type_name(entry->value.type()));
    if (entry->value.type() == amqp::Type::kString) {
      insert.text(text_of(entry->value.text()));
    } else {
      out.clear();
      cli::JsonWriter json(out);
      print::write_amqp_value_json(json, entry->value);
      insert.text(out.view());
    }
    insert.row();
  }
}

void SqliteExport::body(const LiveMessage& message, const list::MessageBody& body) {
  using Where = list::MessageBody::Where;
  if (body.where == Where::kLongFile && body.file != nullptr) {
    return long_body(message.id, *body.file);
  }
  if (body.where == Where::kMissing) return;
  inserts_->bodies.number(message.id)
      .number(0)
      .blob(list::body_bytes(body))
      .nullable(list::plain_text(body))
      .row();
}

void SqliteExport::long_body(std::int64_t id, const message::LargeFile& file) {
  const auto opened = store_.parts().large_messages->open(file.name);
  piece_.resize(kPieceBytes);
  std::optional<Error> error;
  if (!opened) error = opened.error();
  std::int64_t number = 0;
  for (std::uint64_t at = 0; !error && !writer_.failed();) {
    const auto got = (*opened)->read_at(at, piece_);
    if (!got) error = got.error();
    if (!got || *got == 0) break;
    inserts_->bodies.number(id).number(number++).blob(Bytes(piece_).first(*got)).null().row();
    at += *got;
  }
  if (!error) return;
  sink_.finding({.code = "file-unreadable",
                 .severity = Severity::kDamage,
                 .file = "large-messages/" + file.name,
                 .id = id,
                 .text = error->text});
}

}  // namespace saranga::exporting
