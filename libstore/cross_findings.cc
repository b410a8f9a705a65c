#include "saranga/store/cross_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/journal/folder.h"

namespace saranga::store {
namespace {

bool holds(const std::vector<DirectoryEntry>& entries, journal::JournalKind kind) {
  return std::ranges::any_of(
      entries, [&](const auto& entry) { return journal::journal_kind_of(entry.name) == kind; });
}

}  // namespace

// Without bindings nobody knows the names of the queues, and a broker deletes all messages.
Finding bindings_missing(const std::string& bindings_folder) {
  return {.code = "bindings-missing",
          .severity = Severity::kWarning,
          .file = bindings_folder,
          .text =
              "there is no bindings journal: queues have ids but no names, and a broker that is "
              "started on this store deletes its messages"};
}

void report_missing_bindings(const ReadableDirectory& bindings, const ReadableDirectory& journal,
                             FindingSink& sink) {
  const auto journal_entries = journal.list();
  const auto bindings_entries = bindings.list();
  if (!journal_entries || !bindings_entries) return;
  if (!holds(*journal_entries, journal::JournalKind::kMessages)) return;
  if (holds(*bindings_entries, journal::JournalKind::kBindings)) return;
  sink.finding(bindings_missing(bindings.path()));
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

Finding prepared_without_queue(std::int64_t queue, std::optional<std::int64_t> tx_id) {
  const std::string who =
      tx_id ? fmt::format("prepared transaction {}", *tx_id) : "a prepared transaction";
  return {.code = "prepared-without-queue",
          .severity = Severity::kWarning,
          .id = queue,
          .text = fmt::format("{} works on queue id {}, which has no binding", who, queue)};
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
                          place.tx_id, place.record_count)};
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
