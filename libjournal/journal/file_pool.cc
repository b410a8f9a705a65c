#include "libjournal/journal/file_pool.h"

#include <algorithm>

#include "saranga/journal/format.h"

namespace saranga::journal {
namespace {

constexpr std::uint64_t kFillBytes = std::uint64_t{1} << 20;
constexpr std::string_view kAttic = "attic";

}  // namespace

Result<void> write_zeros(WritableFile& file, std::uint64_t begin, std::uint64_t end) {
  const std::vector<std::byte> zeros(
      static_cast<std::size_t>(std::min(end - std::min(begin, end), kFillBytes)));
  while (begin < end) {
    const auto count = std::min<std::uint64_t>(end - begin, zeros.size());
    const Bytes part = Bytes(zeros).first(static_cast<std::size_t>(count));
    if (auto written = file.write_at(begin, part); !written) return written;
    begin += count;
  }
  return {};
}

std::uint64_t FilePool::first_record_offset() const {
  return std::max<std::uint64_t>(kHeaderBytes, options_.alignment_bytes);
}

// The header, and the zeros behind it up to the first record.
std::vector<std::byte> FilePool::header(std::int64_t id) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(first_record_offset()));
  store_be(bytes.data(), kFormatVersion);
  store_be(bytes.data() + 4, std::int32_t{0});
  store_be(bytes.data() + 8, id);
  return bytes;
}

Result<void> FilePool::sync_names() {
  return options_.datasync ? directory_.sync() : Result<void>{};
}

Result<void> FilePool::sync(WritableFile& file) const {
  return options_.datasync ? file.sync_data() : Result<void>{};
}

Result<void> FilePool::fill(WritableFile& file, std::int64_t id) const {
  const std::vector<std::byte> begin = header(id);
  if (auto written = file.write_at(0, begin); !written) return written;
  // A last byte gives a file its size.
  const std::uint64_t size = options_.file_size_bytes;
  const std::uint64_t from = options_.fill_new_files ? begin.size() : size - 1;
  auto zeroed = write_zeros(file, std::max<std::uint64_t>(from, begin.size()), size);
  return zeroed ? sync(file) : zeroed;
}

// Whoever finds the file under its final name finds all of it; and no record goes to it before the
// name is durable, or a power failure could take the file away with everything in it.
Result<void> FilePool::make(const std::string& temporary, const std::string& name,
                            std::int64_t id) {
  {
    auto file = directory_.create(temporary);
    if (!file) return std::unexpected(file.error());
    if (auto filled = fill(**file, id); !filled) return filled;
  }
  if (auto renamed = directory_.rename(temporary, name); !renamed) return renamed;
  return sync_names();
}

Result<void> FilePool::create() {
  const std::int64_t id = ++last_id_;
  const std::string name = options_.prefix + "-" + std::to_string(id) + "." + options_.extension;
  const std::string temporary = name + ".tmp";
  if (auto made = make(temporary, name, id); !made) {
    // Only one of the two can be there; what matters is the first error.
    if (!directory_.remove(temporary)) (void)directory_.remove(name);
    return made;
  }
  free_.push_back({.name = name,
                   .id = id,
                   .size_bytes = options_.file_size_bytes,
                   .dirty_bytes = first_record_offset()});
  return {};
}

Result<PoolFile> FilePool::take() {
  if (free_.empty()) {
    if (auto made = create(); !made) return std::unexpected(made.error());
  }
  PoolFile file = std::move(free_.front());
  free_.pop_front();
  return file;
}

Result<void> FilePool::release(const PoolFile& file, std::size_t others) {
  const auto limit = static_cast<std::int64_t>(options_.pool_files);
  const bool enough = limit >= 0 && static_cast<std::int64_t>(others + free_.size()) >= limit;
  if (enough && file.size_bytes == options_.file_size_bytes) return remove(file.name);
  return keep(file);
}

// The new id makes the old records invalid all at once; only then may they be overwritten one by
// one, or one would lose its delete before it goes itself. What has never been written needs no
// zeros.
Result<void> FilePool::keep(const PoolFile& file) {
  if (file.size_bytes != options_.file_size_bytes) return retire(file);
  auto opened = directory_.open_for_writing(file.name);
  if (!opened) return std::unexpected(opened.error());
  const std::int64_t id = ++last_id_;
  const std::vector<std::byte> begin = header(id);
  if (auto written = (*opened)->write_at(0, begin); !written) return written;
  if (auto synced = sync(**opened); !synced) return synced;
  PoolFile freed = file;
  freed.id = id;
  if (options_.zero_before_reuse && file.dirty_bytes > begin.size()) {
    auto zeroed = write_zeros(**opened, begin.size(), file.dirty_bytes);
    if (zeroed) zeroed = sync(**opened);
    if (!zeroed) return zeroed;
    freed.dirty_bytes = begin.size();
  }
  free_.push_back(std::move(freed));
  return {};
}

// A file of another size is of no use: it goes to the attic while there is room.
Result<void> FilePool::retire(const PoolFile& file) {
  if (options_.attic_files <= 0) return remove(file.name);
  if (auto made = directory_.create_directory(kAttic); !made) return made;
  auto attic = directory_.open_directory(kAttic);
  if (!attic) return std::unexpected(attic.error());
  auto there = (*attic)->list();
  if (!there) return std::unexpected(there.error());
  if (there->size() >= static_cast<std::size_t>(options_.attic_files)) return remove(file.name);
  return sync_names_after(directory_.rename(file.name, std::string(kAttic) + "/" + file.name));
}

Result<void> FilePool::remove(const std::string& name) {
  return sync_names_after(directory_.remove(name));
}

// A file that is gone already has been released before, and only the sync failed then.
Result<void> FilePool::sync_names_after(Result<void> change) {
  if (!change && change.error().code != ErrorCode::kNotFound) return change;
  return sync_names();
}

}  // namespace saranga::journal
