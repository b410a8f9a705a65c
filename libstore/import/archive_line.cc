#include "libstore/import/archive_line.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <utility>

#include "saranga/bytes/text.h"

namespace saranga::store {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

static_assert(ArchiveLineParser::kPaddingBytes >= simdjson::SIMDJSON_PADDING);

struct NumberMember {
  std::string_view name;
  std::optional<std::int64_t> ArchiveLine::* member;
};
constexpr std::array kNumbers = {
    NumberMember{"id", &ArchiveLine::id},
    NumberMember{"id_counter", &ArchiveLine::id_counter},
    NumberMember{"record_type", &ArchiveLine::record_type},
    NumberMember{"record_bytes", &ArchiveLine::record_bytes},
    NumberMember{"body_file_bytes", &ArchiveLine::body_file_bytes},
    NumberMember{"binding_count", &ArchiveLine::binding_count},
    NumberMember{"message_count", &ArchiveLine::message_count},
    NumberMember{"reference_count", &ArchiveLine::reference_count},
    NumberMember{"record_count", &ArchiveLine::record_count},
    NumberMember{"transaction_count", &ArchiveLine::transaction_count},
    NumberMember{"damage_count", &ArchiveLine::damage_count},
};

struct FlagMember {
  std::string_view name;
  bool ArchiveLine::* member;
};
constexpr std::array kFlags = {FlagMember{"update", &ArchiveLine::update},
                               FlagMember{"more", &ArchiveLine::more},
                               FlagMember{"paged", &ArchiveLine::paged}};

struct TextMember {
  std::string_view name;
  std::string ArchiveLine::* member;
};
constexpr std::array kTexts = {TextMember{"type", &ArchiveLine::type},
                               TextMember{"schema", &ArchiveLine::schema},
                               TextMember{"kind", &ArchiveLine::kind}};

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

// Which members of an object have come: none that counts may come twice.
class Seen {
 public:
  /// False when it was there before.
  bool first(std::size_t member) {
    const std::uint64_t bit = std::uint64_t{1} << member;
    return (std::exchange(members_, members_ | bit) & bit) == 0;
  }

 private:
  std::uint64_t members_ = 0;
};

// Where the members of a line begin among the numbers of a Seen.
enum : std::size_t {
  kQueuesMember,
  kRecordMember,
  kBodyMember,
  kNumberMembers,
  kFlagMembers = kNumberMembers + kNumbers.size(),
  kTextMembers = kFlagMembers + kFlags.size(),
  kPlaceMembers = kTextMembers + kTexts.size(),
};

constexpr std::array<std::string_view, 6> kPlaceNames = {
    "queue", "queue_id", "state", "tx", "delivery_count", "set_scheduled_ms"};
static_assert(kPlaceMembers + kPlaceNames.size() <= 64);

}  // namespace

struct ArchiveLineParser::State {
  ondemand::parser parser;
  ArchiveLine line;
  std::string_view text;  // of the line
  std::string problem;    // what is wrong besides the syntax
  const char* at = nullptr;

  [[nodiscard]] error_code read(ondemand::document& document);
  [[nodiscard]] error_code member(std::string_view key, ondemand::value value, Seen& seen);
  [[nodiscard]] error_code place_member(LinePlace& place, std::string_view key,
                                        ondemand::value value, Seen& seen);
  [[nodiscard]] error_code queues(ondemand::value value);
  [[nodiscard]] error_code number(std::string_view key, ondemand::value value,
                                  std::optional<std::int64_t>& out);
  [[nodiscard]] error_code plain(ondemand::value value, std::string& out);
  [[nodiscard]] error_code name(ondemand::value value, std::string& out);
  [[nodiscard]] error_code base64(ondemand::value value, std::optional<std::string_view>& out,
                                  std::size_t& column);
  [[nodiscard]] std::size_t column_of(const char* position) const;
  [[nodiscard]] error_code wrong(std::string text_of_problem, const char* position);
  [[nodiscard]] error_code twice(std::string_view key, ondemand::value value);
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

error_code ArchiveLineParser::State::twice(std::string_view key, ondemand::value value) {
  return wrong(fmt::format("\"{}\" is there twice", key), value.raw_json_token().data());
}

// Numbers beyond 64 bits and fractions are refused, not rounded.
error_code ArchiveLineParser::State::number(std::string_view key, ondemand::value value,
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

error_code ArchiveLineParser::State::plain(ondemand::value value, std::string& out) {
  std::string_view found;
  if (const auto problem_of = value.get_string().get(found)) return problem_of;
  out = found;
  return error_code::SUCCESS;
}

error_code ArchiveLineParser::State::name(ondemand::value value, std::string& out) {
  bool null = false;
  if (value.is_null().get(null) == error_code::SUCCESS && null) return error_code::SUCCESS;
  const std::string_view token = value.raw_json_token();
  if (token.find('\\') == std::string_view::npos) return plain(value, out);
  const auto text_of = token.starts_with('"') ? Unescape(token.substr(1)).run() : std::nullopt;
  if (!text_of) return wrong("is no string", token.data());
  out = *text_of;
  return error_code::SUCCESS;
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

error_code ArchiveLineParser::State::place_member(LinePlace& place, std::string_view key,
                                                  ondemand::value value, Seen& seen) {
  const auto known = std::ranges::find(kPlaceNames, key);
  if (known == kPlaceNames.end()) return error_code::SUCCESS;
  if (!seen.first(kPlaceMembers + static_cast<std::size_t>(known - kPlaceNames.begin()))) {
    return twice(key, value);
  }
  std::optional<std::int64_t> found;
  if (key == "queue") return name(value, place.queue);
  if (key == "queue_id") return number(key, value, place.queue_id);
  if (key == "state") return plain(value, place.state);
  if (key == "tx") return number(key, value, place.tx);
  const auto done = number(key, value, found);
  (key == "delivery_count" ? place.delivery_count : place.set_scheduled_ms) = found.value_or(0);
  return done;
}

error_code ArchiveLineParser::State::queues(ondemand::value value) {
  ondemand::array list;
  if (const auto problem_of = value.get_array().get(list)) return problem_of;
  for (auto element : list) {
    ondemand::object object;
    if (const auto problem_of = element.get_object().get(object)) return problem_of;
    LinePlace& place = line.queues.emplace_back();
    Seen seen;
    for (auto field : object) {
      std::string_view key;
      ondemand::value content;
      if (const auto problem_of = field.unescaped_key().get(key)) return problem_of;
      if (const auto problem_of = field.value().get(content)) return problem_of;
      if (const auto problem_of = place_member(place, key, content, seen)) return problem_of;
    }
  }
  return error_code::SUCCESS;
}

error_code ArchiveLineParser::State::member(std::string_view key, ondemand::value value,
                                            Seen& seen) {
  const auto repeats = [&](std::size_t member) { return !seen.first(member); };
  if (key == "queues") return repeats(kQueuesMember) ? twice(key, value) : queues(value);
  if (key == "record_b64") {
    if (repeats(kRecordMember)) return twice(key, value);
    return base64(value, line.record_b64, line.record_column);
  }
  if (key == "body_b64") {
    if (repeats(kBodyMember)) return twice(key, value);
    return base64(value, line.body_b64, line.body_column);
  }
  for (std::size_t i = 0; i < kNumbers.size(); ++i) {
    if (kNumbers[i].name != key) continue;
    if (repeats(kNumberMembers + i)) return twice(key, value);
    return number(key, value, line.*kNumbers[i].member);
  }
  for (std::size_t i = 0; i < kFlags.size(); ++i) {
    if (kFlags[i].name != key) continue;
    if (repeats(kFlagMembers + i)) return twice(key, value);
    return value.get_bool().get(line.*kFlags[i].member);
  }
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (kTexts[i].name != key) continue;
    if (repeats(kTextMembers + i)) return twice(key, value);
    return plain(value, line.*kTexts[i].member);
  }
  return place_member(line.place, key, value, seen);
}

error_code ArchiveLineParser::State::read(ondemand::document& document) {
  ondemand::object object;
  if (const auto problem_of = document.get_object().get(object)) return problem_of;
  Seen seen;
  for (auto field : object) {
    std::string_view key;
    ondemand::value content;
    if (const auto problem_of = field.unescaped_key().get(key)) return problem_of;
    if (const auto problem_of = field.value().get(content)) return problem_of;
    if (const auto problem_of = member(key, content, seen)) return problem_of;
  }
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
