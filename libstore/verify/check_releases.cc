#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "libstore/verify/cross_checks.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

void check_generations(const CrossInput& input, FindingSink& sink) {
  if (!input.records.any_old_message || !input.records.any_new_message) return;
  sink.finding({.code = "message-generations-mixed",
                .severity = Severity::kWarning,
                .text =
                    "messages of before 2.0 (type 31) and of later releases (type 45) are in one "
                    "journal: no upgrade leaves that, and no release reads both"});
}

void check_target(const CrossInput& input, FindingSink& sink) {
  if (!input.options.target) return;
  const ReleaseNumber& target = *input.options.target;
  const LoadedStore& store = input.store;
  input.records.bindings_target.report(
      target, [&](std::int64_t id) { return !store.bindings().deleted.contains(id); }, sink);
  input.records.journal_target.report(
      target, [&](std::int64_t id) { return !store.model().deleted().contains(id); }, sink);
  // An entry is read whether it is consumed or not.
  input.pages.target.report(target, [](std::int64_t) { return true; }, sink);
}

// No release up to 2.44 looks whether it is there; the records that others replace are read as
// well.
void check_metadata(const CrossInput& input, FindingSink& sink) {
  std::map<std::int64_t, UsedId> places = input.records.null_metadata;
  for (const bindings::BindingProblem& problem : input.store.catalog().problems()) {
    if (problem.what != bindings::BindingProblem::What::kMetadataNull) continue;
    const auto found = places.extract(problem.id);
    if (!found) continue;  // told of another record of the queue
    const UsedId& place = found.mapped();
    const bindings::Queue* queue = input.store.catalog().queue(problem.id);
    sink.finding(
        {.code = "queue-metadata-null",
         .severity = Severity::kWarning,
         .file = place.file,
         .offset = place.offset,
         .id = place.id,
         .text = fmt::format("the binding of queue {} has null where the metadata should be a "
                             "text, empty at least: a broker does not start; data export to an "
                             "archive and data import make a store in which it is empty",
                             queue == nullptr ? std::to_string(problem.id) : queue->name)});
  }
}

// The oldest ids of a cache that is too long are deleted by the next start, and what they guard
// against may then happen.
void check_caches(const CrossInput& input, FindingSink& sink) {
  if (input.records.caches.empty()) return;
  std::vector<std::int64_t> surviving;
  for (const OtherRecord& record : input.store.model().others()) {
    if (record.type == message::kDuplicateId) surviving.push_back(record.id);
  }
  std::ranges::sort(surviving);
  std::vector<std::uint64_t> counts(input.records.caches.size());
  for (const GatheredRecords::DuplicateId& known : input.records.duplicate_ids) {
    if (std::ranges::binary_search(surviving, known.record_id)) ++counts[known.cache];
  }
  for (const auto& [address, cache] : input.records.caches) {
    if (counts[cache] <= input.options.id_cache_size) continue;
    sink.finding(
        {.code = "duplicate-ids-over-size",
         .severity = Severity::kInfo,
         .text = fmt::format("the cache of duplicate ids of {} has {} entries, {} are allowed: the "
                             "next start of a broker forgets the oldest {}",
                             address, counts[cache], input.options.id_cache_size,
                             counts[cache] - input.options.id_cache_size)});
  }
}

}  // namespace

void check_releases(const CrossInput& input, FindingSink& sink) {
  check_generations(input, sink);
  check_target(input, sink);
  check_metadata(input, sink);
  if (input.options.level >= CheckLevel::kCross) check_caches(input, sink);
}

}  // namespace saranga::store
