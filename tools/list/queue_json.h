// Queues and addresses as JSON: the members of docs/json.md, saranga.queues/1.
#pragma once

#include "saranga/store/queue_summary.h"
#include "tools/cli/json_writer.h"

namespace saranga::list {

/// Messages in doubt.
[[nodiscard]] std::uint64_t prepared_count(const store::MessageTotals& totals);

/// Each writes its members into an object that is open.
void write_totals(cli::JsonWriter& json, const store::MessageTotals& totals);
void write_queue(cli::JsonWriter& json, const store::QueueSummary& summary, bool paging);
void write_address(cli::JsonWriter& json, const store::AddressSummary& summary);

}  // namespace saranga::list
