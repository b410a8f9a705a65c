// Addresses and queues of an import: which there are, which are made, and which queue a message
// goes to. Private to this folder.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "libstore/import/import_journals.h"

namespace saranga::store {

/// A broker goes on above the greatest id that there is, and this room is never used up.
inline constexpr std::int64_t kGreatestKeptId = INT64_MAX - (std::int64_t{1} << 48);

/// A queue of the store that is written.
struct QueuePlace {
  std::int64_t id = 0;
  std::string name;     ///< empty: it has no binding
  std::string address;  ///< likewise
};

/// Takes what the export declares, and writes it when the first message asks for a queue: a rule
/// may send the messages of one queue to another that is declared later.
class ImportBindings {
 public:
  /// All must outlive it. `existing` is null for a new store; ids are taken from `next_id`.
  ImportBindings(ImportJournal& journal, const ImportOptions& options,
                 const bindings::Catalog* existing, std::int64_t& next_id, ImportReport& report);

  void declare(const ImportedAddress& address) { addresses_.push_back(address); }
  void declare(const ImportedQueue& queue) { queues_.push_back(queue); }
  void declare(const ImportedBinding& binding);
  /// Writes what was declared since the last time.
  [[nodiscard]] Result<void> settle();

  /// The queue that messages for that one go to. kInvalidArgument when there is none.
  [[nodiscard]] Result<const QueuePlace*> find(std::string_view name);
  /// The same for a queue of the archive; one without a name keeps its id in a new store.
  [[nodiscard]] Result<const QueuePlace*> find(std::int64_t archive_id, std::string_view name);
  /// What the rules are for that neither a message nor a binding was for.
  [[nodiscard]] std::vector<std::string> unused_rules() const;

 private:
  struct Declared {
    std::int64_t id = 0;
    std::int8_t type = 0;
    bool is_update = false;
    std::vector<std::byte> body;
  };

  [[nodiscard]] Result<void> settle(const Declared& declared);
  [[nodiscard]] Result<void> settle_queue(const Declared& declared);
  [[nodiscard]] Result<void> settle_queue(const ImportedQueue& queue);
  [[nodiscard]] Result<void> make_queue(const ImportedQueue& queue);
  [[nodiscard]] Result<void> settle_address(const Declared& declared);
  [[nodiscard]] Result<void> check_rules();
  [[nodiscard]] Result<void> need_address(const std::string& name, Routing routing);
  [[nodiscard]] Result<const QueuePlace*> create(const std::string& name);
  const QueuePlace* add(QueuePlace queue);
  [[nodiscard]] const std::string* rule_for(std::string_view name);
  [[nodiscard]] bool is_given_up(std::string_view name);
  void compare_address(const QueuePlace& there, const std::string& exported);

  ImportJournal& journal_;
  const ImportOptions& options_;
  const bindings::Catalog* existing_;
  std::int64_t& next_id_;
  ImportReport& report_;
  struct Rule {
    std::string to;
    bool used = false;
  };
  std::map<std::string, Rule, std::less<>> rules_;
  std::set<std::string, std::less<>> targets_;  // of the rules
  bool rules_checked_ = false;
  std::vector<ImportedAddress> addresses_;
  std::vector<ImportedQueue> queues_;
  std::vector<Declared> declared_;
  std::map<std::string, QueuePlace, std::less<>> by_name_;
  std::map<std::int64_t, const QueuePlace*> by_archive_id_;
  std::map<std::int64_t, QueuePlace> unbound_;
  std::set<std::string, std::less<>> known_addresses_;
  std::set<std::int64_t> dropped_;  // archive ids of bindings that were not written
};

}  // namespace saranga::store
