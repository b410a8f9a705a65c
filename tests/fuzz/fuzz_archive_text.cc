// Fuzzes archives: the pieces in which the text comes make no difference, and what is read without
// an error is read the same when damage is passed over. The first byte is the size of the pieces.
#include <cstdlib>
#include <string>
#include <string_view>

#include "saranga/bytes/no_findings.h"
#include "saranga/store/archive_reader.h"

using namespace saranga;

namespace {

void check(bool right) {
  if (!right) std::abort();
}

// Keeps what it is told as one text.
class Recorder final : public store::ArchiveTarget {
 public:
  Result<void> address(const store::ImportedAddress& /*address*/) override { return {}; }
  Result<void> queue(const store::ImportedQueue& /*queue*/) override { return {}; }
  Result<void> end_message(const store::ImportedCoreMessage& /*message*/) override { return {}; }
  Result<void> begin_message(std::optional<std::int64_t> id) override {
    body_bytes_ = 0;
    put("begin", id.value_or(-1));
    return {};
  }
  Result<void> append_body(Bytes piece) override {
    body_bytes_ += piece.size();
    return {};
  }
  void reserve_ids(std::int64_t counter) override { put("ids", counter); }
  Result<void> binding(const store::ImportedBinding& binding) override {
    put("binding", binding.id + binding.type);
    bytes(binding.body);
    return {};
  }
  Result<void> end_stored_message(const store::ImportedStoredMessage& message) override {
    put("body", static_cast<std::int64_t>(body_bytes_));
    bytes(message.encoded);
    for (const store::ImportedPlace& place : message.places) put_place(place);
    if (message.encoded.empty()) return fail(ErrorCode::kInvalidArgument, "holds nothing");
    return {};
  }
  Result<void> reference(std::int64_t message_id, const store::ImportedPlace& place) override {
    put("reference", message_id);
    put_place(place);
    return {};
  }
  Result<void> record(const store::ImportedRecord& record) override {
    put("record", record.id + record.tx_id + record.type);
    bytes(record.body);
    return {};
  }
  Result<void> transaction(std::int64_t tx_id, Bytes xid) override {
    put("transaction", tx_id);
    bytes(xid);
    return {};
  }

  std::string all;

 private:
  void put(std::string_view what, std::int64_t number) {
    all += what;
    all += std::to_string(number);
    all += '\n';
  }
  void put_place(const store::ImportedPlace& place) {
    check(place.delivery_count >= 0);
    put(place.queue_name, place.queue_id + place.tx_id + place.delivery_count);
  }
  void bytes(Bytes content) {
    all.append(reinterpret_cast<const char*>(content.data()), content.size());
  }

  std::size_t body_bytes_ = 0;
};

struct Outcome {
  std::string all;
  bool right = false;
  bool complete = false;
};

Outcome read(std::string_view text, std::size_t piece, bool keep_going) {
  Recorder target;
  NoFindings sink;
  store::ArchiveReader reader(target, {.keep_going = keep_going}, sink);
  Outcome outcome{.all = {}, .right = true};
  for (std::size_t at = 0; at < text.size() && outcome.right; at += piece) {
    const auto fed = reader.feed(text.substr(at, piece));
    outcome.right = fed.has_value();
    if (!fed) check(fed.error().code == ErrorCode::kDamaged && !fed.error().text.empty());
  }
  if (outcome.right) {
    const auto summary = reader.finish();
    outcome.right = summary.has_value();
    outcome.complete = summary && summary->complete && summary->left_out == 0;
  }
  outcome.all = std::move(target.all);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome pieces = read(text, std::size_t{data[0]} + 1, false);
  const Outcome whole = read(text, text.size() + 1, false);
  const Outcome kept = read(text, std::size_t{data[0]} + 1, true);
  check(pieces.right == whole.right && pieces.all == whole.all);
  if (pieces.right) check(kept.right && kept.complete && kept.all == pieces.all);
  return 0;
}
