// The engine that writes past the page cache: on a real disk, and on a kernel that tests the order.
#include "saranga/io/aio_engine.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <map>

#include "tests/crash/wild_async_io.h"
#include "tests/io/temporary_folder.h"

using namespace saranga;
using namespace saranga::test;

namespace {

using Buffer = std::vector<std::byte>;

constexpr std::size_t kBlock = 4096;

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

/// Blocks of one letter each, in memory that direct writes can take.
class Blocks {
 public:
  explicit Blocks(std::size_t count)
      : count_(count), data_(static_cast<std::byte*>(std::aligned_alloc(kBlock, count * kBlock))) {
    for (std::size_t i = 0; i < count; ++i) {
      std::memset(data_.get() + i * kBlock, 'a' + static_cast<int>(i % 26), kBlock);
    }
  }
  [[nodiscard]] Bytes block(std::size_t i) const { return {data_.get() + i * kBlock, kBlock}; }
  [[nodiscard]] std::string text() const { return as_text(Bytes(data_.get(), count_ * kBlock)); }
  static std::string as_text(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::size_t count_;
  std::unique_ptr<std::byte, FreeMemory> data_;
};

/// A kernel that does what the test says, when it says so.
class SteeredIo final : public AsyncIo {
 public:
  [[nodiscard]] Result<bool> begin(const Operation& operation, std::uint64_t token) override {
    log.push_back((operation.bytes.empty() ? "sync "
                   : operation.durable     ? "durable "
                                           : "write ") +
                  std::to_string(token));
    return true;
  }
  [[nodiscard]] Result<std::vector<Done>> reap(bool) override {
    return std::exchange(done, std::vector<Done>());
  }
  std::vector<std::string> log;
  std::vector<Done> done;
};

struct Steered {
  Steered() {
    auto given = std::make_unique<SteeredIo>();
    io = given.get();
    engine = std::make_unique<AioEngine>(std::move(given), 4);
    file = std::move(*disk.create("x"));
  }
  void submit(std::string_view bytes, bool sync) {
    engine->submit({.file = file, .bytes = as_bytes(bytes), .sync = sync});
  }
  void done(std::uint64_t token, std::uint64_t bytes) { io->done.push_back({token, bytes}); }
  FaultyDirectory disk;
  SteeredIo* io = nullptr;
  std::unique_ptr<AioEngine> engine;
  std::shared_ptr<WritableFile> file;
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("the watermark moves in order, whatever order the disk chooses") {
  Steered steered;
  for (int i = 0; i < 3; ++i) steered.submit("abcd", true);
  CHECK(steered.io->log == Log{"durable 1", "durable 2", "durable 3"});
  steered.done(3, 4);
  steered.done(2, 4);
  CHECK(steered.engine->completed() == std::uint64_t{0});
  steered.done(1, 4);
  CHECK(steered.engine->completed() == std::uint64_t{3});
}

TEST_CASE("a sync covers the writes before it that had none, when all of them are done") {
  Steered steered;
  steered.submit("abcd", false);
  steered.submit("efgh", true);
  CHECK(steered.io->log == Log{"write 1", "write 2"});
  steered.done(2, 4);
  CHECK(steered.engine->completed() == std::uint64_t{0});
  steered.done(1, 4);
  CHECK(steered.engine->completed() == std::uint64_t{1});
  CHECK(steered.io->log.back() == "sync 2");
  steered.done(2, 0);
  CHECK(steered.engine->completed() == std::uint64_t{2});
  steered.submit("ijkl", true);  // nothing is left for it to cover
  CHECK(steered.io->log.back() == "durable 3");
  steered.done(3, 4);
  CHECK(steered.engine->completed() == std::uint64_t{3});
}

TEST_CASE("a kernel that takes nothing does not make anybody wait for ever") {
  class Refusing final : public AsyncIo {
   public:
    Result<bool> begin(const Operation&, std::uint64_t) override { return false; }
    Result<std::vector<Done>> reap(bool) override { return std::vector<Done>(); }
  };
  FaultyDirectory disk;
  std::shared_ptr<WritableFile> file(std::move(*disk.create("x")));
  AioEngine engine(std::make_unique<Refusing>(), 2);
  engine.submit({.file = file, .bytes = as_bytes("abcd"), .sync = true});
  CHECK(engine.completed() == std::uint64_t{0});
  CHECK_FALSE(engine.wait(1));
  CHECK_FALSE(engine.completed());
}

TEST_CASE("what was written in part is written to its end") {
  Steered steered;
  steered.submit("abcdefgh", true);
  steered.done(1, 4);
  CHECK(steered.engine->completed() == std::uint64_t{0});
  CHECK(steered.io->log == Log{"durable 1", "durable 1"});
  steered.done(1, 0);
  const auto completed = steered.engine->completed();
  REQUIRE_FALSE(completed);
  CHECK(completed.error().message() == "disk/x: cannot write: No space left on device");
}

TEST_CASE("an error of a direct write is final, and what is under way is waited for") {
  Steered steered;
  for (int i = 0; i < 2; ++i) steered.submit("abcd", true);
  steered.io->done.push_back({1, fail(ErrorCode::kIo, "cannot write: broken", "disk/x")});
  CHECK_FALSE(steered.engine->completed());
  steered.submit("abcd", true);
  CHECK(steered.io->log.size() == 2);
  steered.done(2, 4);
  CHECK_FALSE(steered.engine->wait(2));
}

TEST_CASE("on a wild kernel what is complete is durable, and nothing is torn out of it") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    FaultyDirectory disk;
    std::shared_ptr<WritableFile> file(std::move(*disk.create("x")));
    REQUIRE(file->write_at(0, Buffer(64 * 512)));
    REQUIRE(file->sync_data());
    REQUIRE(disk.sync());
    const Buffer expected(64 * 512, std::byte{1});
    AioEngine engine(std::make_unique<WildAsyncIo>(disk, seed), 2);
    std::mt19937_64 random(seed);
    std::uint64_t durable_blocks = 0;
    std::map<std::uint64_t, std::uint64_t> covers;  // requests with a sync, and the blocks before
    std::uint64_t at = 0;
    for (std::uint64_t number = 1; at < 60; ++number) {
      const std::uint64_t blocks = 1 + random() % 4;
      const bool sync = random() % 2 == 0;
      engine.submit({.file = file,
                     .offset = at * 512,
                     .bytes = Bytes(expected).subspan(at * 512, blocks * 512),
                     .sync = sync});
      at += blocks;
      if (sync) covers[number] = at;
      const auto completed = engine.completed();
      REQUIRE(completed);
      for (const auto& [request, end] : covers) {
        if (request <= *completed) durable_blocks = std::max(durable_blocks, end);
      }
      const auto left = disk.after_power_failure(Loss::kAll, seed).at("x");
      for (std::uint64_t i = 0; i < durable_blocks * 512; ++i) {
        if (left[i] != std::byte{1}) FAIL("seed " << seed << ": byte " << i << " is lost");
      }
    }
  }
}

TEST_CASE("on a disk, direct writes arrive where they belong, synced or not") {
  const TemporaryFolder folder;
  const auto block = direct_block_bytes(folder.path());
  if (!block) {
    WARN("skipped: " << block.error().message());
    return;
  }
  CHECK(kBlock % *block == 0);
  auto engine = AioEngine::create();
  REQUIRE(engine);
  auto directory = open_writable_directory(folder.path());
  REQUIRE(directory);
  std::shared_ptr<WritableFile> file(std::move(*(*directory)->create("x")));
  constexpr std::size_t kCount = 200;
  REQUIRE(file->write_at(0, Buffer(kCount * kBlock)));
  REQUIRE(file->sync_data());
  const Blocks blocks(kCount);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    (*engine)->submit(
        {.file = file, .offset = i * kBlock, .bytes = blocks.block(i), .sync = i % 3 != 0});
    const auto completed = (*engine)->completed();
    REQUIRE(completed);
    CHECK(*completed >= before);
    before = *completed;
  }
  (*engine)->submit({.file = file, .sync = true});
  REQUIRE((*engine)->wait(kCount + 1));
  CHECK_FALSE((*engine)->wait(kCount + 2));
  CHECK(folder.content("x") == blocks.text());
}

TEST_CASE("a block that the disk does not take is told with the name of the file") {
  const TemporaryFolder folder;
  if (!direct_block_bytes(folder.path())) return;
  auto engine = AioEngine::create();
  REQUIRE(engine);
  auto directory = open_writable_directory(folder.path());
  std::shared_ptr<WritableFile> file(std::move(*(*directory)->create("x")));
  REQUIRE(file->write_at(0, Buffer(kBlock)));
  const Blocks blocks(1);
  (*engine)->submit({.file = file, .offset = 0, .bytes = blocks.block(0).first(100)});
  const auto waited = (*engine)->wait(1);
  REQUIRE_FALSE(waited);
  CHECK(waited.error().message() ==
        folder.path() + "/x: cannot write past the page cache: Invalid argument");
}

TEST_CASE("where direct writes are not possible, the other engine is taken, and it is told why") {
  const TemporaryFolder folder;
  InlineRunner runner;
  const EngineChoice odd = choose_direct_engine(folder.path(), 100, runner);
  CHECK_FALSE(odd.direct);
  REQUIRE(odd.engine);
  CHECK_FALSE(odd.reason.empty());
  const EngineChoice nowhere = choose_direct_engine(folder.path() + "/no", 4096, runner);
  CHECK_FALSE(nowhere.direct);
  CHECK(nowhere.reason.find("cannot try direct writes: No such file") != std::string::npos);
  const EngineChoice proc = choose_direct_engine("/proc", 4096, runner);
  CHECK_FALSE(proc.direct);
  CHECK(proc.reason.starts_with("/proc: "));
  CHECK(choose_direct_engine(folder.path(), 4096, runner).direct ==
        direct_block_bytes(folder.path()).has_value());
}
