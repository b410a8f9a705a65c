// The forms of `data messages`: a listing for people, JSON and CSV.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "saranga/store/live_messages.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/list/message_body.h"

namespace saranga::list {

/// What was shown.
struct MessagesShown {
  std::uint64_t messages = 0;  ///< that consumers can get: now, or at their time
  std::uint64_t prepared = 0;  ///< in doubt
  std::uint64_t queues = 0;
  bool complete = true;  ///< false: --limit, --strict or the user ended the listing
  bool limited = false;  ///< it was --limit
};

/// Prints messages one after the other.
class MessagePrinter {
 public:
  virtual ~MessagePrinter() = default;
  virtual void message(const store::LiveMessage& message, BodyReader& bodies) = 0;
  virtual void finding(const Finding& finding) { (void)finding; }
  virtual void end(const MessagesShown& shown, cli::ExitCode code) = 0;
};

struct MessagePrinterOptions {
  std::string store{};                 ///< as it was given
  std::optional<std::size_t> width{};  ///< of the terminal
  BodyDetail detail = BodyDetail::kNone;
  std::int64_t now_ms = 0;  ///< what has expired by then is marked
};

/// `format` is text, json, jsonl or csv. `output` must outlive the printer.
[[nodiscard]] std::unique_ptr<MessagePrinter> make_message_printer(
    const std::string& format, cli::Output& output, const MessagePrinterOptions& options);

}  // namespace saranga::list
