#include "saranga/store/diff.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace saranga::store {
namespace {

/// What is kept of a message for comparing.
struct Kept {
  std::int64_t id = 0;
  std::string queue;
  std::string place;
  Hasher::Value content{};
  bool matched = false;
};

struct ContentHash {
  std::size_t operator()(const Hasher::Value& value) const {
    return load_be<std::uint64_t>(value.data());
  }
};

class Keeper final : public MessageVisitor {
 public:
  Keeper(const LoadedStore& store, DigestOptions options, Filter* filter, FindingSink& sink)
      : filter_(filter), options_(options), digest_(store, content_only(options), sink) {}

  bool wants_queue(std::int64_t id, const bindings::Queue* queue) override {
    return filter_ == nullptr || filter_->wants_queue(id, queue);
  }
  bool wants_unbound_pages() override { return filter_ == nullptr || filter_->may_want_orphans(); }
  bool wants_message(const Message& message) override {
    return filter_ == nullptr || filter_->may_match(message);
  }
  bool message(const LiveMessage& message) override {
    if (filter_ != nullptr && !filter_->matches(message)) return true;
    kept.push_back({.id = message.id,
                    .queue = message.queue != nullptr ? message.queue->name
                                                      : fmt::format("(id {})", message.queue_id),
                    .place = fmt::format("{}:{:#x}", message.file, message.offset),
                    .content = digest_.of(message)});
    return !options_.stopped();
  }
  std::vector<Kept> kept;

 private:
  static DigestOptions content_only(DigestOptions options) {
    options.ids = false;
    return options;
  }

  Filter* filter_;
  DigestOptions options_;
  MessageDigest digest_;
};

/// Pairs the messages of two stores, the strictest kind of sameness first.
class Matcher {
 public:
  Matcher(std::vector<Kept>& first, std::vector<Kept>& second, DigestOptions options)
      : first_(first), second_(second), options_(options) {}

  void run(StoreDifference& result);

 private:
  void match_same(StoreDifference& result);
  void match_renumbered(StoreDifference& result);
  void match_different(StoreDifference& result);
  void match_moved(StoreDifference& result);
  void collect_rest(StoreDifference& result);

  std::vector<Kept>& first_;
  std::vector<Kept>& second_;
  DigestOptions options_;
  std::multimap<std::pair<std::string_view, std::int64_t>, Kept*> by_queue_and_id_;
  std::unordered_multimap<Hasher::Value, Kept*, ContentHash> by_content_;
};

void Matcher::run(StoreDifference& result) {
  for (Kept& kept : second_) {
    by_queue_and_id_.emplace(std::pair<std::string_view, std::int64_t>(kept.queue, kept.id), &kept);
    by_content_.emplace(kept.content, &kept);
  }
  match_same(result);
  if (!options_.ids) match_renumbered(result);
  match_different(result);
  match_moved(result);
  collect_rest(result);
}

void Matcher::match_same(StoreDifference& result) {
  for (Kept& kept : first_) {
    const auto [from, to] = by_queue_and_id_.equal_range(
        std::pair<std::string_view, std::int64_t>(kept.queue, kept.id));
    for (auto at = from; at != to; ++at) {
      if (at->second->matched || at->second->content != kept.content) continue;
      kept.matched = at->second->matched = true;
      ++result.equal;
      break;
    }
  }
}

void Matcher::match_renumbered(StoreDifference& result) {
  for (Kept& kept : first_) {
    if (kept.matched) continue;
    const auto [from, to] = by_content_.equal_range(kept.content);
    for (auto at = from; at != to; ++at) {
      if (at->second->matched || at->second->queue != kept.queue) continue;
      kept.matched = at->second->matched = true;
      ++result.equal;
      break;
    }
  }
}

void Matcher::match_different(StoreDifference& result) {
  for (Kept& kept : first_) {
    if (kept.matched) continue;
    const auto [from, to] = by_queue_and_id_.equal_range(
        std::pair<std::string_view, std::int64_t>(kept.queue, kept.id));
    for (auto at = from; at != to; ++at) {
      if (at->second->matched) continue;
      kept.matched = at->second->matched = true;
      result.messages.push_back({.difference = Difference::kDifferent,
                                 .queue = kept.queue,
                                 .other_queue = kept.queue,
                                 .id = kept.id,
                                 .other_id = kept.id,
                                 .place = kept.place});
      break;
    }
  }
}

void Matcher::match_moved(StoreDifference& result) {
  for (Kept& kept : first_) {
    if (kept.matched) continue;
    const auto [from, to] = by_content_.equal_range(kept.content);
    for (auto at = from; at != to; ++at) {
      if (at->second->matched || (options_.ids && at->second->id != kept.id)) continue;
      kept.matched = at->second->matched = true;
      result.messages.push_back({.difference = Difference::kMoved,
                                 .queue = kept.queue,
                                 .other_queue = at->second->queue,
                                 .id = kept.id,
                                 .other_id = at->second->id,
                                 .place = kept.place});
      break;
    }
  }
}

void Matcher::collect_rest(StoreDifference& result) {
  for (const Kept& kept : first_) {
    if (kept.matched) continue;
    result.messages.push_back({.difference = Difference::kMissing,
                               .queue = kept.queue,
                               .other_queue = {},
                               .id = kept.id,
                               .place = kept.place});
  }
  for (const Kept& kept : second_) {
    if (kept.matched) continue;
    result.messages.push_back({.difference = Difference::kExtra,
                               .queue = kept.queue,
                               .other_queue = {},
                               .id = kept.id,
                               .other_id = kept.id,
                               .place = kept.place});
  }
}

// ---- the catalog --------------------------------------------------------------------------------

/// Settings of a queue or address as text, by name.
using Settings = std::map<std::string, std::map<std::string, std::string>>;

Settings queue_settings(const bindings::Catalog& catalog, Filter* filter) {
  Settings settings;
  for (const auto& [id, queue] : catalog.queues()) {
    if (filter != nullptr && !filter->wants_queue(id, &queue)) continue;
    settings[queue.name] = {{"address", queue.address},
                            {"routing type", queue.routing_type},
                            {"filter", queue.filter.value_or("none")},
                            {"paused", queue.paused ? "yes" : "no"},
                            {"exclusive", queue.exclusive ? "yes" : "no"},
                            {"last value", queue.last_value ? "yes" : "no"},
                            {"non-destructive", queue.non_destructive ? "yes" : "no"},
                            {"ring size", std::to_string(queue.ring_size)}};
  }
  return settings;
}

Settings address_settings(const bindings::Catalog& catalog, Filter* filter) {
  Settings settings;
  for (const auto& [id, address] : catalog.addresses()) {
    // One who asks for queues does not ask for addresses.
    if (filter != nullptr && (filter->says_queue() || !filter->wants_address(address.name))) {
      continue;
    }
    // A broker keeps a set: the order in which a record has them means nothing.
    const std::set<std::string_view> types(address.routing_types.begin(),
                                           address.routing_types.end());
    settings[address.name] = {{"routing types", fmt::format("{}", fmt::join(types, ","))},
                              {"paused", address.paused ? "yes" : "no"}};
  }
  return settings;
}

void compare_settings(const Settings& first, const Settings& second, bool is_address,
                      std::vector<CatalogDifference>& result) {
  for (const auto& [name, values] : first) {
    const auto other = second.find(name);
    if (other == second.end()) {
      result.push_back({Difference::kMissing, is_address, name, {}});
      continue;
    }
    for (const auto& [key, value] : values) {
      const std::string& there = other->second.at(key);
      if (there == value) continue;
      result.push_back(
          {Difference::kDifferent, is_address, name, fmt::format("{}: {}, {}", key, value, there)});
    }
  }
  for (const auto& [name, values] : second) {
    if (!first.contains(name)) result.push_back({Difference::kExtra, is_address, name, {}});
  }
}

}  // namespace

std::string_view difference_name(Difference difference) {
  switch (difference) {
    case Difference::kMissing: return "missing";
    case Difference::kExtra: return "extra";
    case Difference::kDifferent: return "different";
    case Difference::kMoved: return "moved";
  }
  return "different";
}

StoreDifference diff_stores(const LoadedStore& first, const LoadedStore& second,
                            const DiffOptions& options, FindingSink& sink) {
  StoreDifference result;
  compare_settings(address_settings(first.catalog(), options.first_filter),
                   address_settings(second.catalog(), options.second_filter), true, result.catalog);
  compare_settings(queue_settings(first.catalog(), options.first_filter),
                   queue_settings(second.catalog(), options.second_filter), false, result.catalog);
  Keeper ours(first, options.digest, options.first_filter, sink);
  visit_messages(first, ours, sink);
  Keeper theirs(second, options.digest, options.second_filter, sink);
  visit_messages(second, theirs, sink);
  Matcher(ours.kept, theirs.kept, options.digest).run(result);
  return result;
}

}  // namespace saranga::store
