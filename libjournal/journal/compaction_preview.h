// A folder as it will be when its compaction is finished.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "libjournal/journal/compaction_output.h"
#include "saranga/journal/folder.h"

namespace saranga::journal {

/// Shows the new files under their final names and hides the old ones. Reads from the folder, which
/// must outlive it.
class CompactionPreview final : public ReadableDirectory {
 public:
  /// `consumed` says of each of the files whether it goes.
  CompactionPreview(const ReadableDirectory& directory, const JournalFolder& folder,
                    const std::vector<bool>& consumed, const std::vector<OutputFile>& outputs);

  [[nodiscard]] const std::string& path() const override { return directory_.path(); }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override {
    return directory_.open_directory(name);
  }

 private:
  const ReadableDirectory& directory_;
  std::set<std::string, std::less<>> hidden_;
  std::map<std::string, std::string, std::less<>> renamed_;  // by final name
};

}  // namespace saranga::journal
