#include "tools/show/message_content.h"

namespace saranga::show {

MessageContent ContentReader::read(const store::MessageStory& story) {
  using State = store::MessageStory::State;
  if (!story.content) return {};
  const store::LiveMessage& message = *story.content;
  MessageContent content{.there = true, .undecodable = message.facts.damaged};
  const bool counts = story.state == State::kLive || story.state == State::kInDoubt;
  if (!content.undecodable) {
    content.body = (counts ? bodies_ : quiet_bodies_).read(message);
    content.body_missing = counts && content.body.where == list::MessageBody::Where::kMissing;
    return content;
  }
  if (counts && !told_.contains(message.id)) {
    told_.insert(message.id);
    sink_.finding({.code = "body-undecodable",
                   .severity = Severity::kDamage,
                   .file = std::string(message.file),
                   .offset = message.offset,
                   .length_bytes = message.length_bytes,
                   .id = message.id,
                   .text = "the message does not decode to its end"});
  }
  return content;
}

}  // namespace saranga::show
