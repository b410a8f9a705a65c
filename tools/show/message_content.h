// What is in a message that `data show` tells about, and what is wrong with it.
#pragma once

#include "saranga/bytes/no_findings.h"
#include "saranga/store/message_story.h"
#include "tools/list/message_body.h"

namespace saranga::show {

/// What is in a message; valid until the next one is read.
struct MessageContent {
  bool there = false;         ///< a record or page still has the message
  bool undecodable = false;   ///< it does not decode: there is no body
  bool body_missing = false;  ///< its body is a file that is not there
  list::MessageBody body{};
};

/// Reads messages, one after the other. Damage is told once a message, and only of those that a
/// consumer may get: the body of one that is gone has every right to be gone.
class ContentReader {
 public:
  ContentReader(const store::LoadedStore& store, list::BodyDetail detail, FindingSink& sink)
      : sink_(sink), bodies_(store, detail, sink), quiet_bodies_(store, detail, none_) {}

  [[nodiscard]] MessageContent read(const store::MessageStory& story);

 private:
  FindingSink& sink_;
  NoFindings none_;
  list::BodyReader bodies_;
  list::BodyReader quiet_bodies_;
  journal::IdSet told_;
};

}  // namespace saranga::show
