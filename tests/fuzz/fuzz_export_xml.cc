// Fuzzes exports as XML: the pieces in which a document comes make no difference, what is read
// without an error is read the same when damage is passed over, and messages of the usual shape,
// for which no parser is asked, are read as others are, with the same errors at the same places.
// The first byte is the size of the pieces.
#include <cstdlib>
#include <string>
#include <string_view>

#include "saranga/store/export_xml_reader.h"

using namespace saranga;

namespace {

void check(bool right) {
  if (!right) std::abort();
}

// Keeps what it is told as one text.
class Recorder : public store::ImportTarget {
 public:
  Result<void> address(const store::ImportedAddress& address) override {
    put("address", address.name);
    return {};
  }
  Result<void> queue(const store::ImportedQueue& queue) override {
    put("queue", queue.name);
    put("at", queue.address);
    if (queue.filter) put("if", *queue.filter);
    return {};
  }
  Result<void> begin_message(std::optional<std::int64_t> id) override {
    body_.clear();
    begun_ = id ? std::to_string(*id) : std::string();
    return {};
  }
  Result<void> append_body(Bytes piece) override {
    check(!piece.empty());
    body_.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return {};
  }
  Result<void> end_message(const store::ImportedCoreMessage& imported) override {
    const message::NewCoreMessage& message = imported.message;
    check(message.priority <= 9 && (imported.large || body_.empty()));
    put("message", begun_);
    for (const message::NewProperty& property : message.properties) {
      put("key", property.key.str());
      put("value", std::to_string(property.value.number) + property.value.text.str());
    }
    for (const std::string& name : imported.queues) put("on", name);
    put("body", imported.large ? body_ : std::to_string(message.body.size()));
    const auto encoded = encode_core_message(message);
    if (!encoded) check(encoded.error().code == ErrorCode::kInvalidArgument);
    return {};
  }

  std::string all;

 private:
  void put(std::string_view what, std::string_view text) {
    all += what;
    all += ' ';
    all += text;
    all += '\n';
  }

  std::string body_;
  std::string begun_;
};

class Findings : public FindingSink {
 public:
  void finding(Finding finding) override {
    all += std::to_string(finding.offset.value_or(0)) + ' ' + finding.text + '\n';
  }
  std::string all;
};

struct Outcome {
  std::string all;
  std::string told;  // findings, and the error
  bool right = false;
  bool complete = false;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome read(std::string_view document, std::size_t piece, bool keep_going) {
  Recorder target;
  Findings sink;
  store::ExportXmlReader reader(target,
                                {.keep_going = keep_going,
                                 .max_body_bytes = std::uint64_t{1} << 14,
                                 .max_head_bytes = std::uint64_t{1} << 14},
                                sink);
  Outcome outcome;
  outcome.right = true;
  for (std::size_t at = 0; at < document.size() && outcome.right; at += piece) {
    const auto fed = reader.feed(document.substr(at, piece));
    outcome.right = fed.has_value();
    if (!fed) check(fed.error().code == ErrorCode::kDamaged && !fed.error().text.empty());
  }
  const auto summary = reader.finish();
  check(outcome.right || !summary);
  outcome.right = summary.has_value();
  outcome.complete = summary && summary->complete;
  outcome.all = std::move(target.all);
  outcome.told = std::move(sink.all);
  if (!summary) {
    outcome.told += std::to_string(summary.error().offset.value_or(0)) + ' ' + summary.error().text;
  }
  return outcome;
}

// To the last column the same document, none of whose messages has the usual shape: each tag has a
// tab for its first blank.
std::string unusual(std::string_view document) {
  constexpr std::string_view kBegin = "<message ";
  std::string other(document);
  for (std::size_t at = other.find(kBegin); at != std::string::npos; at = other.find(kBegin, at)) {
    other[at + kBegin.size() - 1] = '\t';
  }
  return other;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view document(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome pieces = read(document, std::size_t{data[0]} + 1, false);
  const Outcome whole = read(document, document.size() + 1, false);
  const Outcome kept = read(document, std::size_t{data[0]} + 1, true);
  // A tag that is too long is noticed later when it comes as a whole.
  if (pieces.right) check(whole.right && pieces.all == whole.all);
  if (pieces.right) check(kept.right && kept.complete && kept.all == pieces.all);
  const std::string parsed = unusual(document);
  check(whole == read(parsed, document.size() + 1, false));
  check(kept == read(parsed, std::size_t{data[0]} + 1, true));
  check(read(document, document.size() + 1, true) == read(parsed, document.size() + 1, true));
  return 0;
}
