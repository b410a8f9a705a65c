#include "tools/export/scope_losses.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/bindings/queue_binding.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/record_types.h"
#include "saranga/store/kept_records.h"

namespace saranga::exporting {
namespace {

namespace amqp = message::amqp;

class Counter {
 public:
  Counter(const Carried& carried, Losses& losses) : carried_(carried), losses_(losses) {}

  void queue(const bindings::Queue& queue) {
    for (const std::string_view name : bindings::own_settings(queue.body)) of_queue(name);
    if (queue.user) of_queue("user");
    if (queue.paused) of_queue("paused");
  }

  void address(const bindings::Address& address) {
    if (carried_.address_settings) return;
    if (address.auto_created) setting("addresses", "auto_created");
    if (address.internal) setting("addresses", "internal");
    if (address.paused) setting("addresses", "paused");
  }

  void records(const RecordType* type, std::int8_t number, std::uint64_t count) {
    losses_.add(type == nullptr
                    ? fmt::format("records that {} has not, of the unknown type {}",
                                  carried_.format, int{number})
                    : fmt::format("records that {} has not: {}", carried_.format, type->name),
                count);
  }

 private:
  void of_queue(std::string_view name) {
    const auto& known = carried_.queue_settings;
    if (std::ranges::find(known, name) == known.end()) setting("queues", name);
  }
  void setting(std::string_view whose, std::string_view name) {
    losses_.add(fmt::format("{} with a setting that {} has not: {}", whose, carried_.format, name));
  }

  const Carried& carried_;
  Losses& losses_;
};

}  // namespace

void count_scope_losses(const store::LoadedStore& store, const ExportScope& scope,
                        const Carried& carried, Losses& losses) {
  Counter counter(carried, losses);
  for (const bindings::Address* address : scope.addresses) counter.address(*address);
  for (const bindings::Queue* queue : scope.queues) counter.queue(*queue);
  if (!scope.whole || !scope.every_message) return;
  for (const bindings::ConfigurationRecord& record : store.catalog().configuration()) {
    counter.records(bindings::find_record_type(record.type), record.type, 1);
  }
  for (const auto& [type, count] : store::count_standing_records(store)) {
    counter.records(message::find_record_type(type), type, count);
  }
}

void count_amqp_losses(const amqp::Message& message, Losses& losses) {
  using enum amqp::SectionKind;
  if (message.section(kDeliveryAnnotations).present ||
      message.section(kMessageAnnotations).present || message.section(kFooter).present) {
    losses.add("AMQP messages with annotations or a footer, which are left out");
  }
  using enum amqp::Property;
  const amqp::Properties properties = message.properties();
  for (std::size_t i = 0; i < amqp::kPropertyCount; ++i) {
    const auto property = static_cast<amqp::Property>(i);
    if (property == kMessageId || property == kTo || property == kCreationTime ||
        property == kAbsoluteExpiryTime) {
      continue;
    }
    if (properties[property].type() == amqp::Type::kNull) continue;
    return losses.add("AMQP messages with a subject, a correlation id or the like, left out");
  }
}

}  // namespace saranga::exporting
