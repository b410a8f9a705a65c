#include "saranga/paging/page_file.h"

#include <algorithm>

namespace saranga::paging {
namespace {
constexpr std::byte kStart{0x7B};
constexpr std::byte kEnd{0x7D};
constexpr std::uint64_t kLeadBytes = 5;  // start byte and length

bool decodes(Bytes payload) {
  Cursor cursor(payload);
  (void)read_paged_message(cursor);
  return cursor.ok() && cursor.at_end();
}

}  // namespace

PageScanner::PageScanner(const ReadableFile& file, std::size_t window_bytes)
    : file_(file), size_(file.size_bytes()), window_bytes_(window_bytes) {}

Result<bool> PageScanner::ensure(std::uint64_t count) {
  if (count > size_ - at_) return false;
  if (at_ >= base_ && at_ + count <= base_ + filled_) return true;
  // Some more than asked for, so that a row of long frames moves the window only now and then.
  const std::uint64_t want = std::min(size_ - at_, count + window_bytes_);
  if (window_.size() < want) window_.resize(static_cast<std::size_t>(want));
  auto got = file_.read_at(at_, std::span(window_).first(static_cast<std::size_t>(want)));
  if (!got) return std::unexpected(got.error());
  base_ = at_;
  filled_ = *got;
  if (*got < want) size_ = base_ + filled_;  // a live file has been cut meanwhile
  return count <= size_ - at_;
}

// The payload of a well-framed entry at the present position, nothing when there is none.
Result<std::optional<Bytes>> PageScanner::frame_here() {
  using Frame = std::optional<Bytes>;
  auto lead = ensure(kFrameBytes);
  if (!lead) return std::unexpected(lead.error());
  problem_ = "fewer bytes than the frame of an entry needs";
  if (!*lead) return Frame{};
  const std::byte* at = window_.data() + (at_ - base_);
  problem_ = "no '{' where an entry should start";
  if (at[0] != kStart) return Frame{};
  const std::int64_t length = load_be<std::int32_t>(at + 1);
  problem_ = "an entry with a negative length";
  if (length < 0) return Frame{};
  const std::uint64_t frame = static_cast<std::uint64_t>(length) + kFrameBytes;
  problem_ = "an entry that is longer than the rest of the file";
  if (frame > size_ - at_) return Frame{};
  problem_ = "no '}' where an entry should end";
  // Look at the end before the window moves or grows: a wrong length costs no memory.
  auto last = byte_at(at_ + frame - 1);
  if (!last) return std::unexpected(last.error());
  if (*last != kEnd) return Frame{};
  auto whole = ensure(frame);
  if (!whole) return std::unexpected(whole.error());
  if (!*whole) return Frame{};
  at = window_.data() + (at_ - base_);
  if (at[frame - 1] != kEnd) return Frame{};
  return Frame(Bytes(at + kLeadBytes, static_cast<std::size_t>(length)));
}

// The byte at an offset of the file, without moving the window; nothing behind the end.
Result<std::optional<std::byte>> PageScanner::byte_at(std::uint64_t offset) const {
  if (offset >= base_ && offset < base_ + filled_) {
    return window_[static_cast<std::size_t>(offset - base_)];
  }
  std::byte found[1];
  auto got = file_.read_at(offset, found);
  if (!got) return std::unexpected(got.error());
  if (*got == 0) return std::optional<std::byte>{};
  return found[0];
}

// A damaged length may lead to some other '}', in the middle of an entry further behind: then
// neither does the payload decode, nor does an entry follow.
Result<bool> PageScanner::is_plausible(Bytes payload) {
  const std::uint64_t end = at_ + payload.size() + kFrameBytes;
  if (end == size_) return true;
  auto next = byte_at(end);
  if (!next) return std::unexpected(next.error());
  if (*next == kStart) return true;
  problem_ = "an entry that does not decode, and no entry follows it";
  return decodes(payload);
}

Result<bool> PageScanner::next(PageEntry& entry) {
  while (at_ < size_) {
    auto frame = frame_here();
    if (!frame) return std::unexpected(frame.error());
    auto plausible = *frame ? is_plausible(**frame) : Result<bool>(false);
    if (!plausible) return std::unexpected(plausible.error());
    if (!*plausible) {
      damage_from_ = at_;
      damage_.push_back({.offset = at_, .problem = problem_});
      auto found = resynchronise();
      if (!found) return std::unexpected(found.error());
      close_damage(!*found);
      continue;
    }
    entry = {
        .offset = at_, .number = number_++, .number_estimated = estimated_, .payload = **frame};
    at_ += (*frame)->size() + kFrameBytes;
    entry_bytes_ += (*frame)->size() + kFrameBytes;
    ++entry_count_;
    return true;
  }
  return false;
}

// Looks for the next entry byte by byte; a frame counts only if what it holds decodes to its end.
Result<bool> PageScanner::resynchronise() {
  for (++at_; at_ < size_; ++at_) {
    auto there = ensure(1);
    if (!there) return std::unexpected(there.error());
    if (!*there) break;
    const std::byte* from = window_.data() + (at_ - base_);
    const std::byte* end = window_.data() + filled_;
    const std::byte* start = std::find(from, end, kStart);
    at_ += static_cast<std::uint64_t>(start - from);
    if (start == end) {
      --at_;
      continue;
    }
    auto frame = frame_here();
    if (!frame) return std::unexpected(frame.error());
    if (*frame && decodes(**frame)) return true;
  }
  at_ = size_;
  return false;
}

void PageScanner::close_damage(bool at_end) {
  damage_.back().length_bytes = at_ - *damage_from_;
  damage_.back().at_end = at_end;
  unreadable_bytes_ += damage_.back().length_bytes;
  // The entry that is damaged here counts for the positions behind it.
  ++number_;
  estimated_ = true;
  damage_from_.reset();
}

}  // namespace saranga::paging
