#include "tools/print/property_map.h"

#include <algorithm>
#include <vector>

namespace saranga::print {
namespace {

using message::Property;

constexpr std::size_t kFewProperties = 16;

bool same_bytes(Bytes a, Bytes b) { return std::ranges::equal(a, b); }

// The entries as a map holds them: a key that occurs again keeps its first place and its last
// value.
void put_entry(std::vector<Property>& map, const Property& entry) {
  if (map.size() < kFewProperties) {
    for (Property& present : map) {
      if (!same_bytes(present.key.raw(), entry.key.raw())) continue;
      present.value = entry.value;
      return;
    }
  }
  map.push_back(entry);
}

void drop_duplicates(std::vector<Property>& map) {
  std::vector<std::size_t> order(map.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(map[a].key.raw(), map[b].key.raw());
  });
  std::vector<bool> gone(map.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (!same_bytes(map[order[i - 1]].key.raw(), map[order[i]].key.raw())) continue;
    map[order[i - 1]].value = map[order[i]].value;
    gone[order[i]] = true;
    order[i] = order[i - 1];
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (!gone[i]) map[kept++] = map[i];
  }
  map.resize(kept);
}

}  // namespace

std::span<Property> unique_properties(const message::TypedProperties& properties) {
  thread_local std::vector<Property> map;
  map.clear();
  message::TypedProperties::Iterator iterator(properties);
  while (const auto entry = iterator.next()) put_entry(map, *entry);
  if (map.size() > kFewProperties) drop_duplicates(map);
  return map;
}

}  // namespace saranga::print
