// AMQP messages as a broker stores them: the fields around an encoded message, and the sections of
// the message itself (docs/format/amqp.md). Everything is a view of the bytes that were decoded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "saranga/bytes/cursor.h"
#include "saranga/bytes/text.h"
#include "saranga/message/amqp_value.h"

namespace saranga::message::amqp {

/// The persister ids of AMQP messages: the first byte of the payload, which is also its version
/// (docs/format/amqp.md#amqp-messages-as-stored).
inline constexpr std::uint8_t kPersisterV1 = 2;     ///< releases 2.0.0 to 2.2.0
inline constexpr std::uint8_t kPersisterV2 = 3;     ///< releases 2.3.0 to 2.16.0
inline constexpr std::uint8_t kPersisterLarge = 4;  ///< from 2.12.0 on; the message is in a file
inline constexpr std::uint8_t kPersisterV3 = 5;     ///< from 2.17.0 on

/// The sections of a message, in their normal order (docs/format/amqp.md#sections).
enum class SectionKind : std::uint8_t {
  kHeader,
  kDeliveryAnnotations,
  kMessageAnnotations,
  kProperties,
  kApplicationProperties,
  kData,
  kSequence,
  kValue,
  kFooter,
};

/// The section's name in JSON and messages: "header", "application_properties". A constant.
[[nodiscard]] SARANGA_API std::string_view section_name(SectionKind kind);

/// One section.
struct Section {
  SectionKind kind = SectionKind::kHeader;
  bool present = false;
  std::size_t offset = 0;      ///< of its first byte in the encoded message
  std::size_t size_bytes = 0;  ///< encoded, descriptor included
  Value value{};               ///< what the descriptor describes: a list, a map, a binary, anything
};

/// What a large message's record repeats of the message in its file
/// (docs/format/amqp.md#large-messages). Positions are offsets in the file, -1 for none; the
/// sections are described values, or null where the message has none.
struct LargeParts {
  std::int32_t header_position = -1;
  std::int32_t header_size_bytes = 0;  ///< as encoded in the file
  Value header{};
  std::int32_t delivery_annotations_position = -1;
  std::int32_t delivery_annotations_size_bytes = 0;
  std::int32_t message_annotations_position = -1;
  Value message_annotations{};
  std::int32_t properties_position = -1;
  Value properties{};
  std::int32_t application_properties_position = -1;
  std::int32_t body_position = -1;  ///< where body and footer start
  Value application_properties{};
};

/// A message as a journal record or a page holds it. A view.
struct Stored {
  std::uint8_t persister_id = 0;    ///< set by the caller: one of the kPersister… constants
  std::int64_t message_id = 0;      ///< the broker's id, not the AMQP message-id
  std::int64_t message_format = 0;  ///< of the AMQP transfer, 0 as a rule
  std::optional<Text> address{};
  bool has_extra_properties = false;  ///< whether the object exists, be it empty
  Bytes extra_properties{};           ///< a typed-properties block (docs/format/messages.md)
  Bytes encoded{};                    ///< the encoded message; empty when it is large
  std::optional<std::int64_t> expiration_ms{};  ///< since 1970, 0 for never; absent before 2.17.0

  bool large_durable = false;  ///< persister 4: selects the suffix of the file; see is_durable()
  LargeParts large{};          ///< persister 4
  std::optional<bool> reencoded{};  ///< persister 4: the saved sections replace those of the file

  [[nodiscard]] bool is_large() const { return persister_id == kPersisterLarge; }
};

/// Decodes the fields behind the persister id, which the caller has read and put into
/// `stored.persister_id`. The cursor ends exactly behind the payload, so that more may follow (but
/// of a large one of before 2.17.0: it can only be told by the end of the bytes). False, with the
/// cursor failed, when the bytes do not fit; what was decoded before stays.
SARANGA_API bool decode_stored(Cursor& cursor, Stored& stored);

/// The header section's fields, as far as they are given.
struct Header {
  std::optional<bool> durable{};
  std::optional<std::uint8_t> priority{};
  std::optional<std::uint32_t> ttl_ms{};
  std::optional<bool> first_acquirer{};
  std::optional<std::uint32_t> delivery_count{};
};

/// The fields of the properties section, in their order.
enum class Property : std::uint8_t {
  kMessageId,
  kUserId,
  kTo,
  kSubject,
  kReplyTo,
  kCorrelationId,
  kContentType,
  kContentEncoding,
  kAbsoluteExpiryTime,
  kCreationTime,
  kGroupId,
  kGroupSequence,
  kReplyToGroupId,
};
inline constexpr std::size_t kPropertyCount = 13;

/// The properties section's fields as values; null where a field is not given. They keep the type
/// they were stored with, also where it is not the one that AMQP asks for.
struct Properties {
  std::array<Value, kPropertyCount> values{};

  [[nodiscard]] const Value& operator[](Property property) const {
    return values[static_cast<std::size_t>(property)];
  }
};

/// What a body is made of.
enum class BodyKind : std::uint8_t {
  kNone,
  kData,      ///< one or more data sections, together one row of bytes
  kSequence,  ///< one or more lists, together one
  kValue,     ///< one value of any type
  kInFile,    ///< of a large message: the record does not hold it
};

/// The name of the kind in JSON. A constant.
[[nodiscard]] SARANGA_API std::string_view body_kind_name(BodyKind kind);

/// Walks the sections of a body, the footer included, from front to back, once.
class BodySections {
 public:
  /// The next data, sequence, value or footer section; nothing at the end and at damage.
  [[nodiscard]] SARANGA_API std::optional<Section> next();

 private:
  friend class Message;
  explicit BodySections(Bytes encoded, std::size_t from);

  Cursor cursor_;
};

/// The sections of a message. Bytes that do not parse never lose what came before them: the message
/// keeps that, and says what the problem is.
class Message {
 public:
  /// Finds the sections of an encoded message by skipping over them. Linear time, no allocation.
  [[nodiscard]] SARANGA_API static Message scan(Bytes encoded);
  /// The message of a record: scanned, or made of the saved sections of a large message.
  [[nodiscard]] SARANGA_API static Message of(const Stored& stored);

  [[nodiscard]] Bytes encoded() const { return encoded_; }
  /// Whether everything in front of the body was understood, the fields of header and properties
  /// included. The broker looks at no more when it loads a message, and fails if this is false.
  [[nodiscard]] bool scanned() const { return scanned_; }
  /// Null, or what is wrong with the message (a constant), and where in the encoded bytes.
  [[nodiscard]] const char* problem() const { return problem_; }
  [[nodiscard]] std::size_t problem_offset() const { return problem_offset_; }

  /// Header, annotations, properties, application properties or footer. Of a repeated section the
  /// last one, as in the broker.
  [[nodiscard]] SARANGA_API const Section& section(SectionKind kind) const;
  [[nodiscard]] SARANGA_API Header header() const;
  [[nodiscard]] SARANGA_API Properties properties() const;
  /// A message annotation or an application property by its ASCII key.
  [[nodiscard]] SARANGA_API std::optional<Value> annotation(std::string_view key) const;
  [[nodiscard]] SARANGA_API std::optional<Value> application_property(std::string_view key) const;

  [[nodiscard]] BodyKind body_kind() const { return body_kind_; }
  /// Where the first section behind the application properties starts; the end when there is none.
  [[nodiscard]] std::size_t body_offset() const { return body_offset_; }
  /// How many data, sequence or value sections there are.
  [[nodiscard]] std::size_t body_section_count() const { return body_section_count_; }
  /// Bytes of the data sections' contents together; of other kinds, of the encoded values.
  [[nodiscard]] std::uint64_t body_size_bytes() const { return body_size_bytes_; }
  [[nodiscard]] SARANGA_API BodySections body() const;

 private:
  Message();
  bool scan_front();
  bool add_front_section(const Section& section);
  void scan_body();
  void take_large_part(SectionKind kind, const Value& part, std::int32_t position);
  bool refuse(const char* problem, std::size_t offset);  // false, for returning
  void report(const char* problem, std::size_t offset);
  void add_body_section(const Section& section);
  Section& slot(SectionKind kind);

  Bytes encoded_{};
  std::array<Section, 6> sections_{};  // the five in front of the body, and the footer
  bool scanned_ = true;
  const char* problem_ = nullptr;
  std::size_t problem_offset_ = 0;
  BodyKind body_kind_ = BodyKind::kNone;
  std::size_t body_offset_ = 0;
  std::size_t body_section_count_ = 0;
  std::uint64_t body_size_bytes_ = 0;
};

/// Whether the broker takes the message for durable: a large one by its record, others by their
/// header section.
[[nodiscard]] SARANGA_API bool is_durable(const Stored& stored, const Message& message);

/// The extra property that overrides the address when the record has none.
inline constexpr std::string_view kAddressProperty = "_AMQ_AD";

/// The address the broker files the message under: that of the record, else the extra property
/// kAddressProperty, else the "to" of the properties.
[[nodiscard]] SARANGA_API std::optional<Text> effective_address(const Stored& stored,
                                                                const Message& message);

}  // namespace saranga::message::amqp
