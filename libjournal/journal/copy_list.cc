#include "libjournal/journal/copy_list.h"

namespace saranga::journal {
namespace {

// The lowest bits of the first number; above them, how many bytes were left out in front.
constexpr std::uint64_t kOtherFile = 1;
constexpr std::uint64_t kNumbered = 2;
constexpr unsigned kFlagBits = 2;

}  // namespace

void CopyList::add(const ListedRecord& record) {
  const bool other_file = record.file != previous_.file;
  const bool numbered = record.number != 0;
  const std::uint64_t from = other_file ? 0 : previous_.offset + previous_.length_bytes;
  numbers_.put((record.offset - from) << kFlagBits | (other_file ? kOtherFile : 0) |
               (numbered ? kNumbered : 0));
  if (other_file) numbers_.put(record.file);
  numbers_.put(record.length_bytes);
  if (numbered) numbers_.put(static_cast<std::uint32_t>(record.number));
  previous_ = record;
}

std::optional<ListedRecord> CopyList::next() {
  if (!reading_) previous_ = {};
  reading_ = true;
  if (numbers_.ended()) return std::nullopt;
  const std::uint64_t first = numbers_.get();
  ListedRecord& now = previous_;
  const bool other_file = (first & kOtherFile) != 0;
  now.offset = (other_file ? 0 : now.offset + now.length_bytes) + (first >> kFlagBits);
  if (other_file) now.file = static_cast<std::size_t>(numbers_.get());
  now.length_bytes = static_cast<std::uint32_t>(numbers_.get());
  now.number = (first & kNumbered) != 0 ? static_cast<std::int32_t>(numbers_.get()) : 0;
  return now;
}

}  // namespace saranga::journal
