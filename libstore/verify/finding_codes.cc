#include "saranga/store/finding_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace saranga::store {
namespace {

using enum CheckLevel;

// Which command helps.
enum class Advice : std::uint8_t {
  kNone,
  kShowPlace,  // the record or page entry, byte by byte
  kShowId,     // everything about an id
  kExplain,    // what the files of the store are there for
  kFile,       // what one file is there for
  kMessages,   // the messages of a queue
  kQueues,
  kBindings,  // the records of the bindings journal
  kStatistics,
};

struct Row {
  FindingCode code;
  Advice advice;
};

constexpr std::array kRows = std::to_array<Row>({
    {{"bindings-missing", kHeader}, Advice::kQueues},
    {{"compaction-input", kHeader}, Advice::kExplain},
    {{"compaction-leftover", kHeader}, Advice::kExplain},
    {{"compaction-output-missing", kHeader}, Advice::kExplain},
    {{"control-file-torn", kHeader}, Advice::kExplain},
    {{"duplicate-file", kHeader}, Advice::kExplain},
    {{"export-binding-skipped", kHeader}, Advice::kNone},
    {{"export-cut", kHeader}, Advice::kNone},
    {{"export-message-skipped", kHeader}, Advice::kNone},
    {{"export-name-unknown", kHeader}, Advice::kNone},
    {{"export-of-damage", kHeader}, Advice::kNone},
    {{"export-part-skipped", kHeader}, Advice::kNone},
    {{"export-queue-elsewhere", kHeader}, Advice::kNone},
    {{"export-transaction-missing", kHeader}, Advice::kNone},
    {{"file-being-created", kHeader}, Advice::kExplain},
    {{"file-renamed", kHeader}, Advice::kNone},
    {{"file-renumbered", kHeader}, Advice::kNone},
    {{"file-unreadable", kHeader}, Advice::kNone},
    {{"header-damaged", kHeader}, Advice::kFile},
    {{"header-id-doubled", kHeader}, Advice::kFile},
    {{"header-tag-doubled", kHeader}, Advice::kFile},
    {{"interrupted-compaction", kHeader}, Advice::kExplain},
    {{"journal-missing", kHeader}, Advice::kNone},
    {{"large-file-name", kHeader}, Advice::kNone},
    {{"odd-file-size", kHeader}, Advice::kFile},
    {{"page-in-quarantine", kHeader}, Advice::kExplain},
    {{"page-name", kHeader}, Advice::kExplain},
    {{"page-store-doubled", kHeader}, Advice::kExplain},
    {{"page-store-unreadable", kHeader}, Advice::kNone},
    {{"page-store-without-address", kHeader}, Advice::kExplain},
    {{"retention-pending", kHeader}, Advice::kFile},
    {{"short-file", kHeader}, Advice::kExplain},

    {{"account-mismatch", kFraming}, Advice::kFile},
    {{"file-cut", kFraming}, Advice::kShowPlace},
    {{"garbage-behind-records", kFraming}, Advice::kShowPlace},
    {{"hole-between-records", kFraming}, Advice::kShowPlace},
    {{"page-entry-damaged", kFraming}, Advice::kShowPlace},
    {{"record-damaged", kFraming}, Advice::kShowPlace},
    {{"record-tag-damaged", kFraming}, Advice::kShowPlace},
    {{"record-written-short", kFraming}, Advice::kShowPlace},
    {{"text-filtered", kFraming}, Advice::kFile},
    {{"torn-page-entry", kFraming}, Advice::kShowPlace},
    {{"torn-record", kFraming}, Advice::kShowPlace},

    {{"prepared-xid-doubled", kTransactions}, Advice::kShowId},
    {{"transaction-incomplete", kTransactions}, Advice::kShowId},
    {{"transaction-open", kTransactions}, Advice::kShowId},
    {{"transaction-prepared", kTransactions}, Advice::kShowId},

    {{"amqp-damaged", kBodies}, Advice::kShowPlace},
    {{"body-not-as-typed", kBodies}, Advice::kShowPlace},
    {{"body-undecodable", kBodies}, Advice::kShowPlace},
    {{"compressed-body-damaged", kBodies}, Advice::kShowPlace},
    {{"message-generations-mixed", kBodies}, Advice::kStatistics},
    {{"message-id-differs", kBodies}, Advice::kShowPlace},
    {{"prepared-xid-damaged", kBodies}, Advice::kShowPlace},
    {{"queue-metadata-null", kBodies}, Advice::kShowPlace},
    {{"record-type-unknown", kBodies}, Advice::kShowPlace},
    {{"target-cannot-read", kBodies}, Advice::kShowPlace},
    {{"target-ignores", kBodies}, Advice::kShowPlace},
    {{"trailing-bytes", kBodies}, Advice::kShowPlace},
    {{"value-implausible", kBodies}, Advice::kShowPlace},

    {{"acknowledgement-without-reference", kCross}, Advice::kShowId},
    {{"amqp-large-layout", kCross}, Advice::kShowId},
    {{"bookmark-without-page", kCross}, Advice::kShowPlace},
    {{"configuration-replaced", kCross}, Advice::kShowId},
    {{"cursor-ack-beyond-page", kCross}, Advice::kShowPlace},
    {{"cursor-without-page", kCross}, Advice::kShowPlace},
    {{"cursor-without-queue", kCross}, Advice::kShowPlace},
    {{"duplicate-ids-over-size", kCross}, Advice::kStatistics},
    {{"id-above-counter", kCross}, Advice::kBindings},
    {{"id-counter-low", kCross}, Advice::kBindings},
    {{"id-counter-missing", kCross}, Advice::kBindings},
    {{"large-body-damaged", kCross}, Advice::kShowId},
    {{"large-body-elsewhere", kCross}, Advice::kShowId},
    {{"large-body-length", kCross}, Advice::kShowId},
    {{"large-body-missing", kCross}, Advice::kShowId},
    {{"message-added-twice", kCross}, Advice::kShowId},
    {{"message-without-reference", kCross}, Advice::kShowId},
    {{"orphan-large-file", kCross}, Advice::kFile},
    {{"page-complete-without-page", kCross}, Advice::kShowPlace},
    {{"page-counter-differs", kCross}, Advice::kQueues},
    {{"page-transaction-count", kCross}, Advice::kShowId},
    {{"page-transaction-without-pages", kCross}, Advice::kShowId},
    {{"page-without-queues", kCross}, Advice::kFile},
    {{"paged-body-gone", kCross}, Advice::kShowPlace},
    {{"paged-messages-uncommitted", kCross}, Advice::kFile},
    {{"paged-without-queue", kCross}, Advice::kMessages},
    {{"pages-without-address", kCross}, Advice::kExplain},
    {{"pause-lost", kCross}, Advice::kShowId},
    {{"prepared-without-queue", kCross}, Advice::kShowId},
    {{"queue-name-doubled", kCross}, Advice::kShowId},
    {{"queue-without-address", kCross}, Advice::kShowId},
    {{"record-changed-while-reading", kCross}, Advice::kNone},
    {{"reference-without-message", kCross}, Advice::kShowId},
    {{"references-without-queue", kCross}, Advice::kMessages},
    {{"status-without-target", kCross}, Advice::kShowId},
    {{"target-needs-counter", kCross}, Advice::kQueues},
    {{"too-many-queue-ids", kCross}, Advice::kNone},
    {{"update-without-reference", kCross}, Advice::kShowId},
});

constexpr std::array kCodes = [] {
  std::array<FindingCode, kRows.size()> codes{};
  std::ranges::transform(kRows, codes.begin(), &Row::code);
  return codes;
}();

const Row* find_row(std::string_view code) {
  const auto row = std::ranges::find_if(kRows, [&](const Row& r) { return r.code.code == code; });
  return row == kRows.end() ? nullptr : &*row;
}

// A negative number must not look like an option.
std::string id_argument(std::int64_t id) { return (id < 0 ? "-- " : "") + std::to_string(id); }

}  // namespace

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/:+@%=-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string result = "'";
  for (const char c : word) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string_view level_name(CheckLevel level) {
  switch (level) {
    case kHeader: return "header";
    case kFraming: return "framing";
    case kTransactions: return "transactions";
    case kBodies: return "bodies";
    case kCross: return "cross";
  }
  return "cross";
}

std::span<const FindingCode> finding_codes() { return kCodes; }

const FindingCode* find_finding_code(std::string_view code) {
  const Row* row = find_row(code);
  return row == nullptr ? nullptr : &row->code;
}

std::string suggest_next(const Finding& finding, std::string_view store) {
  const Row* row = find_row(finding.code);
  if (row == nullptr) return {};
  switch (row->advice) {
    case Advice::kNone: break;
    case Advice::kShowPlace:
      if (finding.file.empty() || !finding.offset) break;
      return fmt::format("saranga data show {} {}", store,
                         shell_quoted(fmt::format("{}:{:#x}", finding.file, *finding.offset)));
    case Advice::kShowId:
      if (!finding.id) break;
      return fmt::format("saranga data show {} {}", store, id_argument(*finding.id));
    case Advice::kExplain: return fmt::format("saranga data explain {}", store);
    case Advice::kFile:
      if (finding.file.empty()) break;
      return fmt::format("saranga data explain {} {}", store, shell_quoted(finding.file));
    case Advice::kMessages:
      if (!finding.id) break;
      return fmt::format("saranga data messages {} --queue {}", store, *finding.id);
    case Advice::kQueues: return fmt::format("saranga data queues {}", store);
    case Advice::kBindings: return fmt::format("saranga data print {} --skip-journal", store);
    case Advice::kStatistics: return fmt::format("saranga data stats {}", store);
  }
  return {};
}

}  // namespace saranga::store
