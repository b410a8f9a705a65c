// One line of an archive, taken apart. Private to this folder.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saranga::store {

/// What is wrong in a line, and where, counted from 1.
struct LineProblem {
  std::size_t column = 1;
  std::string text;
};

/// A message's place on a queue, or what a reference line says of one.
struct LinePlace {
  std::optional<std::int64_t> queue_id{};
  std::string queue{};  ///< WTF-8; empty when it is null
  std::string state{};
  std::optional<std::int64_t> tx{};
  std::int64_t delivery_count = 0;
  std::int64_t set_scheduled_ms = 0;
};

/// The members of all kinds of lines that a reader needs; the others are for people.
struct ArchiveLine {
  std::string type{};
  std::string schema{};
  std::optional<std::int64_t> id{};
  std::optional<std::int64_t> id_counter{};
  std::optional<std::int64_t> record_type{};
  std::optional<std::int64_t> record_bytes{};
  std::optional<std::int64_t> body_file_bytes{};
  std::optional<std::int64_t> binding_count{};
  std::optional<std::int64_t> message_count{};
  std::optional<std::int64_t> reference_count{};
  std::optional<std::int64_t> record_count{};
  std::optional<std::int64_t> transaction_count{};
  std::optional<std::int64_t> damage_count{};
  std::string kind{};
  bool update = false;
  bool more = false;
  bool paged = false;
  /// Base64; views of the line, or of the parser until its next line.
  std::optional<std::string_view> record_b64{};
  std::optional<std::string_view> body_b64{};
  std::size_t record_column = 1;  ///< of that value
  std::size_t body_column = 1;
  LinePlace place{};  ///< of a reference line
  std::vector<LinePlace> queues{};
};

/// Parses lines, one after the other, into an object that is used again and again.
class ArchiveLineParser {
 public:
  /// So many bytes behind a line must be readable; what they are does not matter.
  static constexpr std::size_t kPaddingBytes = 64;

  ArchiveLineParser();
  ~ArchiveLineParser();
  ArchiveLineParser(const ArchiveLineParser&) = delete;
  ArchiveLineParser& operator=(const ArchiveLineParser&) = delete;

  /// What it gives is valid until the next call.
  [[nodiscard]] std::expected<const ArchiveLine*, LineProblem> parse(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace saranga::store
