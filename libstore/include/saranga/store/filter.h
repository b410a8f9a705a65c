// The one filter that every verb has: what an operator may say about which queues, messages,
// records and files are meant. Compiled once; times and names are understood then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/message/selector.h"
#include "saranga/store/glob.h"
#include "saranga/store/live_messages.h"

namespace saranga::store {

/// A filter in words. What one member lists are alternatives; the members have to hold together. A
/// member that is empty says nothing. Entries of lists may hold several, with commas, but not
/// names.
struct FilterSpec {
  std::vector<std::string> queues{};     ///< a name, a glob, or the id of a queue
  std::vector<std::string> addresses{};  ///< a name or a glob
  std::vector<std::string> ids{};        ///< "7", "7,9", "10-20"
  std::vector<std::string>
      user_ids{};  ///< a Core user id (with or without "ID:"), an AMQP message-id
  std::vector<std::string> transactions{};  ///< like ids
  std::vector<std::string> record_types{};  ///< "45", "ADD_REF"; case does not matter
  std::vector<std::string> files{};   ///< a glob of "journal/x.amq", or of the last part alone
  std::vector<std::string> states{};  ///< names of FilterState
  std::string since{};                ///< see times.h; sent at that time or later
  std::string until{};                ///< sent before that time
  std::string where{};                ///< a JMS selector
};

/// What `states` may name. A message can be several of these at once.
enum class FilterState : std::uint8_t {
  kPending,    ///< to be delivered
  kScheduled,  ///< to be delivered at a time that is still to come
  kDelivered,  ///< delivered before, and come back: its delivery count is not zero
  kPrepared,   ///< in doubt: sent or acknowledged by a prepared transaction
  kPaged,      ///< in a page file
  kOrphan,     ///< on a queue without a binding
  kExpired,    ///< its expiration has passed
  kLarge,      ///< its body is a file of its own
};

/// The names of the states, in their order: "pending", …
[[nodiscard]] SARANGA_API std::span<const std::string_view> filter_state_names();

/// A compiled filter. It remembers which of its names and ids have fitted something, so it is used
/// by one thread.
class SARANGA_API Filter {
 public:
  /// Selects everything.
  Filter() = default;
  /// The error says which member is wrong, and why. Times relative to now count from `now_ms`, and
  /// a message has expired when its expiration is before it.
  [[nodiscard]] static Result<Filter> compile(const FilterSpec& spec, std::int64_t now_ms);

  /// Whether the message, on this queue, fits everything that the filter says.
  [[nodiscard]] bool matches(const LiveMessage& message);
  /// Whether a message of the journal can match, by what is known of it without its record.
  [[nodiscard]] bool may_match(const Message& message);

  // ---- the parts, for verbs that look at something else than messages; true when nothing is said
  // --

  /// Whether messages of the queue can fit; `queue` is null when the id has no binding.
  [[nodiscard]] bool wants_queue(std::int64_t id, const bindings::Queue* queue);
  [[nodiscard]] bool wants_address(std::string_view name);
  [[nodiscard]] bool wants_id(std::int64_t id);
  [[nodiscard]] bool wants_transaction(std::int64_t id);
  [[nodiscard]] bool wants_record_type(std::int8_t type) const;
  /// `label` as in findings: "journal/activemq-data-1.amq".
  [[nodiscard]] bool wants_file(std::string_view label);
  [[nodiscard]] bool wants_time(std::int64_t timestamp_ms) const;

  /// Whether a message fits what is said of messages themselves: address, sender's id, time,
  /// selector.
  [[nodiscard]] bool wants_content(const message::StoredMessage& message,
                                   const MessageFacts& facts);
  /// The same without the address.
  [[nodiscard]] bool wants_message_content(const message::StoredMessage& message,
                                           const MessageFacts& facts);

  // What is said at all.
  [[nodiscard]] bool says_queue() const { return says(kQueue); }
  [[nodiscard]] bool says_address() const { return says(kAddress); }
  [[nodiscard]] bool says_id() const { return says(kId); }
  [[nodiscard]] bool says_transaction() const { return says(kTransaction); }
  [[nodiscard]] bool says_record_type() const { return says(kRecordType); }
  /// Something that only a message can fit: sender's id, time, selector.
  [[nodiscard]] bool says_message() const { return (said_ & (kUserId | kTime | kWhere)) != 0; }

  /// Whether messages on queue ids without a binding can match.
  [[nodiscard]] bool may_want_orphans() const;
  /// Whether it selects everything.
  [[nodiscard]] bool selects_all() const { return said_ == 0; }

  // ---- names that fit nothing
  // ---------------------------------------------------------------------

  /// Looks at every queue, address and file of the store, so that unmatched() knows of all of them.
  void survey(const LoadedStore& store);
  /// Looks at the queues and addresses of a catalog alone.
  void survey(const bindings::Catalog& catalog);

  struct Unmatched {
    std::string_view member;  ///< "queue", "address", "id", "user-id", "tx", "file"
    std::string text;         ///< as it was given
  };
  /// What was named and has fitted nothing so far. Ids of messages only count when everything was
  /// looked at (`saw_all`), names of queues, addresses and files in any case.
  [[nodiscard]] std::vector<Unmatched> unmatched(bool saw_all) const;

 private:
  /// A name, a glob or the id of a queue.
  struct Name {
    std::string text;
    Glob glob;
    std::optional<std::int64_t> id{};
    bool matched = false;

    [[nodiscard]] bool fits(std::string_view name) const {
      return text == name || glob.matches(name);
    }
  };
  /// Ids from first to last; the ranges of a list are sorted and apart from each other.
  struct IdRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::string text;
    bool matched = false;
  };
  struct UserId {
    std::string text;
    bool matched = false;
  };
  enum Said : std::uint32_t {
    kQueue = 1,
    kAddress = 2,
    kId = 4,
    kUserId = 8,
    kTransaction = 16,
    kRecordType = 32,
    kFile = 64,
    kTime = 128,
    kState = 256,
    kWhere = 512,
  };

  [[nodiscard]] static Result<std::vector<Name>> compile_names(
      std::string_view member, const std::vector<std::string>& texts, bool with_ids);
  [[nodiscard]] static Result<std::vector<IdRange>> compile_ids(
      std::string_view member, const std::vector<std::string>& texts);
  [[nodiscard]] Result<void> compile_record_types(const std::vector<std::string>& texts);
  [[nodiscard]] Result<void> compile_states(const std::vector<std::string>& texts);
  [[nodiscard]] Result<void> compile_times(const FilterSpec& spec);
  [[nodiscard]] Result<void> compile_where(const std::string& text);
  void note_what_is_said();

  [[nodiscard]] bool says(Said what) const { return (said_ & what) != 0; }
  [[nodiscard]] static bool contains(std::vector<IdRange>& ranges, std::int64_t id);
  [[nodiscard]] static bool any_fits(std::vector<Name>& names, std::string_view name);
  [[nodiscard]] bool queue_fits(std::int64_t id, const bindings::Queue* queue);
  [[nodiscard]] bool address_fits(const LiveMessage& message);
  [[nodiscard]] bool state_fits(const LiveMessage& message) const;
  [[nodiscard]] bool user_id_fits(const message::StoredMessage& message);
  [[nodiscard]] bool transaction_fits(const LiveMessage& message);
  [[nodiscard]] bool where_fits(const message::StoredMessage& message,
                                const MessageFacts& facts) const;

  std::uint32_t said_ = 0;
  std::int64_t now_ms_ = 0;
  std::vector<Name> queues_;
  std::vector<Name> addresses_;
  std::vector<Name> files_;
  std::vector<IdRange> ids_;
  std::vector<IdRange> transactions_;
  std::vector<UserId> user_ids_;
  std::set<std::int8_t> record_types_;
  std::uint32_t states_ = 0;  // bits by FilterState
  std::optional<std::int64_t> since_ms_;
  std::optional<std::int64_t> until_ms_;
  message::Selector where_;
  // Messages come queue by queue and file by file: the last answers serve nearly always.
  std::optional<std::int64_t> last_queue_;
  bool last_queue_fits_ = false;
  std::string last_file_;
  bool last_file_fits_ = false;
};

}  // namespace saranga::store
