#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "libstore/verify/cross_checks.h"

namespace saranga::store {
namespace {

class BindingsChecks {
 public:
  BindingsChecks(const CrossInput& input, FindingSink& sink)
      : input_(input), sink_(sink), catalog_(input.store.catalog()) {}

  void run();

 private:
  void check_queues();
  void check_problems();
  void check_counter();
  void check_below(std::int64_t counter);
  void report(std::string_view code, Severity severity, std::int64_t id, std::string text) {
    sink_.finding({.code = code, .severity = severity, .id = id, .text = std::move(text)});
  }

  const CrossInput& input_;
  FindingSink& sink_;
  const bindings::Catalog& catalog_;
};

void BindingsChecks::run() {
  if (input_.store.bindings().folder.files.empty()) return;
  check_queues();
  check_problems();
  check_counter();
}

void BindingsChecks::check_queues() {
  std::map<std::string_view, std::int64_t> names;
  std::set<std::string_view> addresses;
  for (const auto& [id, address] : catalog_.addresses()) addresses.insert(address.name);
  for (const auto& [id, queue] : catalog_.queues()) {
    const auto [other, fresh] = names.emplace(queue.name, id);
    if (!fresh) {
      report("queue-name-doubled", Severity::kWarning, id,
             fmt::format("queues {} and {} have the same name {}; a broker renames one of them",
                         other->second, id, queue.name));
    }
    // Before 2.0 there were no address records at all.
    if (addresses.empty() || addresses.contains(queue.address)) continue;
    report(
        "queue-without-address", Severity::kWarning, id,
        fmt::format("the address {} of queue {} has no binding; a broker deletes its pages when it "
                    "starts",
                    queue.address, queue.name));
  }
}

void BindingsChecks::check_problems() {
  using What = bindings::BindingProblem::What;
  for (const bindings::BindingProblem& problem : catalog_.problems()) {
    switch (problem.what) {
      case What::kUndecodable: break;   // reported where the record stands
      case What::kMetadataNull: break;  // see check_releases()
      case What::kStatusWithoutTarget:
        report("status-without-target", Severity::kInfo, problem.id,
               fmt::format(
                   "record {} pauses a queue or address that is not there; the next start of a "
                   "broker deletes it",
                   problem.id));
        break;
      case What::kReplaced:
        report("configuration-replaced", Severity::kInfo, problem.id,
               fmt::format("record {} of type {} has no effect: a later one sets the same thing",
                           problem.id, problem.type));
        break;
      case What::kPauseLost:
        report("pause-lost", Severity::kWarning, problem.id,
               fmt::format(
                   "queue {} was paused and its binding was updated afterwards: a broker that is "
                   "started does not pause it",
                   problem.id));
        break;
    }
  }
}

void BindingsChecks::check_counter() {
  if (const auto counter = catalog_.id_counter()) return check_below(*counter);
  if (catalog_.queues().empty() && catalog_.addresses().empty() &&
      input_.store.model().live_messages() == 0) {
    return;
  }
  sink_.finding(
      {.code = "id-counter-missing",
       .severity = Severity::kWarning,
       .file = input_.store.bindings().labels.front(),
       .text = "there is no id counter: a broker begins at 0 and gives ids to new messages that "
               "are in use already"});
}

// An id that is given out a second time replaces a message, or falls to the delete of the first
// one.
void BindingsChecks::check_below(std::int64_t counter) {
  UsedId used = input_.records.highest_bindings_id;
  used.take(input_.pages.highest_id);
  for (const auto& [tx_id, transaction] : input_.store.model().page_transactions()) {
    used.take({.id = tx_id});
  }
  const UsedId& journal = input_.records.highest_journal_id;
  const bool low = used.id > counter;
  if (!low && journal.id <= counter) return;
  const UsedId& worst = low ? used : journal;
  Finding finding{
      .code = low ? "id-counter-low" : "id-above-counter",
      .severity = low ? Severity::kWarning : Severity::kInfo,
      .file = worst.file,
      .id = worst.id,
      .text = fmt::format("the id counter stands at {}, and the id {} is in use: a broker will "
                          "give it out again",
                          counter, worst.id)};
  if (worst.offset != 0) finding.offset = worst.offset;
  sink_.finding(std::move(finding));
}

}  // namespace

void check_bindings(const CrossInput& input, FindingSink& sink) {
  BindingsChecks(input, sink).run();
}

}  // namespace saranga::store
