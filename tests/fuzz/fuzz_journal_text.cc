// Fuzzes the text of a journal: what is read of it is written again, and that is read as the same.
// The first byte is the size of the pieces in which the text arrives.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "saranga/io/directory.h"
#include "saranga/journal/journal_text.h"
#include "saranga/journal/scanner.h"
#include "saranga/journal/text_decoder.h"
#include "tests/support/faulty_directory.h"

using namespace saranga;
using namespace saranga::journal;

namespace {

constexpr std::uint64_t kFileBytes = 2048;
constexpr std::size_t kMostFiles = 64;  // a short text may ask for many

void check(bool right) {
  if (!right) std::abort();
}

class Counter final : public FindingSink {
 public:
  void finding(Finding finding) override { check(!finding.code.empty() && !finding.text.empty()); }
};

Result<DecodedText> decode(test::FaultyDirectory& directory, std::string_view text,
                           std::size_t piece) {
  Counter findings;
  TextDecoder decoder(directory, {.file_size_bytes = kFileBytes, .label = "text"}, findings);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (auto fed = decoder.feed(text.substr(at, piece)); !fed) return std::unexpected(fed.error());
  }
  return decoder.finish();
}

// The text of files, in the order of their ids.
TextBuffer encode(const test::FaultyDirectory& directory, std::uint64_t& records) {
  std::vector<std::pair<FileHeader, std::string>> files;
  for (const auto& [name, content] : directory.files()) {
    check(content.size() == kFileBytes && name.find('/') == std::string::npos);
    files.emplace_back(parse_header(content), name);
  }
  std::ranges::sort(files, {}, [](const auto& file) { return file.first.id; });
  TextBuffer text;
  for (const auto& [header, name] : files) {
    append_text_file(text, name, header);
    const auto file = directory.open(name);
    check(file.has_value());
    FileScanner scanner(**file, header);
    for (Batch batch; *scanner.next(batch);) {
      for (const Record& record : batch.records) append_text_record(text, record);
      records += batch.records.size();
    }
    check(scanner.gaps().empty());
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (static_cast<std::size_t>(std::ranges::count(text, '#')) > kMostFiles) return 0;
  test::FaultyDirectory first;
  const auto decoded = decode(first, text, std::size_t{data[0]} + 1);
  if (!decoded) {
    check(!decoded.error().text.empty());
    return 0;
  }
  std::uint64_t records = 0;
  const TextBuffer encoded = encode(first, records);
  check(records == decoded->records);
  test::FaultyDirectory second;
  const auto again = decode(second, encoded.view(), encoded.size());
  check(again.has_value() && again->records == records);
  check(first.files() == second.files());
  return 0;
}
