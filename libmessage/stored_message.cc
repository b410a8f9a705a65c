#include "saranga/message/stored_message.h"

namespace saranga::message {

std::int64_t StoredMessage::id() const {
  if (core) return core->id;
  return amqp ? amqp->message_id : 0;
}

std::optional<Text> StoredMessage::address() const {
  if (core) return core->address;
  return amqp ? amqp->address : std::nullopt;
}

StoredMessage read_stored_message(Cursor& cursor) {
  StoredMessage message;
  const std::uint8_t persister = cursor.u8();
  message.persister = static_cast<Persister>(persister);
  switch (message.persister) {
    case Persister::kCore: message.core = read_core_message(cursor); break;
    case Persister::kAmqpV1:
    case Persister::kAmqpV2:
    case Persister::kAmqpLarge:
    case Persister::kAmqpV3: {
      amqp::Stored stored;
      stored.persister_id = persister;
      (void)amqp::decode_stored(cursor, stored);
      message.amqp = stored;
      break;
    }
    default: cursor.fail("has an unknown persister id"); break;
  }
  return message;
}

}  // namespace saranga::message
