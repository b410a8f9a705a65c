#include "libstore/recipe/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <list>

#include "libstore/recipe/messages.h"
#include "saranga/bindings/record_types.h"
#include "saranga/bytes/base64.h"
#include "saranga/bytes/field_encoder.h"
#include "saranga/message/message_encoder.h"
#include "saranga/message/record_ids.h"
#include "saranga/message/record_types.h"
#include "saranga/paging/page_writer.h"

namespace saranga::store {
namespace {

using journal::JournalKind;
using State = FieldValue::State;
using Encoded = std::vector<std::byte>;

std::span<const RecordType> types_of(JournalKind kind) {
  switch (kind) {
    case JournalKind::kBindings: return bindings::record_types();
    case JournalKind::kJms: return bindings::jms_record_types();
    case JournalKind::kMessages: break;
  }
  return message::record_types();
}

const RecordType* find_type(JournalKind kind, std::int8_t number) {
  const auto types = types_of(kind);
  const auto found = std::ranges::find(types, number, &RecordType::number);
  return found == types.end() ? nullptr : &*found;
}

std::span<const Field> fields_of(const RecordType& type, bool is_update) {
  return is_update && !type.update_fields.empty() ? type.update_fields : type.fields;
}

bool decode(const BodyPurpose& purpose, const RecordType& type, Bytes body, DecodedRecord& out) {
  return purpose.journal == JournalKind::kMessages
             ? message::decode_record(type, purpose.is_update, body, out)
             : bindings::decode_record(type, purpose.is_update, body, out);
}

/// Fills in the fields of a body from arguments.
class FieldArguments {
 public:
  FieldArguments(Arguments& arguments, std::span<const Field> fields) : arguments_(arguments) {
    values_.reset(fields);
  }

  [[nodiscard]] Parsed<Encoded> read(NumberFlag flag) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto word = arguments_.named(values_.fields()[i].name);
      if (!word) continue;
      values_.at(i).state = word->text == "null" ? State::kNull : State::kPresent;
      if (values_[i].state == State::kNull) continue;
      const auto taken = take(values_.fields()[i], *word, values_.at(i));
      if (!taken) return std::unexpected(taken.error());
    }
    auto encoded = encode_fields(values_, flag);
    if (encoded) return std::move(*encoded);
    return Word{.text = {}, .column = arguments_.end_column()}.problem(encoded.error().text);
  }

 private:
  using Outcome = Parsed<void>;

  [[nodiscard]] Outcome take(const Field& field, Word word, FieldValue& into) {
    switch (field.type) {
      case FieldType::kI8: return number(field, word, into, INT8_MIN, INT8_MAX);
      case FieldType::kI16: return number(field, word, into, INT16_MIN, INT16_MAX);
      case FieldType::kI32:
      case FieldType::kNullableI32: return number(field, word, into, INT32_MIN, INT32_MAX);
      case FieldType::kI64:
      case FieldType::kNullableI64: return number(field, word, into, INT64_MIN, INT64_MAX);
      case FieldType::kBoolean:
      case FieldType::kNullableBoolean: return boolean(word, into);
      case FieldType::kF64:
      case FieldType::kNullableF64: return real(word, into);
      case FieldType::kSizedBytes:
      case FieldType::kRestBytes:
      case FieldType::kXid: return bytes(word, into);
      case FieldType::kI8List:
      case FieldType::kStringList:
      case FieldType::kSimpleStringList: return list(field, word, into);
      case FieldType::kNullableStringList:
      case FieldType::kNullableStringPairs:
        return word.problem(
            "a field like this is only written as part of the whole body, in bytes");
      default: return text(word, into);
    }
  }
  [[nodiscard]] static Parsed<std::int64_t> read_choice(const Field& field, Word word,
                                                        std::int64_t least, std::int64_t most) {
    const auto named = std::ranges::find(field.names, word.text, &ValueName::name);
    if (named != field.names.end()) return named->value;
    return read_number(word, least, most);
  }
  [[nodiscard]] static Outcome number(const Field& field, Word word, FieldValue& into,
                                      std::int64_t least, std::int64_t most) {
    const auto value = read_choice(field, word, least, most);
    if (!value) return std::unexpected(value.error());
    into.number = *value;
    return {};
  }
  [[nodiscard]] static Outcome boolean(Word word, FieldValue& into) {
    if (word.text != "true" && word.text != "false") return word.problem("expected true or false");
    into.number = word.text == "true" ? 1 : 0;
    return {};
  }
  [[nodiscard]] static Outcome real(Word word, FieldValue& into) {
    const char* end = word.text.data() + word.text.size();
    const auto [stop, error] = std::from_chars(word.text.data(), end, into.real);
    if (error != std::errc{} || stop != end) return word.problem("expected a number");
    return {};
  }
  [[nodiscard]] Outcome bytes(Word word, FieldValue& into) {
    auto read = read_bytes(word);
    if (!read) return std::unexpected(read.error());
    into.bytes = bytes_.emplace_back(std::move(*read));
    return {};
  }
  [[nodiscard]] Outcome text(Word word, FieldValue& into) {
    auto read = read_text(word);
    if (!read) return std::unexpected(read.error());
    into.text = Text(std::string_view(texts_.emplace_back(std::move(*read))));
    return {};
  }
  [[nodiscard]] Outcome list(const Field& field, Word word, FieldValue& into) {
    const std::vector<Word> parts = split_list(word);
    Encoder elements;
    for (const Word& part : parts) {
      if (field.type == FieldType::kI8List) {
        const auto value = read_choice(field, part, INT8_MIN, INT8_MAX);
        if (!value) return std::unexpected(value.error());
        elements.i8(static_cast<std::int8_t>(*value));
        continue;
      }
      const auto read = read_text(part);
      if (!read) return std::unexpected(read.error());
      const Text element{std::string_view(*read)};
      field.type == FieldType::kStringList ? elements.string(element)
                                           : elements.simple_string(element);
    }
    auto encoded = elements.take();
    if (!encoded) return word.problem(encoded.error().text);
    into.number = static_cast<std::int64_t>(parts.size());
    into.bytes = bytes_.emplace_back(std::move(*encoded));
    return {};
  }

  Arguments& arguments_;
  FieldValues values_;
  std::list<std::string> texts_;  // what the values are views of
  std::list<Encoded> bytes_;
};

void put_number(TextBuffer& out, const Field& field, std::int64_t number) {
  const std::string_view name = value_name(field, number);
  if (name.empty()) return out.put_int(number);
  out.put(name);
}

bool put_list(TextBuffer& out, const Field& field, const FieldValue& value) {
  Cursor cursor(value.bytes);
  for (std::int64_t i = 0; i < value.number; ++i) {
    if (i != 0) out.put(',');
    if (field.type == FieldType::kI8List) {
      put_number(out, field, cursor.i8());
    } else if (field.type == FieldType::kStringList) {
      if (!put_text(out, cursor.string())) return false;
    } else if (field.type == FieldType::kSimpleStringList) {
      if (!put_text(out, cursor.simple_string())) return false;
    } else {
      return false;
    }
  }
  return true;
}

bool put_value(TextBuffer& out, const Field& field, const FieldValue& value) {
  switch (field.type) {
    case FieldType::kBoolean:
    case FieldType::kNullableBoolean: out.put_boolean(value.number != 0); return true;
    case FieldType::kF64:
    case FieldType::kNullableF64: out.put(fmt::format("{}", value.real)); return true;
    case FieldType::kSizedBytes:
    case FieldType::kRestBytes:
    case FieldType::kXid: put_bytes(out, value.bytes); return true;
    case FieldType::kI8List:
    case FieldType::kStringList:
    case FieldType::kSimpleStringList:
    case FieldType::kNullableStringList:
    case FieldType::kNullableStringPairs: return put_list(out, field, value);
    case FieldType::kSimpleString:
    case FieldType::kNullableSimpleString:
    case FieldType::kString:
    case FieldType::kNullableString:
    case FieldType::kSizedAscii: return put_text(out, value.text);
    default: put_number(out, field, value.number); return true;
  }
}

// A null is said where its place depends on it; elsewhere it is what a field without a word gets.
bool put_fields(TextBuffer& out, const FieldValues& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool null = values[i].state == State::kNull;
    const bool required = values.fields()[i].presence == Presence::kRequired;
    if (values[i].state == State::kAbsent || (null && required)) continue;
    out.put(' ');
    out.put(values.fields()[i].name);
    out.put('=');
    if (null) {
      out.put("null");
      continue;
    }
    if (!put_value(out, values.fields()[i], values[i])) return false;
  }
  return true;
}

// Whether the words that were appended from `begin` on give the bytes.
template <class Read>
bool gives(const TextBuffer& out, std::size_t begin, Bytes bytes, Read read) {
  const std::string line(out.view().substr(begin));
  auto words = split_words(line);
  if (!words) return false;
  Arguments arguments(std::move(*words), 1);
  const Parsed<Encoded> read_back = read(arguments);
  return read_back && arguments.finish() && std::ranges::equal(*read_back, bytes);
}

// Appends what `put` writes when that can be read back, and plain bytes else.
template <class Put, class Read>
void put_readable(TextBuffer& out, Bytes bytes, Put put, Read read) {
  const std::size_t begin = out.size();
  if (put() && gives(out, begin, bytes, read)) return;
  out.truncate(begin);
  out.put(' ');
  put_bytes(out, bytes);
}

bool is_message(std::int8_t type) {
  return type == message::kAddMessageProtocol || type == message::kAddLargeMessage;
}

}  // namespace

Parsed<std::int8_t> read_record_type(Word word, JournalKind kind) {
  const auto types = types_of(kind);
  const auto found = std::ranges::find(types, word.text, &RecordType::name);
  if (found != types.end()) return found->number;
  const auto number = read_number(word, INT8_MIN, INT8_MAX);
  if (number) return static_cast<std::int8_t>(*number);
  return word.problem(
      fmt::format("'{:.40}' is no record type of this journal, and no number", word.text));
}

Parsed<Encoded> read_body(Arguments& arguments, const BodyPurpose& purpose) {
  const auto form = arguments.next_if_any();
  const bool messages = purpose.journal == JournalKind::kMessages;
  if (form && form->text == "core") {
    if (!messages || !is_message(purpose.user_type)) {
      return form->problem("only ADD_MESSAGE_PROTOCOL and ADD_LARGE_MESSAGE hold a Core message");
    }
    return read_core_message(arguments, purpose.user_type == message::kAddLargeMessage,
                             purpose.record_id);
  }
  if (form) return read_bytes(*form);
  const RecordType* type = find_type(purpose.journal, purpose.user_type);
  const auto fields =
      type == nullptr ? std::span<const Field>() : fields_of(*type, purpose.is_update);
  return FieldArguments(arguments, fields)
      .read(type == nullptr ? NumberFlag::kFf : bindings::number_flag(*type));
}

Parsed<Encoded> read_xid_body(Arguments& arguments) {
  if (const auto plain = arguments.next_if_any()) return read_bytes(*plain);
  const auto format = arguments.number("format", 1, INT32_MIN, INT32_MAX);
  if (!format) return std::unexpected(format.error());
  Encoder out;
  out.i32(static_cast<std::int32_t>(*format));
  for (const std::string_view name : {"branch", "global"}) {
    const auto word = arguments.named(name);
    if (!word) {
      return Word{.text = {}, .column = arguments.end_column()}.problem(
          "expected branch= and global=, or the extra data in bytes");
    }
    const auto bytes = read_bytes(*word);
    if (!bytes) return std::unexpected(bytes.error());
    out.sized_bytes(*bytes);
  }
  return *out.take();
}

Parsed<Encoded> read_page_payload(Arguments& arguments) {
  const auto form = arguments.next("core, large or the payload in bytes");
  if (!form) return std::unexpected(form.error());
  const bool large = form->text == "large";
  if (form->text != "core" && !large) return read_bytes(*form);
  const auto tx = arguments.number("tx", -1);
  if (!tx) return std::unexpected(tx.error());
  std::vector<std::int64_t> queues;
  if (const auto word = arguments.named("queues")) {
    for (const Word& part : split_list(*word)) {
      const auto queue = read_number(part);
      if (!queue) return std::unexpected(queue.error());
      queues.push_back(*queue);
    }
  }
  const auto message = read_core_message(arguments, large, 0);
  if (!message) return message;
  auto payload = paging::encode_paged_message(
      paging::NewPagedMessage{.tx_id = *tx,
                              .large = large ? paging::LargeKind::kCore : paging::LargeKind::kNone,
                              .message = *message,
                              .queues = queues});
  if (payload) return std::move(*payload);
  return form->problem(payload.error().text);
}

void put_record_type(TextBuffer& out, std::int8_t type, JournalKind kind) {
  out.put(' ');
  if (const RecordType* row = find_type(kind, type)) return out.put(row->name);
  out.put_int(type);
}

void put_body(TextBuffer& out, Bytes body, const BodyPurpose& purpose) {
  const auto read = [&](Arguments& arguments) { return read_body(arguments, purpose); };
  const auto put = [&] {
    if (purpose.journal == JournalKind::kMessages && is_message(purpose.user_type)) {
      return put_core_message(out, body, purpose.user_type == message::kAddLargeMessage,
                              purpose.record_id);
    }
    const RecordType* type = find_type(purpose.journal, purpose.user_type);
    DecodedRecord decoded;
    return type != nullptr && decode(purpose, *type, body, decoded) &&
           put_fields(out, decoded.values);
  };
  put_readable(out, body, put, read);
}

void put_xid_body(TextBuffer& out, Bytes body) {
  const auto put = [&] {
    Cursor cursor(body);
    const Xid xid = read_xid(cursor);
    if (!cursor.ok()) return false;
    const auto printable = [](Bytes bytes) {
      return std::ranges::all_of(
          bytes, [](std::byte b) { return b > std::byte{' '} && b < std::byte{0x7F}; });
    };
    out.put(fmt::format(" format={} branch=", xid.format_id));
    const auto part = [&](Bytes bytes) {
      if (printable(bytes)) return put_text(out, Text(bytes, TextEncoding::kUtf8));
      put_bytes(out, bytes);
      return true;
    };
    if (!part(xid.branch_qualifier)) return false;
    out.put(" global=");
    return part(xid.global_id);
  };
  put_readable(out, body, put, [](Arguments& arguments) { return read_xid_body(arguments); });
}

void put_page_payload(TextBuffer& out, Bytes payload) {
  const auto put = [&] {
    Cursor cursor(payload);
    const paging::PagedMessage paged = paging::read_paged_message(cursor);
    if (!cursor.ok() || !paged.message.is_core() || !paged.message.core) return false;
    const bool large = paged.large == paging::LargeKind::kCore;
    message::StoredMessage stored = paged.message;
    Encoder encoder;
    if (large) return false;
    message::encode_stored_message(stored, encoder);
    if (!put_core_message(out, encoder.view(), large, 0)) return false;
    if (paged.tx_id != -1) out.put(fmt::format(" tx={}", paged.tx_id));
    out.put(" queues=");
    for (std::size_t i = 0; i < paged.queues.size(); ++i) {
      out.put(fmt::format("{}{}", i == 0 ? "" : ",", paged.queues[i]));
    }
    return true;
  };
  put_readable(out, payload, put,
               [](Arguments& arguments) { return read_page_payload(arguments); });
}

}  // namespace saranga::store
