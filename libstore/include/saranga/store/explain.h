// Why the files of a store are still there: what is in each of them, which messages, deletes and
// transactions keep it, and what would let it go (docs/format/journal.md#reclaiming-and-reuse,
// docs/format/paging.md#life-of-a-page). Answers are data; nothing here makes text of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/journal/liveness.h"
#include "saranga/store/loader.h"

namespace saranga::store {

/// Accounts for both journals while a store is loaded: LoadOptions::observer takes it.
class SARANGA_API StoreAccounting final : public RecordObserver {
 public:
  StoreAccounting();
  void record(journal::JournalKind journal, const journal::Record& record,
              std::size_t file) override;
  /// To be called once, when the store is loaded.
  void finish();
  [[nodiscard]] const journal::Liveness& messages() const { return messages_; }
  [[nodiscard]] const journal::Liveness& bindings() const { return bindings_; }

 private:
  journal::Liveness messages_;
  journal::Liveness bindings_;
};

// ---- what holds something
// -------------------------------------------------------------------------

/// Messages of one queue.
struct QueueShare {
  std::int64_t queue_id = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of their records or entries in the file in question
};

/// What lets records go that are no messages of a queue, besides a compaction.
enum class Release : std::uint8_t {
  kNextStart,      ///< a starting broker deletes them
  kPageDeleted,    ///< positions in a page: they go with it
  kPagedConsumed,  ///< a transaction whose messages were paged: all of them have to be consumed
  kNewerIds,       ///< duplicate ids: enough newer ones push them out of the cache
  kForgotten,      ///< a heuristic outcome: the transaction manager has to forget it
  kReplaced,       ///< a counter: the next one replaces it
  kConfiguration,  ///< as long as the queue, address or setting is there
  kCompaction,     ///< nothing else
};

/// "next_start", "page_deleted", … A constant.
[[nodiscard]] SARANGA_API std::string_view release_name(Release release);

/// Records of one type that are no messages of a queue.
struct RecordShare {
  std::int8_t user_type = 0;
  std::string_view name{};  ///< of the type; empty when it is not known
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  Release release = Release::kCompaction;
};

/// A transaction without outcome.
struct TransactionShare {
  std::int64_t tx_id = 0;
  bool prepared = false;  ///< otherwise the next start rolls it back
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

/// Everything that has to happen before a file can go.
struct Needs {
  std::vector<QueueShare> acknowledge{};  ///< most messages first; bytes are not counted
  std::uint64_t other_queues = 0;         ///< that `acknowledge` leaves out: it has at most 100
  std::uint64_t messages = 0;             ///< different messages, those of other queues included
  std::uint64_t unreferenced = 0;         ///< messages on no queue: the next start deletes them
  std::vector<TransactionShare> settle{};
  std::vector<RecordShare> others{};  ///< bytes are not counted
  bool close_current = false;         ///< some deletes are in the current file: it has to be closed
  bool retention_copy = false;        ///< a copy to the retention folder has to be made
  bool compaction = false;            ///< nothing but a compaction helps

  /// Acknowledging messages is enough, besides what the next start does.
  [[nodiscard]] SARANGA_API bool only_acknowledge() const;
};

// ---- files
// ----------------------------------------------------------------------------------------

/// The live record of the lowest id in a file.
struct OldestPin {
  std::int64_t id = 0;
  std::int64_t timestamp_ms = 0;  ///< of its message; 0 when it is none or does not say
};

/// One file of a journal.
struct JournalFileReport {
  std::string file;  ///< "journal/activemq-data-1.amq"
  std::int64_t header_id = 0;
  journal::JournalFile::Role role = journal::JournalFile::Role::kData;
  std::uint64_t size_bytes = 0;
  journal::ByteAccount account{};
  std::uint64_t live_records = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t pending_bytes = 0;     ///< records of transactions without outcome
  std::uint64_t dead_bytes = 0;        ///< all other records, deletes and outcomes included
  std::uint64_t replaced_records = 0;  ///< of ids that were added again
  std::uint64_t replaced_bytes = 0;
  std::uint64_t positives = 0;  ///< Artemis' counts, see journal::FileLiveness
  std::uint64_t adds = 0;
  std::uint64_t replaceables = 0;
  journal::FileVerdict verdict{};    ///< `needed_for` counts the files of the same journal
  std::vector<QueueShare> queues{};  ///< whose messages have live records here, most bytes first
  std::uint64_t messages = 0;        ///< different messages in `queues`
  std::uint64_t unreferenced = 0;    ///< messages on no queue that have live records here
  std::vector<RecordShare> others{};
  std::vector<TransactionShare> transactions{};
  std::optional<OldestPin> oldest{};
  /// Of a kept file: the files that hold something of their own and have to go before or with it,
  /// itself included, ascending. Empty and `too_many` when there are more than 256 of them.
  std::vector<std::uint32_t> held_by{};
  bool too_many = false;
  std::optional<Needs> needs{};  ///< of a kept file that is not `too_many`

  [[nodiscard]] journal::FileState state() const { return verdict.state; }
};

/// What a broker does with a page file.
enum class PageState : std::uint8_t {
  kHeld,         ///< messages are still to be consumed
  kCurrent,      ///< is written to; goes when everything of its address is consumed
  kDone,         ///< consumed by everybody: the next clean-up deletes it
  kAddressGone,  ///< its address has no record: the next start deletes the folder
  kQuarantined,  ///< put aside by a broker because of damage, never read again
};

/// "held", "current", … A constant.
[[nodiscard]] SARANGA_API std::string_view page_state_name(PageState state);

/// One page file.
struct PageReport {
  std::string file;  ///< "paging/<folder>/000000001.page"
  std::string address;
  std::int64_t number = 0;
  std::uint64_t size_bytes = 0;
  PageState state = PageState::kHeld;
  std::uint64_t entries = 0;
  std::uint64_t messages = 0;        ///< different messages that hold it
  std::uint64_t live_bytes = 0;      ///< of their entries
  std::vector<QueueShare> queues{};  ///< most messages first; those in doubt are not counted
  std::vector<TransactionShare> transactions{};  ///< prepared ones that hold it
  std::uint64_t uncommitted = 0;                 ///< entries of transactions that never committed
  std::int64_t oldest_ms = 0;     ///< timestamp of the oldest of `messages`, 0 unknown
  std::uint64_t large_bytes = 0;  ///< body files that go with the page
};

/// Why a large-message file is there.
enum class LargeState : std::uint8_t {
  kHeld,          ///< its message is on a queue, or in doubt
  kPage,          ///< its message is consumed; the file goes with the page
  kUnreferenced,  ///< its message is on no queue: the next start deletes both
  kOrphan,        ///< no message: the next start deletes it (releases before 2.29 leave it)
  kTemporary,     ///< .tmp of a message that is not durable: the next start deletes it
  kSync,          ///< .sync of a replica: nobody deletes it
};

/// "held", "page", … A constant.
[[nodiscard]] SARANGA_API std::string_view large_state_name(LargeState state);

/// One large-message file.
struct LargeFileReport {
  std::string file;  ///< "large-messages/123.msg"
  std::int64_t id = 0;
  std::uint64_t size_bytes = 0;
  LargeState state = LargeState::kOrphan;
  std::string held_in{};                     ///< journal or page file that holds the message
  std::vector<std::int64_t> queues{};        ///< ascending
  std::vector<std::int64_t> transactions{};  ///< prepared ones that hold it
};

/// A file beside the journals that is no part of them.
struct Leftover {
  std::string file;
  std::uint64_t size_bytes = 0;
  std::string_view why{};  ///< "creating", "leftover", "consumed", "control", "short", "attic", …
  bool next_start_deletes = false;
};

// ---- what would help
// ------------------------------------------------------------------------------

/// What goes when something is done.
struct Freed {
  std::uint64_t journal_files = 0;
  std::uint64_t pages = 0;
  std::uint64_t large_files = 0;
  std::uint64_t others = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool nothing() const { return journal_files + pages + large_files + others == 0; }
};

/// Everything that one queue keeps on disk.
struct QueueUsage {
  std::int64_t queue_id = 0;
  std::uint64_t messages = 0;       ///< in the journal
  std::uint64_t journal_bytes = 0;  ///< of their live records
  std::uint64_t journal_files = 0;  ///< that hold such records
  std::uint64_t paged_messages = 0;
  std::uint64_t pages = 0;       ///< that hold such messages
  std::uint64_t page_bytes = 0;  ///< of their entries
  std::uint64_t large_files = 0;
  std::uint64_t large_bytes = 0;
  std::optional<Freed> when_empty{};  ///< what goes when the queue is emptied; unset: not counted

  [[nodiscard]] std::uint64_t bytes() const { return journal_bytes + page_bytes + large_bytes; }
};

/// One thing to do and what it gives.
struct Advice {
  enum class Action : std::uint8_t {
    kNothing,      ///< the next check of a running or starting broker does it
    kStart,        ///< the next start does it
    kAcknowledge,  ///< these messages have to be acknowledged
    kEmptyQueue,   ///< all messages of the queue
    kSettle,       ///< end a prepared transaction: `outcome` says how
    kCompact,
  };
  Action action = Action::kNothing;
  std::vector<QueueShare> queues{};  ///< of kAcknowledge and kEmptyQueue, most messages first
  std::uint64_t messages = 0;        ///< different messages
  /// Of kAcknowledge: ascending, all of them unless there are more than ExplainOptions::most_ids.
  std::vector<std::int64_t> message_ids{};
  std::int64_t tx_id = 0;      ///< of kSettle
  std::string_view outcome{};  ///< of kSettle: "commit", "rollback" or "either"
  Freed frees{};
  bool close_current = false;      ///< the deletes count once the current journal file is closed
  bool by_itself = false;          ///< of kCompact: the broker's rules would start it
  std::uint64_t output_files = 0;  ///< of kCompact, about
};

/// "none", "start", "acknowledge", … A constant.
[[nodiscard]] SARANGA_API std::string_view action_name(Advice::Action action);

/// Sizes of one part of the store.
struct PartTotal {
  std::string_view part{};  ///< "journal", "bindings", "paging", "large-messages"
  std::uint64_t files = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t live_bytes = 0;    ///< held by messages, transactions, and records that count
  std::uint64_t dead_bytes = 0;    ///< records that count no more, orphans
  std::uint64_t unused_bytes = 0;  ///< stale, padding, headers, unreadable
};

/// The whole answer.
struct Explanation {
  std::vector<PartTotal> parts;
  std::vector<JournalFileReport> journal;    ///< in the order of reading
  std::vector<JournalFileReport> bindings;   ///< likewise
  journal::CompactionOutlook compaction{};   ///< of the message journal
  std::vector<PageReport> pages;             ///< by address and number
  std::vector<LargeFileReport> large_files;  ///< by id
  std::vector<Leftover> leftovers;           ///< by name
  std::vector<QueueUsage> queues;            ///< what frees most when emptied first
  std::vector<Advice> advice;
};

struct ExplainOptions {
  journal::CompactionRules rules{};
  std::size_t most_advice = 5;  ///< lines of acknowledgements and of queues each
  std::size_t most_ids = 1000;  ///< message ids in one line of advice
};

/// Explains a loaded store. Pages are read by `jobs`; what is wrong with them goes to `sink`.
/// Memory: what the sums by file and queue need, besides the store and its accounting.
[[nodiscard]] SARANGA_API Explanation explain(const LoadedStore& store,
                                              const StoreAccounting& accounting,
                                              const ExplainOptions& options, JobRunner& jobs,
                                              FindingSink& sink);

/// The size that most files of the message journal have; Artemis' standard when there is none.
[[nodiscard]] SARANGA_API std::uint64_t usual_file_size(const LoadedStore& store);

// ---- single records
// -------------------------------------------------------------------------------

/// One record or page entry that holds its file.
struct Pin {
  enum class Why : std::uint8_t {
    kMessage,        ///< of a message that is on queues or in doubt
    kUnreferenced,   ///< of a message on no queue
    kRecord,         ///< another record that counts: `release` says how long
    kTransaction,    ///< of a transaction without outcome
    kNeededDelete,   ///< deletes what is still in an earlier file
    kNeededOutcome,  ///< ends a transaction that wrote to an earlier file
    kReplaced,       ///< of an id that was added again
    kPaged,          ///< a paged message that is still to be consumed
  };
  std::string_view file{};
  std::uint64_t offset = 0;
  std::uint32_t length_bytes = 0;
  Why why = Why::kMessage;
  journal::RecordKind kind = journal::RecordKind::kAdd;  ///< of a record
  std::int8_t user_type = 0;
  std::int64_t id = 0;          ///< record or message id
  std::int64_t tx_id = 0;       ///< of a record in a transaction
  std::int32_t page_index = 0;  ///< of an entry
  Release release = Release::kCompaction;
  std::vector<std::int64_t> queues{};          ///< whose acknowledgement lets it go
  std::vector<std::int64_t> transactions{};    ///< whose outcome lets it go
  std::vector<std::string_view> needed_for{};  ///< files that a needed delete or outcome is about
};

/// "message", "unreferenced_message", "record", "transaction", … A constant.
[[nodiscard]] SARANGA_API std::string_view why_name(Pin::Why why);

/// Receives pins; returns false to end.
class SARANGA_API PinVisitor {
 public:
  virtual ~PinVisitor() = default;
  virtual bool pin(const Pin& pin) = 0;
};

/// Visits every record that holds a journal file, in the order of the file, reading it again.
/// `file` is an index in Explanation::journal or ::bindings.
[[nodiscard]] SARANGA_API Result<void> visit_pins(const LoadedStore& store,
                                                  const StoreAccounting& accounting,
                                                  const Explanation& explanation,
                                                  journal::JournalKind journal, std::size_t file,
                                                  PinVisitor& visitor);

/// Visits every entry that holds a page; `page` is an index in Explanation::pages.
SARANGA_API void visit_pins(const LoadedStore& store, const PageReport& page, PinVisitor& visitor,
                            FindingSink& sink);

/// Visits the records of the message journal by which an id is live, reading their files again, and
/// the page entries by which a message is still to be consumed. None when it is neither.
[[nodiscard]] SARANGA_API Result<void> visit_records_of(const LoadedStore& store,
                                                        const StoreAccounting& accounting,
                                                        std::int64_t id, PinVisitor& visitor,
                                                        FindingSink& sink);

}  // namespace saranga::store
