// The kernel behind an AioEngine: libaio on descriptors that go past the page cache.
#include <fcntl.h>
#include <libaio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "libjournal/io/descriptor.h"
#include "saranga/io/aio_engine.h"

namespace saranga {
namespace {

constexpr std::size_t kMaximumBlockBytes = 4096;  // how the buffers of a journal are aligned
constexpr std::size_t kSlots = 64;

class KernelAio final : public AsyncIo {
 public:
  explicit KernelAio(io_context_t context) : context_(context) {}
  ~KernelAio() override { io_destroy(context_); }
  KernelAio(const KernelAio&) = delete;
  KernelAio& operator=(const KernelAio&) = delete;

  [[nodiscard]] Result<bool> begin(const Operation& operation, std::uint64_t token) override {
    const auto descriptor = operation.file->direct_descriptor();
    if (!descriptor) return std::unexpected(descriptor.error());
    Slot& slot = slots_[token % kSlots];
    if (slot.file) return false;
    if (operation.bytes.empty()) {
      io_prep_fdsync(&slot.block, *descriptor);
    } else {
      // The kernel only reads.
      void* from = const_cast<std::byte*>(operation.bytes.data());
      io_prep_pwrite(&slot.block, *descriptor, from, operation.bytes.size(),
                     static_cast<long long>(operation.offset));
      if (operation.durable) slot.block.aio_rw_flags = RWF_DSYNC;
    }
    slot.block.data = &slot;
    slot.token = token;
    iocb* one[] = {&slot.block};
    int begun = 0;
    do {
      begun = io_submit(context_, 1, one);
    } while (begun == -EINTR);
    if (begun == -EAGAIN) return false;
    if (begun < 0) return system_error(-begun, doing(operation), operation.file->path());
    slot.file = operation.file;
    slot.is_sync = operation.bytes.empty();
    ++under_way_;
    return true;
  }

  [[nodiscard]] Result<std::vector<Done>> reap(bool wait) override {
    std::array<io_event, kSlots> events{};
    int count = 0;
    do {
      const long least = wait && under_way_ != 0 ? 1 : 0;
      timespec now{};
      count = io_getevents(context_, least, static_cast<long>(events.size()), events.data(),
                           least == 0 ? &now : nullptr);
    } while (count == -EINTR);
    if (count < 0) return system_error(-count, "cannot learn what has been written", "");
    std::vector<Done> all;
    for (const io_event& event : std::span(events).first(static_cast<std::size_t>(count))) {
      all.push_back(done(event));
    }
    return all;
  }

 private:
  struct Slot {
    iocb block{};
    std::uint64_t token = 0;
    std::shared_ptr<WritableFile> file;  // open while the kernel uses its descriptor
    bool is_sync = false;
  };

  static const char* doing(const Operation& operation) {
    return operation.bytes.empty() ? "cannot sync" : "cannot write past the page cache";
  }
  Done done(const io_event& event) {
    Slot& slot = *static_cast<Slot*>(event.data);
    --under_way_;
    const auto file = std::exchange(slot.file, nullptr);
    // A negative result is an error number; the type of libaio has no sign.
    const auto result = static_cast<long>(event.res);
    if (result >= 0) return {slot.token, static_cast<std::uint64_t>(result)};
    const char* what = slot.is_sync ? "cannot sync" : "cannot write past the page cache";
    return {slot.token, system_error(static_cast<int>(-result), what, file->path())};
  }

  io_context_t context_;
  std::array<Slot, kSlots> slots_{};
  std::size_t under_way_ = 0;
};

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

// A file that has no name, or loses it at once where the file system knows no such files.
Descriptor open_probe(const std::string& folder) {
  Descriptor probe(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_DIRECT | O_CLOEXEC, 0600));
  if (probe.get() >= 0 || errno != EOPNOTSUPP) return probe;
  const std::string name = folder + "/.aio-test";
  const int flags = O_CREAT | O_EXCL | O_WRONLY | O_DIRECT | O_CLOEXEC;
  Descriptor named(::open(name.c_str(), flags, 0600));
  const int number = errno;
  if (named.get() >= 0) ::unlink(name.c_str());
  errno = number;
  return named;
}

}  // namespace

Result<std::unique_ptr<AioEngine>> AioEngine::create(std::size_t depth) {
  depth = std::min(depth, kSlots / 2);
  io_context_t context = nullptr;
  const int failed = io_setup(static_cast<int>(kSlots), &context);
  if (failed < 0) {
    return fail(ErrorCode::kUnsupported,
                std::string("the kernel gives no asynchronous I/O: ") + std::strerror(-failed) +
                    (failed == -EAGAIN ? "; see /proc/sys/fs/aio-max-nr" : ""));
  }
  return std::make_unique<AioEngine>(std::make_unique<KernelAio>(context), depth);
}

Result<std::uint32_t> direct_block_bytes(const std::string& folder) {
  const Descriptor probe = open_probe(folder);
  if (probe.get() < 0 && errno == EINVAL) {
    return fail(ErrorCode::kUnsupported, "its file system cannot write past the page cache",
                folder);
  }
  if (probe.get() < 0) return system_error(errno, "cannot try direct writes", folder);
  const std::unique_ptr<void, FreeMemory> block(
      std::aligned_alloc(kMaximumBlockBytes, kMaximumBlockBytes));
  if (block == nullptr) return fail(ErrorCode::kIo, "no memory for a block", folder);
  std::memset(block.get(), 0, kMaximumBlockBytes);
  // At an offset that is a multiple of the size tried, and of no greater one.
  for (std::size_t bytes = 512; bytes <= kMaximumBlockBytes; bytes *= 2) {
    const ssize_t done = ::pwrite(probe.get(), block.get(), bytes, static_cast<off_t>(bytes));
    if (done == static_cast<ssize_t>(bytes)) return static_cast<std::uint32_t>(bytes);
    if (done < 0 && errno != EINVAL) return system_error(errno, "cannot try direct writes", folder);
  }
  return fail(ErrorCode::kUnsupported, "direct writes need blocks of more than 4096 bytes", folder);
}

}  // namespace saranga
