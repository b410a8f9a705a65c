#include "libstore/verify/message_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "saranga/message/compressed_body.h"

namespace saranga::store {
namespace {

using message::CoreMessage;
using message::CoreType;
using message::PropertyType;
using Problems = std::vector<BodyProblem>;

// What may be inflated of a body that does not say how long it is.
constexpr std::uint64_t kInflateLimitBytes = std::uint64_t{64} << 20;
// The spurious body of a message whose body nobody ever wrote
// (docs/format/messages.md#core-buffer).
constexpr std::array<std::byte, 4> kUntouchedBody{};

// The ASCII text as SimpleStrings hold it.
template <std::size_t kCount>
constexpr std::array<char, 2 * (kCount - 1)> utf16(const char (&ascii)[kCount]) {
  std::array<char, 2 * (kCount - 1)> units{};
  for (std::size_t i = 0; i + 1 < kCount; ++i) units[2 * i] = ascii[i];
  return units;
}
constexpr auto kLargePrefix = utf16("AMQ_LARGE_");
constexpr auto kOldLargePrefix = utf16("HQ_LARGE_");

template <std::size_t kSize>
bool mentions(const message::TypedProperties& properties, const std::array<char, kSize>& needle) {
  return as_text(properties.entries()).find(std::string_view(needle.data(), kSize)) !=
         std::string_view::npos;
}

// ---- Core
// ----------------------------------------------------------------------------------------

void read_stream(Cursor& cursor) {
  while (cursor.ok() && !cursor.at_end()) {
    const auto type = static_cast<PropertyType>(cursor.u8());
    if (type == PropertyType::kString) {
      (void)cursor.nullable_string();
    } else {
      (void)message::read_property_value(cursor, type);
    }
  }
}

// A Core message that carries an AMQP one over a bridge.
void read_embedded(Cursor& cursor, Problems& problems) {
  static constexpr std::string_view kMark = "EMB";
  if (!as_text(cursor.data()).starts_with(kMark)) return (void)cursor.take(cursor.remaining());
  (void)cursor.take(kMark.size());
  const message::StoredMessage inner = message::read_stored_message(cursor);
  if (!cursor.ok() || !inner.amqp) return;  // one level is all that a broker makes
  check_message(inner, false, problems);
}

void check_typed_body(CoreType type, Bytes body, Problems& problems) {
  if (body.empty() || std::ranges::equal(body, kUntouchedBody)) return;
  Cursor cursor(body);
  switch (type) {
    case CoreType::kText: (void)cursor.nullable_simple_string(); break;
    case CoreType::kMap: (void)message::TypedProperties::read(cursor); break;
    case CoreType::kStream: read_stream(cursor); break;
    case CoreType::kObject: (void)cursor.sized_bytes(); break;
    case CoreType::kEmbedded: read_embedded(cursor, problems); break;
    default: return;
  }
  if (cursor.ok() && cursor.at_end()) return;
  const std::string why = cursor.ok()
                              ? fmt::format("has {} bytes behind its end", cursor.remaining())
                              : std::string(cursor.problem());
  problems.push_back(
      {.code = "body-not-as-typed",
       .severity = Severity::kWarning,
       .text = fmt::format("the body of {} bytes is no {} body: it {}; a client fails "
                           "when it reads it",
                           body.size(), message::core_type_name(type), why)});
}

void check_compressed_body(const CoreMessage& message, const DeclaredSize& declared,
                           Problems& problems) {
  const auto expected =
      static_cast<std::uint64_t>(std::max<std::int64_t>(declared.size_bytes.value_or(0), 0));
  const std::uint64_t limit = std::clamp<std::uint64_t>(expected + 1, 1, kInflateLimitBytes);
  const auto inflated = message::inflate_body(message.body, static_cast<std::size_t>(limit));
  if (inflated && (!declared.size_bytes || inflated->size() == expected)) {
    return check_typed_body(message.headers.type, *inflated, problems);
  }
  // One that is too long to be held is only counted.
  const bool counts = !inflated && inflated.error().code == ErrorCode::kUnsupported &&
                      (!declared.size_bytes || expected >= limit);
  Result<std::uint64_t> size = std::unexpected(Error{});
  if (counts) {
    size = message::inflated_size(message.body, inflation_limit(declared));
  } else if (inflated) {
    size = inflated->size();
  } else {
    size = std::unexpected(inflated.error());
  }
  if (const auto problem = inflation_problem(declared, size)) {
    problems.push_back({.code = "compressed-body-damaged", .text = *problem});
  }
}

void check_core(const CoreMessage& message, bool in_file, Problems& problems) {
  if (message.headers.priority > 9) {
    problems.push_back(
        {.code = "value-implausible",
         .severity = Severity::kWarning,
         .text = fmt::format("the priority is {}, expected 0 to 9", message.headers.priority)});
  }
  if (in_file) return;
  const DeclaredSize declared = declared_size(message);
  if (declared.compressed) return check_compressed_body(message, declared, problems);
  check_typed_body(message.headers.type, message.body, problems);
}

// ---- AMQP
// ----------------------------------------------------------------------------------------

void report_amqp(Problems& problems, std::string_view where, const char* problem) {
  problems.push_back({.code = "amqp-damaged", .text = fmt::format("{} {}", where, problem)});
}

void check_section(const message::amqp::Section& section, Problems& problems) {
  const char* problem = message::amqp::check_value(section.value);
  if (problem == nullptr) return;
  report_amqp(problems, fmt::format("the section {}", message::amqp::section_name(section.kind)),
              problem);
}

void check_extra_properties(const message::amqp::Stored& stored, Problems& problems) {
  if (!stored.has_extra_properties) return;
  Cursor cursor(stored.extra_properties);
  (void)message::TypedProperties::read(cursor);
  if (!cursor.ok()) return report_amqp(problems, "the block of extra properties", cursor.problem());
  if (cursor.at_end()) return;
  report_amqp(problems, "the block of extra properties", "has bytes behind its end");
}

void check_amqp(const message::amqp::Stored& stored, Problems& problems) {
  using message::amqp::SectionKind;
  const auto message = message::amqp::Message::of(stored);
  if (message.problem() != nullptr) {
    report_amqp(problems, fmt::format("at byte {} of the message:", message.problem_offset()),
                message.problem());
    if (!message.scanned()) return;
  }
  for (const SectionKind kind :
       {SectionKind::kHeader, SectionKind::kDeliveryAnnotations, SectionKind::kMessageAnnotations,
        SectionKind::kProperties, SectionKind::kApplicationProperties}) {
    const message::amqp::Section& section = message.section(kind);
    if (section.present) check_section(section, problems);
  }
  message::amqp::BodySections body = message.body();
  while (const auto section = body.next()) check_section(*section, problems);
  check_extra_properties(stored, problems);
}

}  // namespace

DeclaredSize declared_size(const CoreMessage& message) {
  DeclaredSize declared;
  const message::TypedProperties& properties = message.headers.properties;
  const bool old = message.old_layout;
  if (!mentions(properties, kLargePrefix) && !(old && mentions(properties, kOldLargePrefix))) {
    return declared;
  }
  for (const std::string_view prefix : {"_AMQ", "_HQ"}) {
    const auto size = properties.find(std::string(prefix) + "_LARGE_SIZE");
    if (size && size->type == PropertyType::kLong) declared.size_bytes = size->number;
    const auto flag = properties.find(std::string(prefix) + "_LARGE_COMPRESSED");
    if (flag && flag->type == PropertyType::kBoolean) declared.compressed = flag->number != 0;
  }
  return declared;
}

std::uint64_t inflation_limit(const DeclaredSize& declared) {
  if (!declared.size_bytes) return UINT64_MAX;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*declared.size_bytes, 0));
}

std::optional<std::string> inflation_problem(const DeclaredSize& declared,
                                             const Result<std::uint64_t>& size_bytes) {
  const std::uint64_t expected = inflation_limit(declared);
  if (size_bytes) {
    if (!declared.size_bytes || *size_bytes == expected) return std::nullopt;
    return fmt::format("the compressed body holds {} bytes, the message announces {}", *size_bytes,
                       expected);
  }
  if (size_bytes.error().code != ErrorCode::kUnsupported) return size_bytes.error().text;
  return fmt::format("the compressed body holds more than the {} bytes that the message announces",
                     expected);
}

void check_message(const message::StoredMessage& message, bool in_file, Problems& problems) {
  if (message.core) check_core(*message.core, in_file, problems);
  if (message.amqp) check_amqp(*message.amqp, problems);
}

}  // namespace saranga::store
