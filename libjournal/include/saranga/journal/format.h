// The constants of a journal file: header, record kinds and sizes (docs/format/journal.md).
//
//   offset  width  meaning of the header
//   0       4      format version, 2 (1 is readable)
//   4       4      user version, 0
//   8       8      header id: orders the files; its low 31 bits tag the records of the file
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "saranga/bytes/bytes.h"

namespace saranga::journal {

inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::int32_t kFormatVersion = 2;
inline constexpr std::int32_t kOldFormatVersion = 1;

/// The header of a journal file.
struct FileHeader {
  std::int32_t format_version = kFormatVersion;
  std::int32_t user_version = 0;
  std::int64_t id = 0;

  /// What every record of the file's present life carries.
  [[nodiscard]] std::int32_t tag() const { return static_cast<std::int32_t>(id & 0x7FFFFFFF); }
  [[nodiscard]] bool readable() const {
    return user_version == 0 &&
           (format_version == kFormatVersion || format_version == kOldFormatVersion);
  }
};

/// Reads a header; `bytes` must hold at least kHeaderBytes.
[[nodiscard]] inline FileHeader parse_header(Bytes bytes) {
  return {.format_version = load_be<std::int32_t>(bytes.data()),
          .user_version = load_be<std::int32_t>(bytes.data() + 4),
          .id = load_be<std::int64_t>(bytes.data() + 8)};
}

/// The first byte of a record.
enum class RecordKind : std::uint8_t {
  kEvent = 10,
  kAdd = 11,
  kUpdate = 12,
  kAddTx = 13,
  kUpdateTx = 14,
  kDeleteTx = 15,
  kDelete = 16,
  kPrepare = 17,
  kCommit = 18,
  kRollback = 19,
};

/// What a record of one kind is made of.
struct KindTraits {
  RecordKind kind;
  std::string_view name;       ///< as in JSON
  std::string_view text_name;  ///< as Artemis prints it
  std::uint8_t fixed_bytes;    ///< size in format version 2 without body or extra data
  bool has_tx;
  bool has_id;
  bool has_body;       ///< i32 length and a body
  bool has_user_type;  ///< one byte that says what the body is
  bool has_number;     ///< i32 number of records of the transaction in this file
};

inline constexpr std::array<KindTraits, 10> kKinds = {{
    {RecordKind::kEvent, "event", "Event", 23, false, true, true, true, false},
    {RecordKind::kAdd, "add", "AddRecord", 23, false, true, true, true, false},
    {RecordKind::kUpdate, "update", "Update", 23, false, true, true, true, false},
    {RecordKind::kAddTx, "add_tx", "AddRecordTX", 31, true, true, true, true, false},
    {RecordKind::kUpdateTx, "update_tx", "UpdateTX", 31, true, true, true, true, false},
    {RecordKind::kDeleteTx, "delete_tx", "DeleteRecordTX", 30, true, true, true, false, false},
    {RecordKind::kDelete, "delete", "DeleteRecord", 18, false, true, false, false, false},
    {RecordKind::kPrepare, "prepare", "Prepare", 26, true, false, false, false, true},
    {RecordKind::kCommit, "commit", "Commit", 22, true, false, false, false, true},
    {RecordKind::kRollback, "rollback", "Rollback", 18, true, false, false, false, false},
}};

/// The traits of a kind.
[[nodiscard]] constexpr const KindTraits& traits(RecordKind kind) {
  return kKinds[static_cast<std::size_t>(kind) - 10];
}

static_assert(traits(RecordKind::kRollback).kind == RecordKind::kRollback);

/// A record as a view of the window it was read into.
struct Record {
  RecordKind kind = RecordKind::kAdd;
  std::int8_t user_type = 0;      ///< user record type; 0 where the kind has none
  std::int8_t compact_count = 0;  ///< how often compaction rewrote it, at most 127
  std::int32_t tag = 0;
  std::int32_t number = 0;         ///< of PREPARE and COMMIT
  std::uint32_t length_bytes = 0;  ///< whole record
  std::int64_t tx_id = 0;
  std::int64_t id = 0;       ///< record id
  std::uint64_t offset = 0;  ///< in the file
  Bytes body{};              ///< body, or a PREPARE's extra data

  [[nodiscard]] bool is_update() const {
    // Artemis delivers deletes in transactions with the update flag set.
    return kind == RecordKind::kUpdate || kind == RecordKind::kUpdateTx ||
           kind == RecordKind::kDeleteTx;
  }
};

}  // namespace saranga::journal
