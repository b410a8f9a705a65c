#include "saranga/journal/journal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "saranga/bytes/base64.h"

namespace saranga::journal {
namespace {

constexpr std::string_view kFileBegin = "#File,JournalFileImpl: (";
constexpr std::string_view kIdBegin = " id = ";
constexpr std::string_view kTagBegin = ", recordID = ";

// The fields of a line, in the order in which they are written.
enum class Field : std::uint8_t {
  kOperation,
  kTx,
  kId,
  kUserType,
  kLength,
  kIsUpdate,
  kCompactCount,
  kNumber,
  kExtraData,
  kData,
};

constexpr std::array<std::string_view, 10> kFieldNames = {
    "operation",       "txID",      "id",  "userRecordType", "length", "isUpdate", "compactCount",
    "numberOfRecords", "extraData", "data"};

void put_field(TextBuffer& out, Field field) {
  if (field != Field::kOperation) out.put(',');
  out.put(kFieldNames[static_cast<std::size_t>(field)]);
  out.put('@');
}

void put_number(TextBuffer& out, Field field, std::int64_t value) {
  put_field(out, field);
  out.put_int(value);
}

// A field and its value as it is written.
struct Value {
  std::string_view text;
  std::size_t column = 0;  // 0: the line has no such field
};

/// Takes a line with a record apart.
class RecordLine {
 public:
  explicit RecordLine(std::string_view line) : line_(line) {}

  [[nodiscard]] std::expected<TextRecord, TextProblem> parse() {
    if (auto split = split_fields(); !split) return std::unexpected(split.error());
    const Value& operation = value(Field::kOperation);
    const auto* kind = std::ranges::find(kKinds, operation.text, &KindTraits::text_name);
    if (operation.column == 0) return problem(1, "a line begins with operation@ or #File");
    if (kind == kKinds.end()) {
      return problem(operation.column,
                     fmt::format("operation: '{}' is none that is known", shown(operation.text)));
    }
    if (auto alien = find_alien(*kind)) return std::unexpected(*std::move(alien));
    return read(*kind);
  }

 private:
  using Outcome = std::expected<void, TextProblem>;

  [[nodiscard]] static std::unexpected<TextProblem> problem(std::size_t column, std::string text) {
    return std::unexpected(TextProblem{.column = column, .text = std::move(text)});
  }
  // As much of a text as fits into a message.
  [[nodiscard]] static std::string shown(std::string_view text) {
    static constexpr std::size_t kShown = 40;
    std::string result(text.substr(0, kShown));
    std::ranges::replace_if(result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text.size() > kShown ? result + "…" : result;
  }
  [[nodiscard]] const Value& value(Field field) const {
    return values_[static_cast<std::size_t>(field)];
  }

  [[nodiscard]] Outcome split_fields() {
    for (std::size_t at = 0; at <= line_.size();) {
      const std::size_t end = std::min(line_.find(',', at), line_.size());
      const std::string_view part = line_.substr(at, end - at);
      const std::size_t sign = part.find('@');
      const std::string_view name = part.substr(0, sign);
      const auto* known = std::ranges::find(kFieldNames, name);
      if (sign == std::string_view::npos || known == kFieldNames.end()) {
        return problem(at + 1, fmt::format("'{}' is no field: expected name@value", shown(part)));
      }
      Value& value = values_[static_cast<std::size_t>(known - kFieldNames.begin())];
      if (value.column != 0) return problem(at + 1, fmt::format("{} is there twice", name));
      value = {.text = part.substr(sign + 1), .column = at + sign + 2};
      at = end + 1;
    }
    return {};
  }

  // A field that records of this kind do not have.
  [[nodiscard]] std::optional<TextProblem> find_alien(const KindTraits& kind) const {
    const std::pair<Field, bool> allowed[] = {
        {Field::kTx, kind.has_tx},
        {Field::kId, kind.has_id},
        {Field::kUserType, kind.has_body},
        {Field::kLength, kind.has_body},
        {Field::kIsUpdate, kind.has_body},
        {Field::kNumber, kind.has_number},
        {Field::kExtraData, kind.kind == RecordKind::kPrepare},
        {Field::kData, kind.has_body}};
    for (const auto& [field, fits] : allowed) {
      if (fits || value(field).column == 0) continue;
      const std::string_view name(kFieldNames[static_cast<std::size_t>(field)]);
      return TextProblem{.column = value(field).column,
                         .text = fmt::format("{} has no field {}", kind.text_name, name)};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::expected<TextRecord, TextProblem> read(const KindTraits& kind) const {
    TextRecord record;
    RecordFields& fields = record.fields;
    fields.kind = kind.kind;
    Outcome outcome;
    const auto number = [&](Field field, auto& into, bool required) {
      if (outcome) outcome = read_number(field, into, required);
    };
    number(Field::kTx, fields.tx_id, kind.has_tx);
    number(Field::kId, fields.id, kind.has_id);
    number(Field::kUserType, fields.user_type, kind.has_user_type);
    number(Field::kCompactCount, fields.compact_count, false);
    number(Field::kNumber, fields.number, kind.has_number);
    std::uint32_t length = 0;
    number(Field::kLength, length, false);
    if (!outcome) return std::unexpected(outcome.error());
    if (value(Field::kLength).column != 0) record.length_bytes = length;
    if (kind.kind == RecordKind::kDeleteTx && fields.user_type != 0) {
      return problem(value(Field::kUserType).column, "userRecordType of a delete must be 0");
    }
    if (auto fits = check_update(kind); !fits) return std::unexpected(fits.error());
    const bool prepare = kind.kind == RecordKind::kPrepare;
    if (prepare || kind.has_body) {
      const Value& body = value(prepare ? Field::kExtraData : Field::kData);
      if (body.column == 0) return missing(prepare ? Field::kExtraData : Field::kData);
      record.body = body.text;
      record.body_column = body.column;
    }
    return record;
  }

  [[nodiscard]] std::unexpected<TextProblem> missing(Field field) const {
    const std::string_view name(kFieldNames[static_cast<std::size_t>(field)]);
    return problem(line_.size() + 1, fmt::format("the field {} is missing", name));
  }

  template <class Number>
  [[nodiscard]] Outcome read_number(Field field, Number& into, bool required) const {
    const Value& given = value(field);
    const std::string_view name(kFieldNames[static_cast<std::size_t>(field)]);
    if (given.column == 0) return required ? Outcome(missing(field)) : Outcome();
    const char* end = given.text.data() + given.text.size();
    const auto [stop, error] = std::from_chars(given.text.data(), end, into);
    if (error == std::errc::result_out_of_range) {
      return problem(given.column, fmt::format("{}: {} is out of range", name, shown(given.text)));
    }
    if (error != std::errc{} || stop != end) {
      return problem(given.column, fmt::format("{}: '{}' is no number", name, shown(given.text)));
    }
    return {};
  }

  [[nodiscard]] Outcome check_update(const KindTraits& kind) const {
    const Value& given = value(Field::kIsUpdate);
    if (given.column == 0) return {};
    const bool update = kind.kind == RecordKind::kUpdate || kind.kind == RecordKind::kUpdateTx ||
                        kind.kind == RecordKind::kDeleteTx;
    const std::string_view expected = update ? "true" : "false";
    if (given.text == expected) return {};
    return problem(given.column, "isUpdate of " + std::string(kind.text_name) + " must be " +
                                     std::string(expected));
  }

  std::string_view line_;
  std::array<Value, kFieldNames.size()> values_{};
};

std::expected<TextLine, TextProblem> parse_file_line(std::string_view line) {
  const auto problem = [&](std::size_t column) {
    return std::unexpected(TextProblem{
        .column = column,
        .text = "expected '#File,JournalFileImpl: (NAME id = NUMBER, recordID = NUMBER)'"});
  };
  if (!line.starts_with(kFileBegin)) return problem(1);
  // Searched from the end: a name may contain anything.
  const std::size_t tag = line.rfind(kTagBegin);
  if (tag == std::string_view::npos) return problem(line.size() + 1);
  const std::size_t id = line.substr(0, tag).rfind(kIdBegin);
  if (id == std::string_view::npos || id < kFileBegin.size()) return problem(kFileBegin.size() + 1);
  TextFile file{.name = line.substr(kFileBegin.size(), id - kFileBegin.size())};
  const char* id_end = line.data() + tag;
  const auto read = std::from_chars(line.data() + id + kIdBegin.size(), id_end, file.id);
  if (read.ec != std::errc{} || read.ptr != id_end) return problem(id + kIdBegin.size() + 1);
  const std::size_t tag_at = tag + kTagBegin.size();
  std::int64_t number = 0;
  const char* line_end = line.data() + line.size();
  const auto tag_read = std::from_chars(line.data() + tag_at, line_end, number);
  if (tag_read.ec != std::errc{} || std::string_view(tag_read.ptr, line_end) != ")") {
    return problem(tag_at + 1);
  }
  if (number != FileHeader{.id = file.id}.tag()) {
    return std::unexpected(
        TextProblem{.column = tag_at + 1,
                    .text = "recordID is not the low 31 bits of id: the line is damaged"});
  }
  return file;
}

}  // namespace

void append_text_file(TextBuffer& out, std::string_view name, const FileHeader& header) {
  out.put(kFileBegin);
  for (const char c : name) out.put(c >= 0 && c < ' ' ? '?' : c);
  out.put(kIdBegin);
  out.put_int(header.id);
  out.put(kTagBegin);
  out.put_int(header.tag());
  out.put(")\n");
}

void append_text_record(TextBuffer& out, const Record& record) {
  const KindTraits& kind = traits(record.kind);
  put_field(out, Field::kOperation);
  out.put(kind.text_name);
  if (kind.has_tx) put_number(out, Field::kTx, record.tx_id);
  if (kind.has_id) put_number(out, Field::kId, record.id);
  if (kind.has_body) {
    put_number(out, Field::kUserType, record.user_type);
    put_number(out, Field::kLength, static_cast<std::int64_t>(record.body.size()));
    put_field(out, Field::kIsUpdate);
    out.put_boolean(record.is_update());
  }
  if (kind.has_body || record.compact_count != 0) {
    put_number(out, Field::kCompactCount, record.compact_count);
  }
  if (kind.has_number) put_number(out, Field::kNumber, record.number);
  const bool prepare = record.kind == RecordKind::kPrepare;
  if (kind.has_body || prepare) {
    put_field(out, prepare ? Field::kExtraData : Field::kData);
    append_base64(out, record.body, Base64Alphabet::kUrl);
  }
  out.put('\n');
}

std::expected<TextLine, TextProblem> parse_text_line(std::string_view line) {
  if (line.empty()) return TextLine{};
  if (line.starts_with('#')) return parse_file_line(line);
  auto record = RecordLine(line).parse();
  if (!record) return std::unexpected(std::move(record.error()));
  return *record;
}

}  // namespace saranga::journal
