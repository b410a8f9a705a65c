// The record types of the message journal, one row each (docs/format/messages.md#record-types).
#pragma once

#include <cstdint>
#include <span>

#include "saranga/bytes/field_encoder.h"
#include "saranga/bytes/fields.h"

namespace saranga::message {

/// All rows, ascending by number.
[[nodiscard]] SARANGA_API std::span<const RecordType> record_types();

/// The row of a type, null for a number that no known release writes into this journal.
[[nodiscard]] SARANGA_API const RecordType* find_record_type(std::int8_t number);

/// Decodes the body of a record that is not a message: false for the forms kMessage, kLargeMessage
/// and kOldMessage, and when the body contradicts its description; `out.problem` says which.
SARANGA_API bool decode_record(const RecordType& type, bool is_update, Bytes body,
                               DecodedRecord& out);

/// Encodes a body that decode_record() has taken apart, to the same bytes. Messages have encoders
/// of their own (message_encoder.h).
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> encode_record(const DecodedRecord& record);

}  // namespace saranga::message
