// Journal files built byte by byte, in the layout of Artemis (docs/format/journal.md): what the
// tests read. The code shares nothing with the library but the names of the record kinds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/io/directory.h"
#include "saranga/journal/format.h"

namespace saranga::test {

using Buffer = std::vector<std::byte>;

/// The bytes of hexadecimal text; everything that is no digit is for the reader.
inline Buffer hex_bytes(std::string_view text) {
  Buffer bytes;
  int high = -1;
  for (const char c : text) {
    const char lower = static_cast<char>(c | 0x20);
    const bool letter = lower >= 'a' && lower <= 'f';
    if (!letter && (c < '0' || c > '9')) continue;
    const int digit = letter ? lower - 'a' + 10 : c - '0';
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + digit));
      high = -1;
    }
  }
  return bytes;
}

/// The bytes of a text.
inline Buffer text_bytes(std::string_view text) {
  Buffer bytes(text.size());
  std::ranges::transform(text, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

/// Bytes in the encodings of Artemis, one value after the other: bodies of records.
class BodyBuilder {
 public:
  BodyBuilder& u8(unsigned value) { return number(value, 1); }
  BodyBuilder& i16(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 2); }
  BodyBuilder& i32(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 4); }
  BodyBuilder& i64(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 8); }
  /// As record bodies write it: FF for true.
  BodyBuilder& boolean(bool value) { return u8(value ? 0xFF : 0); }
  BodyBuilder& raw(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  BodyBuilder& sized(Bytes bytes) {
    return i32(static_cast<std::int64_t>(bytes.size())).raw(bytes);
  }
  /// The SimpleString of an ASCII text: length in bytes, then UTF-16LE.
  BodyBuilder& simple_string(std::string_view ascii) {
    i32(static_cast<std::int64_t>(ascii.size() * 2));
    for (const char c : ascii) u8(static_cast<unsigned char>(c)).u8(0);
    return *this;
  }
  BodyBuilder& nullable_simple_string(std::optional<std::string_view> ascii) {
    return ascii ? u8(1).simple_string(*ascii) : u8(0);
  }
  /// The String of an ASCII text, in the mode that its length asks for.
  BodyBuilder& string(std::string_view ascii) {
    i32(static_cast<std::int64_t>(ascii.size()));
    if (ascii.size() >= 4095) return simple_string(ascii);
    if (ascii.size() >= 9) return utf(ascii);
    for (const char c : ascii) u8(0).u8(static_cast<unsigned char>(c));
    return *this;
  }
  BodyBuilder& nullable_string(std::optional<std::string_view> ascii) {
    return ascii ? u8(1).string(*ascii) : u8(0);
  }
  /// UTF block of an ASCII text: u16 length, then the bytes.
  BodyBuilder& utf(std::string_view ascii) {
    return i16(static_cast<std::int64_t>(ascii.size())).raw(as_bytes(ascii));
  }

  [[nodiscard]] const Buffer& bytes() const { return bytes_; }
  // NOLINTNEXTLINE(google-explicit-constructor): a body is what it was built for
  operator Buffer() const { return bytes_; }

 private:
  BodyBuilder& number(std::uint64_t value, unsigned width) {
    for (unsigned i = width; i-- > 0;) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }
  Buffer bytes_;
};

/// One record, before it is laid out. The last three members make it a wrong one.
struct RecordSpec {
  journal::RecordKind kind = journal::RecordKind::kAdd;
  std::int64_t tx_id = 0;
  std::int64_t id = 0;
  std::int32_t user_type = 0;
  Buffer body{};            ///< body, or the extra data of a PREPARE
  std::int32_t number = 0;  ///< of PREPARE and COMMIT
  std::int32_t compact_count = 0;
  std::optional<std::int32_t> tag{};             ///< instead of the file's
  std::optional<std::int32_t> claimed_length{};  ///< instead of the length of the body
  std::optional<std::int32_t> check{};           ///< instead of the length of the record
};

/// The bytes of a record in a file of that tag and format version.
inline Buffer record_bytes(const RecordSpec& spec, std::int32_t tag, std::int32_t version = 2) {
  using journal::RecordKind;
  const RecordKind kind = spec.kind;
  const bool plain = kind == RecordKind::kEvent || kind == RecordKind::kAdd ||
                     kind == RecordKind::kUpdate || kind == RecordKind::kDelete;
  const bool outcome =
      kind == RecordKind::kPrepare || kind == RecordKind::kCommit || kind == RecordKind::kRollback;
  const bool body = kind != RecordKind::kDelete && !outcome;
  BodyBuilder out;
  out.u8(static_cast<unsigned>(kind)).i32(spec.tag.value_or(tag));
  if (version >= 2) out.u8(static_cast<unsigned>(spec.compact_count));
  if (!plain) out.i64(spec.tx_id);
  if (!outcome) out.i64(spec.id);
  if (kind == RecordKind::kPrepare || kind == RecordKind::kCommit) out.i32(spec.number);
  const std::int64_t length =
      spec.claimed_length.value_or(static_cast<std::int32_t>(spec.body.size()));
  if (body || kind == RecordKind::kPrepare) out.i32(length);
  if (body && kind != RecordKind::kDeleteTx) out.u8(static_cast<unsigned>(spec.user_type));
  if (body || kind == RecordKind::kPrepare) out.raw(spec.body);
  const auto whole = static_cast<std::int32_t>(out.bytes().size() + 4);
  return out.i32(spec.check.value_or(whole)).bytes();
}

/// A record and where the builder put it.
struct PlacedSpec {
  RecordSpec spec;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  [[nodiscard]] std::uint64_t end() const { return offset + length; }
};

/// A journal file in the making. Everything goes to the present position, over what is there
/// already, as in a file that a broker uses again.
class JournalBuilder {
 public:
  explicit JournalBuilder(std::int64_t header_id = 1, std::int32_t version = 2,
                          std::int32_t user_version = 0) {
    header(header_id, version, user_version);
  }

  JournalBuilder& record(const RecordSpec& spec) {
    const Buffer bytes = record_bytes(spec, tag_, version_);
    records_.push_back({spec, at_, bytes.size()});
    return raw(bytes);
  }
  JournalBuilder& event(std::int64_t id, std::int32_t type, Buffer body = {}) {
    return with_body(journal::RecordKind::kEvent, 0, id, type, std::move(body));
  }
  JournalBuilder& add(std::int64_t id, std::int32_t type = 45, Buffer body = {}) {
    return with_body(journal::RecordKind::kAdd, 0, id, type, std::move(body));
  }
  JournalBuilder& update(std::int64_t id, std::int32_t type = 32, Buffer body = {}) {
    return with_body(journal::RecordKind::kUpdate, 0, id, type, std::move(body));
  }
  JournalBuilder& remove(std::int64_t id) {
    return record({.kind = journal::RecordKind::kDelete, .id = id});
  }
  JournalBuilder& add_tx(std::int64_t tx, std::int64_t id, std::int32_t type = 45,
                         Buffer body = {}) {
    return with_body(journal::RecordKind::kAddTx, tx, id, type, std::move(body));
  }
  JournalBuilder& update_tx(std::int64_t tx, std::int64_t id, std::int32_t type = 32,
                            Buffer body = {}) {
    return with_body(journal::RecordKind::kUpdateTx, tx, id, type, std::move(body));
  }
  JournalBuilder& remove_tx(std::int64_t tx, std::int64_t id, Buffer body = {}) {
    return with_body(journal::RecordKind::kDeleteTx, tx, id, 0, std::move(body));
  }
  JournalBuilder& prepare(std::int64_t tx, std::int32_t number, Buffer extra = {}) {
    return record({.kind = journal::RecordKind::kPrepare,
                   .tx_id = tx,
                   .body = std::move(extra),
                   .number = number});
  }
  JournalBuilder& commit(std::int64_t tx, std::int32_t number) {
    return record({.kind = journal::RecordKind::kCommit, .tx_id = tx, .number = number});
  }
  JournalBuilder& rollback(std::int64_t tx) {
    return record({.kind = journal::RecordKind::kRollback, .tx_id = tx});
  }

  JournalBuilder& raw(Bytes bytes) {
    if (bytes_.size() < at_ + bytes.size()) bytes_.resize(at_ + bytes.size());
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += bytes.size();
    return *this;
  }
  JournalBuilder& fill(std::size_t count, unsigned value = 0) {
    return raw(Buffer(count, static_cast<std::byte>(value)));
  }
  /// Fills up to a size of the whole file.
  JournalBuilder& pad_to(std::size_t size, unsigned value = 0) {
    return fill(size > at_ ? size - at_ : 0, value);
  }
  /// Fills up to the next block, as ASYNCIO does behind the header and behind each flush.
  JournalBuilder& block(std::size_t alignment = 4096) {
    return pad_to((at_ + alignment - 1) / alignment * alignment);
  }
  /// Makes room up to a size without writing: what stands there already stays.
  JournalBuilder& extend_to(std::size_t size, unsigned value = 0) {
    if (bytes_.size() < size) bytes_.resize(size, static_cast<std::byte>(value));
    return *this;
  }
  /// Leaves a hole: what stands there already stays.
  JournalBuilder& skip_to(std::size_t offset) {
    extend_to(offset);
    at_ = offset;
    return *this;
  }
  /// Begins the next life of the file, as a broker does with one that has become free.
  JournalBuilder& reuse(std::int64_t header_id) {
    at_ = 0;
    records_.clear();
    header(header_id, 2, 0);
    return *this;
  }
  JournalBuilder& flip(std::size_t offset, unsigned bits) {
    bytes_.at(offset) ^= static_cast<std::byte>(bits);
    return *this;
  }

  /// The present position: behind what was written last.
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::int32_t tag() const { return tag_; }
  /// The records of the present life.
  [[nodiscard]] const std::vector<PlacedSpec>& records() const { return records_; }
  [[nodiscard]] const Buffer& bytes() const { return bytes_; }

 private:
  void header(std::int64_t id, std::int32_t version, std::int32_t user_version) {
    version_ = version;
    tag_ = static_cast<std::int32_t>(id & 0x7FFFFFFF);
    raw(BodyBuilder().i32(version).i32(user_version).i64(id).bytes());
  }
  JournalBuilder& with_body(journal::RecordKind kind, std::int64_t tx, std::int64_t id,
                            std::int32_t type, Buffer body) {
    return record(
        {.kind = kind, .tx_id = tx, .id = id, .user_type = type, .body = std::move(body)});
  }

  Buffer bytes_;
  std::size_t at_ = 0;
  std::int32_t version_ = 2;
  std::int32_t tag_ = 0;
  std::vector<PlacedSpec> records_;
};

/// The body of a compaction's control file. Artemis fills it up to a power of two.
inline Buffer plan_body(const std::vector<std::string>& consumed,
                        const std::vector<std::string>& produced,
                        const std::vector<std::pair<std::string, std::string>>& renames = {},
                        bool filled = true) {
  BodyBuilder body;
  for (const auto* names : {&consumed, &produced}) {
    body.i32(static_cast<std::int64_t>(names->size()));
    for (const std::string& name : *names) body.utf(name);
  }
  body.i32(static_cast<std::int64_t>(renames.size()));
  for (const auto& [from, to] : renames) body.utf(from).utf(to);
  Buffer bytes = body;
  std::size_t size = 64;
  while (size < bytes.size()) size *= 2;
  if (filled) bytes.resize(size);
  return bytes;
}

/// A compaction's control file; `alignment` 1 is that of NIO, a block that of ASYNCIO.
inline Buffer control_file(const std::vector<std::string>& consumed,
                           const std::vector<std::string>& produced, std::size_t alignment = 1) {
  JournalBuilder file(0);
  file.block(alignment).add(1, 0, plan_body(consumed, produced)).block(alignment);
  return file.bytes();
}

/// A file in memory.
inline std::unique_ptr<ReadableFile> memory_file(Buffer content) {
  MemoryDirectory directory;
  directory.put("file", std::move(content));
  return std::move(*directory.open("file"));
}

}  // namespace saranga::test
