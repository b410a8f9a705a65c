// Fuzzes encoding what was decoded: records, messages and page entries. First byte: what it is;
// second: the record type; third: the update flag; then the body. What is encoded once decodes, and
// comes out the same when it is encoded again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "saranga/bindings/record_types.h"
#include "saranga/message/message_encoder.h"
#include "saranga/message/record_types.h"
#include "saranga/paging/page_writer.h"

namespace {

using namespace saranga;
using Buffer = std::vector<std::byte>;

/// What decoding and encoding a body gave; nothing when it does not decode.
struct Round {
  Buffer bytes;
  std::string_view layout{};
};

// Strings of other encodings may become too long for the format when they are not well-formed.
std::optional<Round> finish(Result<Buffer> encoded, std::string_view layout = {}) {
  if (!encoded && encoded.error().code != ErrorCode::kInvalidArgument) __builtin_trap();
  if (!encoded) return std::nullopt;
  return Round{.bytes = std::move(*encoded), .layout = layout};
}

std::optional<Round> message_round(Bytes body) {
  Cursor cursor(body);
  const message::StoredMessage stored = message::read_stored_message(cursor);
  if (!cursor.ok()) return std::nullopt;
  Encoder out;
  message::encode_stored_message(stored, out);
  return finish(out.take());
}

std::optional<Round> entry_round(Bytes body) {
  Cursor cursor(body);
  const paging::PagedMessage paged = paging::read_paged_message(cursor);
  if (!cursor.ok()) return std::nullopt;
  return finish(paging::encode_paged_message(paged));
}

std::optional<Round> record_round(unsigned journal, std::int8_t number, bool is_update,
                                  Bytes body) {
  const RecordType* type = journal == 0   ? message::find_record_type(number)
                           : journal == 1 ? bindings::find_record_type(number)
                                          : bindings::find_jms_record_type(number);
  if (type == nullptr) return std::nullopt;
  DecodedRecord decoded;
  if (journal == 0) {
    if (!message::decode_record(*type, is_update, body, decoded)) return std::nullopt;
    return finish(message::encode_record(decoded));
  }
  if (!bindings::decode_record(*type, is_update, body, decoded)) return std::nullopt;
  return finish(bindings::encode_record(decoded), decoded.layout);
}

std::optional<Round> one_round(const std::uint8_t* head, Bytes body) {
  const unsigned what = head[0] % 5;
  if (what == 3) return message_round(body);
  if (what == 4) return entry_round(body);
  return record_round(what, static_cast<std::int8_t>(head[1]), (head[2] & 1U) != 0, body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const auto first = one_round(data, std::as_bytes(std::span(data + 3, size - 3)));
  if (!first) return 0;
  const auto second = one_round(data, first->bytes);
  if (!second) __builtin_trap();
  // Flags of another layout may stand where these have something else.
  if (second->layout == first->layout && second->bytes != first->bytes) __builtin_trap();
  return 0;
}
