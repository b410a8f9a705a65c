// The body of a listed message, wherever it is kept: in its record or in a file of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saranga/journal/id_set.h"
#include "saranga/store/live_messages.h"
#include "tools/cli/json_writer.h"
#include "tools/cli/output.h"
#include "tools/print/body_detail.h"

namespace saranga::list {

using print::BodyDetail;

/// A body, as a view of the record or of what the reader holds.
struct MessageBody {
  enum class Where : std::uint8_t {
    kRecord,
    kFile,      ///< of a file that was read
    kLongFile,  ///< of a file too long to be held in memory
    kNotRead,   ///< of a file that nobody asked for
    kMissing,   ///< the file is not there
  };
  Where where = Where::kRecord;
  const message::LargeFile* file = nullptr;    ///< of a large message
  std::optional<message::CoreMessage> core{};  ///< with its body
  std::optional<message::amqp::Message> amqp{};
};

/// Reads bodies, one after the other.
class BodyReader {
 public:
  /// Longer files are only handed on in pieces.
  static constexpr std::uint64_t kHeldBytes = std::uint64_t{16} << 20;

  /// Missing and unreadable files go to `sink`, once each.
  BodyReader(const store::LoadedStore& store, BodyDetail detail, FindingSink& sink)
      : store_(store), detail_(detail), sink_(sink) {}

  /// The body of a message; valid until the next call.
  [[nodiscard]] MessageBody read(const store::LiveMessage& message);
  [[nodiscard]] BodyDetail detail() const { return detail_; }

  /// Writes the member "body", as far as the detail asks for it. `output` is where `json` writes
  /// to: a long file passes through it in pieces.
  void write_json(cli::JsonWriter& json, cli::Output& output, const MessageBody& body);

 private:
  [[nodiscard]] bool read_file(const message::LargeFile& file);
  void stream_file(cli::JsonWriter& json, cli::Output& output, const MessageBody& body);
  void report(const store::LiveMessage& message, std::string_view code, std::string text);

  const store::LoadedStore& store_;
  BodyDetail detail_;
  FindingSink& sink_;
  std::vector<std::byte> content_;
  journal::IdSet reported_;
};

/// The body as one text: of a Core text message, and of AMQP bodies that are one. Nothing for
/// others.
[[nodiscard]] std::optional<std::string> plain_text(const MessageBody& body);

/// The bytes of a body, as they are encoded.
[[nodiscard]] Bytes body_bytes(const MessageBody& body);

/// What the body is made of: "text", "map", "data", "value".
[[nodiscard]] std::string_view body_kind(const store::LiveMessage& message);

}  // namespace saranga::list
