#include "libstore/import/archive_line.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "saranga/bytes/text.h"

namespace saranga::store {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

static_assert(ArchiveLineParser::kPaddingBytes >= simdjson::SIMDJSON_PADDING);

std::optional<std::uint32_t> hex_unit(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  std::uint32_t unit = 0;
  const auto end = digits.data() + 4;
  const auto [at, problem] = std::from_chars(digits.data(), end, unit, 16);
  if (problem != std::errc{} || at != end) return std::nullopt;
  return unit;
}

/// Undoes the escapes of a JSON string, from behind its opening quote. A surrogate without its
/// partner stands for itself, as names in a store may have them; the parser takes none.
class Unescape {
 public:
  explicit Unescape(std::string_view token) : rest_(token) {}
  /// Nothing when it is no string.
  [[nodiscard]] std::optional<std::string> run();

 private:
  [[nodiscard]] bool escape();
  [[nodiscard]] bool unit();

  std::string_view rest_;
  TextBuffer out_;
};

std::optional<std::string> Unescape::run() {
  while (!rest_.empty()) {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '"') return out_.str();
    if (c != '\\') {
      out_.put(c);
    } else if (rest_.empty() || !escape()) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool Unescape::escape() {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  const char c = rest_.front();
  rest_.remove_prefix(1);
  if (c == 'u') return unit();
  const std::size_t at = kNames.find(c);
  if (at == std::string_view::npos) return false;
  out_.put(kValues[at]);
  return true;
}

bool Unescape::unit() {
  const auto high = hex_unit(rest_);
  if (!high) return false;
  rest_.remove_prefix(4);
  constexpr std::uint32_t kHigh = 0xD800;
  constexpr std::uint32_t kLow = 0xDC00;
  constexpr std::uint32_t kRange = 0x400;
  const bool opens = *high >= kHigh && *high < kLow;
  const auto low = opens && rest_.starts_with("\\u") ? hex_unit(rest_.substr(2))
                                                     : std::optional<std::uint32_t>();
  if (low && *low >= kLow && *low < kLow + kRange) {
    rest_.remove_prefix(6);
    append_code_point(out_, 0x10000 + (*high - kHigh) * kRange + (*low - kLow));
  } else {
    append_code_point(out_, *high);
  }
  return true;
}

}  // namespace

struct ArchiveLineParser::State {
  ondemand::parser parser;
  ArchiveLine line;
  std::string_view text;  // of the line
  std::string problem;    // what is wrong besides the syntax
  const char* at = nullptr;

  // A member that counts: how its value is read, into the line or into the place at hand.
  using Read = error_code (State::*)(std::string_view key, ondemand::value value, LinePlace& place);
  struct Member {
    std::string_view name;
    Read read;
  };
  [[nodiscard]] static std::span<const Member> members_of_line();
  [[nodiscard]] static std::span<const Member> members_of_place();

  [[nodiscard]] error_code read(ondemand::document& document);
  [[nodiscard]] error_code members(std::span<const Member> known, ondemand::object object,
                                   LinePlace& place);
  // A member whose type says how it is read.
  template <auto kMember>
  [[nodiscard]] error_code member(std::string_view key, ondemand::value value, LinePlace& place) {
    if constexpr (std::is_invocable_v<decltype(kMember), ArchiveLine&>) {
      return take(key, value, line.*kMember);
    } else {
      return take(key, value, place.*kMember);
    }
  }
  [[nodiscard]] error_code take(std::string_view key, ondemand::value value,
                                std::optional<std::int64_t>& out);
  [[nodiscard]] error_code take(std::string_view key, ondemand::value value, std::int64_t& out);
  [[nodiscard]] error_code take(std::string_view key, ondemand::value value, bool& out);
  [[nodiscard]] error_code take(std::string_view key, ondemand::value value, std::string& out);
  [[nodiscard]] error_code queues(std::string_view key, ondemand::value value, LinePlace& place);
  [[nodiscard]] error_code queue(std::string_view key, ondemand::value value, LinePlace& place);
  [[nodiscard]] error_code record(std::string_view key, ondemand::value value, LinePlace& place);
  [[nodiscard]] error_code body(std::string_view key, ondemand::value value, LinePlace& place);
  [[nodiscard]] error_code base64(ondemand::value value, std::optional<std::string_view>& out,
                                  std::size_t& column);
  [[nodiscard]] std::size_t column_of(const char* position) const;
  [[nodiscard]] error_code wrong(std::string text_of_problem, const char* position);
};

ArchiveLineParser::ArchiveLineParser() : state_(std::make_unique<State>()) {}
ArchiveLineParser::~ArchiveLineParser() = default;

std::size_t ArchiveLineParser::State::column_of(const char* position) const {
  const bool inside = position >= text.data() && position <= text.data() + text.size();
  return inside ? static_cast<std::size_t>(position - text.data()) + 1 : text.size() + 1;
}

error_code ArchiveLineParser::State::wrong(std::string text_of_problem, const char* position) {
  problem = std::move(text_of_problem);
  at = position;
  return error_code::INCORRECT_TYPE;
}

// ---- values -------------------------------------------------------------------------------------

// Numbers beyond 64 bits and fractions are refused, not rounded.
error_code ArchiveLineParser::State::take(std::string_view key, ondemand::value value,
                                          std::optional<std::int64_t>& out) {
  bool null = false;
  const std::string_view token = value.raw_json_token();
  if (value.is_null().get(null) == error_code::SUCCESS && null) return error_code::SUCCESS;
  std::int64_t number = 0;
  if (value.get_int64().get(number) != error_code::SUCCESS) {
    return wrong(fmt::format("\"{}\" is no whole number of 64 bits", key), token.data());
  }
  out = number;
  return error_code::SUCCESS;
}

error_code ArchiveLineParser::State::take(std::string_view key, ondemand::value value,
                                          std::int64_t& out) {
  std::optional<std::int64_t> found;
  const auto done = take(key, value, found);
  out = found.value_or(0);
  return done;
}

error_code ArchiveLineParser::State::take(std::string_view /*key*/, ondemand::value value,
                                          bool& out) {
  return value.get_bool().get(out);
}

error_code ArchiveLineParser::State::take(std::string_view /*key*/, ondemand::value value,
                                          std::string& out) {
  std::string_view found;
  if (const auto problem_of = value.get_string().get(found)) return problem_of;
  out = found;
  return error_code::SUCCESS;
}

// A name as a store has it, which may be no text.
error_code ArchiveLineParser::State::queue(std::string_view key, ondemand::value value,
                                           LinePlace& place) {
  bool null = false;
  if (value.is_null().get(null) == error_code::SUCCESS && null) return error_code::SUCCESS;
  const std::string_view token = value.raw_json_token();
  if (token.find('\\') == std::string_view::npos) return take(key, value, place.queue);
  const auto text_of = token.starts_with('"') ? Unescape(token.substr(1)).run() : std::nullopt;
  if (!text_of) return wrong("is no string", token.data());
  place.queue = *text_of;
  return error_code::SUCCESS;
}

error_code ArchiveLineParser::State::record(std::string_view /*key*/, ondemand::value value,
                                            LinePlace& /*place*/) {
  return base64(value, line.record_b64, line.record_column);
}

error_code ArchiveLineParser::State::body(std::string_view /*key*/, ondemand::value value,
                                          LinePlace& /*place*/) {
  return base64(value, line.body_b64, line.body_column);
}

error_code ArchiveLineParser::State::base64(ondemand::value value,
                                            std::optional<std::string_view>& out,
                                            std::size_t& column) {
  column = column_of(value.raw_json_token().data());
  std::string_view found;
  if (const auto problem_of = value.get_string().get(found)) return problem_of;
  out = found;
  return error_code::SUCCESS;
}

error_code ArchiveLineParser::State::queues(std::string_view /*key*/, ondemand::value value,
                                            LinePlace& /*place*/) {
  ondemand::array list;
  if (const auto problem_of = value.get_array().get(list)) return problem_of;
  for (auto element : list) {
    ondemand::object object;
    if (const auto problem_of = element.get_object().get(object)) return problem_of;
    LinePlace& place = line.queues.emplace_back();
    if (const auto problem_of = members(members_of_place(), object, place)) return problem_of;
  }
  return error_code::SUCCESS;
}

// ---- members ------------------------------------------------------------------------------------

// Those of a place, and in front of them those that only a line has.
auto ArchiveLineParser::State::members_of_line() -> std::span<const Member> {
  static constexpr Member kMembers[] = {
      {"queues", &State::queues},
      {"record_b64", &State::record},
      {"body_b64", &State::body},
      {"id", &State::member<&ArchiveLine::id>},
      {"id_counter", &State::member<&ArchiveLine::id_counter>},
      {"record_type", &State::member<&ArchiveLine::record_type>},
      {"record_bytes", &State::member<&ArchiveLine::record_bytes>},
      {"body_file_bytes", &State::member<&ArchiveLine::body_file_bytes>},
      {"binding_count", &State::member<&ArchiveLine::binding_count>},
      {"message_count", &State::member<&ArchiveLine::message_count>},
      {"reference_count", &State::member<&ArchiveLine::reference_count>},
      {"record_count", &State::member<&ArchiveLine::record_count>},
      {"transaction_count", &State::member<&ArchiveLine::transaction_count>},
      {"damage_count", &State::member<&ArchiveLine::damage_count>},
      {"update", &State::member<&ArchiveLine::update>},
      {"more", &State::member<&ArchiveLine::more>},
      {"paged", &State::member<&ArchiveLine::paged>},
      {"type", &State::member<&ArchiveLine::type>},
      {"schema", &State::member<&ArchiveLine::schema>},
      {"kind", &State::member<&ArchiveLine::kind>},
      {"queue", &State::queue},
      {"queue_id", &State::member<&LinePlace::queue_id>},
      {"state", &State::member<&LinePlace::state>},
      {"tx", &State::member<&LinePlace::tx>},
      {"delivery_count", &State::member<&LinePlace::delivery_count>},
      {"set_scheduled_ms", &State::member<&LinePlace::set_scheduled_ms>},
  };
  return kMembers;
}

auto ArchiveLineParser::State::members_of_place() -> std::span<const Member> {
  constexpr std::size_t kOfPlace = 6;
  return members_of_line().last(kOfPlace);
}

// None that counts may come twice.
error_code ArchiveLineParser::State::members(std::span<const Member> known, ondemand::object object,
                                             LinePlace& place) {
  std::uint64_t seen = 0;
  for (auto field : object) {
    std::string_view key;
    ondemand::value content;
    if (const auto problem_of = field.unescaped_key().get(key)) return problem_of;
    if (const auto problem_of = field.value().get(content)) return problem_of;
    const auto found = std::ranges::find(known, key, &Member::name);
    if (found == known.end()) continue;
    const std::uint64_t bit = std::uint64_t{1} << (found - known.begin());
    if ((std::exchange(seen, seen | bit) & bit) != 0) {
      return wrong(fmt::format("\"{}\" is there twice", key), content.raw_json_token().data());
    }
    if (const auto problem_of = (this->*found->read)(key, content, place)) return problem_of;
  }
  return error_code::SUCCESS;
}

error_code ArchiveLineParser::State::read(ondemand::document& document) {
  ondemand::object object;
  if (const auto problem_of = document.get_object().get(object)) return problem_of;
  if (const auto problem_of = members(members_of_line(), object, line.place)) return problem_of;
  const char* behind = nullptr;
  const bool at_end = document.current_location().get(behind) == error_code::OUT_OF_BOUNDS;
  return at_end ? error_code::SUCCESS : error_code::TRAILING_CONTENT;
}

std::expected<const ArchiveLine*, LineProblem> ArchiveLineParser::parse(std::string_view line) {
  State& s = *state_;
  std::vector<LinePlace> places = std::move(s.line.queues);
  places.clear();
  s.line = ArchiveLine{};
  s.line.queues = std::move(places);
  s.text = line;
  s.problem.clear();
  s.at = nullptr;
  ondemand::document document;
  auto problem =
      s.parser.iterate(line.data(), line.size(), line.size() + kPaddingBytes).get(document);
  if (!problem) {
    problem = s.read(document);
    if (problem && s.at == nullptr) {
      const char* location = nullptr;
      if (document.current_location().get(location) == error_code::SUCCESS) s.at = location;
    }
  }
  if (!problem) return &s.line;
  std::string text = s.problem.empty() ? std::string(simdjson::error_message(problem)) : s.problem;
  return std::unexpected(LineProblem{.column = s.at == nullptr ? 1 : s.column_of(s.at),
                                     .text = "is no line of an archive: " + text});
}

}  // namespace saranga::store
