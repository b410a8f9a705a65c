#include "libstore/import/stored_rewrite.h"

#include <algorithm>
#include <map>

#include "saranga/message/message_encoder.h"
#include "saranga/message/record_ids.h"

namespace saranga::store {
namespace {

constexpr std::string_view kOldPrefix = "_HQ_";
constexpr std::string_view kPrefix = "_AMQ_";

bool has_old_names(const message::TypedProperties& properties) {
  message::TypedProperties::Iterator iterator(properties);
  while (const auto property = iterator.next()) {
    // Keys are UTF-16: the first character tells nearly all of them apart.
    const Bytes raw = property->key.raw();
    if (raw.size() < 2 * kOldPrefix.size() || raw[0] != std::byte{'_'}) continue;
    if (property->key.str().starts_with(kOldPrefix)) return true;
  }
  return false;
}

/// Names of today for the properties of a message. Keeps the texts that the message views.
class Renamed {
 public:
  void apply(message::NewCoreMessage& message) {
    names_.reserve(message.properties.size());
    for (message::NewProperty& property : message.properties) {
      const std::string name = property.key.str();
      if (!name.starts_with(kOldPrefix)) continue;
      names_.push_back(std::string(kPrefix) + name.substr(kOldPrefix.size()));
      property.key = Text(names_.back());
    }
  }

 private:
  std::vector<std::string> names_;
};

// Of a key that occurs more than once the last one counts, as in the map of a broker.
std::vector<message::NewProperty> properties_of(const message::TypedProperties& properties) {
  std::vector<message::NewProperty> made;
  std::map<std::string, std::size_t> places;
  message::TypedProperties::Iterator iterator(properties);
  while (const auto property = iterator.next()) {
    const auto [place, fresh] = places.try_emplace(property->key.str(), made.size());
    if (fresh) made.push_back({.key = property->key});
    made[place->second].value = property->value;
  }
  return made;
}

message::NewCoreMessage new_message(const message::CoreMessage& core,
                                    const StoredChanges& changes) {
  const message::CoreHeaders& headers = core.headers;
  message::NewCoreMessage made{.id = changes.id,
                               .address = changes.address ? changes.address : core.address,
                               .type = headers.type,
                               .durable = headers.durable,
                               .expiration_ms = headers.expiration_ms,
                               .timestamp_ms = headers.timestamp_ms,
                               .priority = headers.priority,
                               .properties = properties_of(headers.properties),
                               .body = core.body};
  if (made.user_id.emplace(); headers.user_id.size() == made.user_id->size()) {
    std::ranges::copy(headers.user_id, made.user_id->begin());
  } else {
    made.user_id.reset();
  }
  return made;
}

}  // namespace

bool DecodedStored::core_large() const { return type == message::kAddLargeMessage; }

Result<DecodedStored> decode_stored_message(std::int8_t type, Bytes encoded) {
  if (!holds_message(type)) {
    return fail(ErrorCode::kInvalidArgument, "a record of that type holds no message");
  }
  DecodedStored stored{.type = type};
  Cursor cursor(encoded);
  stored.message = read_message_record(cursor, type);
  if (!cursor.ok()) {
    return fail(ErrorCode::kInvalidArgument,
                std::string("the message does not decode: ") + cursor.problem());
  }
  stored.large = stored.core_large() || (stored.message.amqp && stored.message.amqp->is_large());
  const bool may_be_old = type != message::kAddMessageProtocol && stored.message.core;
  stored.hornetq = may_be_old && has_old_names(stored.message.core->headers.properties);
  return stored;
}

bool needs_rewrite(const DecodedStored& stored, const StoredChanges& changes) {
  return stored.type == message::kAddMessage || stored.hornetq ||
         stored.message.id() != changes.id || changes.address.has_value();
}

Result<RewrittenStored> rewrite_stored(const DecodedStored& stored, const StoredChanges& changes) {
  RewrittenStored made{.type = stored.type, .encoded = {}};
  if (stored.type == message::kAddMessageProtocol) {
    message::StoredMessage changed = stored.message;
    if (changed.core) {
      changed.core->id = changes.id;
      if (changes.address) changed.core->address = changes.address;
    }
    if (changed.amqp) {
      changed.amqp->message_id = changes.id;
      if (changes.address) changed.amqp->address = changes.address;
    }
    Encoder out;
    message::encode_stored_message(changed, out);
    auto encoded = out.take();
    if (!encoded) return std::unexpected(encoded.error());
    made.encoded = std::move(*encoded);
    return made;
  }
  message::NewCoreMessage core = new_message(*stored.message.core, changes);
  Renamed renamed;
  if (stored.hornetq) renamed.apply(core);
  const bool large = stored.core_large();
  auto encoded = large ? message::encode_large_message(core) : message::encode_core_message(core);
  if (!encoded) return std::unexpected(encoded.error());
  made.type = large ? message::kAddLargeMessage : message::kAddMessageProtocol;
  made.encoded = std::move(*encoded);
  return made;
}

}  // namespace saranga::store
