#include "saranga/store/times.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <limits>
#include <optional>

namespace saranga::store {
namespace {

constexpr std::int64_t kSecondMs = 1000;
constexpr std::int64_t kMinuteMs = 60 * kSecondMs;
constexpr std::int64_t kHourMs = 60 * kMinuteMs;
constexpr std::int64_t kDayMs = 24 * kHourMs;

/// Takes pieces off the front of a text.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// A number of exactly so many digits.
  std::optional<int> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  /// A number of any length.
  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// The unit of a duration, in ms.
  std::optional<std::int64_t> unit() {
    if (rest_.starts_with("ms")) {
      rest_.remove_prefix(2);
      return 1;
    }
    if (take('s')) return kSecondMs;
    if (take('m')) return kMinuteMs;
    if (take('h')) return kHourMs;
    if (take('d')) return kDayMs;
    if (take('w')) return 7 * kDayMs;
    return std::nullopt;
  }

 private:
  std::string_view rest_;
};

std::optional<std::int64_t> read_date(Pieces& pieces) {
  const auto year = pieces.digits(4);
  if (!year || !pieces.take('-')) return std::nullopt;
  const auto month = pieces.digits(2);
  if (!month || !pieces.take('-')) return std::nullopt;
  const auto day = pieces.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDayMs;
}

// Fractions finer than a millisecond are cut off.
std::optional<std::int64_t> read_fraction(Pieces& pieces) {
  std::int64_t ms = 0;
  int count = 0;
  while (const auto digit = pieces.digits(1)) {
    if (count++ < 3) ms = ms * 10 + *digit;
  }
  if (count == 0) return std::nullopt;
  for (; count < 3; ++count) ms *= 10;
  return ms;
}

std::optional<std::int64_t> read_clock(Pieces& pieces) {
  const auto hour = pieces.digits(2);
  if (!hour || *hour > 24 || !pieces.take(':')) return std::nullopt;
  const auto minute = pieces.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t ms = *hour * kHourMs + *minute * kMinuteMs;
  if (!pieces.take(':')) return ms;
  const auto second = pieces.digits(2);
  if (!second || *second > 60) return std::nullopt;
  ms += *second * kSecondMs;
  if (!pieces.take('.') && !pieces.take(',')) return ms;
  const auto fraction = read_fraction(pieces);
  if (!fraction) return std::nullopt;
  return ms + *fraction;
}

// "Z", "+02:00", "-0530" or nothing: how far the clock is ahead of UTC.
std::optional<std::int64_t> read_zone(Pieces& pieces) {
  if (pieces.at_end() || pieces.take('Z') || pieces.take('z')) return 0;
  const bool behind = pieces.take('-');
  if (!behind && !pieces.take('+')) return std::nullopt;
  const auto hours = pieces.digits(2);
  if (!hours) return std::nullopt;
  (void)pieces.take(':');
  const int minutes = pieces.digits(2).value_or(0);
  const std::int64_t ahead = *hours * kHourMs + minutes * kMinuteMs;
  return behind ? -ahead : ahead;
}

std::optional<std::int64_t> read_calendar(std::string_view text) {
  Pieces pieces(text);
  auto time = read_date(pieces);
  if (!time) return std::nullopt;
  if (pieces.take('T') || pieces.take('t') || pieces.take(' ')) {
    const auto clock = read_clock(pieces);
    if (!clock) return std::nullopt;
    *time += *clock;
  }
  const auto zone = read_zone(pieces);
  if (!zone || !pieces.at_end()) return std::nullopt;
  return *time - *zone;
}

// "3d", "1d12h"; without a unit the number itself is the time.
std::optional<std::int64_t> read_number(std::string_view text, std::int64_t now_ms) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
  Pieces pieces(text);
  std::int64_t before = 0;
  bool any = false;
  while (!pieces.at_end()) {
    const auto number = pieces.number();
    if (!number) return std::nullopt;
    if (pieces.at_end() && !any) return number;
    const auto unit = pieces.unit();
    if (!unit || *number < 0 || *number > kMost / *unit) return std::nullopt;
    before += *number * *unit;
    if (before > kMost) return std::nullopt;
    any = true;
  }
  if (!any) return std::nullopt;
  return now_ms - before;
}

}  // namespace

Result<std::int64_t> parse_time(std::string_view text, std::int64_t now_ms) {
  if (text == "now") return now_ms;
  if (const auto time = read_calendar(text)) return *time;
  if (const auto time = read_number(text, now_ms)) return *time;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("'{}' is no time; examples: 2024-05-01, 2024-05-01T12:30:00Z, 2h, 3d, "
                          "1714566615250 (ms since 1970), now",
                          text));
}

std::string format_time(std::int64_t time_ms) {
  constexpr std::int64_t kFirst = -62167219200000;   // 0000-01-01
  constexpr std::int64_t kBehind = 253402300800000;  // 10000-01-01
  if (time_ms < kFirst || time_ms >= kBehind) return fmt::format("{}", time_ms);
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(time_ms)};
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(time - days);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (clock.subseconds().count() != 0) text += fmt::format(".{:03}", clock.subseconds().count());
  return text + "Z";
}

}  // namespace saranga::store
