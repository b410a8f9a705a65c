#include "libjournal/journal/listed_copy.h"

#include <algorithm>

#include "saranga/journal/scanner.h"

namespace saranga::journal {
namespace {

// What is dead between two records is read as well when it is not more: a second call would cost as
// much.
constexpr std::uint64_t kSmallGapBytes = 8192;

}  // namespace

Result<bool> ListedCopy::next() {
  if (!next_) return false;
  if (!opened_ || next_->file != file_) {
    if (auto opened = open(next_->file); !opened) return std::unexpected(opened.error());
  }
  const std::uint64_t first = next_->offset;
  const auto length = static_cast<std::size_t>(gather() - first);
  // One long record must not keep its room for ever.
  const std::size_t wanted = std::max(window_bytes_, length);
  if (window_.size() != wanted) window_ = std::vector<std::byte>(wanted);
  const auto got = opened_->read_at(first, std::span(window_).first(length));
  if (!got) return std::unexpected(got.error());
  const Bytes bytes = Bytes(window_).first(*got);
  for (const ListedRecord& listed : gathered_) {
    const auto at = static_cast<std::size_t>(listed.offset - first);
    const Bytes record =
        bytes.size() < at + listed.length_bytes ? Bytes{} : bytes.subspan(at, listed.length_bytes);
    if (auto copied = copy(listed, record); !copied) return std::unexpected(copied.error());
  }
  return next_.has_value();
}

Result<void> ListedCopy::open(std::size_t file) {
  auto opened = directory_.open(files_[file].name);
  if (!opened) return std::unexpected(opened.error());
  opened_ = std::move(*opened);
  file_ = file;
  return {};
}

std::uint64_t ListedCopy::gather() {
  gathered_.clear();
  const std::uint64_t first = next_->offset;
  std::uint64_t end = first;
  do {
    gathered_.push_back(*next_);
    end = next_->offset + next_->length_bytes;
    next_ = list_.next();
  } while (next_ && next_->file == file_ && next_->offset - end <= kSmallGapBytes &&
           next_->offset + next_->length_bytes - first <= window_bytes_);
  return end;
}

Result<void> ListedCopy::copy(const ListedRecord& listed, Bytes bytes) {
  const std::int32_t version = files_[file_].header.format_version;
  const auto record = parse_record(bytes, version, listed.offset);
  if (!record || record->length_bytes != listed.length_bytes) {
    return std::unexpected(Error{.code = ErrorCode::kDamaged,
                                 .text = "the record that was here is gone; the file has changed",
                                 .file = directory_.path() + "/" + files_[file_].name,
                                 .offset = listed.offset});
  }
  const RecordFields fields = copied_fields(*record, listed.number);
  const std::uint64_t length = encoded_bytes(record->kind, record->body.size());
  ++counts_.records;
  counts_.bytes += length;
  return writer_.put(layout_.place(length), fields, record->body);
}

std::uint64_t ListedCopy::done_bytes() const {
  std::uint64_t done = 0;
  const std::size_t before = next_ ? next_->file : files_.size();
  for (std::size_t i = 0; i < before; ++i) done += files_[i].size_bytes;
  return done + (next_ ? next_->offset : 0);
}

}  // namespace saranga::journal
