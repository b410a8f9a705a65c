#include "libjournal/journal/control_file.h"

#include <algorithm>
#include <limits>

#include "saranga/journal/record_encoder.h"

namespace saranga::journal {
namespace {

constexpr std::size_t kSmallestBody = 64;

void put(std::vector<std::byte>& body, std::uint64_t value, unsigned width) {
  for (unsigned i = width; i-- > 0;) body.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// Names of plain characters have the same bytes in every encoding that a reader might expect.
Result<void> put_names(std::vector<std::byte>& body, const std::vector<std::string>& names) {
  put(body, names.size(), 4);
  for (const std::string& name : names) {
    const bool plain = std::ranges::all_of(name, [](char c) { return c > 0 && c < 0x7F; });
    if (!plain || name.size() > std::numeric_limits<std::uint16_t>::max()) {
      return fail(ErrorCode::kUnsupported,
                  "its name cannot be written into the control file of a compaction; give it a "
                  "plain one",
                  name);
    }
    put(body, name.size(), 2);
    const Bytes bytes = as_bytes(name);
    body.insert(body.end(), bytes.begin(), bytes.end());
  }
  return {};
}

}  // namespace

Result<std::vector<std::byte>> encode_control_file(const CompactionPlan& plan,
                                                   std::uint32_t alignment_bytes) {
  std::vector<std::byte> body;
  for (const auto* names : {&plan.consumed, &plan.produced}) {
    if (auto done = put_names(body, *names); !done) return std::unexpected(done.error());
  }
  put(body, 0, 4);  // renames
  std::size_t room = kSmallestBody;
  while (room < body.size()) room *= 2;
  body.resize(room);
  const std::size_t first = std::max<std::size_t>(kHeaderBytes, alignment_bytes);
  const auto length = static_cast<std::size_t>(encoded_bytes(RecordKind::kAdd, room));
  const std::size_t end =
      (first + length + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  std::vector<std::byte> file(end);
  store_be(file.data(), kFormatVersion);
  const Bytes slice(body);
  encode_record({.kind = RecordKind::kAdd, .id = 1}, {&slice, 1},
                std::span(file).subspan(first, length));
  return file;
}

}  // namespace saranga::journal
