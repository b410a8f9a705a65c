// The record types of the bindings journal, and of the JMS journal that releases before 2.0 keep
// beside it; one row each (docs/format/bindings.md, docs/format/old-releases.md#jms-journal).
#pragma once

#include <cstdint>
#include <span>

#include "saranga/bytes/field_encoder.h"
#include "saranga/bytes/fields.h"

namespace saranga::bindings {

/// All rows of the bindings journal, ascending by number.
[[nodiscard]] SARANGA_API std::span<const RecordType> record_types();

/// The row of a type, null for a number that no known release writes into this journal.
[[nodiscard]] SARANGA_API const RecordType* find_record_type(std::int8_t number);

/// The same for the JMS journal (*.jms). Its numbers have nothing to do with the others.
[[nodiscard]] SARANGA_API std::span<const RecordType> jms_record_types();
[[nodiscard]] SARANGA_API const RecordType* find_jms_record_type(std::int8_t number);

/// Decodes the body of a record of either journal. False when it contradicts its description;
/// `out.problem` says why. Of types with several layouts the newest that uses up every byte is
/// taken, and `out.layout` names it when it isn't the usual one.
SARANGA_API bool decode_record(const RecordType& type, bool is_update, Bytes body,
                               DecodedRecord& out);

/// Encodes a body that decode_record() has taken apart, to the same bytes; of a layout that only
/// old releases wrote as well.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> encode_record(const DecodedRecord& record);

/// How the nullable numbers of a type are flagged, for a FieldsBuilder.
[[nodiscard]] SARANGA_API NumberFlag number_flag(const RecordType& type);

}  // namespace saranga::bindings
