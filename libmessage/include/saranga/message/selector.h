// Selectors: the conditions by which consumers, queues, diverts and bridges choose messages. The
// language is described in docs/format/selectors.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "saranga/bytes/error.h"
#include "saranga/bytes/text.h"
#include "saranga/message/amqp_message.h"
#include "saranga/message/stored_message.h"

namespace saranga::message {

namespace selector {
struct Program;
}

/// How a text got into the broker, which decides how it is prepared before it is parsed
/// (docs/format/selectors.md#preparation).
enum class SelectorSource : std::uint8_t {
  kCore,    ///< taken as it is: stored filters, Core clients, diverts, bridges, broker.xml, STOMP
  kString,  ///< blanks at both ends are cut off: management operations
  kJms,     ///< JMS names are translated first: JMS, AMQP and OpenWire consumers
};

/// What a selector makes of a message.
enum class SelectorResult : std::uint8_t {
  kFalse,
  kTrue,
  kUnknown,  ///< a null took part, as in SQL
  kError,    ///< the broker's evaluation fails here, and the message does not match
};

/// A message as a selector sees it: a view, to be made for one call. What it refers to has to
/// outlive the call. The optional members are what a record does not hold, or what wins over it.
struct SelectorMessage {
  const StoredMessage& message;
  /// The AMQP message, when the caller has scanned it already; else it is scanned when asked for.
  const amqp::Message* scanned = nullptr;
  std::optional<std::int64_t> size_bytes{};     ///< AMQSize; else the length of the encoded message
  std::optional<Text> address{};                ///< AMQAddress; else the one it is filed under
  std::optional<Text> connection_id{};          ///< __AMQ_CID of an AMQP message; else null
  std::optional<std::int64_t> expiration_ms{};  ///< AMQExpiration; else as stored
  std::optional<bool> durable{};                ///< AMQDurable; else by record or header section
};

/// A compiled selector. Immutable; copies share the program and are cheap. Any number of threads
/// may evaluate the same selector, or copies of it, at once. It refers to nothing outside.
///
/// Time and memory are bounded whatever the text: compiling takes time linear in the text, an
/// evaluation looks up each identifier once and runs the program once; LIKE takes at worst the
/// product of pattern and text. Nesting costs no stack. Texts that an evaluation puts together
/// with + may take kMaximumWorkBytes, more is an error of the evaluation.
class SARANGA_API Selector {
 public:
  static constexpr std::size_t kMaximumTextBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMaximumWorkBytes = std::size_t{64} << 20;

  /// The selector that selects every message, like an empty text.
  Selector() = default;

  /// Compiles a text of UTF-8; single surrogates may stand in it as three bytes. An error says
  /// where in the text something is wrong, and what was expected there:
  ///   kInvalidArgument  the broker refuses this text, too
  ///   kUnsupported      XPATH, or a text longer than kMaximumTextBytes
  [[nodiscard]] static Result<Selector> compile(std::string_view text, SelectorSource source);

  /// Whether the text counted as no selector at all.
  [[nodiscard]] bool selects_all() const { return program_ == nullptr; }
  /// The text after its preparation, as a broker stores it; valid as long as a copy of this lives.
  [[nodiscard]] std::string_view text() const;

  /// Whether a broker would select the message.
  [[nodiscard]] bool matches(const SelectorMessage& message) const;

  /// The three-valued result, for explaining. It differs from matches() in one case: asked for a
  /// match, a broker leaves an AND at the first operand that is unknown, and so does not meet an
  /// error that lies behind it; matches() may be true where this is kError.
  [[nodiscard]] SelectorResult evaluate(const SelectorMessage& message) const;

 private:
  explicit Selector(std::shared_ptr<const selector::Program> program);

  std::shared_ptr<const selector::Program> program_;
};

}  // namespace saranga::message
