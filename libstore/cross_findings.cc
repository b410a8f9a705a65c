#include "saranga/store/cross_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "libstore/verify/large_check.h"
#include "saranga/journal/folder.h"
#include "saranga/store/fact.h"
#include "saranga/store/loader.h"
#include "saranga/store/parts.h"

namespace saranga::store {
namespace {

bool holds(const std::vector<DirectoryEntry>& entries, journal::JournalKind kind) {
  return std::ranges::any_of(
      entries, [&](const auto& entry) { return journal::journal_kind_of(entry.name) == kind; });
}

}  // namespace

void report_missing_journals(const ReadableDirectory& bindings, const ReadableDirectory& journal,
                             FindingSink& sink) {
  if (!is_given(journal)) return;
  const auto journal_entries = journal.list();
  if (!journal_entries) return;
  if (!holds(*journal_entries, journal::JournalKind::kMessages)) {
    return sink.finding(
        {.code = "journal-missing",
         .severity = Severity::kWarning,
         .file = journal.path(),
         .text = "there is no message journal here: its folder is another one, or its files are "
                 "gone; a broker that is started makes an empty one"});
  }
  const auto bindings_entries = bindings.list();
  if (!is_given(bindings) || !bindings_entries) return;
  if (holds(*bindings_entries, journal::JournalKind::kBindings)) return;
  // Without bindings nobody knows the names of the queues, and a broker deletes all messages.
  sink.finding(
      {.code = "bindings-missing",
       .severity = Severity::kWarning,
       .file = bindings.path(),
       .text = "there is no bindings journal: queues have ids but no names, and a broker that is "
               "started on this store deletes its messages"});
}

void report_lost_bodies(const LoadedStore& store, FindingSink& sink) {
  const Model& model = store.model();
  const bool bodies = is_given(*store.parts().large_messages);
  auto fetcher = store.fetcher();
  for (std::size_t i = 0; i < model.messages().size(); ++i) {
    const Message& message = model.messages()[i];
    if (message.has(Message::kDead) || message.first_reference == kNone) continue;
    const std::string& file = store.journal().labels[message.place.file()];
    const std::uint64_t offset = message.place.offset();
    if (message.has(Message::kDamaged)) {
      sink.finding({.code = "body-undecodable",
                    .severity = Severity::kDamage,
                    .file = file,
                    .offset = offset,
                    .id = message.id,
                    .text = "the message does not decode to its end"});
    } else if (bodies && message.has(Message::kLarge)) {
      const auto record = fetcher.fetch(message.place);
      if (!record || record->id != message.id) continue;
      DecodedMessage decoded;
      (void)read_fact(*record, message.place.file(), store.now_ms(), &decoded);
      std::vector<Finding> findings;
      check_large_body(store,
                       {.message = &decoded.message, .file = file, .offset = offset, .open = false},
                       findings);
      for (Finding& finding : findings) sink.finding(std::move(finding));
    }
  }
}

void report_cut_body(const LoadedStore& store, const LiveMessage& message, BodyDepth depth,
                     FindingSink& sink) {
  if (!message.facts.large || store.large_file(message.id) == nullptr) return;
  std::vector<Finding> findings;
  check_large_body(store,
                   {.message = &message.message,
                    .file = message.file,
                    .offset = message.offset,
                    .durable = message.facts.durable,
                    .paged = message.paged,
                    .inflate = depth == BodyDepth::kWhole,
                    .open = depth == BodyDepth::kWhole},
                   findings);
  for (Finding& finding : findings) {
    if (finding.code != "file-unreadable") sink.finding(std::move(finding));
  }
}

Finding references_without_queue(std::int64_t queue, std::uint64_t count) {
  return {
      .code = "references-without-queue",
      .severity = Severity::kWarning,
      .id = queue,
      .text = fmt::format("queue id {} has {} references but no binding; a broker that is started "
                          "drops them",
                          queue, count)};
}

Finding too_many_queue_ids() {
  return {.code = "too-many-queue-ids",
          .severity = Severity::kWarning,
          .text = "pages name so many queue ids without a binding that not all of them are listed"};
}

Finding prepared_without_queue(std::int64_t queue, std::optional<std::int64_t> tx_id) {
  const std::string who =
      tx_id ? fmt::format("prepared transaction {}", *tx_id) : "a prepared transaction";
  return {.code = "prepared-without-queue",
          .severity = Severity::kWarning,
          .id = tx_id.value_or(queue),
          .text = fmt::format("{} works on queue id {}, which has no binding", who, queue)};
}

Finding record_changed(const std::string& label, std::uint64_t offset, std::int64_t id) {
  return {.code = "record-changed-while-reading",
          .severity = Severity::kWarning,
          .file = label,
          .offset = offset,
          .id = id,
          .text =
              "the record is no longer where it was a moment ago; a broker seems to write to the "
              "store"};
}

Finding undecodable_message(const LiveMessage& message, std::string_view what) {
  return {.code = "body-undecodable",
          .severity = Severity::kDamage,
          .file = std::string(message.file),
          .offset = message.offset,
          .length_bytes = message.length_bytes,
          .id = message.id,
          .text = fmt::format("the message does not decode to its end; what was read is {}", what)};
}

Finding transaction_open(OpenTransactionPlace place) {
  return {
      .code = "transaction-open",
      .severity = Severity::kWarning,
      .file = std::move(place.file),
      .offset = place.offset,
      .id = place.tx_id,
      .text = fmt::format("transaction {} has {} records and no outcome; a broker rolls it back at "
                          "its next start",
                          place.tx_id, place.record_count),
      .at_tail = true};
}

Finding page_transaction_without_pages(std::int64_t tx_id) {
  return {.code = "page-transaction-without-pages",
          .severity = Severity::kWarning,
          .id = tx_id,
          .text = fmt::format(
              "page transaction {} has committed, but no page holds a message of it", tx_id)};
}

Finding orphan_large_file(const message::LargeFile& file, std::string label) {
  const bool durable = file.kind == message::LargeFile::Kind::kDurable;
  return {
      .code = "orphan-large-file",
      .severity = durable ? Severity::kWarning : Severity::kInfo,
      .file = std::move(label),
      .length_bytes = file.size_bytes,
      .id = file.id,
      .text = fmt::format("no message refers to this body of {} bytes; the next start of a broker "
                          "deletes it",
                          file.size_bytes)};
}

Finding large_body_missing(std::int64_t message_id) {
  return {.code = "large-body-missing",
          .severity = Severity::kDamage,
          .file = fmt::format("large-messages/{}.msg", message_id),
          .id = message_id,
          .text = fmt::format(
              "the body of large message {} is not there; a broker delivers it empty", message_id)};
}

}  // namespace saranga::store
