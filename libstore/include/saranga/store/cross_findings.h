// Findings about what the parts of a store say of each other, for everybody who meets them: the
// same mistake has the same code and the same words in every verb.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "saranga/bytes/finding.h"
#include "saranga/io/directory.h"
#include "saranga/message/large_files.h"
#include "saranga/store/live_messages.h"

namespace saranga::store {

class LoadedStore;

/// Tells when there is no message journal, or none of bindings beside it: the first things to know
/// then. A part that was not given is not missed.
SARANGA_API void report_missing_journals(const ReadableDirectory& bindings,
                                         const ReadableDirectory& journal, FindingSink& sink);

/// Tells of live messages in the journal that cannot be delivered as they were sent: their record
/// does not decode, or the file of their body is not there or has another length than they say. For
/// verbs that read no message.
SARANGA_API void report_lost_bodies(const LoadedStore& store, FindingSink& sink);

/// References on a queue id that has no binding.
[[nodiscard]] SARANGA_API Finding references_without_queue(std::int64_t queue, std::uint64_t count);

/// A prepared transaction works on a queue id that has no binding. `tx_id` when it is known.
[[nodiscard]] SARANGA_API Finding prepared_without_queue(std::int64_t queue,
                                                         std::optional<std::int64_t> tx_id);

/// Pages name more queue ids without a binding than are kept apart.
[[nodiscard]] SARANGA_API Finding too_many_queue_ids();

/// A transaction that nobody ended and nobody prepared.
struct OpenTransactionPlace {
  std::int64_t tx_id = 0;
  std::uint64_t record_count = 0;
  std::string file{};                     ///< of its first record
  std::optional<std::uint64_t> offset{};  ///< likewise
};
[[nodiscard]] SARANGA_API Finding transaction_open(OpenTransactionPlace place);

/// A page transaction has committed, but no page holds a message of it.
[[nodiscard]] SARANGA_API Finding page_transaction_without_pages(std::int64_t tx_id);

/// A body file that no message refers to. `label` is its name in findings.
[[nodiscard]] SARANGA_API Finding orphan_large_file(const message::LargeFile& file,
                                                    std::string label);

/// A large message whose body file is not there.
[[nodiscard]] SARANGA_API Finding large_body_missing(std::int64_t message_id);

/// How much is done to find out whether the body of a large message is what its message says.
enum class BodyDepth : std::uint8_t {
  kLength,  ///< only the length of the file is compared; no file is opened
  kWhole,   ///< and compressed bodies are inflated, the sections of AMQP messages stepped through
};
/// Tells when the file of the body of a large message is shorter or longer than its message says,
/// or is another one. Nothing of a file that is not there or cannot be opened, and of messages that
/// are not large: whoever reads the body meets that.
SARANGA_API void report_cut_body(const LoadedStore& store, const LiveMessage& message,
                                 BodyDepth depth, FindingSink& sink);

/// A record that was read while loading is no longer at its place in the file `label`.
[[nodiscard]] SARANGA_API Finding record_changed(const std::string& label, std::uint64_t offset,
                                                 std::int64_t id);

/// A message that ends too early; `what` tells what became of the rest: "shown".
[[nodiscard]] SARANGA_API Finding undecodable_message(const LiveMessage& message,
                                                      std::string_view what);

}  // namespace saranga::store
