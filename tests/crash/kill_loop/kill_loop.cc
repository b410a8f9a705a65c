// A process that appends to a journal on a real disk is killed at a random moment, again and again.
// Each time a fresh read has to find the state after some step, and none before the last one of
// which the process was told that it is durable.
//
//   kill_loop [--rounds N] [--seed N] [--folder DIR]
//
// Steps follow from the seed; the ledger of what was acknowledged is memory that both processes
// share, so that it survives the one that is killed.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "saranga/io/aio_engine.h"
#include "saranga/journal/journal_writer.h"
#include "tests/crash/fresh_read.h"
#include "tools/cli/ordered_jobs.h"

using namespace saranga;
using namespace saranga::test;

namespace {

constexpr std::size_t kLiveIds = 300;
constexpr std::int64_t kFirstId = 0x0102030405060000;  // see tests/crash/workload.h

/// What a journal holds: how often each live id was written.
using State = std::map<std::int64_t, int>;

/// The body of an id's add (version 0) or of one of its updates.
Buffer body_of(std::int64_t id, int version) {
  std::mt19937_64 random(static_cast<std::uint64_t>(id * 31 + version));
  Buffer body(static_cast<std::size_t>(random() % 40 == 0 ? 5000 : random() % 400));
  for (std::byte& b : body) b = static_cast<std::byte>(random());
  return body;
}

/// A record of a step.
struct Part {
  journal::RecordKind kind;
  std::int64_t id = 0;
  int version = 0;
};

/// Steps one after the other: a record, or a whole transaction. Equal seeds give equal steps.
class Steps {
 public:
  Steps(State state, std::int64_t next_id, std::uint64_t seed)
      : state_(std::move(state)), next_id_(next_id), random_(seed) {}

  /// The next step, as plain records; `transaction` says that they belong together.
  std::vector<Part> next(bool& transaction) {
    transaction = random_() % 5 == 0;
    std::vector<Part> parts;
    for (std::uint64_t i = transaction ? 1 + random_() % 4 : 1; i > 0; --i) parts.push_back(one());
    return parts;
  }
  std::int64_t take_id() { return next_id_++; }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] std::int64_t next_id() const { return next_id_; }

 private:
  Part one() {
    const std::uint64_t choice = random_() % 6;
    if (choice == 0 && !state_.empty()) {
      auto at = state_.lower_bound(state_.begin()->first +
                                   static_cast<std::int64_t>(random_() % kLiveIds));
      if (at == state_.end()) at = state_.begin();
      return {journal::RecordKind::kUpdate, at->first, ++at->second};
    }
    if (state_.size() > kLiveIds || (choice < 3 && !state_.empty())) {
      const std::int64_t id = state_.begin()->first;
      state_.erase(id);
      return {journal::RecordKind::kDelete, id};
    }
    const std::int64_t id = take_id();
    state_[id] = 0;
    return {journal::RecordKind::kAdd, id};
  }

  State state_;
  std::int64_t next_id_;
  std::mt19937_64 random_;
};

/// How a store is written.
struct Setup {
  std::string name;
  journal::WriterOptions options;
  bool direct = false;
};

/// What the killed process leaves to its parent.
struct Ledger {
  std::atomic<std::uint64_t> acknowledged{0};  // steps
  std::atomic<std::uint64_t> freed_files{0};
  std::atomic<int> failure{0};  // 1: opening, 2: the state when opened, 3: appending
};

class IgnoreFindings final : public FindingSink {
 public:
  void finding(Finding) override {}
};

/// The process that is to be killed.
class Appender {
 public:
  Appender(journal::JournalWriter& writer, Steps steps, Ledger& ledger, std::uint64_t seed)
      : writer_(writer), steps_(std::move(steps)), ledger_(ledger), random_(seed) {}

  [[noreturn]] void run() {
    for (;;) {
      if (!step()) stop(3);
      const std::uint64_t choice = random_() % 16;
      if (choice == 0 && !writer_.sync()) stop(3);
      if (choice < 8 && !writer_.start()) stop(3);
      acknowledge();
    }
  }
  [[noreturn]] void stop(int failure) {
    ledger_.failure = failure;
    _exit(1);
  }

 private:
  bool step() {
    bool transaction = false;
    const std::vector<Part> parts = steps_.next(transaction);
    const std::int64_t tx_id = transaction ? steps_.take_id() : 0;
    for (const Part& part : parts) {
      if (!append(part, tx_id)) return false;
    }
    if (transaction && !writer_.commit(tx_id)) return false;
    ends_.push_back(writer_.appended());
    return true;
  }
  bool append(const Part& part, std::int64_t tx_id) {
    const Buffer body = body_of(part.id, part.version);
    const Bytes pieces[] = {body};
    using journal::RecordKind;
    const bool in_tx = tx_id != 0;
    switch (part.kind) {
      case RecordKind::kAdd:
        return (in_tx ? writer_.add_tx(tx_id, part.id, 45, pieces)
                      : writer_.add(part.id, 45, pieces))
            .has_value();
      case RecordKind::kUpdate:
        return (in_tx ? writer_.update_tx(tx_id, part.id, 32, pieces)
                      : writer_.update(part.id, 32, pieces))
            .has_value();
      default:
        return (in_tx ? writer_.remove_tx(tx_id, part.id) : writer_.remove(part.id)).has_value();
    }
  }
  void acknowledge() {
    while (!ends_.empty() && ends_.front() <= writer_.durable()) {
      ends_.pop_front();
      ++ledger_.acknowledged;
    }
    ledger_.freed_files = writer_.files().freed_total;
  }

  journal::JournalWriter& writer_;
  Steps steps_;
  Ledger& ledger_;
  std::mt19937_64 random_;
  std::deque<journal::Position> ends_;
};

[[noreturn]] void append_until_killed(const std::string& folder, const Setup& setup, Steps steps,
                                      Ledger& ledger, std::uint64_t seed) {
  const auto give_up = [&](int failure) {
    ledger.failure = failure;
    _exit(1);
  };
  auto directory = open_writable_directory(folder);
  if (!directory) give_up(1);
  cli::OrderedJobs jobs(1);
  std::unique_ptr<WriteEngine> engine;
  if (setup.direct) {
    auto direct = AioEngine::create();
    if (!direct) give_up(1);
    engine = std::move(*direct);
  } else {
    engine = std::make_unique<PwriteEngine>(jobs);
  }
  IgnoreFindings sink;
  auto writer = journal::JournalWriter::open(**directory, *engine, setup.options, sink);
  if (!writer) give_up(1);
  if ((*writer)->opened().live_ids != steps.state().size()) give_up(2);
  Appender(**writer, std::move(steps), ledger, seed).run();
}

/// Reads the folder; false when something is in it that nobody appended.
bool read_state(const std::string& folder, State& state, std::string& complaint) {
  std::map<std::string, Buffer> files;
  const auto directory = open_disk_directory(folder);
  if (!directory) return false;
  const auto entries = (*directory)->list();
  for (const DirectoryEntry& entry : *entries) {
    const auto bytes = read_whole(**directory, entry.name, std::uint64_t{1} << 30);
    if (bytes) files[entry.name] = *bytes;
  }
  const FreshRead read = read_fresh(files);
  complaint = read.failure;
  state.clear();
  for (const LoadedRecord& record : read.state.records) {
    if (!record.is_update) {
      state[record.id] = 0;
      if (record.body == body_of(record.id, 0)) continue;
      complaint = fmt::format("the body of {} is another one", record.id);
    }
    // An update whose add is gone says nothing.
    const auto found = state.find(record.id);
    if (found == state.end()) continue;
    if (record.is_update && record.body != body_of(record.id, ++found->second)) {
      complaint = fmt::format("update {} of {} is another one", found->second, record.id);
    }
  }
  return complaint.empty();
}

/// One store, over many lives of its process.
class KillLoop {
 public:
  KillLoop(std::string folder, Setup setup, std::uint64_t seed, Ledger& ledger)
      : folder_(std::move(folder)), setup_(std::move(setup)), random_(seed), ledger_(ledger) {}

  /// False, with a complaint printed, when something was lost.
  bool round() {
    const std::uint64_t seed = random_();
    const std::uint64_t wait_us = 500 + random_() % 120'000;
    ledger_.acknowledged = 0;
    ledger_.failure = 0;
    const pid_t child = fork();
    if (child == 0) {
      append_until_killed(folder_, setup_, Steps(state_, next_id_, seed), ledger_, seed);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(wait_us));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (ledger_.failure != 0) return complain(fmt::format("failure {}", ledger_.failure.load()));
    freed_files_ += ledger_.freed_files.exchange(0);
    return check(seed);
  }
  [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }
  [[nodiscard]] std::uint64_t beyond() const { return beyond_; }
  [[nodiscard]] std::uint64_t freed_files() const { return freed_files_; }

 private:
  // Plays the steps again and looks for the one after which the state is what was found.
  bool check(std::uint64_t seed) {
    State found;
    std::string complaint;
    if (!read_state(folder_, found, complaint)) return complain(complaint);
    Steps steps(state_, next_id_, seed);
    const std::uint64_t acknowledged = ledger_.acknowledged;
    for (std::uint64_t step = 0; step < acknowledged; ++step) play(steps);
    for (std::uint64_t more = 0; more < kMostSteps; ++more) {
      if (steps.state() == found) {
        acknowledged_ += acknowledged;
        beyond_ += more;
        state_ = std::move(found);
        // Ids of steps that were lost are not used again.
        next_id_ = steps.next_id() + kIdGap;
        return true;
      }
      play(steps);
    }
    return complain(
        fmt::format("{} steps were acknowledged, and no state from there on is what is "
                    "found",
                    acknowledged));
  }
  static void play(Steps& steps) {
    bool transaction = false;
    (void)steps.next(transaction);
    if (transaction) (void)steps.take_id();
  }
  bool complain(const std::string& what) const {
    fmt::print("{}: {}; the folder is {}\n", setup_.name, what, folder_);
    return false;
  }

  static constexpr std::uint64_t kMostSteps = 200'000;
  static constexpr std::int64_t kIdGap = 1'000'000;

  std::string folder_;
  Setup setup_;
  std::mt19937_64 random_;
  Ledger& ledger_;
  State state_;
  std::int64_t next_id_ = kFirstId;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t beyond_ = 0;
  std::uint64_t freed_files_ = 0;
};

std::vector<Setup> setups(const std::string& folder) {
  std::vector<Setup> all;
  all.push_back({"NIO layout", {.file_size_bytes = 32'768, .buffer_bytes = 16'384}});
  all.push_back({"blocks of 512",
                 {.file_size_bytes = 65'536, .alignment_bytes = 512, .buffer_bytes = 8'192}});
  const auto block = direct_block_bytes(folder);
  if (!block) {
    fmt::print("without direct writes: {}\n", block.error().message());
    return all;
  }
  all.push_back({"direct writes",
                 {.file_size_bytes = 131'072, .alignment_bytes = 4096, .buffer_bytes = 32'768},
                 true});
  return all;
}

struct Arguments {
  std::uint64_t rounds = 60;
  std::uint64_t seed = 1;
  std::string folder;
};

bool parse(int count, char** values, Arguments& arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = values[i];
    const std::string_view value = values[i + 1];
    std::uint64_t* number = name == "--rounds" ? &arguments.rounds
                            : name == "--seed" ? &arguments.seed
                                               : nullptr;
    if (number != nullptr) {
      (void)std::from_chars(value.data(), value.data() + value.size(), *number);
    } else if (name == "--folder") {
      arguments.folder = value;
    } else {
      return false;
    }
  }
  return count % 2 == 1;
}

int run(const Arguments& arguments) {
  namespace fs = std::filesystem;
  const fs::path above =
      arguments.folder.empty() ? fs::temp_directory_path() : fs::path(arguments.folder);
  const fs::path root = above / fmt::format("kill_loop.{}", getpid());
  void* shared =
      ::mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  Ledger& ledger = *std::construct_at(static_cast<Ledger*>(shared));
  fs::create_directories(root);
  std::vector<std::unique_ptr<KillLoop>> loops;
  for (const Setup& setup : setups(root.string())) {
    const fs::path folder = root / std::to_string(loops.size());
    fs::create_directory(folder);
    loops.push_back(std::make_unique<KillLoop>(folder.string(), setup,
                                               arguments.seed * 1000 + loops.size(), ledger));
  }
  for (std::uint64_t round = 0; round < arguments.rounds; ++round) {
    if (loops[round % loops.size()]->round()) continue;
    fmt::print("seed {}, round {}\n", arguments.seed, round);
    return 1;  // the folder stays, to be looked at
  }
  std::uint64_t acknowledged = 0;
  std::uint64_t beyond = 0;
  std::uint64_t freed = 0;
  for (const auto& loop : loops) {
    acknowledged += loop->acknowledged();
    beyond += loop->beyond();
    freed += loop->freed_files();
  }
  fmt::print(
      "killed {} times, seed {}: all of {} acknowledged steps were found, and {} that were not "
      "acknowledged; {} files were freed and used again\n",
      arguments.rounds, arguments.seed, acknowledged, beyond, freed);
  fs::remove_all(root);
  return acknowledged > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  if (!parse(count, values, arguments)) {
    fmt::print(stderr, "usage: kill_loop [--rounds N] [--seed N] [--folder DIR]\n");
    return 64;
  }
  return run(arguments);
}
