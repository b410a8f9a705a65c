#include "saranga/store/export_xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "libstore/import/base64_sections.h"
#include "libstore/import/export_xml_message.h"
#include "libstore/import/export_xml_names.h"
#include "libstore/import/export_xml_values.h"
#include "libstore/import/xml_stream.h"

namespace saranga::store {
namespace {

using message::PropertyType;

constexpr std::string_view kNull = "_AMQ_NULL";
constexpr std::string_view kOldNull = "_HQ_NULL";
constexpr std::string_view kOldQueuePrefix = "jms.queue.";
constexpr std::string_view kOldTopicPrefix = "jms.topic.";
// The real depth is 5; what is not known may be deeper.
constexpr std::uint32_t kMostLevels = 64;
// The parser keeps every name for good.
constexpr std::size_t kMostUnknownNames = 1000;
constexpr std::size_t kMostUnknownBytes = std::size_t{1} << 20;
constexpr std::size_t kShownBytes = 60;
// Body bytes of a message with a body file that go to the target at a time.
constexpr std::size_t kBodyPieceBytes = std::size_t{1} << 16;

// As much of a text from the document as belongs into a message to people.
std::string shown(std::string_view text) {
  std::size_t size = std::min(text.size(), kShownBytes);
  while (size != 0 && size < text.size() &&
         (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) {
    --size;
  }
  std::string shown(text.substr(0, size));
  std::ranges::replace_if(shown, [](char c) { return c >= 0 && c < ' '; }, ' ');
  if (size < text.size()) shown += "…";
  return shown;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string_view without_prefix(std::string_view name) {
  if (name.starts_with(kOldQueuePrefix)) return name.substr(kOldQueuePrefix.size());
  if (name.starts_with(kOldTopicPrefix)) return name.substr(kOldTopicPrefix.size());
  return name;
}

}  // namespace

/// What the document is at the moment.
class ExportXmlReader::Document : public XmlEvents {
 public:
  Document(ImportTarget& target, ExportXmlOptions options, FindingSink& sink)
      : target_(target),
        options_(std::move(options)),
        sink_(sink),
        xml_(*this, {.max_tag_bytes = options_.max_head_bytes}) {}

  [[nodiscard]] Result<void> feed(std::string_view piece);
  [[nodiscard]] Result<ExportXmlSummary> finish();

  void start(std::string_view name, const char* const* attributes) override;
  void end() override;
  void text(std::string_view piece) override;
  void section() override;
  [[nodiscard]] bool takes_line_ends() const override;

 private:
  // The attributes of the element at hand, by their place in its row.
  struct Values {
    std::array<const char*, kMostAttributes> plain{};
    std::array<const char*, kMostAttributes> utf16{};
  };

  [[nodiscard]] Result<void> outcome(const std::expected<void, std::string>& done);
  [[nodiscard]] Error error_here(std::string_view text) const;
  void end_document(std::string_view text);  // it makes no sense from here on
  void end_import(Error error);              // the target, or the first damage, ends it
  void drop(std::string_view text);          // the binding or message at hand
  void accept(const Result<void>& taken);

  [[nodiscard]] bool read_attributes(const ExportElementRow& row, const char* const* attributes);
  void unknown_element(std::string_view name, const char* const* attributes);
  void note_unknown(std::string_view name, bool tell);
  [[nodiscard]] std::optional<std::string_view> value(std::size_t index, std::string& room) const;
  [[nodiscard]] std::optional<std::string_view> required(std::size_t index, std::string& room);
  [[nodiscard]] bool number(std::size_t index, std::int64_t least, std::int64_t most,
                            std::int64_t& into);
  void wrong_value(std::size_t index, std::string_view wanted);

  void enter();
  void address_binding();
  void queue_binding();
  void old_binding();
  void begin_message();
  void property();
  void plain_property(std::string_view key, std::string_view type, std::string_view text,
                      bool exact);
  [[nodiscard]] bool number_property(std::string_view key, std::string_view type,
                                     std::string_view text);
  void queue_name();
  void begin_body();
  void bound_head();
  void body_grew(bool ended);
  void end_message();
  [[nodiscard]] bool in_bindings() const { return parent_ == ExportElement::kBindings; }

  ImportTarget& target_;
  ExportXmlOptions options_;
  FindingSink& sink_;
  XmlStream xml_;
  ExportXmlSummary done_;
  std::optional<Error> error_;
  bool over_ = false;  // nothing behind this place is read

  std::array<ExportElement, 8> stack_{};
  std::size_t level_ = 0;
  ExportElement parent_ = ExportElement::kDocument;
  const ExportElementRow* row_ = nullptr;
  Values values_;
  std::uint32_t skipped_levels_ = 0;  // within something that is not known
  bool rooted_ = false;
  bool dropped_ = false;  // the message at hand is left out
  bool in_message_ = false;
  bool bodied_ = false;

  ExportXmlMessage message_;
  Base64Sections sections_;
  std::string room_[4];
  std::vector<std::byte> bytes_;
  std::set<std::string, std::less<>> unknown_;
  std::size_t unknown_bytes_ = 0;
  std::map<std::string, std::string, std::less<>> old_queues_;  // old names, and the new ones
};

// ---- outcomes -----------------------------------------------------------------------------------

Error ExportXmlReader::Document::error_here(std::string_view text) const {
  const XmlPlace place = xml_.place();
  return {.code = ErrorCode::kDamaged,
          .text = fmt::format("line {}, column {}: {}", place.line, place.column, text),
          .file = options_.label,
          .offset = place.offset};
}

void ExportXmlReader::Document::end_import(Error error) {
  error_ = std::move(error);
  over_ = true;
  xml_.stop();
}

void ExportXmlReader::Document::end_document(std::string_view text) {
  Error error = error_here(text);
  if (!options_.keep_going || !rooted_) return end_import(std::move(error));
  over_ = true;
  xml_.stop();
  if (in_message_ && !dropped_) ++done_.skipped_messages;
  sink_.finding({.code = "export-cut",
                 .severity = Severity::kDamage,
                 .file = std::move(error.file),
                 .offset = error.offset,
                 .text = error.text + "; what stands behind is not read"});
}

void ExportXmlReader::Document::drop(std::string_view text) {
  Error error = error_here(text);
  if (!options_.keep_going) return end_import(std::move(error));
  std::optional<std::int64_t> id;
  if (in_message_) {
    id = message_.made.message.id;
    dropped_ = true;
    ++done_.skipped_messages;
  } else {
    ++done_.skipped_bindings;
  }
  sink_.finding({.code = in_message_ ? "export-message-skipped" : "export-binding-skipped",
                 .severity = Severity::kDamage,
                 .file = std::move(error.file),
                 .offset = error.offset,
                 .id = id,
                 .text = error.text + (in_message_ ? "; the message is left out"
                                                   : "; the binding is left out")});
}

void ExportXmlReader::Document::accept(const Result<void>& taken) {
  if (!taken) end_import(taken.error());
}

Result<void> ExportXmlReader::Document::outcome(const std::expected<void, std::string>& done) {
  if (!done && !over_) end_document(done.error());
  if (error_) return std::unexpected(*error_);
  return {};
}

Result<void> ExportXmlReader::Document::feed(std::string_view piece) {
  if (error_) return std::unexpected(*error_);
  if (over_) return {};
  return outcome(xml_.feed(piece));
}

Result<ExportXmlSummary> ExportXmlReader::Document::finish() {
  if (error_) return std::unexpected(*error_);
  if (!over_) {
    if (auto ended = outcome(xml_.finish()); !ended) return std::unexpected(ended.error());
    done_.complete = !over_;
    over_ = true;
  }
  return done_;
}

// ---- elements -----------------------------------------------------------------------------------

void ExportXmlReader::Document::start(std::string_view name, const char* const* attributes) {
  if (over_) return;
  if (skipped_levels_ != 0) {
    if (level_ + ++skipped_levels_ > kMostLevels) {
      return end_document(fmt::format("elements within elements, deeper than {}", kMostLevels));
    }
    note_unknown(name, false);
    for (; *attributes != nullptr && !over_; attributes += 2) note_unknown(*attributes, false);
    return;
  }
  parent_ = level_ == 0 ? ExportElement::kDocument : stack_[level_ - 1];
  const ExportElementRow* row = find_row(parent_, name);
  if (row == nullptr) {
    if (level_ == 0) {
      return end_document(
          fmt::format("this is no export of Artemis: its root is <{}>", shown(name)));
    }
    if (const ExportElementRow* other = find_row(name)) {
      const ExportElementRow* home = row_of(other->parent);
      return end_document(
          fmt::format("<{}> stands outside of {}", name,
                      home == nullptr ? "its place, the root" : fmt::format("<{}>", home->name)));
    }
    return unknown_element(name, attributes);
  }
  rooted_ = true;
  row_ = row;
  stack_[level_++] = row->element;
  if (!dropped_ && read_attributes(*row, attributes)) enter();
}

void ExportXmlReader::Document::enter() {
  switch (row_->element) {
    case ExportElement::kAddressBinding: return address_binding();
    case ExportElement::kQueueBinding: return queue_binding();
    case ExportElement::kOldBinding: return old_binding();
    case ExportElement::kMessage: return begin_message();
    case ExportElement::kProperty: return property();
    case ExportElement::kQueue: return queue_name();
    case ExportElement::kBody: return begin_body();
    default: return;
  }
}

void ExportXmlReader::Document::end() {
  if (over_) return;
  if (skipped_levels_ != 0) {
    --skipped_levels_;
    return;
  }
  const ExportElement element = stack_[--level_];
  if (element == ExportElement::kMessage) return end_message();
  if (element == ExportElement::kBody && !dropped_) {
    if (!sections_.end(message_.body)) return drop("the body ends within its Base64");
    body_grew(true);
  }
}

bool ExportXmlReader::Document::read_attributes(const ExportElementRow& row,
                                                const char* const* attributes) {
  values_ = {};
  for (; *attributes != nullptr; attributes += 2) {
    const std::string_view name = attributes[0];
    if (const auto place = find_attribute(row, name)) {
      (place->utf16 ? values_.utf16 : values_.plain)[place->index] = attributes[1];
    } else if (!name.starts_with("xml")) {
      note_unknown(fmt::format("{} {}", row.name, name), true);
      if (over_) return false;
    }
  }
  return true;
}

void ExportXmlReader::Document::unknown_element(std::string_view name,
                                                const char* const* attributes) {
  skipped_levels_ = 1;
  if (name == "jms-connection-factories" || name == "jms-destinations") {
    if (!unknown_.emplace(name).second) return;
    return sink_.finding({.code = "export-part-skipped",
                          .severity = Severity::kInfo,
                          .file = options_.label,
                          .text = fmt::format("<{}> is passed over: names for JMS clients, which a "
                                              "broker of 2.x does not store",
                                              name)});
  }
  note_unknown(name, true);
  for (; *attributes != nullptr && !over_; attributes += 2) note_unknown(*attributes, false);
}

void ExportXmlReader::Document::note_unknown(std::string_view name, bool tell) {
  if (unknown_.contains(name)) return;
  unknown_bytes_ += name.size();
  if (unknown_.size() >= kMostUnknownNames || unknown_bytes_ > kMostUnknownBytes) {
    return end_document(
        fmt::format("more than {} different names that no export has", kMostUnknownNames));
  }
  unknown_.emplace(name);
  if (!tell) return;
  const std::size_t blank = name.find(' ');
  const bool element = blank == std::string_view::npos;
  const std::string what =
      element ? fmt::format(
                    "<{}> has no meaning here: it is passed over with all that it holds, and "
                    "so are others of its name",
                    shown(name))
              : fmt::format(
                    "the attribute {} of <{}> has no meaning here: it is passed over, "
                    "everywhere",
                    shown(name.substr(blank + 1)), name.substr(0, blank));
  Error error = error_here(what);
  sink_.finding({.code = "export-name-unknown",
                 .severity = Severity::kWarning,
                 .file = std::move(error.file),
                 .offset = error.offset,
                 .text = std::move(error.text)});
}

// ---- attributes ---------------------------------------------------------------------------------

// The value of an attribute, empty when it is not there; nothing when its second form is damaged.
std::optional<std::string_view> ExportXmlReader::Document::value(std::size_t index,
                                                                 std::string& room) const {
  if (const char* exact = values_.utf16[index]; exact != nullptr) {
    auto text = read_utf16(exact);
    if (!text) return {};
    room = std::move(*text);
    return room;
  }
  const char* plain = values_.plain[index];
  return plain == nullptr ? std::string_view() : std::string_view(plain);
}

// The same, which drops what is at hand when there is no such attribute, or it is damaged.
std::optional<std::string_view> ExportXmlReader::Document::required(std::size_t index,
                                                                    std::string& room) {
  if (values_.plain[index] == nullptr && values_.utf16[index] == nullptr) {
    drop(fmt::format("<{}> has no attribute {}", row_->name, row_->attributes[index]));
    return {};
  }
  auto found = value(index, room);
  if (!found) {
    drop(fmt::format("the attribute x-{}-utf16 is no UTF-16 in Base64", row_->attributes[index]));
  }
  return found;
}

void ExportXmlReader::Document::wrong_value(std::size_t index, std::string_view wanted) {
  const char* plain = values_.plain[index];
  drop(fmt::format("the attribute {} of <{}> is \"{}\" and should be {}", row_->attributes[index],
                   row_->name, shown(plain == nullptr ? "" : plain), wanted));
}

bool ExportXmlReader::Document::number(std::size_t index, std::int64_t least, std::int64_t most,
                                       std::int64_t& into) {
  const char* text = values_.plain[index];
  if (text == nullptr) return true;
  const auto read = read_integer(text, least, most);
  if (read) {
    into = *read;
    return true;
  }
  wrong_value(index, fmt::format("a number from {} to {}", least, most));
  return false;
}

// ---- bindings -----------------------------------------------------------------------------------

void ExportXmlReader::Document::address_binding() {
  enum : std::size_t { kName, kTypes };
  const auto name = required(kName, room_[0]);
  if (!name) return;
  const auto types = value(kTypes, room_[1]);
  const auto routing = types ? read_routing_types(*types) : std::nullopt;
  if (!routing) return wrong_value(kTypes, "ANYCAST, MULTICAST or both, with a comma");
  ++done_.addresses;
  accept(target_.address({.name = std::string(*name), .routing = *routing}));
}

void ExportXmlReader::Document::queue_binding() {
  enum : std::size_t { kName, kAddress, kFilter, kType };
  const auto name = required(kName, room_[0]);
  if (!name) return;
  const auto address = required(kAddress, room_[1]);
  if (!address) return;
  const auto type = value(kType, room_[3]);
  const auto routing = type ? read_routing_types(*type) : std::nullopt;
  if (!routing || (routing->anycast && routing->multicast)) {
    return wrong_value(kType, "ANYCAST or MULTICAST");
  }
  const auto filter = value(kFilter, room_[2]);
  if (!filter) return wrong_value(kFilter, "UTF-16 in Base64 in its second form");
  ImportedQueue queue{
      .name = std::string(*name), .address = std::string(*address), .routing = *routing};
  if (!filter->empty()) queue.filter = std::string(*filter);
  ++done_.queues;
  accept(target_.queue(queue));
}

// In 1.x an address had no routing types: the prefixes of JMS say what it was. A filter that no
// message passes marked a topic, whose queues stand on their own.
void ExportXmlReader::Document::old_binding() {
  enum : std::size_t { kName, kAddress, kFilter };
  const auto old_name = required(kName, room_[0]);
  if (!old_name) return;
  const auto old_address = required(kAddress, room_[1]);
  if (!old_address) return;
  const auto filter = value(kFilter, room_[2]);
  if (!filter) return wrong_value(kFilter, "UTF-16 in Base64 in its second form");
  const bool anycast = old_address->starts_with(kOldQueuePrefix);
  const Routing routing{.anycast = anycast, .multicast = !anycast};
  std::string_view name = *old_name, address = *old_address;
  if (!options_.legacy_prefixes) {
    name = without_prefix(name);
    address = without_prefix(address);
    if (name != *old_name) old_queues_.insert_or_assign(std::string(*old_name), std::string(name));
  }
  ++done_.addresses;
  accept(target_.address({.name = std::string(address), .routing = routing}));
  if (over_ || *filter == "__AMQX=-1" || *filter == "__HQX=-1") return;
  ImportedQueue queue{
      .name = std::string(name), .address = std::string(address), .routing = routing};
  if (!filter->empty()) queue.filter = std::string(*filter);
  ++done_.queues;
  accept(target_.queue(queue));
}

// ---- messages -----------------------------------------------------------------------------------

void ExportXmlReader::Document::begin_message() {
  enum : std::size_t { kId, kPriority, kExpiration, kTimestamp, kType, kUserId };
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  message_.clear();
  sections_ = {};
  in_message_ = true;
  bodied_ = false;
  message::NewCoreMessage& head = message_.made.message;
  std::int64_t priority = 0;
  const bool right = number(kId, kLeast, kMost, head.id) && number(kPriority, 0, 9, priority) &&
                     number(kExpiration, kLeast, kMost, head.expiration_ms) &&
                     number(kTimestamp, kLeast, kMost, head.timestamp_ms);
  if (!right) return;
  head.priority = static_cast<std::uint8_t>(priority);
  if (const char* type = values_.plain[kType]; type != nullptr) {
    const auto read = read_message_type(type);
    if (!read) return wrong_value(kType, "default, object, text, bytes, map or stream");
    head.type = *read;
  }
  if (const char* user_id = values_.plain[kUserId]; user_id != nullptr) {
    head.user_id = read_user_id(user_id);
    if (!head.user_id) return wrong_value(kUserId, "a UUID");
  }
  std::optional<std::int64_t> id;
  if (values_.plain[kId] != nullptr) id = head.id;
  accept(target_.begin_message(id));
}

void ExportXmlReader::Document::property() {
  enum : std::size_t { kName, kValue, kType, kOwnType };
  const auto key = required(kName, room_[0]);
  if (!key) return;
  const auto text = required(kValue, room_[1]);
  if (!text) return;
  const char* type = values_.plain[kType];
  if (const char* own = values_.plain[kOwnType]; own != nullptr) type = own;
  plain_property(*key, type == nullptr ? std::string_view() : type, *text,
                 values_.utf16[kValue] != nullptr);
  bound_head();
}

void ExportXmlReader::Document::plain_property(std::string_view key, std::string_view type,
                                               std::string_view text, bool exact) {
  constexpr std::size_t kValue = 1, kType = 2;
  const bool string = type == "simple-string" || type == "string";
  // 1.x and HornetQ gave nulls no type.
  const bool null =
      text == kNull ? type.empty() || string || type == "bytes" : type.empty() && text == kOldNull;
  if (null && !exact) return message_.number_property(key, message::null_value());
  if (string) return message_.string_property(key, text);
  if (type == "bytes") {
    bytes_.clear();
    if (!append_any_base64(bytes_, text)) return wrong_value(kValue, "Base64");
    return message_.bytes_property(key, bytes_);
  }
  // Artemis has no name for chars.
  if (type.empty() || type == "char") {
    const auto unit = read_char(text);
    if (!unit && type.empty()) {
      return drop("a property without a type, whose value is not one character");
    }
    if (!unit) return wrong_value(kValue, "one UTF-16 unit");
    return message_.number_property(key, message::char_value(*unit));
  }
  if (number_property(key, type, text)) return;
  constexpr std::string_view kTypes[] = {"boolean", "byte",  "short", "integer",
                                         "long",    "float", "double"};
  if (std::ranges::find(kTypes, type) == std::end(kTypes)) {
    return wrong_value(values_.plain[kType] == nullptr ? kType + 1 : kType, "a type of properties");
  }
  wrong_value(kValue, fmt::format("a value of type {}", type));
}

bool ExportXmlReader::Document::number_property(std::string_view key, std::string_view type,
                                                std::string_view text) {
  const auto put = [&](const auto& read, auto make) {
    if (read) message_.number_property(key, make(*read));
    return read.has_value();
  };
  const auto integer = [&]<class T>(T /*kind*/, auto make) {
    const auto read =
        read_integer(text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    if (read) message_.number_property(key, make(static_cast<T>(*read)));
    return read.has_value();
  };
  if (type == "boolean") return put(read_boolean(text), message::boolean_value);
  if (type == "byte") return integer(std::int8_t{}, message::byte_value);
  if (type == "short") return integer(std::int16_t{}, message::short_value);
  if (type == "integer") return integer(std::int32_t{}, message::int_value);
  if (type == "long") return integer(std::int64_t{}, message::long_value);
  if (type == "float") return put(read_float(text), message::float_value);
  if (type == "double") return put(read_double(text), message::double_value);
  return false;
}

void ExportXmlReader::Document::queue_name() {
  const auto name = required(0, room_[0]);
  if (!name) return;
  const auto renamed = old_queues_.empty() ? old_queues_.end() : old_queues_.find(*name);
  message_.queue(renamed == old_queues_.end() ? *name : std::string_view(renamed->second));
  bound_head();
}

void ExportXmlReader::Document::bound_head() {
  if (over_ || dropped_ || message_.head_bytes() <= options_.max_head_bytes) return;
  drop(fmt::format("properties and queues of more than {} bytes, which is the most that is read",
                   options_.max_head_bytes));
}

// ---- bodies -------------------------------------------------------------------------------------

void ExportXmlReader::Document::begin_body() {
  if (bodied_) return drop("a message with two bodies");
  bodied_ = true;
  if (const char* large = values_.plain[0]; large != nullptr) {
    const auto read = read_boolean(large);
    if (!read) return wrong_value(0, "true or false");
    message_.made.large = *read;
  }
}

void ExportXmlReader::Document::text(std::string_view piece) {
  if (over_ || skipped_levels_ != 0 || dropped_) return;
  if (level_ == 0 || stack_[level_ - 1] != ExportElement::kBody) {
    if (is_blank(piece)) return;
    return end_document(fmt::format("text where none belongs: \"{}\"", shown(piece)));
  }
  if (!sections_.feed(piece, message_.body)) {
    return drop("the body is no Base64 here");
  }
  body_grew(false);
}

void ExportXmlReader::Document::section() {
  if (over_ || skipped_levels_ != 0 || dropped_) return;
  if (level_ == 0 || stack_[level_ - 1] != ExportElement::kBody) return;
  if (!sections_.end(message_.body)) {
    return drop("a section of the body ends within its Base64");
  }
}

bool ExportXmlReader::Document::takes_line_ends() const {
  return skipped_levels_ == 0 && level_ != 0 && stack_[level_ - 1] == ExportElement::kBody;
}

void ExportXmlReader::Document::body_grew(bool ended) {
  if (message_.made.large) {
    if (message_.body.empty() || (!ended && message_.body.size() < kBodyPieceBytes)) return;
    accept(target_.append_body(message_.body));
    message_.body.clear();
  } else if (message_.body.size() > options_.max_body_bytes) {
    drop(
        fmt::format("a body of more than {} bytes in a message that is not large, which is the "
                    "most that is read",
                    options_.max_body_bytes));
  }
}

void ExportXmlReader::Document::end_message() {
  in_message_ = false;
  if (std::exchange(dropped_, false)) return;
  const Result<void> taken = target_.end_message(message_.finish());
  if (taken) {
    ++done_.messages;
    done_.large_messages += message_.made.large ? 1 : 0;
    return;
  }
  if (taken.error().code != ErrorCode::kInvalidArgument) return accept(taken);
  in_message_ = true;
  drop(fmt::format("the message cannot be taken: {}", taken.error().message()));
  in_message_ = dropped_ = false;
}

// ---- interface ----------------------------------------------------------------------------------

ExportXmlReader::ExportXmlReader(ImportTarget& target, ExportXmlOptions options, FindingSink& sink)
    : document_(std::make_unique<Document>(target, std::move(options), sink)) {}

ExportXmlReader::~ExportXmlReader() = default;

Result<void> ExportXmlReader::feed(std::string_view piece) { return document_->feed(piece); }

Result<ExportXmlSummary> ExportXmlReader::finish() { return document_->finish(); }

}  // namespace saranga::store
