#include "saranga/journal/record_fetcher.h"

#include <algorithm>

#include "saranga/journal/scanner.h"

namespace saranga::journal {
namespace {
constexpr std::size_t kFarBytes = 4096;                     // behind a jump: probably one record
constexpr std::size_t kNearBytes = std::size_t{256} << 10;  // reading on
}  // namespace

Result<void> RecordFetcher::open(std::size_t file) {
  if (file_ != nullptr && file_index_ == file) return {};
  auto opened = directory_.open(files_[file].name);
  if (!opened) return std::unexpected(opened.error());
  file_ = std::move(*opened);
  file_index_ = file;
  base_ = 0;
  filled_ = 0;
  return {};
}

Result<void> RecordFetcher::read_window(std::uint64_t offset) {
  const bool reading_on = offset >= base_ && offset <= base_ + filled_ + kNearBytes;
  window_.resize(kNearBytes);
  const std::size_t want = reading_on ? kNearBytes : kFarBytes;
  auto got = file_->read_at(offset, std::span(window_).first(want));
  if (!got) return std::unexpected(got.error());
  base_ = offset;
  filled_ = *got;
  return {};
}

Result<Record> RecordFetcher::fetch(Place place) {
  if (auto opened = open(place.file()); !opened) return std::unexpected(opened.error());
  const std::uint64_t offset = place.offset();
  const std::int32_t version = files_[place.file()].header.format_version;
  const auto in_window = [&] {
    return parse_record(Bytes(window_).subspan(static_cast<std::size_t>(offset - base_),
                                               static_cast<std::size_t>(base_ + filled_ - offset)),
                        version, offset);
  };
  if (offset >= base_ && offset < base_ + filled_) {
    if (const auto record = in_window()) return *record;
  }
  if (auto read = read_window(offset); !read) return std::unexpected(read.error());
  if (const auto record = in_window()) return *record;
  return read_record(*file_, version, offset, large_);
}

}  // namespace saranga::journal
