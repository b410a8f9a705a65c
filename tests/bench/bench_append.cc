// How fast a journal is written, next to what the disk and the system can do. Called by
// tests/bench/append, which says what is measured.
//
//   bench_append FOLDER WHAT SECONDS [BODY_BYTES]
//
// Prints one number: what was done a second (records, cycles, writes, or bytes).
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

#include "saranga/io/aio_engine.h"
#include "saranga/journal/journal_writer.h"
#include "tools/cli/ordered_jobs.h"

using namespace saranga;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kFileBytes = 10'485'760;
constexpr std::size_t kBatchBytes = 501'760;
constexpr std::size_t kRawFiles = 32;
constexpr std::int64_t kQueueDepth = 10'000;  // messages between an add and its acknowledgement

struct Request {
  std::string folder;
  std::string what;
  double seconds = 2;
  std::size_t body_bytes = 1024;
};

class IgnoreFindings final : public FindingSink {
 public:
  void finding(Finding) override {}
};

[[noreturn]] void give_up(const std::string& what) {
  fmt::print(stderr, "bench_append: {}\n", what);
  std::_Exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Counts until the time is over.
class Watch {
 public:
  explicit Watch(double seconds) : begin_(Clock::now()), seconds_(seconds) {}
  [[nodiscard]] double spent() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  [[nodiscard]] bool over() const { return spent() >= seconds_; }

 private:
  Clock::time_point begin_;
  double seconds_;
};

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

/// A block for direct writes.
class Block {
 public:
  explicit Block(std::size_t bytes)
      : bytes_(bytes), data_(static_cast<std::byte*>(std::aligned_alloc(4096, bytes))) {
    std::fill_n(data_.get(), bytes, std::byte{0x61});
  }
  [[nodiscard]] Bytes bytes() const { return {data_.get(), bytes_}; }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::byte, FreeMemory> data_;
};

// ---- the disk alone -----------------------------------------------------------------------------

/// Files full of zeros, as a journal has them.
std::vector<std::shared_ptr<WritableFile>> raw_files(WritableDirectory& folder, std::size_t count) {
  std::vector<std::shared_ptr<WritableFile>> files;
  const std::vector<std::byte> zeros(kFileBytes);
  for (std::size_t i = 0; i < count; ++i) {
    files.emplace_back(need(folder.create("raw-" + std::to_string(i))));
    need(files.back()->write_at(0, zeros));
    need(files.back()->sync_data());
  }
  return files;
}

/// Batches of the size that a journal writes, file after file, each file synced when it is full or,
/// with `sync`, each batch. Bytes a second.
double raw_batches(const Request& request, bool sync) {
  auto folder = need(open_writable_directory(request.folder));
  const auto files = raw_files(*folder, kRawFiles);
  const Block batch(kBatchBytes);
  const Watch watch(request.seconds);
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; !watch.over(); at = (at + 1) % files.size()) {
    for (std::uint64_t offset = 0; offset + kBatchBytes <= kFileBytes; offset += kBatchBytes) {
      need(files[at]->write_at(offset, batch.bytes()));
      if (sync) need(files[at]->sync_data());
      bytes += kBatchBytes;
    }
  }
  return static_cast<double>(bytes) / watch.spent();
}

/// One write of a record and an fdatasync, one after the other. Writes a second.
double raw_fdatasync(const Request& request) {
  auto folder = need(open_writable_directory(request.folder));
  const auto files = raw_files(*folder, 1);
  const Block block(4096);
  const Watch watch(request.seconds);
  std::uint64_t count = 0;
  for (std::uint64_t offset = 0; !watch.over(); ++count) {
    need(files[0]->write_at(offset, block.bytes().first(request.body_bytes)));
    need(files[0]->sync_data());
    offset = (offset + request.body_bytes) % (kFileBytes - 4096);
  }
  return static_cast<double>(count) / watch.spent();
}

/// One durable direct write of a block after the other. Writes a second.
double raw_direct(const Request& request) {
  auto folder = need(open_writable_directory(request.folder));
  const auto files = raw_files(*folder, 1);
  auto engine = need(AioEngine::create());
  const Block block(4096);
  const Watch watch(request.seconds);
  std::uint64_t count = 0;
  for (std::uint64_t offset = 0; !watch.over(); offset = (offset + 4096) % kFileBytes) {
    engine->submit({.file = files[0], .offset = offset, .bytes = block.bytes(), .sync = true});
    need(engine->wait(++count));
  }
  return static_cast<double>(count) / watch.spent();
}

// ---- journals -----------------------------------------------------------------------------------

/// A journal in the folder, with one of the engines.
class Journal {
 public:
  Journal(const Request& request, bool direct, bool thread, journal::WriterOptions options)
      : folder_(need(open_writable_directory(request.folder))) {
    if (direct) {
      engine_ = need(AioEngine::create());
      options.alignment_bytes = 4096;
      options.buffer_bytes = kBatchBytes / 4096 * 4096;
    } else if (thread) {
      engine_ = std::make_unique<PwriteEngine>(jobs_);
    } else {
      engine_ = std::make_unique<PwriteEngine>(inline_jobs_);
    }
    writer_ = need(journal::JournalWriter::open(*folder_, *engine_, options, sink_));
  }
  journal::JournalWriter& operator*() { return *writer_; }
  journal::JournalWriter* operator->() { return writer_.get(); }

 private:
  std::unique_ptr<WritableDirectory> folder_;
  InlineRunner inline_jobs_;
  cli::OrderedJobs jobs_{1};
  IgnoreFindings sink_;
  std::unique_ptr<WriteEngine> engine_;
  std::unique_ptr<journal::JournalWriter> writer_;
};

/// Records into the page cache: files stand ready, nothing is synced. Records a second.
double unsynced(const Request& request, bool thread) {
  Journal journal(request, false, thread, {.min_files = 100, .datasync = false});
  const std::vector<std::byte> body(request.body_bytes, std::byte{0x62});
  const Bytes pieces[] = {body};
  const std::int64_t count = static_cast<std::int64_t>(
      90 * (kFileBytes - 16) / journal::encoded_bytes(journal::RecordKind::kAdd, body.size()));
  const Watch watch(0);
  for (std::int64_t id = 1; id <= count; ++id) need(journal->add(id, 45, pieces));
  need(journal->sync());
  return static_cast<double>(count) / watch.spent();
}

/// Messages that come and go, group-committed: add, reference; acknowledgement and delete of one
/// that came before. Durable cycles a second; files are freed and used again meanwhile.
double cycles(const Request& request, bool direct, bool wiped) {
  Journal journal(request, direct, true, {.zero_before_reuse = wiped});
  const std::vector<std::byte> body(request.body_bytes, std::byte{0x62});
  const Bytes pieces[] = {body};
  const std::array<std::byte, 8> queue{};
  const Bytes queue_pieces[] = {queue};
  const Watch watch(request.seconds);
  std::int64_t id = 0;
  while (!watch.over()) {
    for (int i = 0; i < 64; ++i) {
      ++id;
      need(journal->add(id, 45, pieces));
      need(journal->update(id, 32, queue_pieces));
      const std::int64_t old = id - kQueueDepth;
      if (old <= 0) continue;
      need(journal->update(old, 33, queue_pieces));
      need(journal->remove(old));
    }
    need(journal->start());
  }
  need(journal->sync());
  return static_cast<double>(id) / watch.spent();
}

/// One producer that waits for each record to be durable. Records a second.
double blocking(const Request& request, bool direct) {
  Journal journal(request, direct, false, {});
  const std::vector<std::byte> body(
      request.body_bytes - journal::encoded_bytes(journal::RecordKind::kAdd, 0), std::byte{0x62});
  const Bytes pieces[] = {body};
  const Watch watch(request.seconds);
  std::int64_t id = 0;
  while (!watch.over()) {
    need(journal->add(++id, 45, pieces));
    need(journal->sync());
  }
  return static_cast<double>(id) / watch.spent();
}

double measure(const Request& request) {
  const std::string& what = request.what;
  if (what == "raw-batches") return raw_batches(request, false);
  if (what == "raw-synced-batches") return raw_batches(request, true);
  if (what == "raw-fdatasync") return raw_fdatasync(request);
  if (what == "raw-direct") return raw_direct(request);
  if (what == "unsynced") return unsynced(request, false);
  if (what == "unsynced-thread") return unsynced(request, true);
  if (what == "cycles") return cycles(request, false, true);
  if (what == "cycles-not-wiped") return cycles(request, false, false);
  if (what == "cycles-direct") return cycles(request, true, true);
  if (what == "blocking") return blocking(request, false);
  if (what == "blocking-direct") return blocking(request, true);
  give_up("does not know how to measure " + what);
}

}  // namespace

int main(int count, char** values) {
  if (count < 4) give_up("usage: bench_append FOLDER WHAT SECONDS [BODY_BYTES]");
  Request request{.folder = values[1], .what = values[2]};
  const std::string_view seconds = values[3];
  (void)std::from_chars(seconds.data(), seconds.data() + seconds.size(), request.seconds);
  if (count > 4) {
    const std::string_view bytes = values[4];
    (void)std::from_chars(bytes.data(), bytes.data() + bytes.size(), request.body_bytes);
  }
  std::filesystem::create_directories(request.folder);
  fmt::print("{:.1f}\n", measure(request));
  return 0;
}
