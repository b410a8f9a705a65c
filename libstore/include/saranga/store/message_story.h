// What became of one message: on each of its queues, by the journal's records and by the pages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/store/live_messages.h"
#include "saranga/store/story.h"

namespace saranga::store {

/// What became of a message on one of its queues.
enum class Fate : std::uint8_t {
  kPending,
  kScheduled,
  kInDoubtAck,    ///< acknowledged by a prepared transaction
  kInDoubtSend,   ///< sent by a prepared transaction
  kUnbound,       ///< routed there, but the queue has no binding: a starting broker drops it
  kAcknowledged,  ///< by itself, or in a committed transaction
  kDeleted,       ///< not acknowledged, but its message is gone
  kNotSent,       ///< its transaction was rolled back, or never ended
};

/// "pending", "scheduled", "prepared_ack", "prepared_send", "unbound", "acknowledged", "deleted" or
/// "not_sent". A constant.
[[nodiscard]] SARANGA_API std::string_view fate_name(Fate fate);

/// A message on one of its queues.
struct QueueFate {
  std::int64_t queue_id = 0;
  const bindings::Queue* queue = nullptr;  ///< null when the id has no binding
  Fate fate = Fate::kPending;
  std::int64_t tx_id = -1;              ///< that did it or has it in doubt; -1 for none
  Outcome outcome = Outcome::kOutside;  ///< of that transaction
  std::int32_t delivery_count = 0;
  std::int64_t scheduled_ms = 0;  ///< 0 = at once
  bool paged = false;
};

/// The whole of it. Lives as long as the loaded store; views of `content` are of `held`.
struct MessageStory {
  enum class State : std::uint8_t {
    kLive,      ///< a consumer can get it from a queue, now or at its time
    kInDoubt,   ///< prepared transactions have it, and no queue else
    kNoQueue,   ///< is there, but on no queue: the next start deletes it
    kConsumed,  ///< consumed by everybody; its page still holds it
    kNotSent,   ///< its transaction was rolled back, or never ended
    kGone,
  };

  std::int64_t id = 0;
  State state = State::kGone;
  bool deleted = false;             ///< a delete record says so
  std::vector<QueueFate> queues{};  ///< in the order of their first records
  std::int64_t tx_id = -1;          ///< of kNotSent
  Outcome outcome = Outcome::kOutside;
  /// The message itself, when a record or page still has it. State and queue are not set.
  std::optional<LiveMessage> content{};

  std::string label{};
  std::vector<std::byte> held{};
};

/// "live", "in_doubt", "no_queue", "consumed", "not_sent" or "gone". A constant.
[[nodiscard]] SARANGA_API std::string_view state_name(MessageStory::State state);

/// Tells of a message whose records `stories` has collected; reads the pages once, if there are
/// any. Null when nothing shows that the id is one of a message.
[[nodiscard]] SARANGA_API std::unique_ptr<MessageStory> tell_message(const LoadedStore& store,
                                                                     const StoryCollector& stories,
                                                                     std::int64_t id);

/// Which message a moved, expired, dead-lettered or diverted one was made from.
struct Origin {
  std::int64_t message_id = 0;
  std::string queue{};    ///< empty when it is not told
  std::string address{};  ///< likewise
};
/// Nothing for a message that is not a copy.
[[nodiscard]] SARANGA_API std::optional<Origin> origin_of(const message::StoredMessage& message);

/// A live message that was made from another one.
struct LiveCopy {
  std::int64_t original_id = 0;
  std::int64_t id = 0;
  std::int64_t queue_id = 0;
  const bindings::Queue* queue = nullptr;
};
/// The live copies of some messages, in the order of their queues; one pass over all messages.
[[nodiscard]] SARANGA_API std::vector<LiveCopy> find_copies(const LoadedStore& store,
                                                            const std::set<std::int64_t>& ids);

/// The ids of all messages of a user id, be they live or not: "ID:" in front does not count, nor
/// does the case of hexadecimal digits. Reads journals and pages once.
[[nodiscard]] SARANGA_API std::set<std::int64_t> find_user_id(const LoadedStore& store,
                                                              std::string_view user_id);

}  // namespace saranga::store
