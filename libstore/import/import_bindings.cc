#include "libstore/import/import_bindings.h"

#include <fmt/format.h>

#include "saranga/bindings/present_form.h"
#include "saranga/bindings/record_ids.h"
#include "saranga/bindings/record_types.h"

namespace saranga::store {
namespace {

constexpr std::byte kMulticast{0};
constexpr std::byte kAnycast{1};

Result<std::vector<std::byte>> address_body(const std::string& name, Routing routing) {
  std::vector<std::byte> types;
  if (routing.anycast) types.push_back(kAnycast);
  if (routing.multicast) types.push_back(kMulticast);
  return FieldsBuilder(bindings::find_record_type(bindings::kAddressBinding)->fields)
      .text("name", name)
      .list("routing_types", types.size(), types)
      .number("auto_created", 0)
      .encode();
}

Result<std::vector<std::byte>> queue_body(const ImportedQueue& queue) {
  FieldsBuilder fields(bindings::find_record_type(bindings::kQueueBinding)->fields);
  fields.text("name", queue.name).text("address", queue.address);
  if (queue.filter && !queue.filter->empty()) fields.text("filter", *queue.filter);
  const std::byte routing = queue.routing.anycast ? kAnycast : kMulticast;
  return fields.text("metadata", "")
      .number("auto_created", 0)
      .number("max_consumers", -1)
      .number("purge_on_no_consumers", 0)
      .number("routing_type", static_cast<std::int64_t>(routing))
      .encode();
}

// As a broker of today can read it.
Result<std::vector<std::byte>> readable(std::int8_t type, Bytes body) {
  auto changed = bindings::present_form(type, body);
  if (!changed) return std::unexpected(changed.error());
  if (*changed) return std::move(**changed);
  return std::vector<std::byte>(body.begin(), body.end());
}

Result<const QueuePlace*> no_queue(std::string_view name) {
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("there is no queue {}, and the export does not declare it; --create-queues "
                  "makes it, --map-queue sends its messages to another",
                  name));
}

}  // namespace

ImportBindings::ImportBindings(ImportJournal& journal, const ImportOptions& options,
                               const bindings::Catalog* existing, std::int64_t& next_id,
                               ImportReport& report)
    : journal_(journal),
      options_(options),
      existing_(existing),
      next_id_(next_id),
      report_(report) {
  for (const QueueRule& rule : options.rules) {
    rules_.insert_or_assign(rule.from, Rule{.to = rule.to});
    targets_.insert(rule.to);
  }
  if (existing == nullptr) return;
  for (const auto& [id, queue] : existing->queues()) {
    add({.id = id, .name = queue.name, .address = queue.address});
  }
  for (const auto& [id, address] : existing->addresses()) known_addresses_.insert(address.name);
}

void ImportBindings::declare(const ImportedBinding& binding) {
  declared_.push_back({.id = binding.id,
                       .type = binding.type,
                       .is_update = binding.is_update,
                       .body = {binding.body.begin(), binding.body.end()}});
}

const QueuePlace* ImportBindings::add(QueuePlace queue) {
  std::string name = queue.name;
  return &by_name_.insert_or_assign(std::move(name), std::move(queue)).first->second;
}

// A rule for an id also fits the name that an export makes of that id.
const std::string* ImportBindings::rule_for(std::string_view name) {
  if (rules_.empty()) return nullptr;
  auto found = rules_.find(name);
  const std::string& prefix = options_.undefined_prefix;
  if (found == rules_.end() && name.starts_with(prefix)) {
    found = rules_.find(name.substr(prefix.size()));
  }
  if (found == rules_.end()) return nullptr;
  found->second.used = true;
  return found->second.to == name ? nullptr : &found->second.to;
}

// A queue whose messages all go to another one is not made, unless those of a third come to it.
bool ImportBindings::is_given_up(std::string_view name) {
  return rule_for(name) != nullptr && !targets_.contains(name);
}

std::vector<std::string> ImportBindings::unused_rules() const {
  std::vector<std::string> unused;
  for (const auto& [from, rule] : rules_) {
    if (!rule.used) unused.push_back(from);
  }
  return unused;
}

// ---- writing ------------------------------------------------------------------------------------

Result<void> ImportBindings::settle() {
  if (declared_.empty() && addresses_.empty() && queues_.empty() && rules_checked_) return {};
  for (const Declared& declared : std::exchange(declared_, {})) {
    if (auto done = settle(declared); !done) return done;
  }
  for (const ImportedAddress& address : std::exchange(addresses_, {})) {
    if (auto done = need_address(address.name, address.routing); !done) return done;
  }
  for (const ImportedQueue& queue : std::exchange(queues_, {})) {
    if (auto done = settle_queue(queue); !done) return done;
  }
  // Before 2.0 addresses had no records of their own.
  for (const auto& [name, queue] : by_name_) {
    if (existing_ != nullptr) break;
    if (auto done = need_address(queue.address, {.multicast = true}); !done) return done;
  }
  return check_rules();
}

// A queue that only takes the place of another is made with it, whether there are messages or not.
Result<void> ImportBindings::check_rules() {
  for (const auto& [from, rule] : rules_) {
    if (by_name_.contains(rule.to)) continue;
    if (!options_.create_queues) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("--map-queue {}={}: there is no queue {}; --create-queues makes it",
                              from, rule.to, rule.to));
    }
    if (!rule.used) continue;
    if (auto made = create(rule.to); !made) return std::unexpected(made.error());
  }
  rules_checked_ = true;
  return {};
}

Result<void> ImportBindings::settle(const Declared& declared) {
  if (declared.id > kGreatestKeptId) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("the binding with the id {} leaves no room for greater ones", declared.id));
  }
  if (declared.type == bindings::kQueueBinding) return settle_queue(declared);
  if (declared.type == bindings::kAddressBinding) return settle_address(declared);
  const bool is_status =
      declared.type == bindings::kQueueStatus || declared.type == bindings::kAddressStatus;
  const bool lost = is_status && declared.body.size() >= 8 &&
                    dropped_.contains(load_be<std::int64_t>(declared.body.data()));
  if (existing_ != nullptr || lost) {
    ++report_.settings_left_out;
    return {};
  }
  next_id_ = std::max(next_id_, declared.id + 1);
  ++report_.settings;
  const auto body = readable(declared.type, declared.body);
  if (!body) return std::unexpected(body.error());
  return declared.is_update ? journal_.update(declared.id, declared.type, *body)
                            : journal_.add(declared.id, declared.type, *body);
}

Result<void> ImportBindings::settle_queue(const Declared& declared) {
  bindings::Catalog catalog;
  catalog.apply(declared.type, declared.id, declared.is_update, declared.body);
  const bindings::Queue* queue = catalog.queue(declared.id);
  const auto body = readable(declared.type, declared.body);
  if (queue == nullptr || !body) {
    return fail(ErrorCode::kDamaged,
                fmt::format("the binding of queue id {} does not decode", declared.id));
  }
  if (is_given_up(queue->name)) {
    dropped_.insert(declared.id);
    return {};
  }
  if (const auto known = by_name_.find(queue->name);
      known != by_name_.end() && (existing_ != nullptr || !declared.is_update)) {
    compare_address(known->second, queue->address);
    dropped_.insert(declared.id);
    by_archive_id_[declared.id] = &known->second;
    return {};
  }
  const std::int64_t id = existing_ == nullptr ? declared.id : next_id_++;
  next_id_ = std::max(next_id_, id + 1);
  by_archive_id_[declared.id] = add({.id = id, .name = queue->name, .address = queue->address});
  if (declared.is_update && existing_ == nullptr && journal_.is_live(id)) {
    return journal_.update(id, declared.type, *body);
  }
  ++report_.queues;
  return journal_.add(id, declared.type, *body);
}

Result<void> ImportBindings::settle_queue(const ImportedQueue& queue) {
  if (is_given_up(queue.name)) return {};
  const auto known = by_name_.find(queue.name);
  if (known == by_name_.end()) return make_queue(queue);
  compare_address(known->second, queue.address);
  return {};
}

void ImportBindings::compare_address(const QueuePlace& there, const std::string& exported) {
  if (there.address == exported) return;
  report_.queues_elsewhere.push_back(
      {.queue = there.name, .address = there.address, .exported = exported});
}

Result<void> ImportBindings::make_queue(const ImportedQueue& queue) {
  Routing routing = queue.routing;
  if (!routing.anycast && !routing.multicast) routing.multicast = true;
  if (auto done = need_address(queue.address, routing); !done) return done;
  const auto body = queue_body(queue);
  if (!body) return std::unexpected(body.error());
  const QueuePlace* place = add({.id = next_id_++, .name = queue.name, .address = queue.address});
  ++report_.queues;
  return journal_.add(place->id, bindings::kQueueBinding, *body);
}

Result<void> ImportBindings::settle_address(const Declared& declared) {
  bindings::Catalog catalog;
  catalog.apply(declared.type, declared.id, declared.is_update, declared.body);
  const auto found = catalog.addresses().find(declared.id);
  if (found == catalog.addresses().end()) {
    return fail(ErrorCode::kDamaged,
                fmt::format("the binding of address id {} does not decode", declared.id));
  }
  if (!known_addresses_.insert(found->second.name).second) {
    dropped_.insert(declared.id);
    return {};
  }
  const std::int64_t id = existing_ == nullptr ? declared.id : next_id_++;
  next_id_ = std::max(next_id_, id + 1);
  ++report_.addresses;
  return journal_.add(id, declared.type, declared.body);
}

Result<void> ImportBindings::need_address(const std::string& name, Routing routing) {
  if (!known_addresses_.insert(name).second) return {};
  const auto body = address_body(name, routing);
  if (!body) return std::unexpected(body.error());
  ++report_.addresses;
  return journal_.add(next_id_++, bindings::kAddressBinding, *body);
}

// ---- finding ------------------------------------------------------------------------------------

Result<const QueuePlace*> ImportBindings::create(const std::string& name) {
  // An address and a queue of another name, as clients name a queue in full.
  const std::size_t colons = name.find("::");
  const bool full = colons != std::string::npos && colons != 0 && colons + 2 < name.size();
  const ImportedQueue queue{.name = full ? name.substr(colons + 2) : name,
                            .address = full ? name.substr(0, colons) : name,
                            .routing = {.anycast = true}};
  if (!by_name_.contains(queue.name)) {
    if (auto done = make_queue(queue); !done) return std::unexpected(done.error());
  }
  const QueuePlace& made = by_name_.find(queue.name)->second;
  if (full) by_name_.insert_or_assign(name, made);
  return &by_name_.find(name)->second;
}

Result<const QueuePlace*> ImportBindings::find(std::string_view name) {
  const std::string* mapped = rule_for(name);
  const std::string_view wanted = mapped == nullptr ? name : std::string_view(*mapped);
  if (const auto known = by_name_.find(wanted); known != by_name_.end()) return &known->second;
  if (options_.create_queues) return create(std::string(wanted));
  return no_queue(wanted);
}

Result<const QueuePlace*> ImportBindings::find(std::int64_t archive_id, std::string_view name) {
  if (!name.empty()) {
    if (rule_for(name) == nullptr) {
      const auto known = by_archive_id_.find(archive_id);
      if (known != by_archive_id_.end()) return known->second;
    }
    return find(name);
  }
  const std::string text = std::to_string(archive_id);
  if (rule_for(text) != nullptr) return find(text);
  const std::string made_up = options_.undefined_prefix + text;
  if (options_.create_queues) return find(made_up);
  if (existing_ != nullptr) return no_queue(fmt::format("with the id {}", archive_id));
  return &unbound_.try_emplace(archive_id, QueuePlace{.id = archive_id, .name = {}, .address = {}})
              .first->second;
}

}  // namespace saranga::store
