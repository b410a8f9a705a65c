// The ids of a store: messages, transactions, queues and addresses draw them from one sequence,
// which is kept in the bindings journal as ranges that were given out
// (docs/format/bindings.md#id-counter).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "saranga/bytes/error.h"

namespace saranga::bindings {

/// An ID_COUNTER record to be added to the bindings journal.
struct IdCounter {
  std::int64_t record_id = 0;
  std::int64_t counter =
      0;  ///< the body: every id given out before the next such record is at most
  [[nodiscard]] SARANGA_API std::vector<std::byte> body() const;
};

/// Gives out ids as a broker does, so that a store can go back to one. Pure: whoever owns the
/// bindings journal adds the records. One thread.
class SARANGA_API IdRanges {
 public:
  /// So many ids are reserved by one record.
  static constexpr std::int64_t kRangeIds = 2'147'483'647;

  /// A new store: the first id is 0.
  IdRanges() = default;
  /// Goes on behind the last counter record in load order, which is not always the greatest.
  /// kDamaged when it leaves no room for ids.
  [[nodiscard]] static Result<IdRanges> after(std::int64_t last_counter);

  /// The next id. When due() has a record afterwards, it must be durable before the id is used.
  [[nodiscard]] std::int64_t next();
  /// The record that reserves the ids given out so far, once; nothing when they are reserved.
  [[nodiscard]] std::optional<IdCounter> due();
  /// The record of a clean stop: the next start goes on right behind the ids given out, instead of
  /// a whole range later. Nothing may be given out afterwards.
  [[nodiscard]] IdCounter stop();

  /// The id that next() would give.
  [[nodiscard]] std::int64_t upcoming() const { return next_; }

 private:
  std::int64_t next_ = 0;
  std::int64_t limit_ = 0;  // ids from here on are not reserved
  bool due_ = false;
};

}  // namespace saranga::bindings
