#include "saranga/bindings/catalog.h"

#include <algorithm>

#include "saranga/bindings/queue_binding.h"
#include "saranga/bindings/record_ids.h"
#include "saranga/bindings/record_types.h"

namespace saranga::bindings {
namespace {

constexpr std::int8_t kJsonAddressSetting = 52;
constexpr std::int64_t kPaused = 0;

using Values = FieldValues;

std::string text_of(const Values& values, std::string_view name) {
  return values.get(name).text.str();
}

std::optional<std::string> nullable_text(const Values& values, std::string_view name) {
  const FieldValue& value = values.get(name);
  if (value.state != FieldValue::State::kPresent) return std::nullopt;
  return value.text.str();
}

bool truth(const Values& values, std::string_view name) { return values.get(name).number != 0; }

// The name of an enumeration's value; `absent` when the record does not reach to the field.
std::string named(const Values& values, std::string_view name, std::string_view absent) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.fields()[i].name != name) continue;
    if (values[i].state != FieldValue::State::kPresent) break;
    return std::string(value_name(values.fields()[i], values[i].number));
  }
  return std::string(absent);
}

// Which record replaces which: both forms of address settings share one map, keys are per kind.
std::string key_of(std::int8_t type, const Values& values) {
  for (const char* name :
       {"address_match", "parent_name", "map_id", "username", "name", "group_id"}) {
    const FieldValue& value = values.get(name);
    if (value.state != FieldValue::State::kPresent) continue;
    std::string key = value.text.str();
    if (std::string_view(name) == "map_id") key += '\n' + text_of(values, "key");
    return key;
  }
  return std::to_string(type);
}

std::int8_t map_of(std::int8_t type) {
  return type == kJsonAddressSetting ? kAddressSetting : type;
}

}  // namespace

void Catalog::apply(std::int8_t type, std::int64_t id, bool /*is_update*/, Bytes body) {
  switch (type) {
    case kQueueBinding: return apply_queue(id, body);
    case kAddressBinding: return apply_address(id, body);
    case kQueueStatus:
    case kAddressStatus: return apply_status(type, id, body);
    case kIdCounter:
      if (body.size() >= 8) id_counter_ = load_be<std::int64_t>(body.data());
      return;
    default: return apply_configuration(type, id, body);
  }
}

void Catalog::apply_queue(std::int64_t id, Bytes body) {
  DecodedRecord decoded;
  const RecordType* type = find_record_type(kQueueBinding);
  if (!decode_record(*type, false, body, decoded)) {
    problems_.push_back({BindingProblem::What::kUndecodable, kQueueBinding, id});
    return;
  }
  const Values& values = decoded.values;
  Queue queue;
  queue.id = id;
  queue.name = text_of(values, "name");
  queue.address = text_of(values, "address");
  // A routing type that the record does not have or nobody knows counts as MULTICAST.
  queue.routing_type = named(values, "routing_type", "MULTICAST");
  if (queue.routing_type.empty()) queue.routing_type = "MULTICAST";
  queue.filter = nullable_text(values, "filter");
  const FieldValue& metadata = values.get("metadata");
  if (metadata.state == FieldValue::State::kNull) {
    problems_.push_back({BindingProblem::What::kMetadataNull, kQueueBinding, id});
  }
  if (const auto user = queue_user(metadata.text)) queue.user = user->str();
  queue.auto_created = truth(values, "auto_created");
  queue.internal = truth(values, "internal");
  queue.exclusive = truth(values, "exclusive");
  queue.last_value = truth(values, "last_value");
  queue.non_destructive = truth(values, "non_destructive");
  const FieldValue& ring = values.get("ring_size");
  if (ring.state == FieldValue::State::kPresent) queue.ring_size = ring.number;
  queue.body.assign(body.begin(), body.end());
  // An update replaces the queue, and with it a pause that had been attached to it.
  const auto older = queues_.find(id);
  if (older != queues_.end() && older->second.paused) {
    problems_.push_back({BindingProblem::What::kPauseLost, kQueueBinding, id});
  }
  queues_.insert_or_assign(id, std::move(queue));
}

void Catalog::apply_address(std::int64_t id, Bytes body) {
  DecodedRecord decoded;
  if (!decode_record(*find_record_type(kAddressBinding), false, body, decoded)) {
    problems_.push_back({BindingProblem::What::kUndecodable, kAddressBinding, id});
    return;
  }
  const Values& values = decoded.values;
  Address address;
  address.id = id;
  address.name = text_of(values, "name");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.fields()[i].name != "routing_types") continue;
    for (const std::byte b : values[i].bytes) {
      address.routing_types.emplace_back(
          value_name(values.fields()[i], static_cast<std::int8_t>(b)));
    }
  }
  address.auto_created = truth(values, "auto_created");
  address.internal = truth(values, "internal");
  addresses_.insert_or_assign(id, std::move(address));
}

void Catalog::apply_status(std::int8_t type, std::int64_t id, Bytes body) {
  if (body.size() < 10) {
    problems_.push_back({BindingProblem::What::kUndecodable, type, id});
    return;
  }
  const auto target = load_be<std::int64_t>(body.data());
  const bool paused = load_be<std::int16_t>(body.data() + 8) == kPaused;
  if (type == kQueueStatus) {
    if (const auto queue = queues_.find(target); queue != queues_.end()) {
      queue->second.paused = paused;
      return;
    }
  } else if (const auto address = addresses_.find(target); address != addresses_.end()) {
    address->second.paused = paused;
    return;
  }
  problems_.push_back({BindingProblem::What::kStatusWithoutTarget, type, id});
}

void Catalog::apply_configuration(std::int8_t type, std::int64_t id, Bytes body) {
  // What nobody knows replaces nothing.
  ConfigurationRecord record{
      .type = type, .id = id, .key = std::to_string(id), .body = {body.begin(), body.end()}};
  if (const RecordType* known = find_record_type(type)) {
    DecodedRecord decoded;
    if (!decode_record(*known, false, body, decoded)) {
      problems_.push_back({BindingProblem::What::kUndecodable, type, id});
      return;
    }
    record.key = key_of(type, decoded.values);
  }
  const auto [known, fresh] =
      by_key_.try_emplace({map_of(type), record.key}, configuration_.size());
  if (fresh) {
    configuration_.push_back(std::move(record));
    return;
  }
  ConfigurationRecord& older = configuration_[known->second];
  problems_.push_back({BindingProblem::What::kReplaced, older.type, older.id});
  older = std::move(record);
}

const Queue* Catalog::queue(std::int64_t id) const {
  const auto found = queues_.find(id);
  return found == queues_.end() ? nullptr : &found->second;
}

const Queue* Catalog::queue_by_name(std::string_view name) const {
  const auto found =
      std::ranges::find_if(queues_, [&](const auto& queue) { return queue.second.name == name; });
  return found == queues_.end() ? nullptr : &found->second;
}

const Address* Catalog::address_by_name(std::string_view name) const {
  const auto found =
      std::ranges::find_if(addresses_, [&](const auto& a) { return a.second.name == name; });
  return found == addresses_.end() ? nullptr : &found->second;
}

bool Catalog::knows_address(std::string_view name) const {
  return address_by_name(name) != nullptr ||
         std::ranges::any_of(queues_, [&](const auto& q) { return q.second.address == name; });
}

}  // namespace saranga::bindings
