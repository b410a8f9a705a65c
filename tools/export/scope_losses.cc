#include "tools/export/scope_losses.h"

#include <fmt/format.h>

#include <algorithm>

#include "saranga/bindings/queue_binding.h"
#include "saranga/bindings/record_types.h"
#include "saranga/message/amqp_message.h"
#include "saranga/message/record_types.h"
#include "saranga/store/kept_records.h"

namespace saranga::exporting {
namespace {

namespace amqp = message::amqp;

class Counter {
 public:
  Counter(const Carried& carried, Losses& losses) : carried_(carried), losses_(losses) {}

  void queue(const bindings::Queue& queue) {
    for (const std::string_view name : bindings::own_settings(queue.body)) setting("queues", name);
    if (queue.user) setting("queues", "user");
    if (queue.paused) setting("queues", "paused");
  }

  void address(const bindings::Address& address) {
    if (carried_.address_settings) return;
    if (address.auto_created) setting("addresses", "auto_created");
    if (address.internal) setting("addresses", "internal");
    if (address.paused) setting("addresses", "paused");
  }

  void record(const RecordType* type, int number) {
    losses_.add(type == nullptr
                    ? fmt::format("records that {} has not, of the unknown type {}",
                                  carried_.format, number)
                    : fmt::format("records that {} has not: {}", carried_.format, type->name));
  }

 private:
  void setting(std::string_view whose, std::string_view name) {
    const auto& known = carried_.queue_settings;
    if (whose == "queues" && std::ranges::find(known, name) != known.end()) return;
    losses_.add(fmt::format("{} with a setting that {} has not: {}", whose, carried_.format, name));
  }

  const Carried& carried_;
  Losses& losses_;
};

}  // namespace

void count_scope_losses(const store::LoadedStore& store, const ExportScope& scope,
                        const Carried& carried, Losses& losses, FindingSink& sink) {
  Counter counter(carried, losses);
  for (const bindings::Address* address : scope.addresses) counter.address(*address);
  for (const bindings::Queue* queue : scope.queues) counter.queue(*queue);
  if (!scope.whole || !scope.every_message) return;
  for (const bindings::ConfigurationRecord& record : store.catalog().configuration()) {
    counter.record(bindings::find_record_type(record.type), record.type);
  }
  const auto count = [&](const journal::Record& record) {
    counter.record(message::find_record_type(record.user_type), record.user_type);
  };
  store::visit_standing_records(store, count, sink);
}

void count_amqp_losses(const amqp::Stored& stored, Losses& losses) {
  using enum amqp::SectionKind;
  const amqp::Message message = amqp::Message::of(stored);
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
