#include <fmt/format.h>

#include "libstore/verify/cross_checks.h"
#include "libstore/verify/large_check.h"
#include "saranga/message/record_ids.h"
#include "saranga/store/cross_findings.h"

namespace saranga::store {
namespace {

class MessageChecks {
 public:
  MessageChecks(const CrossInput& input, FindingSink& sink)
      : input_(input), sink_(sink), model_(input.store.model()), fetcher_(input.store.fetcher()) {}

  std::uint64_t run();

 private:
  void check_body(const Message& message);
  void report_unreferenced(const Message& message);
  std::uint64_t check_files();
  [[nodiscard]] bool is_referenced(std::int64_t id) const;

  const CrossInput& input_;
  FindingSink& sink_;
  const Model& model_;
  journal::RecordFetcher fetcher_;
};

std::uint64_t MessageChecks::run() {
  const bool bodies = is_given(*input_.store.parts().large_messages);
  for (std::size_t i = 0; i < model_.messages().size(); ++i) {
    const Message& message = model_.messages()[i];
    if (message.has(Message::kDead)) continue;
    if (message.first_reference == kNone) {
      report_unreferenced(message);
    } else if (bodies && message.has(Message::kLarge) && !message.has(Message::kDamaged)) {
      check_body(message);
    }
  }
  return check_files();
}

// A crash between the last acknowledgement and the delete of the message leaves one; it is no loss.
void MessageChecks::report_unreferenced(const Message& message) {
  sink_.finding(
      {.code = "message-without-reference",
       .severity = Severity::kInfo,
       .file = input_.store.journal().labels[message.place.file()],
       .offset = message.place.offset(),
       .id = message.id,
       .text = fmt::format("message {} is on no queue: it has been consumed, and only its "
                           "delete is missing; the next start of a broker deletes it",
                           message.id)});
}

void MessageChecks::check_body(const Message& message) {
  const auto record = fetcher_.fetch(message.place);
  if (!record || record->id != message.id) return;
  DecodedMessage decoded;
  (void)read_fact(*record, message.place.file(), input_.options.now_ms, &decoded);
  std::vector<Finding> findings;
  check_large_body(input_.store,
                   {.message = &decoded.message,
                    .file = input_.store.journal().labels[message.place.file()],
                    .offset = message.place.offset(),
                    .inflate = true},
                   findings);
  for (Finding& finding : findings) sink_.finding(std::move(finding));
}

bool MessageChecks::is_referenced(std::int64_t id) const {
  const Message* message = model_.find(id);
  return (message != nullptr && message->has(Message::kLarge)) ||
         input_.pages.large_ids.contains(id);
}

std::uint64_t MessageChecks::check_files() {
  std::uint64_t live_bytes = 0;
  // Who refers to a body is only known when everything that may do so has been read.
  const bool knows =
      is_given(*input_.store.parts().journal) && is_given(*input_.store.parts().paging);
  for (const message::LargeFile& file : input_.store.large_files()) {
    if (is_referenced(file.id)) {
      live_bytes += file.size_bytes;
    } else if (knows) {
      sink_.finding(orphan_large_file(file, "large-messages/" + file.name));
    }
  }
  return live_bytes;
}

}  // namespace

std::uint64_t check_messages(const CrossInput& input, FindingSink& sink) {
  return MessageChecks(input, sink).run();
}

}  // namespace saranga::store
