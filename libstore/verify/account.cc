#include "libstore/verify/account.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/message/large_files.h"

namespace saranga::store {
namespace {

std::uint64_t odd_bytes(const journal::JournalFolder& folder) {
  std::uint64_t sum = 0;
  for (const journal::OddFile& odd : folder.odd) sum += odd.size_bytes;
  return sum;
}

void add_scanned(const journal::JournalFile& file, const ScannedFile& scanned, PartAccount& account,
                 FindingSink& sink) {
  const journal::ByteAccount& bytes = scanned.account;
  account.header_bytes += bytes.header_bytes;
  account.record_bytes += bytes.record_bytes;
  account.stale_bytes += bytes.stale_bytes;
  account.padding_bytes += bytes.padding_bytes;
  account.unreadable_bytes += bytes.unreadable_bytes;
  const std::uint64_t read = bytes.total_bytes();
  if (read < file.size_bytes) account.unread_bytes += file.size_bytes - read;
  // A file that could not be opened has been reported.
  if (read == file.size_bytes || read == 0) return;
  sink.finding(
      {.code = "account-mismatch",
       .severity = Severity::kWarning,
       .file = scanned.label,
       .length_bytes = file.size_bytes,
       .text = fmt::format("{} bytes were read, the folder says that there are {}: the file has "
                           "changed meanwhile",
                           read, file.size_bytes)});
}

}  // namespace

PartAccount journal_account(std::string_view part, const LoadedJournal& journal, CheckLevel level,
                            FindingSink& sink) {
  PartAccount account{.part = part,
                      .file_count = journal.folder.files.size() + journal.folder.odd.size()};
  for (std::size_t i = 0; i < journal.folder.files.size(); ++i) {
    add_scanned(journal.folder.files[i], journal.scanned[i], account, sink);
    account.total_bytes += journal.folder.files[i].size_bytes;
  }
  account.ignored_bytes = odd_bytes(journal.folder);
  account.total_bytes += account.ignored_bytes;
  if (level >= CheckLevel::kTransactions) account.live_bytes = journal.live_bytes;
  return account;
}

PartAccount header_account(std::string_view part, const journal::JournalFolder& folder) {
  PartAccount account{.part = part, .file_count = folder.files.size() + folder.odd.size()};
  for (const journal::JournalFile& file : folder.files) {
    account.header_bytes += journal::kHeaderBytes;
    account.unread_bytes += file.size_bytes - journal::kHeaderBytes;
    account.total_bytes += file.size_bytes;
  }
  account.ignored_bytes = odd_bytes(folder);
  account.total_bytes += account.ignored_bytes;
  return account;
}

void add_other_paging_files(const ReadableDirectory& paging, PartAccount& account) {
  const auto entries = paging.list();
  if (!entries) return;
  std::uint64_t total = 0;
  std::uint64_t count = 0;
  const auto add = [&](const DirectoryEntry& entry) {
    if (entry.is_directory) return;
    total += entry.size_bytes;
    ++count;
  };
  for (const DirectoryEntry& entry : *entries) {
    add(entry);
    if (!entry.is_directory) continue;
    const auto folder = paging.open_directory(entry.name);
    const auto inside = folder ? (*folder)->list() : std::unexpected(folder.error());
    if (inside) std::ranges::for_each(*inside, add);
  }
  if (total > account.total_bytes) account.ignored_bytes += total - account.total_bytes;
  account.total_bytes = total;
  account.file_count = count;
}

PartAccount large_account(const ReadableDirectory& directory,
                          std::optional<std::uint64_t> live_bytes) {
  PartAccount account{.part = "large_messages", .live_bytes = live_bytes};
  const auto entries = directory.list();
  if (!entries) return account;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.is_directory) continue;
    ++account.file_count;
    account.total_bytes += entry.size_bytes;
    const bool body = message::is_large_file_name(entry.name);
    (body ? account.record_bytes : account.ignored_bytes) += entry.size_bytes;
  }
  return account;
}

PartAccount other_account(const StoreParts& parts) {
  PartAccount account{.part = "other", .live_bytes = 0};
  for (const ReadableDirectory* directory : {parts.bindings.get(), parts.journal.get()}) {
    const auto entries = directory->list();
    if (!entries) continue;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.is_directory || journal::journal_kind_of(entry.name) ||
          entry.name == journal::kControlFileName) {
        continue;
      }
      ++account.file_count;
      account.ignored_bytes += entry.size_bytes;
      account.total_bytes += entry.size_bytes;
    }
  }
  return account;
}

}  // namespace saranga::store
