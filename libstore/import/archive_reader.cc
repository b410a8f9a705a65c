#include "saranga/store/archive_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "libstore/import/archive_line.h"
#include "saranga/bytes/base64.h"
#include "saranga/bytes/fields.h"

namespace saranga::store {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 30;
constexpr std::string_view kSchema = "saranga.archive/1";

std::unexpected<LineProblem> problem(std::string text, std::size_t column = 1) {
  return std::unexpected(LineProblem{.column = column, .text = std::move(text)});
}

std::optional<MessageState> state_of(std::string_view name) {
  for (const MessageState state : {MessageState::kPending, MessageState::kScheduled,
                                   MessageState::kInDoubtAck, MessageState::kInDoubtSend}) {
    if (state_name(state) == name) return state;
  }
  return std::nullopt;
}

bool is_type(const std::optional<std::int64_t>& number) {
  return number && *number >= INT8_MIN && *number <= INT8_MAX;
}

/// How many lines of each kind have come.
struct Counts {
  std::int64_t bindings = 0;
  std::int64_t messages = 0;
  std::int64_t references = 0;
  std::int64_t records = 0;
  std::int64_t transactions = 0;
};

}  // namespace

/// A message whose lines have not all come.
struct OpenMessage {
  std::int64_t id = 0;
  std::int8_t type = 0;
  std::uint64_t record_bytes = 0;
  std::uint64_t body_bytes = 0;  // that are still to come
  bool paged = false;
  bool more = false;
  std::vector<std::byte> encoded;
  std::vector<LinePlace> places;
};

struct ArchiveReader::State {
  State(ArchiveTarget& to, ArchiveReaderOptions wanted, FindingSink& told)
      : target(to), options(std::move(wanted)), sink(told) {}

  ArchiveTarget& target;
  ArchiveReaderOptions options;
  FindingSink& sink;
  ArchiveLineParser parser;
  std::vector<char> buffer{};
  std::size_t filled = 0;
  ArchiveSummary summary{};
  Counts counts{};
  bool has_header = false;
  bool has_end = false;
  bool skips_pieces = false;  // of a message that was left out
  std::optional<OpenMessage> open{};
  std::vector<std::byte> bytes{};
  std::vector<ImportedPlace> places{};
  std::set<std::string, std::less<>> unknown{};  // kinds of lines that were passed over

  using Done = std::expected<void, LineProblem>;

  [[nodiscard]] Result<void> line(std::string_view text);
  [[nodiscard]] Result<Done> take(const ArchiveLine& line);
  [[nodiscard]] Result<Done> take_header(const ArchiveLine& line);
  [[nodiscard]] Result<Done> take_binding(const ArchiveLine& line);
  [[nodiscard]] Result<Done> take_message(const ArchiveLine& line);
  [[nodiscard]] Result<Done> take_piece(const ArchiveLine& line);
  [[nodiscard]] Result<Done> take_reference(const ArchiveLine& line);
  [[nodiscard]] Result<Done> take_record(const ArchiveLine& line);
  [[nodiscard]] Result<Done> take_transaction(const ArchiveLine& line);
  [[nodiscard]] Result<Done> take_summary(const ArchiveLine& line);
  [[nodiscard]] Result<Done> close_message();
  [[nodiscard]] Done decode(const std::optional<std::string_view>& text, std::size_t column,
                            std::string_view name, std::vector<std::byte>& out);
  [[nodiscard]] Done place_of(const LinePlace& from, ImportedPlace& to) const;
  [[nodiscard]] static Result<Done> judge(Result<void> taken);
  [[nodiscard]] Result<void> reject(const LineProblem& wrong);
  void note_unknown(const std::string& type);
};

ArchiveReader::ArchiveReader(ArchiveTarget& target, ArchiveReaderOptions options, FindingSink& sink)
    : state_(std::make_unique<State>(target, std::move(options), sink)) {}
ArchiveReader::~ArchiveReader() = default;

// ---- lines --------------------------------------------------------------------------------------

Result<void> ArchiveReader::feed(std::string_view piece) {
  State& s = *state_;
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (s.filled + part.size() > kLongestLine) {
      return fail(ErrorCode::kDamaged,
                  fmt::format("line {} is longer than {} MiB, which no line of an archive is",
                              s.summary.lines + 1, kLongestLine >> 20),
                  s.options.label);
    }
    const std::size_t needed = s.filled + part.size() + ArchiveLineParser::kPaddingBytes;
    if (s.buffer.size() < needed) s.buffer.resize(std::max(needed, s.buffer.size() * 2));
    if (!part.empty()) std::memcpy(s.buffer.data() + s.filled, part.data(), part.size());
    s.filled += part.size();
    if (end == std::string_view::npos) return {};
    piece.remove_prefix(end + 1);
    if (auto done = s.line({s.buffer.data(), std::exchange(s.filled, 0)}); !done) return done;
  }
  return {};
}

Result<void> ArchiveReader::State::line(std::string_view text) {
  ++summary.lines;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of some editors
  if (summary.lines == 1 && text.starts_with(kMark)) text.remove_prefix(kMark.size());
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.find_first_not_of(" \t") == std::string_view::npos) return {};
  const auto parsed = parser.parse(text);
  if (!parsed) return reject(parsed.error());
  auto done = take(**parsed);
  if (!done) return std::unexpected(done.error());
  return *done ? Result<void>{} : reject(done->error());
}

// A line that is wrong spoils the message that it belongs to.
Result<void> ArchiveReader::State::reject(const LineProblem& wrong) {
  const std::string text =
      fmt::format("line {}, column {}: {}", summary.lines, wrong.column, wrong.text);
  if (!options.keep_going || !has_header) {
    return fail(ErrorCode::kDamaged, text, options.label);
  }
  ++summary.left_out;
  open.reset();
  skips_pieces = true;
  sink.finding({.code = "export-message-skipped",
                .severity = Severity::kDamage,
                .file = options.label,
                .text = text + "; it is left out"});
  return {};
}

// What a target says of one message or record is the line's problem, everything else the end.
auto ArchiveReader::State::judge(Result<void> taken) -> Result<Done> {
  if (taken) return Done{};
  if (taken.error().code != ErrorCode::kInvalidArgument) return std::unexpected(taken.error());
  return Done(problem(taken.error().message()));
}

auto ArchiveReader::State::decode(const std::optional<std::string_view>& text, std::size_t column,
                                  std::string_view name, std::vector<std::byte>& out) -> Done {
  if (!text) return problem(fmt::format("\"{}\" is missing", name));
  const auto decoded = append_base64_bytes(out, *text, Base64Alphabet::kStandard);
  if (decoded) return {};
  return problem(fmt::format("\"{}\" is no base64", name), column + 1 + decoded.error());
}

auto ArchiveReader::State::take(const ArchiveLine& line) -> Result<Done> {
  if (!has_header) return take_header(line);
  if (has_end) return Done(problem("stands behind the summary, which ends an archive"));
  if (line.type == "record_piece" || line.type == "body_piece") return take_piece(line);
  skips_pieces = false;
  if (open) {
    const std::int64_t id = open->id;
    open.reset();
    return Done(problem(fmt::format(
        "message {} is not whole: pieces of its record or body should come first", id)));
  }
  if (line.type == "message") return take_message(line);
  if (line.type == "binding") return take_binding(line);
  if (line.type == "reference") return take_reference(line);
  if (line.type == "record") return take_record(line);
  if (line.type == "transaction") return take_transaction(line);
  if (line.type == "summary") return take_summary(line);
  if (line.type.empty()) return Done(problem("\"type\" is missing"));
  note_unknown(line.type);
  return Done{};
}

void ArchiveReader::State::note_unknown(const std::string& type) {
  if (!unknown.insert(type).second) return;
  sink.finding({.code = "export-name-unknown",
                .severity = Severity::kWarning,
                .file = options.label,
                .text = fmt::format("line {}: lines of the type \"{}\" are not known here, and are "
                                    "passed over; a later release may have written the archive",
                                    summary.lines, type)});
}

auto ArchiveReader::State::take_header(const ArchiveLine& line) -> Result<Done> {
  if (line.type != "header" || line.schema != kSchema) {
    return Done(problem(fmt::format(
        "is no archive: its first line should be a header with the schema {}; `saranga data "
        "export --format jsonl` writes one",
        kSchema)));
  }
  has_header = true;
  if (line.id_counter) target.reserve_ids(*line.id_counter);
  return Done{};
}

auto ArchiveReader::State::take_binding(const ArchiveLine& line) -> Result<Done> {
  ++counts.bindings;
  if (!line.id || !is_type(line.record_type))
    return Done(problem("a binding has \"id\" and \"record_type\""));
  bytes.clear();
  if (auto done = decode(line.record_b64, line.record_column, "record_b64", bytes); !done) {
    return done;
  }
  return judge(target.binding({.id = *line.id,
                               .type = static_cast<std::int8_t>(*line.record_type),
                               .is_update = line.update,
                               .body = bytes}));
}

// ---- messages -----------------------------------------------------------------------------------

auto ArchiveReader::State::take_message(const ArchiveLine& line) -> Result<Done> {
  ++counts.messages;
  counts.references += static_cast<std::int64_t>(line.queues.size());
  if (!line.id || !is_type(line.record_type))
    return Done(problem("a message has \"id\" and \"record_type\""));
  OpenMessage made{.id = *line.id,
                   .type = static_cast<std::int8_t>(*line.record_type),
                   .body_bytes = 0,
                   .paged = line.paged,
                   .more = line.more,
                   .encoded = std::move(bytes),
                   .places = {}};
  made.encoded.clear();
  if (auto done = decode(line.record_b64, line.record_column, "record_b64", made.encoded); !done) {
    return done;
  }
  const auto all = line.record_bytes.value_or(static_cast<std::int64_t>(made.encoded.size()));
  if (all < static_cast<std::int64_t>(made.encoded.size()) ||
      all > static_cast<std::int64_t>(kLongestMessage) || line.body_file_bytes.value_or(0) < 0) {
    return Done(problem("\"record_bytes\" or \"body_file_bytes\" makes no sense"));
  }
  made.record_bytes = static_cast<std::uint64_t>(all);
  made.body_bytes = static_cast<std::uint64_t>(line.body_file_bytes.value_or(0));
  made.places = line.queues;
  open = std::move(made);
  if (auto begun = target.begin_message(open->id); !begun) return judge(begun);
  if (line.body_file_bytes) {
    if (auto begun = target.append_body({}); !begun) return judge(begun);
  }
  return close_message();
}

auto ArchiveReader::State::take_piece(const ArchiveLine& line) -> Result<Done> {
  if (!open && skips_pieces) return Done{};
  if (!open) {
    return Done(problem(fmt::format("a {} belongs behind its message", line.type)));
  }
  if (line.id != open->id) {
    return Done(problem(fmt::format("is a piece of another message than {}", open->id)));
  }
  if (line.type == "record_piece") {
    if (auto done = decode(line.record_b64, line.record_column, "record_b64", open->encoded);
        !done) {
      return done;
    }
    if (open->encoded.size() > open->record_bytes) {
      return Done(problem("the record is longer than its message says"));
    }
    return close_message();
  }
  bytes.clear();
  if (auto done = decode(line.body_b64, line.body_column, "body_b64", bytes); !done) return done;
  if (bytes.size() > open->body_bytes) {
    return Done(problem("the body is longer than its message says"));
  }
  open->body_bytes -= bytes.size();
  auto done = judge(target.append_body(bytes));
  return done && *done ? close_message() : done;
}

auto ArchiveReader::State::place_of(const LinePlace& from, ImportedPlace& to) const -> Done {
  const auto state = state_of(from.state);
  if (!state) return problem(fmt::format("a message cannot be \"{}\" on a queue", from.state));
  const bool in_doubt = *state == MessageState::kInDoubtAck || *state == MessageState::kInDoubtSend;
  if (in_doubt && from.tx.value_or(0) <= 0) return problem("what is in doubt has a \"tx\"");
  if (from.queue.empty() && !from.queue_id) return problem("\"queue\" or \"queue_id\" is missing");
  if (from.delivery_count < 0 || from.delivery_count > INT32_MAX) {
    return problem("\"delivery_count\" makes no sense");
  }
  to = {.queue_id = from.queue_id.value_or(-1),
        .queue_name = from.queue,
        .state = *state,
        .tx_id = in_doubt ? *from.tx : -1,
        .delivery_count = static_cast<std::int32_t>(from.delivery_count),
        .set_scheduled_ms = from.set_scheduled_ms};
  return {};
}

// When nothing more is to come.
auto ArchiveReader::State::close_message() -> Result<Done> {
  if (open->encoded.size() < open->record_bytes || open->body_bytes != 0) return Done{};
  OpenMessage message = std::move(*open);
  open.reset();
  places.clear();
  for (const LinePlace& from : message.places) {
    if (auto done = place_of(from, places.emplace_back()); !done) return done;
  }
  auto taken = target.end_stored_message({.record_type = message.type,
                                          .encoded = message.encoded,
                                          .paged = message.paged,
                                          .more = message.more,
                                          .places = places});
  bytes = std::move(message.encoded);  // to be used again
  return judge(std::move(taken));
}

auto ArchiveReader::State::take_reference(const ArchiveLine& line) -> Result<Done> {
  ++counts.references;
  if (!line.id) return Done(problem("a reference has an \"id\""));
  ImportedPlace place;
  if (auto done = place_of(line.place, place); !done) return done;
  return judge(target.reference(*line.id, place));
}

// ---- the rest -----------------------------------------------------------------------------------

auto ArchiveReader::State::take_record(const ArchiveLine& line) -> Result<Done> {
  ++counts.records;
  using Kind = ImportedRecord::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 3> kKinds = {
      {{"add", Kind::kAdd}, {"update", Kind::kUpdate}, {"delete", Kind::kDelete}}};
  const auto known =
      std::ranges::find(kKinds, line.kind, &std::pair<std::string_view, Kind>::first);
  const bool has_type = is_type(line.record_type) || line.kind == "delete";
  if (!line.id || known == kKinds.end() || !has_type) {
    return Done(
        problem("a record has \"id\", \"record_type\" and a \"kind\", which is add, update "
                "or delete"));
  }
  bytes.clear();
  if (auto done = decode(line.record_b64, line.record_column, "record_b64", bytes); !done) {
    return done;
  }
  return judge(target.record({.kind = known->second,
                              .id = *line.id,
                              .tx_id = line.place.tx.value_or(-1),
                              .type = static_cast<std::int8_t>(line.record_type.value_or(0)),
                              .body = bytes}));
}

auto ArchiveReader::State::take_transaction(const ArchiveLine& line) -> Result<Done> {
  ++counts.transactions;
  if (!line.id) return Done(problem("a transaction has an \"id\""));
  bytes.clear();
  if (auto done = decode(line.record_b64, line.record_column, "record_b64", bytes); !done) {
    return done;
  }
  Cursor cursor(bytes);
  (void)read_xid(cursor);
  if (!cursor.ok()) {
    return Done(
        problem("\"record_b64\" of a transaction is no XID, without which no transaction "
                "manager finds it",
                line.record_column));
  }
  return judge(target.transaction(*line.id, bytes));
}

auto ArchiveReader::State::take_summary(const ArchiveLine& line) -> Result<Done> {
  has_end = true;
  const std::pair<std::string_view, std::pair<std::optional<std::int64_t>, std::int64_t>> all[] = {
      {"bindings", {line.binding_count, counts.bindings}},
      {"messages", {line.message_count, counts.messages}},
      {"messages on queues", {line.reference_count, counts.references}},
      {"records", {line.record_count, counts.records}},
      {"transactions", {line.transaction_count, counts.transactions}},
  };
  for (const auto& [name, numbers] : all) {
    if (numbers.first == numbers.second) continue;
    return Done(problem(fmt::format("the summary counts {} {}, and {} have come",
                                    numbers.first.value_or(0), name, numbers.second)));
  }
  if (const std::int64_t count = line.damage_count.value_or(0); count != 0) {
    sink.finding({.code = "export-of-damage",
                  .severity = Severity::kWarning,
                  .file = options.label,
                  .text = fmt::format("{} of the store that was exported could not be read; what "
                                      "was there is not in the archive",
                                      count == 1 ? "a place" : fmt::format("{} places", count))});
  }
  return Done{};
}

Result<ArchiveSummary> ArchiveReader::finish() {
  State& s = *state_;
  if (s.filled != 0) {
    if (auto done = s.line({s.buffer.data(), std::exchange(s.filled, 0)}); !done) {
      return std::unexpected(done.error());
    }
  }
  if (!s.has_header) return fail(ErrorCode::kDamaged, "is empty: no archive", s.options.label);
  if (s.has_end) return s.summary;
  const std::string text = fmt::format(
      "is cut off behind line {}: the summary is missing, which ends an archive", s.summary.lines);
  if (!s.options.keep_going) return fail(ErrorCode::kDamaged, text, s.options.label);
  s.summary.complete = false;
  s.sink.finding(
      {.code = "export-cut", .severity = Severity::kDamage, .file = s.options.label, .text = text});
  return s.summary;
}

}  // namespace saranga::store
