#include "tools/list/message_body.h"

#include <fmt/format.h>

#include "saranga/bytes/base64.h"
#include "saranga/message/compressed_body.h"
#include "tools/print/amqp_json.h"
#include "tools/print/core_json.h"

namespace saranga::list {
namespace {

namespace amqp = message::amqp;
using Where = MessageBody::Where;

constexpr std::size_t kPieceBytes = std::size_t{48} << 10;  // divisible by three, for base64

bool is_compressed(const message::CoreMessage& message) {
  const auto flag = message.headers.properties.find("_AMQ_LARGE_COMPRESSED");
  return flag && flag->type == message::PropertyType::kBoolean && flag->number != 0;
}

std::optional<std::string> text_of(Bytes body) {
  Cursor cursor(body);
  const auto text = cursor.nullable_simple_string();
  if (!cursor.ok() || !cursor.at_end() || !text) return std::nullopt;
  return text->str();
}

std::optional<std::string> amqp_text(const amqp::Message& message) {
  if (message.body_section_count() != 1) return std::nullopt;
  amqp::BodySections sections = message.body();
  const auto section = sections.next();
  if (!section) return std::nullopt;
  if (message.body_kind() == amqp::BodyKind::kData) {
    const Text text(as_text(section->value.bytes()));
    return text.well_formed() ? std::optional(text.str()) : std::nullopt;
  }
  if (section->value.type() != amqp::Type::kString) return std::nullopt;
  return section->value.text().str();
}

}  // namespace

MessageBody BodyReader::read(const store::LiveMessage& message) {
  MessageBody body{.core = message.message.core};
  const bool amqp_large = message.message.amqp && message.message.amqp->is_large();
  if (!message.core_large && !amqp_large) {
    if (message.message.amqp && detail_ != BodyDetail::kNone) {
      body.amqp = amqp::Message::of(*message.message.amqp);
    }
    return body;
  }
  body.file = store_.large_file(message.id);
  if (body.file == nullptr) {
    body.where = Where::kMissing;
    report(message, "large-body-missing",
           fmt::format("the body of large message {} is not there: no file large-messages/{}.msg",
                       message.id, message.id));
    return body;
  }
  body.where = Where::kNotRead;
  if (detail_ == BodyDetail::kNone || detail_ == BodyDetail::kSummary) return body;
  body.where = Where::kLongFile;
  if (body.file->size_bytes > kHeldBytes) return body;
  if (!read_file(*body.file)) {
    body.where = Where::kMissing;
    report(message, "file-unreadable",
           fmt::format("the body of large message {} cannot be read: large-messages/{}", message.id,
                       body.file->name));
    return body;
  }
  body.where = Where::kFile;
  if (body.core) body.core->body = content_;
  if (amqp_large) body.amqp = amqp::Message::scan(content_);
  return body;
}

bool BodyReader::read_file(const message::LargeFile& file) {
  auto content = read_whole(*store_.parts().large_messages, file.name, kHeldBytes);
  if (!content) return false;
  content_ = std::move(*content);
  return true;
}

void BodyReader::report(const store::LiveMessage& message, std::string_view code,
                        std::string text) {
  if (reported_.contains(message.id)) return;
  reported_.insert(message.id);
  sink_.finding({.code = code,
                 .severity = Severity::kDamage,
                 .file = std::string(message.file),
                 .offset = message.offset,
                 .length_bytes = message.length_bytes,
                 .id = message.id,
                 .text = std::move(text)});
}

void BodyReader::write_json(cli::JsonWriter& json, cli::Output& output, const MessageBody& body) {
  if (detail_ == BodyDetail::kNone) return;
  switch (body.where) {
    case Where::kRecord:
    case Where::kFile:
      if (body.core) {
        print::write_core_body_json(json, *body.core, detail_);
      } else if (body.amqp) {
        print::write_amqp_body_json(json, *body.amqp, detail_);
      }
      return;
    case Where::kMissing: return json.null_field("body");
    case Where::kLongFile:
    case Where::kNotRead: break;
  }
  json.key("body");
  json.begin_object();
  json.field("kind", body.core ? message::core_type_name(body.core->headers.type)
                               : amqp::body_kind_name(amqp::BodyKind::kInFile));
  if (body.core && is_compressed(*body.core)) json.field("compressed", true);
  if (detail_ == BodyDetail::kText) json.field("too_long", true);
  if (detail_ == BodyDetail::kHex || detail_ == BodyDetail::kFull) stream_file(json, output, body);
  json.end_object();
}

// A Core body as it is, or the whole encoded AMQP message: the file, in pieces.
void BodyReader::stream_file(cli::JsonWriter& json, cli::Output& output, const MessageBody& body) {
  const bool hex = detail_ == BodyDetail::kHex;
  const std::string name = std::string(body.core ? "data" : "encoded") + (hex ? "_hex" : "_b64");
  json.field(name, "");
  TextBuffer& out = output.buffer();
  out.truncate(out.size() - 1);  // the quote that ends it comes behind the content
  auto file = store_.parts().large_messages->open(body.file->name);
  std::vector<std::byte> piece(kPieceBytes);
  for (std::uint64_t at = 0; file && !output.failed(); at += kPieceBytes) {
    const auto got = (*file)->read_at(at, piece);
    if (!got || *got == 0) break;
    const Bytes read = Bytes(piece).first(*got);
    if (hex) {
      append_hex(out, read);
    } else {
      append_base64(out, read, Base64Alphabet::kStandard);
    }
    output.flush();
    if (*got < kPieceBytes) break;
  }
  out.put('"');
}

std::optional<std::string> plain_text(const MessageBody& body) {
  if (body.where != Where::kRecord && body.where != Where::kFile) return std::nullopt;
  if (body.amqp) return amqp_text(*body.amqp);
  if (!body.core || body.core->headers.type != message::CoreType::kText) return std::nullopt;
  if (!is_compressed(*body.core)) return text_of(body.core->body);
  const auto inflated = message::inflate_body(body.core->body, BodyReader::kHeldBytes);
  return inflated ? text_of(*inflated) : std::nullopt;
}

Bytes body_bytes(const MessageBody& body) {
  if (body.where != Where::kRecord && body.where != Where::kFile) return {};
  if (body.amqp) return body.amqp->encoded().subspan(body.amqp->body_offset());
  return body.core ? body.core->body : Bytes{};
}

std::string_view body_kind(const store::LiveMessage& message) {
  if (message.message.core) return message::core_type_name(message.message.core->headers.type);
  if (!message.message.amqp) return "unknown";
  return amqp::body_kind_name(amqp::Message::of(*message.message.amqp).body_kind());
}

}  // namespace saranga::list
