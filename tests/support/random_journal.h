// Journals of every shape for the tests of compaction: built byte by byte from a seed.
#pragma once

#include <fmt/format.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/journal_builder.h"

namespace saranga::test {

/// The update type of which only the last of an id and queue counts, in these tests.
inline constexpr std::int32_t kReplaceableType = 34;
inline constexpr std::size_t kReplaceableBytes = 12;

struct RandomJournalOptions {
  std::size_t files = 4;
  std::size_t file_size = 4096;
  std::size_t alignment = 1;
  bool torn_tail = false;
};

/// Files of a message journal with live and dead records, updates, transactions over several files,
/// ended in every way, deletes in front of and behind their adds, leftovers of former lives, and
/// an empty file.
class RandomJournal {
 public:
  RandomJournal(std::uint64_t seed, RandomJournalOptions options)
      : random_(seed), options_(options) {
    for (std::size_t i = 0; i < options_.files; ++i) write_file(3 + static_cast<std::int64_t>(i));
    spare(1);
  }
  [[nodiscard]] const std::map<std::string, Buffer>& files() const { return files_; }

 private:
  struct Tx {
    std::int64_t id = 0;
    std::int32_t in_file = 0;
    bool prepared = false;
  };

  std::size_t roll(std::size_t sides) { return random_() % sides; }
  static std::string name(std::int64_t number) {
    return fmt::format("activemq-data-{}.amq", number);
  }
  Buffer body() { return Buffer(roll(8) == 0 ? roll(900) : roll(60), std::byte{0x5A}); }

  void write_file(std::int64_t id) {
    JournalBuilder file(1);
    // A former life, which the file's new header makes stale.
    if (roll(2) == 0) {
      for (int i = 0; i < 20; ++i) file.add(900 + i, 45, Buffer(roll(100)));
      file.pad_to(options_.file_size);
    }
    file.reuse(id);
    if (options_.alignment > 1) file.block(options_.alignment);
    for (Tx& tx : open_) tx.in_file = 0;
    while (file.at() + 1600 < options_.file_size) {
      operation(file);
      if (options_.alignment > 1 && roll(5) == 0) file.block(options_.alignment);
      if (roll(25) == 0) break;
    }
    const bool last = static_cast<std::size_t>(id) == options_.files + 2;
    if (last && options_.torn_tail) {
      const Buffer torn =
          record_bytes({.id = 7777, .user_type = 45, .body = Buffer(100)}, file.tag());
      file.raw(Bytes(torn).first(60));
    }
    file.extend_to(options_.file_size);
    files_[name(id + 10)] = file.bytes();
  }
  void spare(std::int64_t id) {
    files_[name(id)] = JournalBuilder(id + 40).pad_to(options_.file_size).bytes();
  }

  void operation(JournalBuilder& file) {
    switch (roll(12)) {
      case 0:
      case 1:
      case 2: file.add(fresh(), 45, body()); break;
      case 3: file.update(some(), 32, body()); break;
      case 4: {
        BodyBuilder count;
        count.i64(static_cast<std::int64_t>(roll(2))).i32(static_cast<std::int64_t>(roll(9)));
        file.update(some(), kReplaceableType, count);
        break;
      }
      case 5: remove(file); break;
      case 6: file.event(fresh(), 49, body()); break;
      case 7: open_.push_back({.id = next_tx_++}); break;
      default: in_transaction(file);
    }
  }
  // Now and then the delete comes first, and an update of an id that never was.
  void remove(JournalBuilder& file) {
    const std::int64_t id = roll(6) == 0 ? next_id_ + static_cast<std::int64_t>(roll(3)) : some();
    file.remove(id);
  }
  void in_transaction(JournalBuilder& file) {
    if (open_.empty()) return;
    const std::size_t at = roll(open_.size());
    Tx& tx = open_[at];
    const std::size_t what = roll(10);
    if (what < 6 && !tx.prepared) {
      ++tx.in_file;
      if (what < 3) {
        file.add_tx(tx.id, fresh(), 45, body());
      } else if (what == 3) {
        file.update_tx(tx.id, some(), 32, body());
      } else {
        file.remove_tx(tx.id, some(), roll(2) == 0 ? Buffer{} : body());
      }
    } else if (what == 6) {
      file.prepare(tx.id, tx.in_file, body());
      tx.prepared = true;
    } else if (what < 9) {
      if (roll(4) == 0) {
        file.rollback(tx.id);
      } else {
        file.commit(tx.id, tx.in_file);
      }
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  std::int64_t fresh() { return next_id_++; }
  std::int64_t some() {
    return next_id_ > 100
               ? 100 + static_cast<std::int64_t>(roll(static_cast<std::size_t>(next_id_ - 100)))
               : 100;
  }

  std::mt19937_64 random_;
  RandomJournalOptions options_;
  std::map<std::string, Buffer> files_;
  std::vector<Tx> open_;
  std::int64_t next_id_ = 100;
  std::int64_t next_tx_ = 100000;
};

}  // namespace saranga::test
