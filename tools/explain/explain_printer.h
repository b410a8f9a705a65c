// The forms of `data explain`: text for people, and JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/store/explain.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"

namespace saranga::explain {

/// One thing that the command line asks about.
struct Target {
  enum class Kind : std::uint8_t { kJournalFile, kPage, kLargeFile, kId };
  std::string given;  ///< as it was written
  Kind kind = Kind::kId;
  journal::JournalKind journal = journal::JournalKind::kMessages;
  std::size_t index = 0;  ///< in the list of the explanation
  std::int64_t id = 0;
};

/// What is known of an id besides its records.
struct IdFacts {
  const bindings::Queue* queue = nullptr;           ///< it is the id of a queue
  const store::QueueUsage* usage = nullptr;         ///< that keeps something
  const journal::OpenTouch* transaction = nullptr;  ///< it is a transaction without outcome
  const store::LargeFileReport* large = nullptr;    ///< a body file of this id
};

/// Prints an explanation: begin(), then either overview() or the targets one after the other with
/// begin_target(), pins, end_target().
class ExplainPrinter {
 public:
  virtual ~ExplainPrinter() = default;
  /// The store is loaded; its catalog names the queues. Both outlive the printing.
  virtual void begin(const bindings::Catalog& catalog, const journal::CompactionRules& rules) = 0;
  virtual void overview(const store::Explanation& explanation) = 0;
  /// What is known of a target before its pins. `facts` is of an id.
  virtual void begin_target(const store::Explanation& explanation, const Target& target,
                            const IdFacts* facts) = 0;
  /// A record or entry that holds the target, or a file that the target waits for.
  virtual void pin(const Target& target, const store::Pin& pin) = 0;
  /// `left_out` pins were not handed over, because of --limit.
  virtual void end_target(const Target& target, std::uint64_t pins, std::uint64_t left_out) = 0;
  virtual void finding(const Finding& finding) { (void)finding; }
  virtual void end(cli::ExitCode code) { (void)code; }
};

struct ExplainPrinterOptions {
  std::string store;                         ///< as it was given
  std::optional<std::size_t> width{};        ///< of the terminal
  std::size_t rows = 0;                      ///< of each list, 0 = all
  std::int64_t now_ms = 0;                   ///< ages count to it
  std::optional<std::int64_t> pool_files{};  ///< journal-pool-files, when it is known
};

/// `format` is text, json or jsonl. `output` must outlive the printer.
[[nodiscard]] std::unique_ptr<ExplainPrinter> make_explain_printer(
    const std::string& format, cli::Output& output, const ExplainPrinterOptions& options);

}  // namespace saranga::explain
