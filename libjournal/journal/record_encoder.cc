#include "saranga/journal/record_encoder.h"

namespace saranga::journal {
namespace {

/// Puts one big-endian value behind the other. The caller knows that they fit.
class Put {
 public:
  explicit Put(std::byte* at) : at_(at) {}
  template <class T>
  Put& value(T value) {
    store_be(at_, value);
    at_ += sizeof(T);
    return *this;
  }
  Put& bytes(Bytes bytes) {
    if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
    return *this;
  }

 private:
  std::byte* at_;
};

}  // namespace

std::uint64_t slices_bytes(Slices body) {
  std::uint64_t total = 0;
  for (const Bytes piece : body) total += piece.size();
  return total;
}

void encode_record(const RecordFields& fields, Slices body, std::span<std::byte> to) {
  const KindTraits& made_of = traits(fields.kind);
  Put put(to.data());
  put.value(static_cast<std::uint8_t>(fields.kind)).value(fields.tag).value(fields.compact_count);
  if (made_of.has_tx) put.value(fields.tx_id);
  if (made_of.has_id) put.value(fields.id);
  if (made_of.has_number) put.value(fields.number);
  if (made_of.has_body || fields.kind == RecordKind::kPrepare) {
    put.value(static_cast<std::int32_t>(slices_bytes(body)));
    if (made_of.has_user_type) put.value(fields.user_type);
    for (const Bytes piece : body) put.bytes(piece);
  }
  put.value(static_cast<std::int32_t>(to.size()));
}

}  // namespace saranga::journal
