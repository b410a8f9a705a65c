// Where an export goes: what each of its formats takes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saranga/store/whole_messages.h"
#include "tools/cli/exit_code.h"
#include "tools/export/losses.h"

namespace saranga::exporting {

/// What of a store is exported besides messages.
struct ExportScope {
  bool whole = true;          ///< all queues and addresses
  bool every_message = true;  ///< and all messages on them
  std::vector<const bindings::Address*> addresses{};
  std::vector<const bindings::Queue*> queues{};
};

/// How many of each an export has taken.
struct ExportCounts {
  std::uint64_t messages = 0;
  std::uint64_t references = 0;  ///< messages on queues
  std::uint64_t damage = 0;      ///< places that were damaged or could not be read
};

/// Takes a store: begin(), the messages, end(). What goes wrong with its output shows in the output
/// at the end, or in end(). One thread.
class ExportTarget {
 public:
  virtual ~ExportTarget() = default;
  /// In which order the format wants the messages.
  [[nodiscard]] virtual store::WholeOrder order() const { return store::WholeOrder::kId; }
  /// Whether messages have a place in the format that prepared transactions have sent.
  [[nodiscard]] virtual bool takes_prepared() const { return true; }
  [[nodiscard]] virtual Result<void> begin(const ExportScope& scope) = 0;
  /// A message with the queues that it is exported for, which are not empty. `more` as in
  /// store::WholeMessageVisitor.
  virtual void message(const store::LiveMessage& message,
                       std::span<const store::MessageOnQueue> queues, bool more) = 0;
  /// One more queue of a message that was taken before.
  virtual void later(const store::LiveMessage& message, const store::MessageOnQueue& place) {
    (void)message;
    (void)place;
  }
  [[nodiscard]] virtual Result<void> end(const ExportCounts& counts) = 0;
};

}  // namespace saranga::exporting
