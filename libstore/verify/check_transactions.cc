#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "libstore/verify/cross_checks.h"
#include "saranga/bytes/base64.h"
#include "saranga/message/record_ids.h"
#include "saranga/store/cross_findings.h"

namespace saranga::store {
namespace {

/// The transactions of a store that are still open when everything is read.
class TransactionChecks {
 public:
  TransactionChecks(const CrossInput& input, FindingSink& sink)
      : input_(input), sink_(sink), model_(input.store.model()), fetcher_(input.store.fetcher()) {}

  void run();

 private:
  void report_bindings();
  void report_incomplete(const PreparedTransaction& transaction);
  void report_prepared(const PreparedTransaction& transaction);
  void check_queues(const PreparedTransaction& transaction);

  const CrossInput& input_;
  FindingSink& sink_;
  const Model& model_;
  journal::RecordFetcher fetcher_;
  std::map<std::string, std::int64_t> xids_;  // transaction by name
};

void TransactionChecks::run() {
  report_bindings();
  for (const PreparedTransaction& transaction : model_.incomplete()) {
    report_incomplete(transaction);
  }
  for (const PreparedTransaction& transaction : model_.prepared()) {
    report_prepared(transaction);
    check_queues(transaction);
  }
}

// In the bindings journal a prepared transaction is as good as an open one: nobody ever decides it.
void TransactionChecks::report_bindings() {
  for (const journal::OpenTransaction& open : input_.store.bindings().open) {
    if (open.prepare_mismatch) continue;
    OpenTransactionPlace place{.tx_id = open.tx_id,
                               .record_count = open.records.size() + open.deletes.size()};
    const auto& placed = open.records.empty() ? open.deletes : open.records;
    if (!placed.empty()) {
      place.file = input_.store.bindings().labels[placed.front().place.file()];
      place.offset = placed.front().place.offset();
    }
    sink_.finding(transaction_open(std::move(place)));
  }
}

void TransactionChecks::report_incomplete(const PreparedTransaction& transaction) {
  // A prepare whose number is wrong has been reported where it stands.
  if (transaction.prepare != journal::Place{}) return;
  OpenTransactionPlace place{
      .tx_id = transaction.tx_id,
      .record_count = transaction.records.size() + transaction.deletes.size()};
  const auto& facts = transaction.records.empty() ? transaction.deletes : transaction.records;
  if (!facts.empty()) {
    place.file = input_.store.journal().labels[facts.front().place.file()];
    place.offset = facts.front().place.offset();
  }
  sink_.finding(transaction_open(std::move(place)));
}

std::optional<Xid> xid_of(Bytes extra_data) {
  Cursor cursor(extra_data);
  const Xid xid = read_xid(cursor);
  return cursor.ok() ? std::optional(xid) : std::nullopt;
}

std::string xid_text(const Xid& xid) {
  TextBuffer text;
  text.put("format ");
  text.put_int(xid.format_id);
  text.put(", global id ");
  append_hex(text, xid.global_id);
  text.put(", branch ");
  append_hex(text, xid.branch_qualifier);
  return text.str();
}

void TransactionChecks::report_prepared(const PreparedTransaction& transaction) {
  const std::string& file = input_.store.journal().labels[transaction.prepare.file()];
  const auto record = fetcher_.fetch(transaction.prepare);
  const auto name = record ? xid_of(record->body) : std::nullopt;
  const std::string xid = name ? xid_text(*name) : std::string();
  sink_.finding({.code = "transaction-prepared",
                 .severity = Severity::kInfo,
                 .file = file,
                 .offset = transaction.prepare.offset(),
                 .id = transaction.tx_id,
                 .text = fmt::format(
                     "transaction {} is in doubt, with {} records: its manager has to commit it or "
                     "roll it back ({})",
                     transaction.tx_id, transaction.records.size() + transaction.deletes.size(),
                     name ? fmt::format("{}; for a broker's management {}", xid, xid_base64(*name))
                          : "its name does not decode")});
  if (!name) return;
  const auto [other, fresh] = xids_.emplace(xid, transaction.tx_id);
  if (fresh) return;
  sink_.finding(
      {.code = "prepared-xid-doubled",
       .severity = Severity::kWarning,
       .file = file,
       .offset = transaction.prepare.offset(),
       .id = transaction.tx_id,
       .text = fmt::format("prepared transactions {} and {} have the same name; a broker keeps "
                           "one of them ({})",
                           other->second, transaction.tx_id, xid)});
}

void TransactionChecks::check_queues(const PreparedTransaction& transaction) {
  // Without the bindings journal that is no news.
  if (!input_.store.bindings().is_known()) return;
  std::set<std::int64_t> told;
  for (const Fact& fact : transaction.records) {
    const bool about_queue = fact.user_type == message::kAddReference ||
                             fact.user_type == message::kAcknowledgeReference ||
                             fact.user_type == message::kAcknowledgeCursor;
    if (!about_queue || input_.store.catalog().queue(fact.queue) != nullptr) continue;
    if (!told.insert(fact.queue).second) continue;
    Finding finding = prepared_without_queue(fact.queue, transaction.tx_id);
    finding.file = input_.store.journal().labels[fact.place.file()];
    finding.offset = fact.place.offset();
    sink_.finding(std::move(finding));
  }
}

}  // namespace

void check_transactions(const CrossInput& input, FindingSink& sink) {
  TransactionChecks(input, sink).run();
}

}  // namespace saranga::store
