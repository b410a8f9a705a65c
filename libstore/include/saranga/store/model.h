// The live state of the message journal: what a starting broker would hold in memory, folded from
// facts. No I/O and no command-line notions; a broker starts from it
// (docs/format/messages.md#building-the-queues).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "saranga/bindings/catalog.h"
#include "saranga/bytes/finding.h"
#include "saranga/bytes/id_hash.h"
#include "saranga/journal/id_set.h"
#include "saranga/journal/transaction_fold.h"
#include "saranga/paging/cursors.h"
#include "saranga/store/fact.h"
#include "saranga/store/segmented.h"

namespace saranga::store {

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// A message of the journal. 40 bytes: a million of them have to fit beside everything else.
struct Message {
  static constexpr std::uint8_t kLarge = 1;
  static constexpr std::uint8_t kAmqp = 2;
  static constexpr std::uint8_t kNotDurable = 4;
  static constexpr std::uint8_t kScheduled = 8;  ///< has a schedule of its own
  static constexpr std::uint8_t kDamaged = 16;   ///< does not decode
  static constexpr std::uint8_t kIndexed = 32;   ///< has so many references that they are indexed
  static constexpr std::uint8_t kDead = 128;     ///< deleted, waits to be swept

  std::int64_t id = 0;
  journal::Place place{};
  std::int64_t timestamp_ms = 0;  ///< since 1970, 0 = unset
  std::uint32_t body_bytes = 0;
  std::uint32_t first_reference = kNone;
  std::uint32_t expiration_s = 0;             ///< whole seconds since 1970, at most those of 2106
  std::uint32_t expiration_rest_ms : 10 = 0;  ///< what is left over
  std::uint32_t priority : 4 = 4;             ///< 0 to 9; whatever a record has above 15 is 15
  std::uint32_t frame_bytes : 10 = 0;  ///< of its records but the body: Model::record_bytes()
  std::uint8_t flags = 0;

  [[nodiscard]] bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  /// Since 1970, 0 = never.
  [[nodiscard]] std::int64_t expiration_ms() const {
    return std::int64_t{expiration_s} * 1000 + expiration_rest_ms;
  }
};

/// A message on a queue.
struct Reference {
  enum class State : std::uint32_t {
    kPending,
    kInDoubtAck,   ///< a prepared transaction has acknowledged it
    kInDoubtSend,  ///< a prepared transaction has sent it
    kDead,         ///< acknowledged, waits to be swept
  };
  std::uint32_t message = 0;     ///< index in Model::messages()
  std::uint32_t next = kNone;    ///< next reference of the same message
  std::uint32_t queue : 29 = 0;  ///< index in Model::queue_ids()
  State state : 2 = State::kPending;
  bool has_extra : 1 = false;  ///< a delivery count or a schedule is known
};
static_assert(sizeof(Message) == 40 && sizeof(Reference) == 12);

/// What only few references have.
struct ReferenceExtra {
  std::int32_t delivery_count = 0;
  std::int64_t scheduled_ms = 0;
};

/// A record that is neither a message nor about a reference, in load order.
struct OtherRecord {
  std::int8_t type = 0;
  bool is_update = false;
  std::uint32_t length_bytes = 0;
  std::int64_t id = 0;
  journal::Place place{};
  std::int64_t queue = 0;
  std::int64_t value = 0;
  std::int32_t count = 0;
};

/// A page transaction: the sends of one transaction that were paged.
struct PageTransaction {
  std::int64_t record_id = 0;
  std::int64_t remaining = 0;  ///< references not yet acknowledged, as the records count them
  bool in_doubt = false;       ///< of a prepared transaction
};

/// A transaction in doubt, with what its records say.
struct PreparedTransaction {
  std::int64_t tx_id = 0;
  journal::Place prepare{};
  std::vector<Fact> records;
  std::vector<Fact> deletes;
};

/// The fold. Drive it from one thread: apply() every fact in file order, then finish() once.
class SARANGA_API Model {
 public:
  /// `sink` receives what does not fit together, with file names from `file_names[place.file()]`.
  Model(FindingSink& sink, const std::vector<std::string>& file_names);

  /// Makes the model add up the bytes of surviving records; to be called before anything is
  /// applied.
  void count_bytes() { counts_bytes_ = true; }
  /// Makes room for about so many messages, within bounds: a table that grows later is filled anew
  /// each time. To be called before anything is applied.
  void expect(std::uint64_t messages);
  /// Asks the processor to bring what apply() will look at for this id; to be called some facts
  /// ahead. Changes nothing.
  void prefetch(std::int64_t id) const;
  void apply(const Fact& fact);
  /// Applies prepared transactions and drops what a broker would drop; the catalog tells the
  /// queues. References on others are only told when a bindings journal was read: without one
  /// nobody knows the queues, and that is told once for all of them.
  void finish(const bindings::Catalog& catalog, bool bindings_read);

  // ---- the state, complete after finish()
  // ---------------------------------------------------------

  [[nodiscard]] const SegmentedVector<Message>& messages() const { return messages_; }
  /// In the order of arrival on their queues.
  [[nodiscard]] const SegmentedVector<Reference>& references() const { return references_; }
  [[nodiscard]] const std::vector<std::int64_t>& queue_ids() const { return queue_ids_; }
  [[nodiscard]] ReferenceExtra extra(std::uint32_t reference) const;
  [[nodiscard]] const Message* find(std::int64_t id) const;
  [[nodiscard]] const std::vector<PreparedTransaction>& prepared() const { return prepared_; }
  [[nodiscard]] const std::vector<PreparedTransaction>& incomplete() const { return incomplete_; }
  /// Duplicate ids, heuristic outcomes, counters, retries and whatever has an unknown type.
  [[nodiscard]] const std::vector<OtherRecord>& others() const { return others_; }
  [[nodiscard]] const std::map<std::int64_t, PageTransaction>& page_transactions() const {
    return page_transactions_;
  }
  [[nodiscard]] const paging::Cursors& cursors() const { return cursors_; }
  /// Cursor acknowledgements of prepared transactions.
  [[nodiscard]] const paging::Cursors& cursors_in_doubt() const { return cursors_in_doubt_; }
  /// The highest id that any record, message or transaction uses.
  [[nodiscard]] std::int64_t highest_id() const { return highest_id_; }
  [[nodiscard]] std::uint64_t live_messages() const { return messages_.size() - dead_messages_; }
  [[nodiscard]] std::uint64_t live_references() const {
    return references_.size() - dead_references_;
  }
  [[nodiscard]] const journal::IdSet& deleted() const { return deleted_; }
  /// Bytes of the records that a load keeps, those of prepared transactions included. The others
  /// are dead: deletes, outcomes, and whatever they are about. 0 unless count_bytes() was called.
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }

 private:
  // A record about a message or a reference that is not there when it comes.
  struct Stray {
    std::int64_t id = 0;
    std::int64_t queue = 0;
    journal::Place place{};
    std::uint32_t length_bytes = 0;
    std::int8_t type = 0;
  };
  // A queue id that was met lately, and its index: most records name one of few queues.
  struct RecentQueue {
    std::int64_t id = 0;
    std::uint32_t index = kNone;
  };
  static constexpr std::uint64_t kRecentQueues = 61;
  // A reference of an indexed message, and the one in front of it in the message's list.
  struct Link {
    std::uint32_t reference = kNone;
    std::uint32_t previous = kNone;
  };

  void apply_committed(const Fact& fact);
  void commit(const Fact& fact);
  void add_message(const Fact& fact);
  void add_reference(const Fact& fact, Reference::State state);
  void acknowledge(const Fact& fact);
  void set_extra(const Fact& fact);
  void remove(std::int64_t id);
  void kill_reference(std::uint32_t index);
  void kill_references_of(Message& message);
  [[nodiscard]] std::uint32_t index_of(std::int64_t id) const;
  [[nodiscard]] std::uint32_t reference_on(std::uint32_t message, std::int64_t queue);
  void index_references(std::uint32_t message);
  void unlink(std::uint32_t reference);
  void add_stray(const Fact& fact);
  void prune_strays();
  void report_stray(const Stray& stray);
  [[nodiscard]] std::uint32_t record_bytes(std::uint32_t message) const;
  void add_bytes(std::uint32_t message, std::uint32_t bytes);
  void set_bytes(std::uint32_t message, std::uint32_t bytes);
  void sum_live_bytes();
  [[nodiscard]] std::uint32_t queue_index(std::int64_t queue);
  void insert_index(std::uint32_t message);
  void rebuild_index(std::size_t slots);
  void sweep();
  void finish_others();
  void finish_prepared();
  void prepare_fact(const Fact& fact);
  void report_unbound(const bindings::Catalog& catalog);
  void report(std::string_view code, Severity severity, const Fact& fact, std::string text);

  FindingSink& sink_;
  const std::vector<std::string>& file_names_;
  SegmentedVector<Message> messages_;
  SegmentedVector<Reference> references_;
  // Ids that follow each other spread evenly under a multiplication, and nobody who writes a file
  // knows the multiplier.
  [[nodiscard]] std::size_t slot_of(std::int64_t id) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) * multiplier_ >> slot_shift_);
  }
  std::uint64_t multiplier_ = id_multiplier();
  unsigned slot_shift_ = 0;           // 64 less the bits of a slot's number
  std::vector<std::uint32_t> slots_;  // open addressing: message index by id
  std::uint64_t dead_messages_ = 0;
  std::uint64_t dead_references_ = 0;
  std::vector<std::int64_t> queue_ids_;
  IdMap<std::uint32_t> queue_indexes_;
  std::array<RecentQueue, kRecentQueues> recent_queues_{};  // by id modulo their number
  IdMap<ReferenceExtra, std::uint32_t> extras_;
  IdMap<Link, std::uint64_t> links_;  // of indexed messages, by message and queue
  std::vector<Stray> strays_;
  std::size_t prune_strays_at_ = std::size_t{1} << 14;
  // By message; empty as long as each message has room for its own sum.
  SegmentedVector<std::uint32_t> record_bytes_;
  std::uint64_t live_bytes_ = 0;
  bool counts_bytes_ = false;
  std::vector<OtherRecord> others_;
  journal::IdSet deleted_;
  journal::TransactionFold<Fact> transactions_;
  std::vector<PreparedTransaction> prepared_;
  std::vector<PreparedTransaction> incomplete_;
  std::map<std::int64_t, PageTransaction> page_transactions_;
  paging::Cursors cursors_;
  paging::Cursors cursors_in_doubt_;
  std::int64_t highest_id_ = -1;
};

}  // namespace saranga::store
