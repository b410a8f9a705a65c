#include "tools/perf/disk_probe.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "saranga/io/aio_engine.h"

namespace saranga::perf {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMemoryAlignment = 4096;

std::uint64_t ns_since(Clock::time_point begin) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

std::unexpected<Error> system_failure(int number, const std::string& what,
                                      const std::string& path) {
  return fail(ErrorCode::kIo, what + ": " + std::strerror(number), path);
}

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Block = std::unique_ptr<std::byte, FreeMemory>;

Block make_block(std::uint64_t bytes) {
  const std::uint64_t size = (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
  Block block(static_cast<std::byte*>(
      std::aligned_alloc(kMemoryAlignment, static_cast<std::size_t>(size))));
  if (block != nullptr) std::memset(block.get(), 't', static_cast<std::size_t>(size));
  return block;
}

/// A way of writing: blocks one behind the other.
class Writer {
 public:
  virtual ~Writer() = default;
  /// Writes a block and may return before it is complete.
  [[nodiscard]] virtual Result<void> write(std::uint64_t offset, Bytes block, bool sync) = 0;
  /// Waits for all blocks written so far.
  [[nodiscard]] virtual Result<void> wait() = 0;
};

/// By a write engine of the library.
class EngineWriter final : public Writer {
 public:
  EngineWriter(std::shared_ptr<WritableFile> file, std::unique_ptr<WriteEngine> engine)
      : file_(std::move(file)), engine_(std::move(engine)) {}
  [[nodiscard]] Result<void> write(std::uint64_t offset, Bytes block, bool sync) override {
    engine_->submit({.file = file_, .offset = offset, .bytes = block, .sync = sync});
    ++submitted_;
    const std::uint64_t depth = engine_->depth();
    return submitted_ > depth ? engine_->wait(submitted_ - depth) : Result<void>{};
  }
  [[nodiscard]] Result<void> wait() override { return engine_->wait(submitted_); }

 private:
  std::shared_ptr<WritableFile> file_;
  std::unique_ptr<WriteEngine> engine_;
  std::uint64_t submitted_ = 0;
};

/// Into a mapping of the file.
class MappedWriter final : public Writer {
 public:
  MappedWriter(std::byte* memory, std::size_t bytes, std::string path)
      : memory_(memory), bytes_(bytes), path_(std::move(path)) {}
  ~MappedWriter() override { ::munmap(memory_, bytes_); }
  MappedWriter(const MappedWriter&) = delete;
  MappedWriter& operator=(const MappedWriter&) = delete;

  [[nodiscard]] Result<void> write(std::uint64_t offset, Bytes block, bool sync) override {
    std::memcpy(memory_ + offset, block.data(), block.size());
    // A broker syncs the whole mapping, of which the system knows what has changed.
    if (sync && ::msync(memory_, bytes_, MS_SYNC) != 0) {
      return system_failure(errno, "cannot sync the mapping", path_);
    }
    return {};
  }
  [[nodiscard]] Result<void> wait() override { return {}; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
  std::string path_;
};

// Every block is there already when it is measured, as in the files of a journal.
Result<void> fill(WritableFile& file, const ProbeOptions& options) {
  const std::vector<std::byte> zeros(static_cast<std::size_t>(options.block_bytes));
  for (std::uint64_t i = 0; i < options.writes; ++i) {
    if (auto written = file.write_at(i * options.block_bytes, zeros); !written) return written;
  }
  return file.sync_data();
}

/// A descriptor that is closed at the end.
class Opened {
 public:
  explicit Opened(int descriptor) : descriptor_(descriptor) {}
  ~Opened() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Result<std::unique_ptr<Writer>> map_file(int descriptor, const std::string& path,
                                         const ProbeOptions& options) {
  const auto bytes = static_cast<std::size_t>(options.block_bytes * options.writes);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return system_failure(errno, "cannot map", path);
  return std::make_unique<MappedWriter>(static_cast<std::byte*>(memory), bytes, path);
}

/// The scratch file: open in every way that is needed, and without a name.
struct Scratch {
  std::shared_ptr<WritableFile> file;
  int for_mapping = -1;
};

Result<Scratch> make_scratch(JournalType type, const ProbeOptions& options) {
  auto folder = open_writable_directory(options.folder);
  if (!folder) return std::unexpected(folder.error());
  auto created = (*folder)->create(options.file_name);
  if (!created) return std::unexpected(created.error());
  Scratch scratch{.file = std::move(*created)};
  Result<int> direct{0};
  if (type == JournalType::kAsyncio) direct = scratch.file->direct_descriptor();
  const std::string& path = scratch.file->path();
  if (type == JournalType::kMapped) scratch.for_mapping = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const int number = errno;
  if (auto removed = (*folder)->remove(options.file_name); !removed) {
    return std::unexpected(removed.error());
  }
  if (!direct) return std::unexpected(direct.error());
  if (type == JournalType::kMapped && scratch.for_mapping < 0) {
    return system_failure(number, "cannot open", path);
  }
  return scratch;
}

Result<std::unique_ptr<Writer>> open_writer(JournalType type, const ProbeOptions& options,
                                            JobRunner& jobs) {
  if (type == JournalType::kAsyncio) {
    const auto block = direct_block_bytes(options.folder);
    if (!block) return std::unexpected(block.error());
    if (options.block_bytes % *block != 0) {
      return fail(ErrorCode::kUnsupported, "direct writes need blocks of a multiple of " +
                                               std::to_string(*block) + " bytes");
    }
  }
  auto scratch = make_scratch(type, options);
  if (!scratch) return std::unexpected(scratch.error());
  const Opened for_mapping(scratch->for_mapping);
  if (auto filled = fill(*scratch->file, options); !filled) return std::unexpected(filled.error());
  switch (type) {
    case JournalType::kMapped: return map_file(for_mapping.get(), scratch->file->path(), options);
    case JournalType::kNio:
      return std::make_unique<EngineWriter>(scratch->file, std::make_unique<PwriteEngine>(jobs));
    case JournalType::kAsyncio: break;
  }
  auto engine = AioEngine::create(static_cast<std::size_t>(options.max_aio));
  if (!engine) return std::unexpected(engine.error());
  return std::make_unique<EngineWriter>(scratch->file, std::move(*engine));
}

std::unexpected<Error> interrupted() { return fail(ErrorCode::kIo, "interrupted"); }

/// The tries with one writer.
class Probe {
 public:
  Probe(const cli::Context& context, const ProbeOptions& options, Writer& writer, Bytes block)
      : context_(context), options_(options), writer_(writer), block_(block) {}

  Result<std::uint64_t> one_try() {
    const auto begin = Clock::now();
    for (std::uint64_t i = 0; i < options_.writes; ++i) {
      if (context_.stop()) return interrupted();
      auto written = writer_.write(i * options_.block_bytes, block_, options_.sync);
      if (written && options_.sync_writes) written = writer_.wait();
      if (!written) return std::unexpected(written.error());
    }
    if (auto waited = writer_.wait(); !waited) return std::unexpected(waited.error());
    return ns_since(begin);
  }

  Result<std::vector<std::uint64_t>> latencies() {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < options_.writes; ++i) {
      if (context_.stop()) return interrupted();
      const auto begin = Clock::now();
      auto written = writer_.write(i * options_.block_bytes, block_, options_.sync);
      if (written) written = writer_.wait();
      if (!written) return std::unexpected(written.error());
      all.push_back(ns_since(begin));
    }
    std::ranges::sort(all);
    return all;
  }

 private:
  const cli::Context& context_;
  const ProbeOptions& options_;
  Writer& writer_;
  Bytes block_;
};

std::uint64_t best(const ProbeResult& result) {
  const auto least = std::ranges::min_element(result.try_ns);
  return least == result.try_ns.end() ? 0 : std::max<std::uint64_t>(*least, 1);
}

}  // namespace

std::string_view journal_type_name(JournalType type) {
  switch (type) {
    case JournalType::kNio: return "NIO";
    case JournalType::kAsyncio: return "ASYNCIO";
    case JournalType::kMapped: return "MAPPED";
  }
  return "";
}

double ProbeResult::writes_per_ms(const ProbeOptions& options) const {
  if (try_ns.empty()) return 0;
  return static_cast<double>(options.writes) * 1e6 / static_cast<double>(best(*this));
}

std::uint64_t ProbeResult::buffer_timeout_ns(const ProbeOptions& options) const {
  return options.writes == 0 ? 0 : best(*this) / options.writes;
}

std::uint64_t ProbeResult::latency_at(unsigned per_mille) const {
  if (latency_ns.empty()) return 0;
  // The smallest one that is not exceeded by that share of all.
  const std::uint64_t rank = (latency_ns.size() * per_mille + 999) / 1000;
  return latency_ns[static_cast<std::size_t>(std::max<std::uint64_t>(rank, 1) - 1)];
}

Result<ProbeResult> probe_disk(const cli::Context& context, JournalType type,
                               const ProbeOptions& options) {
  ProbeResult result;
  result.type = type;
  InlineRunner jobs;
  auto writer = open_writer(type, options, jobs);
  if (!writer) {
    if (writer.error().code != ErrorCode::kUnsupported) return std::unexpected(writer.error());
    result.impossible = writer.error().message();
    return result;
  }
  const Block memory = make_block(options.block_bytes);
  if (memory == nullptr) return fail(ErrorCode::kIo, "no memory for a block");
  const Bytes block(memory.get(), static_cast<std::size_t>(options.block_bytes));
  Probe probe(context, options, **writer, block);
  for (std::uint64_t i = 0; i < options.tries; ++i) {
    const auto spent = probe.one_try();
    if (!spent) return std::unexpected(spent.error());
    result.try_ns.push_back(*spent);
  }
  auto latencies = probe.latencies();
  if (!latencies) return std::unexpected(latencies.error());
  result.latency_ns = std::move(*latencies);
  return result;
}

}  // namespace saranga::perf
