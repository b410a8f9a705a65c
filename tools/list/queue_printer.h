// The forms of `data queues`: a table, JSON and CSV.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/store/queue_summary.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"

namespace saranga::list {

/// Messages of any kind, in doubt or not.
[[nodiscard]] std::uint64_t total_count(const store::MessageTotals& totals);

/// Prints a list of queues or of addresses. Call queues() or addresses() once, then end().
class QueuePrinter {
 public:
  virtual ~QueuePrinter() = default;
  /// The queues to show; the addresses tell which of them are paging.
  virtual void queues(const store::StoreSummary& summary) = 0;
  virtual void addresses(const std::vector<store::AddressSummary>& addresses) = 0;
  virtual void finding(const Finding& finding) { (void)finding; }
  virtual void end(cli::ExitCode code) { (void)code; }
};

struct QueuePrinterOptions {
  std::string store{};                 ///< as it was given
  std::optional<std::size_t> width{};  ///< of the terminal
  std::int64_t now_ms = 0;             ///< ages count to it
};

/// `format` is text, json, jsonl or csv. `output` must outlive the printer.
[[nodiscard]] std::unique_ptr<QueuePrinter> make_queue_printer(const std::string& format,
                                                               cli::Output& output,
                                                               const QueuePrinterOptions& options);

}  // namespace saranga::list
