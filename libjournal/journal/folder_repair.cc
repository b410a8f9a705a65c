#include "libjournal/journal/folder_repair.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace saranga::journal {
namespace {

bool has_file(const JournalFolder& folder, std::string_view name) {
  return std::ranges::find(folder.files, name, &JournalFile::name) != folder.files.end();
}

Result<void> remove_odd(WritableDirectory& directory, const JournalFolder& folder,
                        std::initializer_list<OddFile::Why> reasons) {
  for (const OddFile& odd : folder.odd) {
    if (std::ranges::find(reasons, odd.why) == reasons.end()) continue;
    if (auto removed = directory.remove(odd.name); !removed) return removed;
  }
  return {};
}

Result<void> sync_names(WritableDirectory& directory, bool datasync) {
  return datasync ? directory.sync() : Result<void>{};
}

// Whoever wrote the control file may have been killed before it was durable. Nothing may be removed
// on the strength of a file that a power failure could still take away.
Result<void> sync_control(WritableDirectory& directory, bool datasync) {
  if (!datasync) return {};
  auto control = directory.open_for_writing(kControlFileName);
  if (!control) return std::unexpected(control.error());
  if (auto synced = (*control)->sync_data(); !synced) return synced;
  return directory.sync();
}

}  // namespace

std::string final_name(const JournalFile& compacted) {
  return compacted.name.substr(0, compacted.name.size() - kCompactedSuffix.size());
}

Result<void> check_before_writing(const JournalFolder& folder) {
  for (const OddFile& odd : folder.odd) {
    if (odd.why == OddFile::Why::kUnreadable) {
      return fail(ErrorCode::kIo, "cannot be read, so the journal cannot be opened", odd.name);
    }
    if (odd.why == OddFile::Why::kDuplicate) {
      return fail(ErrorCode::kUnsupported, "waits for its retention copy; move it away first",
                  odd.name);
    }
  }
  for (const JournalFile& file : folder.files) {
    if (file.role == JournalFile::Role::kRetention) {
      return fail(ErrorCode::kUnsupported,
                  "holds records and waits for its retention copy; start the broker with retention "
                  "once, or give the file its name without .bkp back",
                  file.name);
    }
    if (file.header_guessed || file.header.id > kGreatestId ||
        name_number(file.name) > kGreatestId) {
      return fail(ErrorCode::kDamaged,
                  "its header or its number is damaged, so the journal cannot be opened",
                  file.name);
    }
    if (file.role == JournalFile::Role::kCompacted && has_file(folder, final_name(file))) {
      return fail(ErrorCode::kDamaged, "is to be renamed, but there is a file of that name",
                  file.name);
    }
  }
  if (folder.plan && !folder.plan->renames.empty()) {
    return fail(ErrorCode::kUnsupported, "lists renames, which no release writes",
                std::string(kControlFileName));
  }
  return {};
}

// The control file goes last, when all else is durable.
Result<void> finish_compaction(WritableDirectory& directory, JournalFolder& folder, bool datasync) {
  if (folder.plan) {
    if (auto synced = sync_control(directory, datasync); !synced) return synced;
  }
  if (auto removed = remove_odd(directory, folder, {OddFile::Why::kConsumed}); !removed) {
    return removed;
  }
  for (JournalFile& file : folder.files) {
    if (file.role != JournalFile::Role::kCompacted) continue;
    std::string name = final_name(file);
    if (auto renamed = directory.rename(file.name, name); !renamed) return renamed;
    file.name = std::move(name);
    file.role = JournalFile::Role::kData;
  }
  if (folder.plan) {
    if (auto synced = sync_names(directory, datasync); !synced) return synced;
  }
  return remove_odd(directory, folder, {OddFile::Why::kControl});
}

// What a process renamed or removed before it was killed may not be durable yet; without this sync,
// records could go to a file whose name a power failure takes away.
Result<void> remove_leftovers(WritableDirectory& directory, const JournalFolder& folder,
                              bool datasync) {
  auto removed = remove_odd(
      directory, folder, {OddFile::Why::kCreating, OddFile::Why::kLeftover, OddFile::Why::kShort});
  return removed ? sync_names(directory, datasync) : removed;
}

}  // namespace saranga::journal
