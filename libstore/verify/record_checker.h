// The checks of single records, of both journals and of pages, and what they gather for the checks
// across the store. Private to this folder.
#pragma once

#include <map>
#include <vector>

#include "libstore/verify/message_check.h"
#include "libstore/verify/target_check.h"
#include "saranga/store/record_check.h"
#include "saranga/store/verify.h"

namespace saranga::store {

/// An id, and who uses it.
struct UsedId {
  std::int64_t id = -1;
  std::string file{};
  std::uint64_t offset = 0;

  void take(const UsedId& other) {
    if (other.id > id) *this = other;
  }
};

/// What all records together say that the live state does not keep.
struct GatheredRecords {
  UsedId highest_bindings_id;  ///< of records and transactions
  UsedId highest_journal_id;   ///< likewise, deletes included
  std::uint64_t record_count = 0;
  bool any_old_message = false;  ///< type 31
  bool any_new_message = false;  ///< type 45
  /// The caches of duplicate ids that records name, and which record belongs to which.
  std::map<std::string, std::uint32_t, std::less<>> caches{};
  struct DuplicateId {
    std::int64_t record_id = 0;
    std::uint32_t cache = 0;
  };
  std::vector<DuplicateId> duplicate_ids{};
  /// Of each queue the first binding whose metadata is null, surviving or not.
  std::map<std::int64_t, UsedId> null_metadata{};
  TargetTally bindings_target;
  TargetTally journal_target;
};

/// Makes the checks of windows. With `bodies` off it only gathers.
class RecordChecker final : public RecordCheck {
 public:
  RecordChecker(const VerifyOptions& options, FindingSink& sink)
      : options_(options), bodies_(options.level >= CheckLevel::kBodies), sink_(sink) {}

  [[nodiscard]] std::unique_ptr<WindowCheck> begin_window(journal::JournalKind journal,
                                                          const std::string& label) override;
  [[nodiscard]] const GatheredRecords& gathered() const { return gathered_; }
  [[nodiscard]] GatheredRecords& gathered() { return gathered_; }

 private:
  class Window;

  const VerifyOptions& options_;
  const bool bodies_;
  FindingSink& sink_;
  GatheredRecords gathered_;
};

}  // namespace saranga::store
