// Random operations on a journal, over several lives of a process, and the check that what a fresh
// read finds is what the operations say.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "saranga/journal/journal_writer.h"
#include "tests/crash/fresh_read.h"
#include "tests/crash/wild_async_io.h"
#include "tests/crash/wild_engine.h"
#include "tests/support/faulty_directory.h"

namespace saranga::test {

class IgnoreFindings final : public FindingSink {
 public:
  void finding(Finding) override {}
};

/// What a check found.
enum class Verdict : std::uint8_t {
  kRight,
  kMixed,  ///< a record that was not durable is made of two: the format cannot tell
  kWrong,
};

/// One store. Everything follows from the seed, so that a failure can be seen again.
class Workload {
 public:
  explicit Workload(std::uint64_t seed) : random_(seed) { choose_options(); }
  /// The same store, between two lives.
  Workload(const Workload& other)
      : random_(other.random_),
        options_(other.options_),
        engine_kind_(other.engine_kind_),
        history_(other.history_),
        ever_(other.ever_),
        transactions_ever_(other.transactions_ever_),
        next_id_(other.next_id_) {}
  Workload& operator=(const Workload&) = delete;

  /// One life of a process on the disk: opens the journal and does random operations until there
  /// were enough or power goes. The complaint is empty when all went as it should.
  std::string live(FaultyDirectory& disk, std::size_t operations);
  /// Compares what a fresh read finds with the operations so far. When it is right, the operations
  /// that were lost are forgotten; `durable`: and the rest can get lost no more.
  Verdict check(const std::map<std::string, Buffer>& files, Loss loss, bool durable);

  /// Calls may fail although there is power; faults() collects what was said.
  void expect_faults() { faults_expected_ = true; }
  [[nodiscard]] const std::vector<Error>& faults() const { return faults_; }

  [[nodiscard]] const std::string& complaint() const { return complaint_; }
  [[nodiscard]] const journal::WriterOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t freed_files() const { return freed_files_; }

 private:
  struct OpenTx {
    std::vector<std::int64_t> added{};
    std::vector<std::int64_t> removed{};
    std::vector<std::int64_t> updated{};  // nobody else deletes them meanwhile
    bool prepared = false;
  };
  enum class EngineKind : std::uint8_t {
    kInline,  ///< does everything at once
    kWild,    ///< anything that a WriteEngine may do
    kAio,     ///< the AioEngine, on a kernel that may do anything
  };
  using Transactions = std::map<std::int64_t, OpenTx>;

  void choose_options();
  [[nodiscard]] bool open(FaultyDirectory& disk);
  void step();
  void step_in_transaction();
  void end_transaction(Transactions::iterator tx);
  [[nodiscard]] bool append(journal::RecordFields fields, Buffer body = {});
  [[nodiscard]] Buffer body();
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  [[nodiscard]] std::int64_t take_live();
  template <class T>
  [[nodiscard]] bool went_well(const Result<T>& result);
  void restore_picture();
  void settle(std::uint64_t position);
  void keep_whole(std::int64_t tx_id, std::size_t before, std::vector<bool>& kept) const;
  [[nodiscard]] std::vector<bool> decide(const FreshRead& read) const;
  [[nodiscard]] const RawRecord* mixed_record(const FreshRead& read) const;
  [[nodiscard]] static LoadedState without_lone_updates(LoadedState state);
  [[nodiscard]] static std::string difference(const LoadedState& found,
                                              const LoadedState& expected);
  [[nodiscard]] static std::string key(const journal::RecordFields& fields, const Buffer& body);

  std::mt19937_64 random_;
  journal::WriterOptions options_;
  EngineKind engine_kind_ = EngineKind::kInline;

  std::vector<Operation> history_;  // what is, or may be, on the disk
  std::set<std::string> ever_;      // keys of all records ever appended
  std::set<std::int64_t> transactions_ever_;
  // Large, so that pieces of old records are not taken for lengths: with ids and tags below 20 a
  // reader finds records in the leftovers of a file that is used again.
  std::int64_t next_id_ = 0x0102030405060000;
  std::uint64_t freed_files_ = 0;
  std::string complaint_;
  bool faults_expected_ = false;
  std::vector<Error> faults_;

  // One life.
  FaultyDirectory* disk_ = nullptr;
  IgnoreFindings sink_;
  InlineRunner runner_;
  std::unique_ptr<WriteEngine> engine_;
  std::unique_ptr<journal::JournalWriter> writer_;
  std::vector<std::int64_t> live_;
  Transactions open_;
};

// ---- choosing -----------------------------------------------------------------------------------

inline void Workload::choose_options() {
  const std::uint32_t alignments[] = {1, 1, 512};
  options_.alignment_bytes = alignments[below(3)];
  options_.file_size_bytes = 1024 + 512 * below(6);
  if (options_.alignment_bytes > 1) options_.file_size_bytes += 1024;
  options_.buffer_bytes = 512 * (1 + below(4));
  options_.pool_files = below(2) == 0 ? -1 : 3;
  options_.continue_last_file = below(4) != 0;
  options_.zero_before_reuse = below(2) == 0;
  options_.automatic_maintenance = below(3) != 0;
  engine_kind_ = static_cast<EngineKind>(below(3));
}

inline Buffer Workload::body() {
  const bool huge = below(40) == 0;
  const std::uint64_t length = huge ? below(options_.file_size_bytes - 600) : below(200);
  Buffer body(static_cast<std::size_t>(8 + length));
  store_be(body.data(), random_());  // no two are equal
  for (std::size_t i = 8; i < body.size(); ++i) {
    body[i] = static_cast<std::byte>(static_cast<std::uint8_t>(body[i % 8]) + i);
  }
  return body;
}

inline std::int64_t Workload::take_live() {
  // Mostly the oldest, as from a queue; what is left behind keeps its file.
  const std::uint64_t which = below(8) == 0 ? below(live_.size()) : 0;
  const auto at = live_.begin() + static_cast<std::ptrdiff_t>(which);
  const std::int64_t id = *at;
  live_.erase(at);
  return id;
}

// ---- one life -----------------------------------------------------------------------------------

inline bool Workload::open(FaultyDirectory& disk) {
  writer_.reset();
  engine_.reset();
  disk_ = &disk;
  switch (engine_kind_) {
    case EngineKind::kInline: engine_ = std::make_unique<PwriteEngine>(runner_); break;
    case EngineKind::kWild: engine_ = std::make_unique<WildEngine>(random_()); break;
    case EngineKind::kAio:
      engine_ = std::make_unique<AioEngine>(std::make_unique<WildAsyncIo>(disk, random_()), 2);
      break;
  }
  auto opened = journal::JournalWriter::open(disk, *engine_, options_, sink_);
  if (!went_well(opened)) return false;
  writer_ = std::move(*opened);
  // A broker acts on what it has loaded, so that must not get lost any more.
  for (Operation& operation : history_) operation.settled = true;
  restore_picture();
  return true;
}

inline std::string Workload::live(FaultyDirectory& disk, std::size_t operations) {
  if (open(disk)) {
    for (std::size_t i = 0; i < operations && !disk.power_is_off() && complaint_.empty(); ++i) {
      if (below(50) != 0) {
        step();
      } else if (went_well(writer_->sync())) {
        settle(writer_->durable());
        freed_files_ += writer_->files().freed_total;
        if (!open(disk)) break;
      }
    }
    if (writer_) {
      settle(writer_->durable());
      freed_files_ += writer_->files().freed_total;
      if (const auto& error = writer_->maintenance_error()) {
        (void)went_well(Result<void>(std::unexpected(*error)));
      }
    }
  }
  writer_.reset();
  return complaint_;
}

// Without power nothing can go well.
template <class T>
bool Workload::went_well(const Result<T>& result) {
  if (!result && faults_expected_) {
    faults_.push_back(result.error());
  } else if (!result && !disk_->power_is_off()) {
    complaint_ = "failed: " + result.error().message();
  }
  return result.has_value();
}

inline void Workload::settle(std::uint64_t position) {
  for (Operation& operation : history_) {
    if (operation.position <= position) operation.settled = true;
  }
}

inline bool Workload::append(journal::RecordFields fields, Buffer body) {
  const Bytes halves[] = {Bytes(body).first(body.size() / 2), Bytes(body).subspan(body.size() / 2)};
  const auto position = writer_->append(fields, halves);
  if (!went_well(position)) return false;
  // Told apart from what is left of it in a file that is used again.
  fields.tag = static_cast<std::int32_t>(writer_->files().current_id);
  ever_.insert(key(fields, body));
  if (fields.tx_id != 0) transactions_ever_.insert(fields.tx_id);
  history_.push_back({.fields = fields, .body = std::move(body), .position = *position});
  return true;
}

inline void Workload::step() {
  using journal::RecordKind;
  const auto type = static_cast<std::int8_t>(below(256));
  const std::uint64_t choice = below(20);
  if (!options_.automatic_maintenance && writer_->maintenance_due() && below(8) == 0) {
    (void)went_well(writer_->maintain());
  }
  if (choice < 2) {
    (void)went_well(writer_->sync());
  } else if (choice < 4) {
    (void)went_well(writer_->start());
  } else if (choice == 4) {
    (void)went_well(writer_->poll());
  } else if (choice == 5) {
    (void)append({.kind = RecordKind::kEvent, .user_type = type, .id = next_id_++}, body());
  } else if (choice < 10) {
    const std::int64_t id = next_id_++;
    if (append({.kind = RecordKind::kAdd, .user_type = type, .id = id}, body())) {
      live_.push_back(id);
    }
  } else if (choice < 12 && !live_.empty()) {
    const std::int64_t id = live_[below(live_.size())];
    (void)append({.kind = RecordKind::kUpdate, .user_type = type, .id = id}, body());
  } else if (choice < 15 && (live_.size() > 3 || (!live_.empty() && below(3) == 0))) {
    (void)append({.kind = RecordKind::kDelete, .id = take_live()});
  } else {
    step_in_transaction();
  }
}

inline void Workload::step_in_transaction() {
  using journal::RecordKind;
  const auto type = static_cast<std::int8_t>(below(256));
  if (open_.size() < 3 && (open_.empty() || below(4) == 0)) open_[next_id_++] = {};
  auto tx = open_.begin();
  std::advance(tx, below(open_.size()));
  const std::uint64_t choice = tx->second.prepared ? 9 : below(10);
  const std::int64_t tx_id = tx->first;
  if (choice < 4) {
    const std::int64_t id = next_id_++;
    if (append({.kind = RecordKind::kAddTx, .user_type = type, .tx_id = tx_id, .id = id}, body())) {
      tx->second.added.push_back(id);
    }
  } else if (choice == 4 && !live_.empty()) {
    const std::int64_t id = take_live();
    tx->second.updated.push_back(id);
    (void)append({.kind = RecordKind::kUpdateTx, .user_type = type, .tx_id = tx_id, .id = id},
                 body());
  } else if (choice < 7 && !live_.empty()) {
    const std::int64_t id = take_live();
    tx->second.removed.push_back(id);
    Buffer why = below(2) == 0 ? Buffer{} : body();
    (void)append({.kind = RecordKind::kDeleteTx, .tx_id = tx_id, .id = id}, std::move(why));
  } else if (choice == 7) {
    tx->second.prepared = append({.kind = RecordKind::kPrepare, .tx_id = tx_id}, body());
  } else {
    end_transaction(tx);
  }
}

inline void Workload::end_transaction(Transactions::iterator tx) {
  using journal::RecordKind;
  // One without records is not known to the writer.
  const bool known = transactions_ever_.contains(tx->first);
  const bool commits = below(3) != 0;
  const RecordKind kind = commits ? RecordKind::kCommit : RecordKind::kRollback;
  if (known && !append({.kind = kind, .tx_id = tx->first})) return;
  const std::vector<std::int64_t>& back = commits ? tx->second.added : tx->second.removed;
  live_.insert(live_.end(), back.begin(), back.end());
  live_.insert(live_.end(), tx->second.updated.begin(), tx->second.updated.end());
  open_.erase(tx);
}

// After a restart: what is live, and which transactions are in doubt.
inline void Workload::restore_picture() {
  Model model;
  for (const Operation& operation : history_) model.apply(operation);
  const LoadedState state = model.state();
  std::set<std::int64_t> live;
  for (const LoadedRecord& record : state.records) live.insert(record.id);
  open_.clear();
  for (const auto& [tx_id, prepared] : state.prepared) {
    OpenTx& tx = open_[tx_id];
    tx.prepared = true;
    for (const LoadedRecord& record : prepared.records) {
      if (!record.is_update) {
        tx.added.push_back(record.id);
      } else if (live.erase(record.id) != 0) {
        tx.updated.push_back(record.id);
      }
    }
    for (const std::int64_t id : prepared.deletes) {
      if (live.erase(id) != 0) tx.removed.push_back(id);
    }
  }
  // An update whose add was lost in a crash is delivered, but nothing can be done with its id.
  std::erase_if(live, [&](std::int64_t id) { return !writer_->is_live(id); });
  live_.assign(live.begin(), live.end());
}

// ---- checking -----------------------------------------------------------------------------------

inline std::string Workload::key(const journal::RecordFields& fields, const Buffer& body) {
  std::string key = fmt::format("{} {} {} {} {} ", static_cast<int>(fields.kind), fields.tag,
                                fields.tx_id, fields.id, fields.user_type);
  key.append(as_text(body));
  return key;
}

// A record on the disk that nobody has appended.
inline const RawRecord* Workload::mixed_record(const FreshRead& read) const {
  for (const RawRecord& raw : read.raw) {
    if (ever_.contains(key(raw.fields, raw.body))) continue;
    const bool outcome_of_opening = raw.fields.kind == journal::RecordKind::kRollback;
    if (outcome_of_opening && transactions_ever_.contains(raw.fields.tx_id)) continue;
    return &raw;
  }
  return nullptr;
}

inline void Workload::keep_whole(std::int64_t tx_id, std::size_t before,
                                 std::vector<bool>& kept) const {
  for (std::size_t i = 0; i < before; ++i) {
    if (history_[i].fields.tx_id == tx_id) kept[i] = true;
  }
}

// Which operations reached the disk. What is settled must have; of the rest, a single record has
// when it is there, and a transaction when its outcome counts.
inline std::vector<bool> Workload::decide(const FreshRead& read) const {
  using journal::RecordKind;
  std::set<std::string> found;
  std::set<std::int64_t> known;  // a load ignores the commit of a transaction without records
  for (const RawRecord& raw : read.raw) {
    found.insert(key(raw.fields, raw.body));
    if (raw.fields.kind != RecordKind::kCommit) known.insert(raw.fields.tx_id);
  }
  std::set<std::int64_t> rolled_back;
  for (const Operation& operation : history_) {
    const bool rollback = operation.fields.kind == RecordKind::kRollback;
    if (rollback && (operation.settled || found.contains(key(operation.fields, operation.body)))) {
      rolled_back.insert(operation.fields.tx_id);
    }
  }
  std::vector<bool> kept(history_.size());
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const Operation& operation = history_[i];
    const journal::RecordFields& fields = operation.fields;
    const bool there = found.contains(key(fields, operation.body));
    if (operation.settled) {
      kept[i] = true;
    } else if (fields.kind == RecordKind::kCommit) {
      kept[i] = there && known.contains(fields.tx_id) && !read.dropped.contains(fields.tx_id);
    } else if (fields.kind == RecordKind::kPrepare) {
      // Behind its rollback it cannot be told from the state, but the rollback may still get lost.
      kept[i] = read.state.prepared.contains(fields.tx_id) ||
                (there && rolled_back.contains(fields.tx_id));
    } else {
      kept[i] = there && (fields.tx_id == 0 || fields.kind == RecordKind::kRollback);
    }
    const bool outcome = fields.kind == RecordKind::kCommit || fields.kind == RecordKind::kPrepare;
    if (outcome && kept[i]) keep_whole(fields.tx_id, i, kept);
  }
  return kept;
}

// An update whose add was not durable may be there. It says nothing to a broker, and its file may
// be freed at any time.
inline LoadedState Workload::without_lone_updates(LoadedState state) {
  std::set<std::int64_t> added;
  std::erase_if(state.records, [&](const LoadedRecord& record) {
    if (!record.is_update) added.insert(record.id);
    return !added.contains(record.id);
  });
  return state;
}

inline std::string Workload::difference(const LoadedState& found, const LoadedState& expected) {
  std::string text;
  const auto list = [&](const char* what, const LoadedState& some, const LoadedState& other) {
    for (const LoadedRecord& record : some.records) {
      if (std::ranges::find(other.records, record) != other.records.end()) continue;
      text += fmt::format("{} {} of id {}; ", what, record.is_update ? "update" : "add", record.id);
    }
  };
  list("unexpected", found, expected);
  list("missing", expected, found);
  for (const auto& [tx_id, tx] : found.prepared) {
    const auto other = expected.prepared.find(tx_id);
    if (other == expected.prepared.end() || other->second != tx) {
      text += fmt::format("transaction {} is in doubt, which is not what was expected; ", tx_id);
    }
  }
  for (const auto& [tx_id, tx] : expected.prepared) {
    if (!found.prepared.contains(tx_id)) text += fmt::format("transaction {} is lost; ", tx_id);
  }
  return text;
}

inline Verdict Workload::check(const std::map<std::string, Buffer>& files, Loss loss,
                               bool durable) {
  const FreshRead read = read_fresh(files);
  if (!read.failure.empty()) {
    complaint_ = read.failure;
    return Verdict::kWrong;
  }
  if (const RawRecord* mixed = mixed_record(read)) {
    // Zeros in front of a record's end are noticed, unless a sector in its middle is missing.
    const bool hole = loss == Loss::kAnything && mixed->length_bytes > 512;
    const bool over_old_records = loss >= Loss::kTail && !options_.zero_before_reuse;
    if (hole || over_old_records) return Verdict::kMixed;
    complaint_ =
        fmt::format("a record that nobody appended: kind {}, id {}, transaction {}",
                    static_cast<int>(mixed->fields.kind), mixed->fields.id, mixed->fields.tx_id);
    return Verdict::kWrong;
  }
  const std::vector<bool> kept = decide(read);
  Model model;
  std::vector<Operation> left;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    if (!kept[i]) continue;
    model.apply(history_[i]);
    left.push_back(history_[i]);
    left.back().settled = left.back().settled || durable;
    left.back().position = 0;
  }
  const LoadedState expected = without_lone_updates(model.state());
  const LoadedState found = without_lone_updates(read.state);
  if (expected != found) {
    complaint_ = difference(found, expected);
    return Verdict::kWrong;
  }
  history_ = std::move(left);
  return Verdict::kRight;
}

}  // namespace saranga::test
