// Makes messages, queues and everything else of an export part of a store that no broker runs on: a
// new one, or one that is there (docs/format/archive.md#import).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/io/jobs.h"
#include "saranga/io/writable_directory.h"
#include "saranga/journal/journal_writer.h"
#include "saranga/store/import_target.h"
#include "saranga/store/loader.h"

namespace saranga::store {

/// Which ids messages, transactions and records get.
enum class ImportIds : std::uint8_t {
  kKeep,  ///< those that they have in the export; new ones where it gives none
  kNew,   ///< new ones, in the order of the export
};

/// What is for the queue `from` goes to the queue `to`. A name, or the id of a queue that has none.
struct QueueRule {
  std::string from;
  std::string to;
};

struct ImportOptions {
  ImportIds ids = ImportIds::kKeep;  ///< of an existing store always kNew
  std::vector<QueueRule> rules{};
  /// Makes queues that messages are for and nothing declares: anycast, on an address of that name.
  bool create_queues = false;
  /// What the names of queues begin with that are made for an id, as in an export.
  std::string undefined_prefix = "UndefinedQueue_";
  /// Leaves out a message that its queue has already: by its duplicate id, else by the id that the
  /// sender gave it.
  bool skip_duplicates = false;
  journal::WriterOptions journal{};  ///< of the message journal
};

/// The folders of a store, opened for writing.
struct ImportFolders {
  std::unique_ptr<WritableDirectory> bindings;
  std::unique_ptr<WritableDirectory> journal;
  std::unique_ptr<WritableDirectory> paging;
  std::unique_ptr<WritableDirectory> large_messages;
};

/// What an import has done.
struct ImportReport {
  /// A queue that the export has on another address than the one of this name that is there.
  struct QueueElsewhere {
    std::string queue;
    std::string address;   ///< where it is, and where messages for it come
    std::string exported;  ///< the address that the export says
  };

  std::uint64_t messages = 0;
  std::uint64_t references = 0;  ///< messages on queues
  std::uint64_t large_messages = 0;
  std::uint64_t paged_messages = 0;
  std::uint64_t unpaged_messages = 0;  ///< that were in pages, and are in the journal now
  std::uint64_t duplicates = 0;        ///< left out, because their queue has them already
  std::uint64_t without_key = 0;      ///< with nothing that could tell whether their queue has them
  std::uint64_t before_pages = 0;     ///< of `references`: ahead of older messages in pages
  std::uint64_t lost_bodies = 0;      ///< large messages that came without their whole body
  std::uint64_t lost_references = 0;  ///< to queues without a binding, which a broker drops
  std::uint64_t addresses = 0;        ///< made
  std::uint64_t queues = 0;           ///< made
  std::uint64_t settings = 0;         ///< other records of the bindings
  std::uint64_t settings_left_out = 0;
  std::uint64_t records = 0;
  std::uint64_t records_left_out = 0;
  std::uint64_t transactions = 0;           ///< in doubt
  std::vector<std::string> unused_rules{};  ///< QueueRule::from of those that nothing was for
  std::vector<QueueElsewhere> queues_elsewhere{};
};

/// Writes a store. What it writes to a new one counts when finish() has succeeded; to an existing
/// one in a single transaction, that finish() commits: before, and after a crash, a broker sees
/// nothing of it. One thread.
///
/// Errors as of its bases. In an existing store nothing can be put in doubt: messages that a
/// prepared transaction has sent or acknowledged are kInvalidArgument.
class SARANGA_API StoreImporter final : public ArchiveTarget {
 public:
  /// `existing` is what the folders hold, null for new ones. The caller holds the locks of the
  /// broker. `jobs`, `sink` and `existing` must outlive the importer. Nothing is written before the
  /// first call of another function.
  [[nodiscard]] static std::unique_ptr<StoreImporter> create(ImportFolders folders,
                                                             ImportOptions options,
                                                             const LoadedStore* existing,
                                                             JobRunner& jobs, FindingSink& sink);
  /// Takes back what was done to an existing store, unless it is finished.
  ~StoreImporter() override;
  StoreImporter(const StoreImporter&) = delete;
  StoreImporter& operator=(const StoreImporter&) = delete;

  [[nodiscard]] Result<void> address(const ImportedAddress& address) override;
  [[nodiscard]] Result<void> queue(const ImportedQueue& queue) override;
  [[nodiscard]] Result<void> begin_message(std::optional<std::int64_t> id) override;
  [[nodiscard]] Result<void> append_body(Bytes piece) override;
  [[nodiscard]] Result<void> end_message(const ImportedCoreMessage& message) override;

  void reserve_ids(std::int64_t counter) override;
  [[nodiscard]] Result<void> binding(const ImportedBinding& binding) override;
  [[nodiscard]] Result<void> end_stored_message(const ImportedStoredMessage& message) override;
  [[nodiscard]] Result<void> reference(std::int64_t message_id,
                                       const ImportedPlace& place) override;
  [[nodiscard]] Result<void> record(const ImportedRecord& record) override;
  [[nodiscard]] Result<void> transaction(std::int64_t tx_id, Bytes xid) override;

  /// Prepared transactions that messages or records are part of, and that were not told of
  /// themselves: what is in doubt would be lost with them. By their ids in the archive.
  [[nodiscard]] std::vector<std::int64_t> unprepared_transactions() const;
  /// Writes what is still missing, makes all durable and commits. Nothing may follow.
  [[nodiscard]] Result<ImportReport> finish();

 private:
  struct State;
  explicit StoreImporter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace saranga::store
