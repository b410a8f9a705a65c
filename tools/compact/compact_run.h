// The three ways to compact a store: as a plan, in place, and into another folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/io/new_folder.h"
#include "saranga/store/compaction.h"
#include "tools/cli/store_locks.h"
#include "tools/cli/verb_options.h"

namespace saranga::cli {

/// How a compaction checks itself before the old files go, besides reading what it wrote.
enum class CompactCheck : std::uint8_t {
  kRecords,  ///< counts and sums of the records
  kState,    ///< the digest of everything that is live, before and after
};

struct CompactOptions {
  VerbOptions verb;
  std::string to;  ///< empty: in place
  bool force = false;
  bool dry_run = false;
  CompactCheck check = CompactCheck::kRecords;
};

/// What became of a journal.
struct CompactedJournal {
  store::JournalPart part;
  journal::CompactionFigures figures;
  bool unchanged = false;  ///< there was nothing to gain
};

/// A folder that was, or would be, copied as it is.
struct CopiedFolder {
  std::string part;
  std::uint64_t bytes = 0;
};

struct CompactOutcome {
  std::vector<CompactedJournal> journals;
  std::vector<CopiedFolder> copied;
  std::string digest;  ///< hexadecimal; empty when nobody asked for it
};

/// One run. One thread.
class CompactRun {
 public:
  /// Both must outlive the run.
  CompactRun(VerbRun& run, const CompactOptions& options);
  ~CompactRun();
  CompactRun(const CompactRun&) = delete;
  CompactRun& operator=(const CompactRun&) = delete;

  [[nodiscard]] Result<CompactOutcome> run();

 private:
  struct Work;  // the compaction of one journal

  [[nodiscard]] Result<void> find();
  [[nodiscard]] Result<CompactOutcome> plan();
  [[nodiscard]] Result<CompactOutcome> in_place();
  [[nodiscard]] Result<CompactOutcome> copy();

  [[nodiscard]] Result<void> lock();
  [[nodiscard]] Result<void> refuse_running_broker() const;
  [[nodiscard]] Result<void> open_folders();
  [[nodiscard]] Result<void> run_until(Work& work, journal::Compactor::Phase phase);
  [[nodiscard]] Result<void> finish(Work& work, CompactOutcome& outcome);
  [[nodiscard]] journal::CompactorOptions options_for(const store::JournalPart& part);
  [[nodiscard]] Result<void> check_space_in_place() const;
  [[nodiscard]] Result<void> check_space_for_copy(std::uint64_t copied_bytes) const;
  [[nodiscard]] Result<void> copy_journals(NewFolder& target, CompactOutcome& outcome);
  [[nodiscard]] Result<void> copy_rest(NewFolder& target);
  [[nodiscard]] Result<void> copy_identity() const;
  /// What is wrong goes to the sinks: with the files, and with messages, pages and bodies.
  [[nodiscard]] Result<std::string> digest(store::StoreParts parts, FindingSink& of_load,
                                           FindingSink& of_messages);
  /// When asked for; tells what is wrong with messages, pages and bodies: nothing else reads them.
  [[nodiscard]] Result<void> digest_before(CompactOutcome& outcome);
  [[nodiscard]] Result<void> check_state(store::StoreParts parts, CompactOutcome& outcome);
  [[nodiscard]] store::StoreParts parts_with(const Work& work) const;
  [[nodiscard]] Error interrupted() const;

  VerbRun& run_;
  const CompactOptions& options_;
  store::Location location_;
  store::StoreParts parts_;
  std::optional<StoreLocks> locks_;
  std::unique_ptr<WritableDirectory> journal_;
  std::unique_ptr<WritableDirectory> bindings_;
  std::vector<std::unique_ptr<Work>> works_;
};

}  // namespace saranga::cli
