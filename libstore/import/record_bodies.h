// The bodies of the short records that an import writes by the million, as
// docs/format/messages.md#record-types and docs/format/paging.md#cursor-records lay them out.
// Private to this folder.
#pragma once

#include <array>
#include <cstdint>

#include "saranga/bytes/bytes.h"

namespace saranga::store {

template <class... Values>
[[nodiscard]] auto fields_of(Values... values) {
  std::array<std::byte, (sizeof(Values) + ...)> body{};
  std::size_t at = 0;
  ((store_be(body.data() + at, values), at += sizeof(Values)), ...);
  return body;
}

/// ADD_REF and ACKNOWLEDGE_REF.
[[nodiscard]] inline auto queue_body(std::int64_t queue) { return fields_of(queue); }
[[nodiscard]] inline auto delivery_count_body(std::int64_t queue, std::int32_t count) {
  return fields_of(queue, count);
}
[[nodiscard]] inline auto schedule_body(std::int64_t queue, std::int64_t time_ms) {
  return fields_of(queue, time_ms);
}
[[nodiscard]] inline auto page_transaction_body(std::int64_t tx_id, std::int32_t references) {
  return fields_of(tx_id, references);
}
[[nodiscard]] inline auto cursor_body(std::int64_t queue, std::int64_t page, std::int32_t number) {
  return fields_of(queue, page, number);
}
[[nodiscard]] inline auto page_counter_body(std::int64_t queue, std::int64_t messages,
                                            std::int64_t bytes) {
  return fields_of(queue, messages, bytes);
}

}  // namespace saranga::store
