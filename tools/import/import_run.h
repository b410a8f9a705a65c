// The two ways of `data import`: into a new folder, and into a store that is there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/io/new_folder.h"
#include "saranga/store/importer.h"
#include "tools/cli/store_locks.h"
#include "tools/cli/verb_options.h"
#include "tools/import/import_reader.h"

namespace saranga::importing {

struct ImportRunOptions {
  cli::VerbOptions verb;
  std::string input;
  std::string folder;  ///< the new one
  std::string into;    ///< the store that is there; empty: a new one is made
  bool force = false;
  bool keep_going = false;
  bool legacy_prefixes = false;
  std::optional<std::uint64_t> journal_file_bytes{};
  store::ImportOptions import{};
};

struct ImportOutcome {
  ReadExport read;
  store::ImportReport report;
};

/// One run. One thread.
class ImportRun {
 public:
  /// Both must outlive the run.
  ImportRun(cli::VerbRun& run, const ImportRunOptions& options) : run_(run), options_(options) {}

  /// An error leaves nothing behind.
  [[nodiscard]] Result<ImportOutcome> run();

 private:
  [[nodiscard]] Result<void> check_transactions();
  [[nodiscard]] Result<void> open_new();
  [[nodiscard]] Result<void> open_existing();

  cli::VerbRun& run_;
  const ImportRunOptions& options_;
  std::unique_ptr<NewFolder> target_;
  std::optional<cli::StoreLocks> locks_;
  std::unique_ptr<store::LoadedStore> existing_;
  store::ImportFolders folders_;
  store::ImportOptions import_;
  std::unique_ptr<store::StoreImporter> importer_;
};

}  // namespace saranga::importing
