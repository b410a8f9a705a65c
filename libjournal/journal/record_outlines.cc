#include "libjournal/journal/record_outlines.h"

#include "saranga/journal/record_encoder.h"

namespace saranga::journal {
namespace {

// The first number is the kind, counted from the first one, and these. With the user type it takes
// a second byte.
constexpr unsigned kElsewhere = 0x10;  // not just behind the one before
constexpr unsigned kOldFormat = 0x20;  // a byte shorter
constexpr unsigned kOtherFile = 0x40;
constexpr unsigned kTyped = 0x80;
constexpr unsigned kKindBits = 0x0F;
constexpr unsigned kFirstKind = static_cast<unsigned>(RecordKind::kEvent);

std::uint64_t when(bool condition, unsigned bit) { return condition ? bit : 0; }

}  // namespace

std::int64_t RecordOutlines::expected_offset() const {
  return static_cast<std::int64_t>(previous_.record.offset + previous_.record.length_bytes);
}

void RecordOutlines::add(const Record& record, std::size_t file, bool typed) {
  const KindTraits& kind = traits(record.kind);
  const bool other_file = file != previous_.file || previous_.record.offset == 0;
  if (other_file) previous_.record.offset = kHeaderBytes;
  if (other_file) previous_.record.length_bytes = 0;
  const auto offset = static_cast<std::int64_t>(record.offset);
  const bool elsewhere = offset != expected_offset();
  const bool old = record.length_bytes != encoded_bytes(record.kind, record.body.size());
  numbers_.put((static_cast<unsigned>(record.kind) - kFirstKind) | when(elsewhere, kElsewhere) |
               when(old, kOldFormat) | when(other_file, kOtherFile) | when(typed, kTyped));
  if (other_file) numbers_.put(file);
  if (elsewhere) numbers_.put(PackedNumbers::difference(offset, expected_offset()));
  numbers_.put(record.body.size());
  if (kind.has_id) numbers_.put(PackedNumbers::difference(record.id, previous_.record.id));
  if (kind.has_tx) numbers_.put(PackedNumbers::difference(record.tx_id, previous_.record.tx_id));
  if (typed) numbers_.put(static_cast<std::uint8_t>(record.user_type));
  previous_.file = file;
  previous_.record.offset = record.offset;
  previous_.record.length_bytes = record.length_bytes;
  if (kind.has_id) previous_.record.id = record.id;
  if (kind.has_tx) previous_.record.tx_id = record.tx_id;
}

const RecordOutline* RecordOutlines::next() {
  if (!reading_) previous_ = {};
  reading_ = true;
  if (numbers_.ended()) return nullptr;
  const auto first = static_cast<unsigned>(numbers_.get());
  RecordOutline& now = previous_;
  Record& record = now.record;
  if ((first & kOtherFile) != 0) {
    now.file = static_cast<std::size_t>(numbers_.get());
    record.offset = kHeaderBytes;
    record.length_bytes = 0;
  }
  std::int64_t offset = expected_offset();
  if ((first & kElsewhere) != 0) {
    offset = PackedNumbers::add_difference(offset, numbers_.get());
  }
  record.offset = static_cast<std::uint64_t>(offset);
  record.kind = static_cast<RecordKind>(kFirstKind + (first & kKindBits));
  const KindTraits& kind = traits(record.kind);
  now.body_bytes = numbers_.get();
  record.length_bytes = static_cast<std::uint32_t>(encoded_bytes(record.kind, now.body_bytes) -
                                                   ((first & kOldFormat) != 0 ? 1 : 0));
  if (kind.has_id) {
    record.id = PackedNumbers::add_difference(record.id, numbers_.get());
  }
  if (kind.has_tx) {
    record.tx_id = PackedNumbers::add_difference(record.tx_id, numbers_.get());
  }
  record.user_type =
      (first & kTyped) != 0 ? static_cast<std::int8_t>(numbers_.get()) : std::int8_t{0};
  return &now;
}

}  // namespace saranga::journal
