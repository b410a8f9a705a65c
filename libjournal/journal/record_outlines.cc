#include "libjournal/journal/record_outlines.h"

namespace saranga::journal {
namespace {

// Above every kind.
constexpr unsigned kOtherFile = 0x40;
constexpr unsigned kPlaced = 0x80;
constexpr unsigned kKindBits = 0x3F;
// More than the longest outline takes: a byte, and six numbers of ten at most.
constexpr std::size_t kLongest = 64;

std::uint64_t difference(std::int64_t now, std::int64_t before) {
  const std::uint64_t apart = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(before);
  return apart << 1 ^ (apart >> 63 != 0 ? ~std::uint64_t{0} : 0);
}

std::int64_t add_difference(std::int64_t before, std::uint64_t folded) {
  const std::uint64_t apart = folded >> 1 ^ ((folded & 1) != 0 ? ~std::uint64_t{0} : 0);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + apart);
}

}  // namespace

void RecordOutlines::put(std::uint64_t value) {
  std::vector<std::byte>& chunk = chunks_.back();
  for (; value >= 0x80; value >>= 7) chunk.push_back(static_cast<std::byte>(value | 0x80));
  chunk.push_back(static_cast<std::byte>(value));
}

std::uint64_t RecordOutlines::get() {
  const std::vector<std::byte>& chunk = chunks_.front();
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned>(chunk[at_++]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

void RecordOutlines::add(const Record& record, std::size_t file, bool placed) {
  if (gave_up_) return;
  if (chunks_.empty() || chunks_.back().size() + kLongest > kChunkBytes) {
    if (chunks_.size() >= limit_chunks_) {
      gave_up_ = true;
      chunks_.clear();
      return;
    }
    chunks_.emplace_back().reserve(kChunkBytes);
  }
  const KindTraits& kind = traits(record.kind);
  const bool other_file = file != previous_.file;
  chunks_.back().push_back(static_cast<std::byte>(
      static_cast<unsigned>(record.kind) | (other_file ? kOtherFile : 0) | (placed ? kPlaced : 0)));
  if (other_file) put(file);
  put(record.body.size());
  if (kind.has_id) put(difference(record.id, previous_.record.id));
  if (kind.has_tx) put(difference(record.tx_id, previous_.record.tx_id));
  if (placed) {
    put(static_cast<std::uint8_t>(record.user_type));
    put(record.offset);
  }
  previous_.file = file;
  if (kind.has_id) previous_.record.id = record.id;
  if (kind.has_tx) previous_.record.tx_id = record.tx_id;
}

std::optional<RecordOutline> RecordOutlines::next() {
  if (!reading_) previous_ = {};
  reading_ = true;
  if (!chunks_.empty() && at_ == chunks_.front().size()) {
    chunks_.pop_front();
    at_ = 0;
  }
  if (chunks_.empty()) return std::nullopt;
  const auto first = static_cast<unsigned>(chunks_.front()[at_++]);
  RecordOutline& now = previous_;
  now.record.kind = static_cast<RecordKind>(first & kKindBits);
  const KindTraits& kind = traits(now.record.kind);
  if ((first & kOtherFile) != 0) now.file = static_cast<std::size_t>(get());
  now.body_bytes = get();
  if (kind.has_id) now.record.id = add_difference(now.record.id, get());
  if (kind.has_tx) now.record.tx_id = add_difference(now.record.tx_id, get());
  now.record.user_type = 0;
  now.record.offset = 0;
  if ((first & kPlaced) != 0) {
    now.record.user_type = static_cast<std::int8_t>(get());
    now.record.offset = get();
  }
  return now;
}

}  // namespace saranga::journal
