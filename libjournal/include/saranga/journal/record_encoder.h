// The bytes of one record in format version 2 (docs/format/journal.md#record-layouts): the opposite
// of parse_record().
#pragma once

#include <cstdint>
#include <span>

#include "saranga/bytes/export.h"
#include "saranga/journal/format.h"

namespace saranga::journal {

/// What a record says besides its body. What its kind does not have is ignored.
struct RecordFields {
  RecordKind kind = RecordKind::kAdd;
  std::int8_t user_type = 0;
  std::int8_t compact_count = 0;
  std::int32_t tag = 0;     ///< of the file that the record is written to
  std::int32_t number = 0;  ///< of PREPARE and COMMIT: records of the transaction in that file
  std::int64_t tx_id = 0;
  std::int64_t id = 0;
};

/// A body, or the extra data of a PREPARE, in pieces that are written one behind the other.
using Slices = std::span<const Bytes>;

/// The bytes of all pieces.
[[nodiscard]] SARANGA_API std::uint64_t slices_bytes(Slices body);

/// The length of a record with so many bytes of body or extra data; for a kind without a body
/// `body_bytes` is ignored.
[[nodiscard]] constexpr std::uint64_t encoded_bytes(RecordKind kind, std::uint64_t body_bytes) {
  const KindTraits& made_of = traits(kind);
  const bool body = made_of.has_body || kind == RecordKind::kPrepare;
  return made_of.fixed_bytes + (body ? body_bytes : 0);
}

/// Writes a record to `to`, which has exactly encoded_bytes(); these must be at most INT32_MAX.
SARANGA_API void encode_record(const RecordFields& fields, Slices body, std::span<std::byte> to);

}  // namespace saranga::journal
