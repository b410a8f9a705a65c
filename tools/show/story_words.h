// The words of `data show` for people: what became of a message, a transaction, a record.
#pragma once

#include <string>

#include "tools/show/answers.h"

namespace saranga::show {

/// "orders (id 19)", "orders (id 55, deleted)", or "id 55, which has no binding". Safe to show.
[[nodiscard]] std::string queue_words(Answers& answers, std::int64_t id);

/// "message 88: live, on 2 queues".
[[nodiscard]] std::string message_heading(const store::MessageStory& story);

/// What became of it on one queue: "acknowledged in transaction 110 (committed), and deleted".
[[nodiscard]] std::string fate_words(const store::QueueFate& fate,
                                     const store::MessageStory& story);

/// "transaction 536: unfinished, 2 records; the next start rolls it back".
[[nodiscard]] std::string transaction_heading(const TransactionAnswer& transaction);

/// "committed", "rolled back", "prepared, in doubt" or "unfinished".
[[nodiscard]] std::string_view outcome_words(store::Outcome outcome);

/// "update ADD_REF, queue orders (id 19), transaction 110 (committed)". Tells the id of the record
/// unless it is `id`, that of the story.
[[nodiscard]] std::string record_words(Answers& answers, const store::StoryRecord& story,
                                       const journal::Record& record, std::int64_t id);

/// The type of a record: "ADD_REF", or "type 77" when it is not known.
[[nodiscard]] std::string type_words(const store::StoryRecord& story);

}  // namespace saranga::show
