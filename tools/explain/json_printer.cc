#include "tools/explain/json_printer.h"

#include "saranga/message/record_types.h"
#include "tools/explain/text_printer.h"
#include "tools/explain/words.h"

namespace saranga::explain {
namespace {

std::string_view role_name(journal::JournalFile::Role role) {
  switch (role) {
    case journal::JournalFile::Role::kData: return "data";
    case journal::JournalFile::Role::kRetention: return "retention_pending";
    case journal::JournalFile::Role::kCompacted: return "compacted";
  }
  return "data";
}

std::optional<std::int64_t> time_or_null(std::int64_t time_ms) {
  return time_ms == 0 ? std::nullopt : std::optional(time_ms);
}

}  // namespace

// ---- pieces
// ---------------------------------------------------------------------------------------

void JsonPrinter::begin_list(const char* name) {
  if (list_ == name) return;
  list_ = name;
  report_.begin_list(name);
}

void JsonPrinter::queue_id(Json& json, std::int64_t id) {
  const bindings::Queue* queue = catalog_->queue(id);
  json.field("queue_id", id);
  json.key("queue");
  if (queue == nullptr) {
    json.null();
  } else {
    json.value(Text(queue->name));
  }
}

void JsonPrinter::queue_shares(Json& json, const char* key,
                               const std::vector<store::QueueShare>& shares, bool bytes) {
  json.key(key);
  json.begin_array();
  for (const store::QueueShare& share : shares) {
    json.begin_object();
    queue_id(json, share.queue_id);
    json.field("message_count", share.messages);
    if (bytes) json.field("size_bytes", share.bytes);
    json.end_object();
  }
  json.end_array();
}

void JsonPrinter::records(Json& json, const char* key,
                          const std::vector<store::RecordShare>& shares, bool bytes) {
  json.key(key);
  json.begin_array();
  for (const store::RecordShare& share : shares) {
    json.begin_object();
    json.field("record_type", static_cast<int>(share.user_type));
    json.field("record_name", share.name.empty() ? std::nullopt : std::optional(share.name));
    json.field("record_count", share.records);
    if (bytes) json.field("size_bytes", share.bytes);
    json.field("release", store::release_name(share.release));
    json.end_object();
  }
  json.end_array();
}

void JsonPrinter::transactions(Json& json, const char* key,
                               const std::vector<store::TransactionShare>& shares) {
  json.key(key);
  json.begin_array();
  for (const store::TransactionShare& share : shares) {
    json.begin_object();
    json.field("tx", share.tx_id);
    json.field("prepared", share.prepared);
    json.field("record_count", share.records);
    json.field("size_bytes", share.bytes);
    json.end_object();
  }
  json.end_array();
}

void JsonPrinter::ids(Json& json, const char* key, const std::vector<std::int64_t>& ids) {
  json.key(key);
  json.begin_array();
  for (const std::int64_t id : ids) json.value(id);
  json.end_array();
}

void JsonPrinter::freed(Json& json, const char* key, const store::Freed& freed) {
  json.key(key);
  json.begin_object();
  json.field("journal_file_count", freed.journal_files);
  json.field("page_count", freed.pages);
  json.field("large_file_count", freed.large_files);
  json.field("other_file_count", freed.others);
  json.field("size_bytes", freed.bytes);
  json.end_object();
}

// ---- files
// ----------------------------------------------------------------------------------------

void JsonPrinter::file_sums(Json& json, const store::JournalFileReport& file) {
  json.field("size_bytes", file.size_bytes);
  json.field("live_record_count", file.live_records);
  json.field("live_bytes", file.live_bytes);
  json.field("pending_bytes", file.pending_bytes);
  json.field("dead_bytes", file.dead_bytes);
  json.field("header_bytes", file.account.header_bytes);
  json.field("stale_bytes", file.account.stale_bytes);
  json.field("padding_bytes", file.account.padding_bytes);
  json.field("unreadable_bytes", file.account.unreadable_bytes);
}

void JsonPrinter::journal_file(std::string_view journal, const store::JournalFileReport& file,
                               const std::vector<store::JournalFileReport>& all) {
  Json& json = report_.begin_object("journal_file");
  json.field("journal", journal);
  json.field("file", Text(file.file));
  json.field("file_id", file.header_id);
  json.field("role", role_name(file.role));
  json.field("state", state_name(file.state()));
  file_sums(json, file);
  json.field("message_count", file.messages);
  json.field("unreferenced_count", file.unreferenced);
  queue_shares(json, "queues", file.queues, true);
  records(json, "records", file.others, true);
  transactions(json, "transactions", file.transactions);
  json.key("oldest");
  if (file.oldest) {
    json.begin_object();
    json.field("id", file.oldest->id);
    json.field("timestamp_ms", time_or_null(file.oldest->timestamp_ms));
    json.end_object();
  } else {
    json.null();
  }
  json.key("needed_for");
  json.begin_array();
  for (const journal::Cancelling& needed : file.verdict.needed_for) {
    json.begin_object();
    json.field("file", Text(all[needed.file].file));
    json.field("delete_count", needed.by_deletes);
    json.field("outcome_count", needed.by_outcomes);
    json.end_object();
  }
  json.end_array();
  json.field("positive_count", file.positives);
  json.field("cancelled_count", file.verdict.cancelled);
  json.field("add_count", file.adds);
  json.field("replaceable_count", file.replaceables);
  json.field("replaced_bytes", file.replaced_bytes);
  json.field("deleted_in_current_count", file.verdict.cancelled_by_current);
  json.field("replaced_count", file.replaced_records);
  json.field("retention_pending", file.verdict.retention_pending);
  json.key("held_by");
  if (file.too_many || file.state() != journal::FileState::kKept) {
    json.null();
  } else {
    json.begin_array();
    for (const std::uint32_t other : file.held_by) json.value(Text(all[other].file));
    json.end_array();
  }
  json.key("needs");
  if (file.needs) {
    needs(json, *file.needs);
  } else {
    json.null();
  }
  report_.end_object();
}

void JsonPrinter::needs(Json& json, const store::Needs& needs) {
  json.begin_object();
  json.field("message_count", needs.messages);
  queue_shares(json, "acknowledge", needs.acknowledge, false);
  json.field("other_queue_count", needs.other_queues);
  json.field("unreferenced_count", needs.unreferenced);
  json.key("settle");
  json.begin_array();
  for (const store::TransactionShare& share : needs.settle) {
    json.begin_object();
    json.field("tx", share.tx_id);
    json.field("prepared", share.prepared);
    json.end_object();
  }
  json.end_array();
  records(json, "records", needs.others, false);
  json.field("close_current", needs.close_current);
  json.field("retention_copy", needs.retention_copy);
  json.field("compaction", needs.compaction);
  json.end_object();
}

void JsonPrinter::compaction(const journal::CompactionOutlook& outlook) {
  const journal::CompactionRules& rules = *rules_;
  Json& json = report_.begin_object("compaction");
  json.field("journal", "messages");
  json.field("starts", outlook.starts());
  json.field("starts_by_size", outlook.starts_by_size);
  json.field("starts_by_updates", outlook.starts_by_updates);
  json.field("min_file_count", rules.min_files);
  json.field("percentage", rules.percentage);
  json.field("file_size_bytes", rules.file_size_bytes);
  json.field("closed_file_count", outlook.data_files);
  json.field("live_bytes", outlook.live_bytes);
  json.field("limit_bytes", outlook.limit_bytes);
  json.field("add_count", outlook.adds);
  json.field("replaceable_count", outlook.replaceables);
  json.field("input_file_count", outlook.input_files);
  json.field("surviving_bytes", outlook.surviving_bytes);
  json.field("output_file_count", outlook.output_files);
  report_.end_object();
}

void JsonPrinter::page(const store::PageReport& page) {
  Json& json = report_.begin_object("page");
  json.field("file", Text(page.file));
  json.field("address", Text(page.address));
  json.field("page_number", page.number == 0 ? std::nullopt : std::optional(page.number));
  json.field("state", store::page_state_name(page.state));
  json.field("size_bytes", page.size_bytes);
  json.field("live_bytes", page.live_bytes);
  json.field("message_count", page.entries);
  json.field("live_message_count", page.messages);
  json.field("uncommitted_count", page.uncommitted);
  queue_shares(json, "queues", page.queues, true);
  transactions(json, "transactions", page.transactions);
  json.field("oldest_ms", time_or_null(page.oldest_ms));
  json.field("large_bytes", page.large_bytes);
  report_.end_object();
}

void JsonPrinter::large_file(const store::LargeFileReport& file) {
  Json& json = report_.begin_object("large_file");
  json.field("file", Text(file.file));
  json.field("id", file.id);
  json.field("state", store::large_state_name(file.state));
  json.field("size_bytes", file.size_bytes);
  json.key("held_in");
  if (file.held_in.empty()) {
    json.null();
  } else {
    json.value(Text(file.held_in));
  }
  json.key("queues");
  json.begin_array();
  for (const std::int64_t id : file.queues) {
    json.begin_object();
    queue_id(json, id);
    json.end_object();
  }
  json.end_array();
  ids(json, "transactions", file.transactions);
  report_.end_object();
}

void JsonPrinter::leftover(const store::Leftover& leftover) {
  Json& json = report_.begin_object("leftover");
  json.field("file", Text(leftover.file));
  json.field("size_bytes", leftover.size_bytes);
  json.field("why", leftover.why);
  json.field("next_start_deletes", leftover.next_start_deletes);
  report_.end_object();
}

void JsonPrinter::queue_usage(const store::QueueUsage& usage) {
  Json& json = report_.begin_object("queue_usage");
  queue_id(json, usage.queue_id);
  json.field("message_count", usage.messages);
  json.field("journal_bytes", usage.journal_bytes);
  json.field("journal_file_count", usage.journal_files);
  json.field("paged_count", usage.paged_messages);
  json.field("page_bytes", usage.page_bytes);
  json.field("page_count", usage.pages);
  json.field("large_bytes", usage.large_bytes);
  json.field("large_file_count", usage.large_files);
  if (usage.when_empty) {
    freed(json, "emptied_frees", *usage.when_empty);
  } else {
    json.null_field("emptied_frees");
  }
  report_.end_object();
}

void JsonPrinter::advice(const store::Advice& advice) {
  Json& json = report_.begin_object("advice");
  json.field("action", store::action_name(advice.action));
  using Action = store::Advice::Action;
  if (advice.action == Action::kAcknowledge || advice.action == Action::kEmptyQueue) {
    json.field("message_count", advice.messages);
    queue_shares(json, "queues", advice.queues, false);
  }
  if (advice.action == Action::kAcknowledge) ids(json, "message_ids", advice.message_ids);
  if (advice.action == Action::kSettle) {
    json.field("tx", advice.tx_id);
    json.field("outcome", advice.outcome);
  }
  if (advice.action == Action::kCompact) {
    json.field("by_itself", advice.by_itself);
    json.field("output_file_count", advice.output_files);
  }
  json.field("close_current", advice.close_current);
  freed(json, "frees", advice.frees);
  report_.end_object();
}

// ---- the whole
// ------------------------------------------------------------------------------------

void JsonPrinter::overview(const store::Explanation& explanation) {
  const std::size_t most = options_.rows == 0 ? SIZE_MAX : options_.rows;
  const auto list = [&](const char* name, const auto& items, const auto& print) {
    begin_list(name);
    std::size_t count = 0;
    for (const auto& item : items) {
      if (count++ == most) break;
      print(item);
    }
  };
  begin_list("parts");
  for (const store::PartTotal& part : explanation.parts) {
    Json& json = report_.begin_object("part");
    json.field("part", part.part);
    json.field("file_count", part.files);
    json.field("size_bytes", part.size_bytes);
    json.field("live_bytes", part.live_bytes);
    json.field("dead_bytes", part.dead_bytes);
    json.field("unused_bytes", part.unused_bytes);
    report_.end_object();
    sum_.files += part.files;
    sum_.size_bytes += part.size_bytes;
    sum_.live_bytes += part.live_bytes;
  }
  list("advice", explanation.advice, [&](const auto& item) { advice(item); });
  list("queues", explanation.queues, [&](const auto& item) { queue_usage(item); });
  list("journal_files", explanation.journal,
       [&](const auto& item) { journal_file("messages", item, explanation.journal); });
  list("bindings_files", explanation.bindings,
       [&](const auto& item) { journal_file("bindings", item, explanation.bindings); });
  begin_list("compaction");
  compaction(explanation.compaction);
  list("pages", explanation.pages, [&](const auto& item) { page(item); });
  list("large_files", explanation.large_files, [&](const auto& item) { large_file(item); });
  list("leftovers", explanation.leftovers, [&](const auto& item) { leftover(item); });
}

void JsonPrinter::begin_target(const store::Explanation& explanation, const Target& target,
                               const IdFacts* facts) {
  begin_list("targets");
  switch (target.kind) {
    case Target::Kind::kJournalFile: {
      const bool messages = target.journal == journal::JournalKind::kMessages;
      const auto& files = messages ? explanation.journal : explanation.bindings;
      journal_file(messages ? "messages" : "bindings", files[target.index], files);
      break;
    }
    case Target::Kind::kPage: page(explanation.pages[target.index]); break;
    case Target::Kind::kLargeFile: large_file(explanation.large_files[target.index]); break;
    case Target::Kind::kId:
      if (facts != nullptr && facts->usage != nullptr) queue_usage(*facts->usage);
      if (facts != nullptr && facts->large != nullptr) large_file(*facts->large);
  }
}

void JsonPrinter::pin(const Target& target, const store::Pin& pin) {
  Json& json = report_.begin_object("pin");
  ++pins_;
  json.field("target", Text(target.given));
  json.field("file", Text(pin.file));
  json.field("offset", pin.offset);
  json.field("length", pin.length_bytes);
  json.field("why", store::why_name(pin.why));
  if (pin.why == store::Pin::Why::kPaged) {
    json.field("id", pin.id);
    json.field("tx", pin.tx_id == -1 ? std::nullopt : std::optional(pin.tx_id));
    json.field("message_number", pin.page_index);
  } else {
    const journal::KindTraits& traits = journal::traits(pin.kind);
    json.field("kind", traits.name);
    const RecordType* type =
        traits.has_user_type ? message::find_record_type(pin.user_type) : nullptr;
    json.field("record_type",
               traits.has_user_type ? std::optional(std::int64_t{pin.user_type}) : std::nullopt);
    json.field("record_name", type == nullptr ? std::nullopt : std::optional(type->name));
    json.field("id", traits.has_id ? std::optional(pin.id) : std::nullopt);
    json.field("tx", traits.has_tx ? std::optional(pin.tx_id) : std::nullopt);
  }
  json.key("queues");
  json.begin_array();
  for (const std::int64_t id : pin.queues) {
    json.begin_object();
    queue_id(json, id);
    json.end_object();
  }
  json.end_array();
  ids(json, "transactions", pin.transactions);
  if (pin.why == store::Pin::Why::kRecord || pin.why == store::Pin::Why::kUnreferenced) {
    json.field("release", store::release_name(pin.release));
  }
  if (!pin.needed_for.empty()) {
    json.key("needed_for");
    json.begin_array();
    for (const std::string_view file : pin.needed_for) json.value(Text(file));
    json.end_array();
  }
  report_.end_object();
}

void JsonPrinter::end_target(const Target& target, std::uint64_t pins, std::uint64_t left_out) {
  Json& json = report_.begin_object("target");
  json.field("target", Text(target.given));
  json.field("pin_count", pins + left_out);
  json.field("left_out_count", left_out);
  report_.end_object();
}

void JsonPrinter::end(cli::ExitCode code) {
  Json& json = report_.begin_summary();
  json.field("file_count", sum_.files);
  json.field("size_bytes", sum_.size_bytes);
  json.field("live_bytes", sum_.live_bytes);
  json.field("pin_count", pins_);
  report_.end_summary(code);
}

std::unique_ptr<ExplainPrinter> make_explain_printer(const std::string& format, cli::Output& output,
                                                     const ExplainPrinterOptions& options) {
  if (format == "text") return std::make_unique<TextPrinter>(output, options);
  return std::make_unique<JsonPrinter>(output, options, format == "json");
}

}  // namespace saranga::explain
