#include "saranga/message/amqp_value.h"

#include <array>
#include <tuple>
#include <vector>

#include "libmessage/amqp/encoding.h"

namespace saranga::message::amqp {
namespace {

constexpr std::array<std::string_view, 26> kTypeNames = {
    "null",       "boolean", "ubyte",     "ushort",    "uint",   "ulong",     "byte",
    "short",      "int",     "long",      "float",     "double", "decimal32", "decimal64",
    "decimal128", "char",    "timestamp", "uuid",      "binary", "string",    "symbol",
    "list",       "map",     "array",     "described", "unknown"};
static_assert(kTypeNames.size() == static_cast<std::size_t>(Type::kUnknown) + 1);

constexpr std::uint8_t kFirstCode = 0x40;  // lower ones have no width, so nothing can skip them
constexpr char kUnknownConstructor[] = "has a constructor that AMQP does not know";

struct CodeRow {
  std::uint8_t code;
  Type type;
};

// Every code of the standard. The high nibble gives the width of the content, so codes that are not
// listed can be skipped as well.
constexpr CodeRow kCodes[] = {
    {0x40, Type::kNull},      {0x41, Type::kBoolean},    {0x42, Type::kBoolean},
    {0x43, Type::kUint},      {0x44, Type::kUlong},      {0x45, Type::kList},
    {0x50, Type::kUbyte},     {0x51, Type::kByte},       {0x52, Type::kUint},
    {0x53, Type::kUlong},     {0x54, Type::kInt},        {0x55, Type::kLong},
    {0x56, Type::kBoolean},   {0x60, Type::kUshort},     {0x61, Type::kShort},
    {0x70, Type::kUint},      {0x71, Type::kInt},        {0x72, Type::kFloat},
    {0x73, Type::kChar},      {0x74, Type::kDecimal32},  {0x80, Type::kUlong},
    {0x81, Type::kLong},      {0x82, Type::kDouble},     {0x83, Type::kTimestamp},
    {0x84, Type::kDecimal64}, {0x94, Type::kDecimal128}, {0x98, Type::kUuid},
    {0xA0, Type::kBinary},    {0xA1, Type::kString},     {0xA3, Type::kSymbol},
    {0xB0, Type::kBinary},    {0xB1, Type::kString},     {0xB3, Type::kSymbol},
    {0xC0, Type::kList},      {0xC1, Type::kMap},        {0xD0, Type::kList},
    {0xD1, Type::kMap},       {0xE0, Type::kArray},      {0xF0, Type::kArray},
};

constexpr std::array<Type, 256> kTypeOfCode = [] {
  std::array<Type, 256> types{};
  types.fill(Type::kUnknown);
  for (const CodeRow& row : kCodes) types[row.code] = row.type;
  return types;
}();

// Width of the size (and count) field by the high nibble of a code, 0 where there is none.
constexpr std::size_t size_width(std::uint8_t code) {
  if (code < 0xA0) return 0;
  return (code & 0x10U) == 0 ? 1 : 4;
}

constexpr bool is_compound(std::uint8_t code) { return code >= 0xC0; }

bool is_known_compound(std::uint8_t code) {
  return is_compound(code) && kTypeOfCode[code] != Type::kUnknown;
}

// Bytes of the codes without a size field, by their high nibble.
std::uint32_t fixed_width(std::uint8_t code) {
  static constexpr std::uint8_t kWidths[] = {0, 1, 2, 4, 8, 16};
  return kWidths[(code >> 4) - 4];
}

std::uint64_t load_unsigned(Bytes bytes) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes) value = (value << 8) | static_cast<std::uint8_t>(byte);
  return value;
}

std::int64_t load_signed(Bytes bytes) {
  if (bytes.empty()) return 0;
  const unsigned unused_bits = 64U - 8U * static_cast<unsigned>(bytes.size());
  return static_cast<std::int64_t>(load_unsigned(bytes) << unused_bits) >> unused_bits;
}

// Elements and count of a list, map or array behind its size field.
struct Compound {
  Bytes payload{};
  std::uint32_t count = 0;
};

Compound open_compound(std::uint8_t code, Bytes content) {
  if (!is_compound(code)) return {};
  const std::size_t width = size_width(code);
  return {content.subspan(2 * width),
          static_cast<std::uint32_t>(load_unsigned(content.subspan(width, width)))};
}

// A list, map or array that check_value() is inside of.
struct OpenCompound {
  std::size_t end = 0;            // where its bytes end
  std::uint64_t left = 0;         // values still to be read
  std::uint8_t element_code = 0;  // arrays: how the elements are encoded; 0 otherwise
  bool array = false;
};

class Checker {
 public:
  explicit Checker(Bytes bytes) : cursor_(bytes) {}

  // Checks `bytes` as the content of `code`, or, when that is 0, as one complete value.
  const char* run(std::uint8_t code) {
    const bool array = code != 0;
    open_.push_back({.end = cursor_.remaining(), .left = 1, .element_code = code, .array = array});
    while (!open_.empty() && cursor_.ok()) step();
    return cursor_.ok() ? nullptr : cursor_.problem();
  }

 private:
  void step() {
    OpenCompound& top = open_.back();
    if (top.left == 0) {
      if (cursor_.position() != top.end) cursor_.fail("has bytes behind its last element");
      open_.pop_back();
      return;
    }
    if (top.array && !is_known_compound(top.element_code)) return read_simple_elements(top);
    --top.left;
    const std::uint8_t code = top.array ? top.element_code : cursor_.u8();
    if (code == 0) {
      top.left += 2;  // a descriptor and the value it describes
    } else if (is_known_compound(code)) {
      return open(code);  // pushes: `top` is gone after it
    } else {
      std::ignore = take_content(cursor_, code);
    }
    if (cursor_.position() > top.end) cursor_.fail("has an element that runs past its end");
  }

  void read_simple_elements(OpenCompound& top) {
    for (; top.left > 0 && cursor_.ok(); --top.left) {
      const Bytes content = take_content(cursor_, top.element_code);
      if (content.empty()) top.left = 1;  // no width: the rest is as good
    }
    if (cursor_.position() > top.end) cursor_.fail("has an element that runs past its end");
  }

  void open(std::uint8_t code) {
    const std::size_t from = cursor_.position();
    Cursor probe = cursor_;
    const Bytes content = take_content(probe, code);
    if (!probe.ok()) return cursor_.fail(probe.problem());
    const std::size_t end = from + content.size();
    if (end > open_.back().end) return cursor_.fail("has an element that runs past its end");
    std::ignore = cursor_.take(2 * size_width(code));
    OpenCompound inner{.end = end, .left = open_compound(code, content).count};
    if (kTypeOfCode[code] == Type::kMap && inner.left % 2 != 0) {
      return cursor_.fail("has a key without a value");
    }
    if (kTypeOfCode[code] == Type::kArray && (inner.left > 0 || cursor_.position() != end)) {
      const Bytes constructor = take_constructor(cursor_);
      if (!cursor_.ok() || cursor_.position() > end) return cursor_.fail("has a cut constructor");
      inner.array = true;
      inner.element_code = static_cast<std::uint8_t>(constructor.back());
    }
    open_.push_back(inner);
  }

  Cursor cursor_;
  std::vector<OpenCompound> open_;
};

}  // namespace

std::string_view type_name(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

Bytes take_constructor(Cursor& cursor) {
  const std::size_t from = cursor.position();
  std::uint8_t code = cursor.u8();
  while (code == 0 && cursor.ok()) {
    skip_value(cursor);
    code = cursor.u8();
  }
  if (code < kFirstCode) cursor.fail(kUnknownConstructor);
  if (!cursor.ok()) return {};
  return cursor.data().subspan(from, cursor.position() - from);
}

Bytes take_content(Cursor& cursor, std::uint8_t code) {
  if (code < kFirstCode) {
    cursor.fail(kUnknownConstructor);
    return {};
  }
  if (code < 0xA0) return cursor.take(fixed_width(code));
  const std::size_t from = cursor.position();
  const std::size_t width = size_width(code);
  const std::uint32_t size = width == 1 ? cursor.u8() : cursor.u32();
  if (cursor.ok() && is_compound(code) && size < width) cursor.fail("has no room for its count");
  std::ignore = cursor.take(size);
  if (!cursor.ok()) return {};
  return cursor.data().subspan(from, cursor.position() - from);
}

bool skip_value(Cursor& cursor) {
  // A described value is 00 and two more values, so counting those replaces recursion.
  for (std::uint64_t pending = 1; pending > 0 && cursor.ok();) {
    const std::uint8_t code = cursor.u8();
    if (!cursor.ok()) break;
    if (code == 0) {
      ++pending;
    } else {
      std::ignore = take_content(cursor, code);
      --pending;
    }
  }
  return cursor.ok();
}

const char* check_value(const Value& value) {
  Cursor descriptors(value.constructor());
  while (!descriptors.at_end() && descriptors.u8() == 0) {
    const std::size_t from = descriptors.position();
    skip_value(descriptors);
    if (!descriptors.ok()) return descriptors.problem();
    Checker checker(descriptors.data().subspan(from, descriptors.position() - from));
    if (const char* problem = checker.run(0)) return problem;
  }
  return Checker(value.content()).run(value.code());
}

std::optional<Value> find_key(const Value& map, std::string_view key) {
  std::optional<Value> found;
  if (map.type() != Type::kMap) return found;
  Elements elements = map.elements();
  while (const auto entry = elements.next_entry()) {
    const Type type = entry->key.type();
    if (type != Type::kString && type != Type::kSymbol) continue;
    if (entry->key.text().equals(key)) found = entry->value;
  }
  return found;
}

Value Value::read(Cursor& cursor) {
  const Bytes constructor = take_constructor(cursor);
  if (!cursor.ok()) return {};
  const Bytes content = take_content(cursor, static_cast<std::uint8_t>(constructor.back()));
  if (!cursor.ok()) return {};
  return {constructor, content};
}

Type Value::type() const {
  if (constructor_.empty()) return Type::kNull;
  if (constructor_.front() == std::byte{0}) return Type::kDescribed;
  return kTypeOfCode[static_cast<std::uint8_t>(constructor_.front())];
}

std::string Value::encoded() const {
  std::string bytes(as_text(constructor_));
  bytes += as_text(content_);
  if (bytes.empty()) bytes += '\x40';
  return bytes;
}

bool Value::boolean() const {
  if (type() != Type::kBoolean) return false;
  return code() == 0x41 || (code() == 0x56 && content_.front() != std::byte{0});
}

std::uint64_t Value::unsigned_number() const {
  switch (type()) {
    case Type::kUbyte:
    case Type::kUshort:
    case Type::kUint:
    case Type::kUlong:
    case Type::kChar: return load_unsigned(content_);
    default: return 0;
  }
}

std::int64_t Value::signed_number() const {
  switch (type()) {
    case Type::kByte:
    case Type::kShort:
    case Type::kInt:
    case Type::kLong:
    case Type::kTimestamp: return load_signed(content_);
    default: return 0;
  }
}

std::optional<std::int64_t> Value::integer() const {
  switch (type()) {
    case Type::kByte:
    case Type::kShort:
    case Type::kInt:
    case Type::kLong: return load_signed(content_);
    case Type::kUbyte:
    case Type::kUshort:
    case Type::kUint: return static_cast<std::int64_t>(load_unsigned(content_));
    case Type::kUlong: {
      const std::uint64_t number = load_unsigned(content_);
      if (number > INT64_MAX) return std::nullopt;
      return static_cast<std::int64_t>(number);
    }
    default: return std::nullopt;
  }
}

float Value::real32() const {
  if (type() != Type::kFloat) return 0;
  return std::bit_cast<float>(load_be<std::uint32_t>(content_.data()));
}

double Value::real64() const {
  if (type() != Type::kDouble) return 0;
  return std::bit_cast<double>(load_be<std::uint64_t>(content_.data()));
}

Text Value::text() const {
  if (type() != Type::kString && type() != Type::kSymbol) return {};
  return {bytes(), TextEncoding::kUtf8};
}

Bytes Value::bytes() const {
  switch (type()) {
    case Type::kBinary:
    case Type::kString:
    case Type::kSymbol: return content_.subspan(size_width(code()));
    case Type::kUuid:
    case Type::kDecimal32:
    case Type::kDecimal64:
    case Type::kDecimal128:
    case Type::kUnknown: return content_;
    default: return {};
  }
}

std::uint32_t Value::count() const {
  if (type() == Type::kDescribed || type() == Type::kUnknown) return 0;
  return open_compound(code(), content_).count;
}

Elements Value::elements() const {
  const Type kind = type();
  if (kind != Type::kList && kind != Type::kMap && kind != Type::kArray) return {};
  const Compound compound = open_compound(code(), content_);
  return {compound.payload, compound.count, kind == Type::kArray};
}

Bytes Value::element_constructor() const {
  if (type() != Type::kArray) return {};
  Cursor cursor(open_compound(code(), content_).payload);
  return take_constructor(cursor);
}

Type Value::element_type() const {
  const Bytes constructor = element_constructor();
  return constructor.empty() ? Type::kUnknown : Value(constructor, {}).type();
}

bool Value::elements_are_empty() const {
  const Bytes constructor = element_constructor();
  if (constructor.empty()) return false;
  const auto element_code = static_cast<std::uint8_t>(constructor.back());
  return element_code >= 0x40 && element_code < 0x50;
}

Value Value::descriptor() const {
  if (type() != Type::kDescribed) return {};
  Cursor cursor(constructor_.subspan(1));
  return read(cursor);
}

Value Value::described() const {
  if (type() != Type::kDescribed) return {};
  Cursor cursor(constructor_.subspan(1));
  if (!skip_value(cursor)) return {};
  return {constructor_.subspan(1 + cursor.position()), content_};
}

Elements::Elements(Bytes payload, std::uint32_t count, bool array)
    : cursor_(payload), left_(count) {
  if (!array || count == 0) return;
  const Bytes constructor = take_constructor(cursor_);
  if (!constructor.empty()) code_ = constructor.last(1);
}

std::optional<Value> Elements::next() {
  if (left_ == 0 || !cursor_.ok()) return std::nullopt;
  --left_;
  Value value;
  if (code_.empty()) {
    value = Value::read(cursor_);
  } else {
    value.constructor_ = code_;
    value.content_ = take_content(cursor_, value.code());
  }
  if (!cursor_.ok()) return std::nullopt;
  return value;
}

std::optional<MapEntry> Elements::next_entry() {
  if (left_ == 1) cursor_.fail("has a key without a value");
  const auto key = next();
  if (!key) return std::nullopt;
  const auto value = next();
  if (!value) return std::nullopt;
  return MapEntry{*key, *value};
}

}  // namespace saranga::message::amqp
