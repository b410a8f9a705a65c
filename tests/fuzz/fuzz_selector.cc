// Fuzzes selectors. The first byte chooses the source of the text, which ends at the first byte FF;
// what follows it is a stored message to evaluate the selector on, beside some that are built in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/message/selector.h"
#include "tests/message/amqp_samples.h"

namespace {

using namespace saranga;
using namespace saranga::message;

// A stored Core message with headers and a property of each type.
constexpr std::string_view kCoreRecord =
    "010000000000000002010000000a71002e006f006e006500000000d50000001c010000000a680065006c006c"
    "006f000000000000000002010000000a71002e006f006e0065000100112233445516778899aabbccddeeff03"
    "01000001d1a94a20000000018bcfe5680009010000000b000000047300680005012c000000026e0000000000"
    "026c0007000000012a05f2000000000269000600000005000000046200730004000000030102030000000462"
    "0079000307000000026600083fc000000000000264000940040000000000000000000263000b007800000002"
    "73000a000000066100620063000000000262000201";

struct Owned {
  explicit Owned(std::vector<std::byte> record) : bytes(std::move(record)) {
    Cursor cursor(bytes);
    message = read_stored_message(cursor);
    if (!cursor.ok()) __builtin_trap();
  }
  Owned(Owned&&) = default;

  std::vector<std::byte> bytes;
  StoredMessage message;
};

const std::vector<Owned>& built_in() {
  static const std::vector<Owned> messages = [] {
    std::vector<Owned> all;
    all.emplace_back(test::unhex(kCoreRecord));
    for (const test::AmqpSample& sample : test::kAmqpSamples) {
      all.emplace_back(test::unhex(sample.body));
    }
    return all;
  }();
  return messages;
}

void check(const Selector& selector, const StoredMessage& stored) {
  const SelectorMessage message{.message = stored, .connection_id = Text("c")};
  const bool matches = selector.matches(message);
  const SelectorResult result = selector.evaluate(message);
  if (result == SelectorResult::kTrue && !matches) __builtin_trap();
  if (result != SelectorResult::kTrue && result != SelectorResult::kError && matches) {
    __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto source = static_cast<SelectorSource>(data[0] % 3);
  const Bytes input(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const auto separator = std::ranges::find(input, std::byte{0xFF});
  const auto text_size = static_cast<std::size_t>(separator - input.begin());
  const auto selector = Selector::compile(as_text(input.first(text_size)), source);
  if (!selector) {
    if (selector.error().text.empty()) __builtin_trap();
    return 0;
  }
  for (const Owned& owned : built_in()) check(*selector, owned.message);
  if (separator != input.end()) {
    Cursor cursor(input.subspan(text_size + 1));
    check(*selector, read_stored_message(cursor));
  }
  // The prepared text needs no more preparation.
  const std::string prepared(selector->text());
  const auto again = Selector::compile(prepared, SelectorSource::kCore);
  if (!again || again->text() != prepared) __builtin_trap();
  return 0;
}
