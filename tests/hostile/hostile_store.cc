#include "tests/hostile/hostile_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "saranga/bytes/no_findings.h"
#include "saranga/io/jobs.h"
#include "saranga/paging/page_file.h"
#include "saranga/store/digest.h"
#include "saranga/store/explain.h"
#include "saranga/store/queue_summary.h"
#include "saranga/store/verify.h"
#include "tests/hostile/meter.h"
#include "tools/export/xml_export.h"
#include "tools/print/json_printer.h"
#include "tools/print/print_store.h"
#include "tools/print/text_printer.h"

namespace saranga::test {
namespace {

constexpr std::uint64_t kHeaderBytes = 16;
constexpr std::uint64_t kTagFrom = 8;      // the header id, whose low 31 bits tag the records
constexpr std::uint64_t kTailBytes = 64;   // of the unused rest of a file that are kept
constexpr std::uint64_t kBehindBytes = 6;  // of fill behind a record that are changed too
constexpr std::size_t kFixedBytes = std::size_t{8} << 20;
constexpr std::uint64_t kFileLimitBytes = std::uint64_t{64} << 20;

bool is_journal(std::string_view part) { return part == "journal" || part == "bindings"; }

/// A file without a name that output goes to.
int scratch_file() {
  static const int kDescriptor = memfd_create("hostile", MFD_CLOEXEC);
  return kDescriptor;
}

int nowhere() {
  static const int kDescriptor = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  return kDescriptor;
}

/// Exports every message of a store, to nowhere.
class ExportAll final : public store::WholeMessageVisitor {
 public:
  explicit ExportAll(exporting::XmlExport& xml) : xml_(xml) {}
  bool message(const store::LiveMessage& message,
               std::span<const store::MessageOnQueue> queues, bool /*more*/) override {
    xml_.message(message, queues, false);
    return true;
  }

 private:
  exporting::XmlExport& xml_;
};

void export_all(const store::LoadedStore& loaded, FindingSink& sink) {
  cli::Output output(nowhere());
  exporting::Losses losses;
  exporting::XmlExport xml(loaded, output, {.undefined_prefix = "lost."}, losses, sink);
  (void)xml.begin({});
  ExportAll all(xml);
  store::visit_whole_messages(loaded, all, sink);
  (void)xml.end({});
}

std::string take_scratch() {
  const off_t size = lseek(scratch_file(), 0, SEEK_CUR);
  std::string text(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got =
        pread(scratch_file(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return text;
}

/// The number behind `"name":` in a line; -1 when it is not there.
std::int64_t member(std::string_view line, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":";
  const std::size_t at = line.find(key);
  std::int64_t value = -1;
  if (at == std::string_view::npos) return value;
  std::from_chars(line.data() + at + key.size(), line.data() + line.size(), value);
  return value;
}

std::string_view file_of(std::string_view line) {
  static constexpr std::string_view kKey = "\"file\":\"";
  const std::size_t at = line.find(kKey);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + kKey.size();
  return line.substr(from, line.find('"', from) - from);
}

/// Takes what begins with `start` out of a line, up to the next `end`.
void drop(std::string& line, std::string_view start, std::string_view end) {
  const std::size_t at = line.find(start);
  if (at != std::string::npos) line.erase(at, line.find(end, at) + end.size() - at);
}

/// A line without the members that change with other parts of the file, or with other files.
std::string comparable(std::string_view text) {
  std::string line(text);
  drop(line, "\"file_id\":", ",");
  drop(line, "\"message_number_estimated\":", ",");
  drop(line, "\"tx_found\":", ",");
  if (line.starts_with("{\"type\":\"paged_message\"")) drop(line, "\"queues\":[", "],");
  return line;
}

template <class Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    use(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

bool is_item(std::string_view line) {
  return line.starts_with("{\"type\":\"record\"") ||
         line.starts_with("{\"type\":\"paged_message\"");
}

/// What is wrong with the byte account of a file or page; empty when it sums up.
std::string account_problem(std::string_view line, std::int64_t size) {
  std::int64_t sum = 0;
  if (line.starts_with("{\"type\":\"file_end\"")) {
    for (const char* name :
         {"header_bytes", "record_bytes", "stale_bytes", "padding_bytes", "unreadable_bytes"}) {
      sum += member(line, name);
    }
    if (sum == member(line, "total_bytes") && sum == size) return {};
  } else {
    sum = member(line, "entry_bytes") + member(line, "unreadable_bytes");
    if (sum == size) return {};
  }
  return "the byte account is " + std::to_string(sum) + ", the file has " + std::to_string(size);
}

void load_folder(const ReadableDirectory& folder, const std::string& part,
                 const std::string& prefix, std::vector<StoreFile>& files) {
  const auto entries = folder.list();
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.is_directory) {
      const auto below = folder.open_directory(entry.name);
      if (below) load_folder(**below, part, prefix + entry.name + "/", files);
      continue;
    }
    auto content = read_whole(folder, entry.name, kFileLimitBytes);
    if (content) files.push_back({part, prefix + entry.name, std::move(*content)});
  }
}

/// Cuts the unused rest of a journal file.
void trim(StoreFile& file) {
  std::size_t used = file.content.size();
  while (used > 0 && file.content[used - 1] == std::byte{0}) --used;
  file.content.resize(std::min<std::size_t>(file.content.size(), used + kTailBytes));
}

}  // namespace

// Bodies of large messages are never opened by printing, so they are left out.
HostileStore::HostileStore(std::string name, const std::string& folder) : name_(std::move(name)) {
  for (const char* part : {"bindings", "journal", "paging"}) {
    const auto directory = open_disk_directory(folder + "/" + part);
    if (directory) load_folder(**directory, part, "", files_);
    parts_.emplace(part, MemoryDirectory(part));
  }
  for (StoreFile& file : files_) {
    if (is_journal(file.part)) trim(file);
    parts_.at(file.part).put(file.name, file.content);
  }
  note_items();
  note_used();
}

std::string HostileStore::label(std::size_t file) const {
  return files_[file].part + "/" + files_[file].name;
}

void HostileStore::note_items() {
  items_.resize(files_.size());
  for (std::size_t file = 0; file < files_.size(); ++file) {
    // Cutting a file to its own size changes nothing.
    const Change none{.kind = Change::Kind::kCut, .file = file, .at = files_[file].content.size()};
    const Printout printout = print(none, false);
    for_each_line(printout.json, [&](std::string_view line) {
      if (!is_item(line) || file_of(line) != label(file)) return;
      const auto from = static_cast<std::uint64_t>(member(line, "offset"));
      items_[file].push_back({.from = from,
                              .to = from + static_cast<std::uint64_t>(member(line, "length")),
                              .line = comparable(line)});
    });
  }
}

void HostileStore::note_used() {
  used_.resize(files_.size());
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const std::uint64_t size = files_[file].content.size();
    std::vector<bool> used(size, !is_journal(files_[file].part));
    const auto mark = [&](std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t at = from; at < std::min(to, size); ++at) used[at] = true;
    };
    if (is_journal(files_[file].part)) mark(0, kHeaderBytes);
    for (const Item& item : items_[file]) mark(item.from, item.to + kBehindBytes);
    for (std::uint64_t at = 0; at < size; ++at) {
      if (used[at]) used_[file].push_back(at);
    }
    changes_ += used_[file].size() * 9;  // eight bits, and the cut in front of the byte
  }
}

Change HostileStore::change(std::uint64_t number) const {
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const std::uint64_t count = used_[file].size() * 9;
    if (number >= count) {
      number -= count;
      continue;
    }
    const std::uint64_t at = used_[file][number / 9];
    if (number % 9 == 8) return {.kind = Change::Kind::kCut, .file = file, .at = at};
    return {.kind = Change::Kind::kFlip, .file = file, .at = at * 8 + number % 9};
  }
  std::abort();
}

std::string HostileStore::describe(const Change& change) const {
  const std::string place = name_ + " " + label(change.file);
  if (change.kind == Change::Kind::kCut) return place + " cut " + std::to_string(change.at);
  return place + " flip " + std::to_string(change.at);
}

std::vector<std::byte> HostileStore::changed(const Change& change) const {
  std::vector<std::byte> content = files_[change.file].content;
  if (change.kind == Change::Kind::kCut) {
    content.resize(change.at);
  } else {
    content[change.at / 8] ^= static_cast<std::byte>(1U << change.at % 8);
  }
  return content;
}

// Of the pages only the one that is changed is there, unless the whole store is asked for.
MemoryDirectory HostileStore::part_of(std::string_view part, const Change& change,
                                      bool whole) const {
  const StoreFile& file = files_[change.file];
  MemoryDirectory directory = parts_.find(part)->second;
  if (part == "paging" && !whole) {
    directory = MemoryDirectory("paging");
    const std::string folder = file.name.substr(0, file.name.find('/'));
    directory.put(folder + "/address.txt", {std::byte{'a'}});
  }
  if (file.part == part) directory.put(file.name, changed(change));
  return directory;
}

store::StoreParts HostileStore::parts_with(const Change& change, bool whole) const {
  const auto part = [&](std::string_view name) -> std::unique_ptr<ReadableDirectory> {
    if (!whole && files_[change.file].part != name) return store::not_given();
    return std::make_unique<MemoryDirectory>(part_of(name, change, whole));
  };
  return store::StoreParts{.bindings = part("bindings"),
                           .journal = part("journal"),
                           .paging = part("paging"),
                           .large_messages = store::not_given()};
}

std::string HostileStore::interrogate(const Change& change) const {
  constexpr std::int64_t kNowMs = 1'700'000'000'000;
  NoFindings nobody;
  InlineRunner jobs;
  const auto report =
      store::verify_store(parts_with(change, true), {.now_ms = kNowMs}, nobody, jobs);
  if (!report) return "verify fails: " + report.error().text;
  const store::PartAccount total = report->total();
  if (total.sum_bytes() != total.total_bytes) {
    return "verify accounts for " + std::to_string(total.sum_bytes()) + " of " +
           std::to_string(total.total_bytes) + " bytes";
  }
  store::StoreAccounting accounting;
  const auto loaded = store::load_store(parts_with(change, true),
                                        {.now_ms = kNowMs, .observer = &accounting}, nobody, jobs);
  if (!loaded) return "the store cannot be loaded: " + loaded.error().text;
  (void)store::summarise_queues(**loaded, jobs, nobody);
  export_all(**loaded, nobody);
  (void)store::digest_store(**loaded, {.ids = true, .delivery = true}, nobody);
  (void)store::explain(**loaded, accounting, {}, jobs, nobody);
  return {};
}

Printout HostileStore::print(const Change& change, bool whole) const {
  cli::Context context;
  context.narration_descriptor = nowhere();
  context.helper_threads = 0;
  const auto run = [&](print::StorePrinter& printer, int descriptor, bool reclaimed) {
    cli::Output output(descriptor);
    cli::FindingLog findings(context, {.quiet = true});
    print::Selection everything;
    cli::Progress silent(context.narration_descriptor, cli::Progress::Mode::kNever);
    print::PrintSession session(context, output, printer, findings, everything, silent);
    if (!print::print_store(session, parts_with(change, whole), {.reclaimed = reclaimed}))
      std::abort();
    printer.end(output.buffer(), 0);
    if (!output.finish()) std::abort();
  };
  Printout printout;
  for (const StoreFile& file : files_) printout.read_bytes += file.content.size();
  reset_heap_peak();
  const std::size_t before = heap_bytes();
  {
    print::TextPrinter text({});
    run(text, nowhere(), true);
    print::JsonPrinter json({.body = print::BodyDetail::kFull});
    if (ftruncate(scratch_file(), 0) != 0 || lseek(scratch_file(), 0, SEEK_SET) != 0) std::abort();
    run(json, scratch_file(), false);
  }
  printout.peak_bytes = heap_peak_bytes() - before;
  printout.json = take_scratch();
  return printout;
}

std::string HostileStore::verdict(const Change& change, const Printout& printout) const {
  const std::size_t limit = printout.read_bytes + kFixedBytes;
  if (printout.peak_bytes > limit) {
    return "took " + std::to_string(printout.peak_bytes) + " bytes of memory, allowed are " +
           std::to_string(limit);
  }
  const StoreFile& file = files_[change.file];
  const bool cut = change.kind == Change::Kind::kCut;
  const std::uint64_t size = cut ? change.at : file.content.size();
  std::string problem;
  std::unordered_set<std::string> printed;
  for_each_line(printout.json, [&](std::string_view line) {
    if (file_of(line) != label(change.file)) return;
    if (is_item(line)) printed.insert(comparable(line));
    const bool end =
        line.starts_with("{\"type\":\"file_end\"") || line.starts_with("{\"type\":\"page_end\"");
    if (end && problem.empty()) problem = account_problem(line, static_cast<std::int64_t>(size));
  });
  if (!problem.empty()) return problem;
  if (!cut && is_journal(file.part) && change.at / 8 >= kTagFrom && change.at / 8 < kHeaderBytes) {
    return {};  // a file with another id has other records: as if it had been used again
  }
  for (const Item& item : items_[change.file]) {
    const bool hit =
        cut ? item.to > change.at : change.at / 8 >= item.from && change.at / 8 < item.to;
    if (hit || printed.contains(item.line)) continue;
    return "lost what stands at " + std::to_string(item.from) + ": " + item.line.substr(0, 200);
  }
  return {};
}

}  // namespace saranga::test
