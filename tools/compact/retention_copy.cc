#include "tools/compact/retention_copy.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "saranga/bytes/no_findings.h"
#include "saranga/io/replacer.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"

namespace saranga::cli {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

std::string stamp(std::time_t now) {
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[sizeof "YYYYMMDDhhmmss"];
  return {text, std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local)};
}

// The file's name with the time and the header id in place of its number.
std::string copy_name(const journal::JournalFile& file, std::time_t now) {
  const std::size_t dot = file.name.find('.');
  const std::string stem = file.name.substr(0, dot);
  return fmt::format("{}-{}-{}{}", stem.substr(0, stem.rfind('-')), stamp(now), file.header.id,
                     file.name.substr(dot));
}

Result<bool> has_records(const ReadableFile& file, const journal::JournalFile& known) {
  journal::FileScanner scanner(file, known.header);
  journal::Batch batch;
  const auto more = scanner.next(batch);
  if (!more) return std::unexpected(more.error());
  return *more && !batch.records.empty();
}

Result<void> copy_file(const ReadableFile& from, const std::string& to) {
  auto target = Replacer::create(to, true);
  if (!target) return std::unexpected(target.error());
  std::vector<std::byte> buffer(kPieceBytes);
  for (std::uint64_t done = 0; done < from.size_bytes();) {
    const auto got = from.read_at(done, buffer);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    if (auto put = (*target)->write(as_text(Bytes(buffer).first(*got))); !put) return put;
    done += *got;
  }
  return (*target)->commit();
}

}  // namespace

Result<void> copy_current_file(const ReadableDirectory& journal, const std::string& retention,
                               std::time_t now) {
  NoFindings nowhere;
  const auto folder = read_folder(journal, journal::JournalKind::kMessages, "", nowhere);
  if (!folder) return std::unexpected(folder.error());
  for (auto file = folder->files.rbegin(); file != folder->files.rend(); ++file) {
    const auto opened = journal.open(file->name);
    if (!opened) return std::unexpected(opened.error());
    const auto records = has_records(**opened, *file);
    if (!records) return std::unexpected(records.error());
    if (!*records) continue;
    std::error_code problem;
    std::filesystem::create_directories(retention, problem);
    if (problem) {
      return fail(ErrorCode::kIo, "cannot create folder: " + problem.message(), retention);
    }
    return copy_file(**opened, retention + "/" + copy_name(*file, now));
  }
  return {};
}

}  // namespace saranga::cli
