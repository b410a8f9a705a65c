#include "tools/show/annotated_hex.h"

#include <fmt/format.h>

#include <algorithm>

namespace saranga::show {
namespace {

constexpr std::size_t kBytesPerLine = 16;
constexpr std::size_t kTrailerBytes = 4;

std::string hex_of(Bytes bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x} ", static_cast<unsigned>(b));
  return text;
}

/// Writes one field after the other.
class FieldLines {
 public:
  FieldLines(TextBuffer& out, Bytes bytes, std::uint64_t offset)
      : out_(out), bytes_(bytes), offset_(offset) {}

  void field(std::size_t width, std::string_view meaning) {
    const Bytes taken = bytes_.subspan(at_, width);
    out_.put(fmt::format("{:#010x}  {:<26}{}\n", offset_ + at_, hex_of(taken), meaning));
    at_ += width;
  }
  void body(std::size_t width, std::string_view title) {
    if (width == 0) return;
    out_.put(fmt::format("{:#010x}  {}, {} bytes:\n", offset_ + at_, title, width));
    dump_bytes(out_, bytes_.subspan(at_, width), offset_ + at_);
    at_ += width;
  }

 private:
  TextBuffer& out_;
  Bytes bytes_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
};

}  // namespace

void dump_bytes(TextBuffer& out, Bytes bytes, std::uint64_t offset) {
  for (std::size_t at = 0; at < bytes.size(); at += kBytesPerLine) {
    const Bytes line = bytes.subspan(at, std::min(kBytesPerLine, bytes.size() - at));
    std::string characters;
    for (const std::byte b : line) {
      const auto c = static_cast<unsigned char>(b);
      characters += c >= 0x20 && c < 0x7F ? static_cast<char>(c) : '.';
    }
    out.put(fmt::format("{:#010x}  {:<50}{}\n", offset + at, hex_of(line), characters));
  }
}

void annotate_record(TextBuffer& out, Bytes bytes, const journal::Record& record,
                     std::int32_t format_version) {
  const journal::KindTraits& kind = journal::traits(record.kind);
  FieldLines lines(out, bytes, record.offset);
  lines.field(1, fmt::format("kind {} ({})", static_cast<int>(record.kind), kind.name));
  lines.field(4, fmt::format("tag {}: the low 31 bits of the file's header id", record.tag));
  if (format_version >= journal::kFormatVersion) {
    lines.field(1, fmt::format("compact count {}", record.compact_count));
  }
  if (kind.has_tx) lines.field(8, fmt::format("transaction id {}", record.tx_id));
  if (kind.has_id) lines.field(8, fmt::format("record id {}", record.id));
  if (kind.has_number) {
    lines.field(4, fmt::format("{} records of the transaction are in this file", record.number));
  }
  const bool is_prepare = record.kind == journal::RecordKind::kPrepare;
  if (kind.has_body || is_prepare) {
    lines.field(4, fmt::format("length of the {}: {}", is_prepare ? "extra data" : "body",
                               record.body.size()));
  }
  if (kind.has_user_type) lines.field(1, fmt::format("record type {}", record.user_type));
  lines.body(record.body.size(), is_prepare ? "extra data" : "body");
  lines.field(kTrailerBytes,
              fmt::format("check size {}: the length of the record", record.length_bytes));
}

}  // namespace saranga::show
