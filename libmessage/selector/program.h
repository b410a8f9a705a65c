// A compiled selector: a row of instructions for a machine with a stack of values. Operands come
// before their operation, so neither compiling nor running needs recursion.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libmessage/selector/like_pattern.h"
#include "libmessage/selector/value.h"

namespace saranga::message::selector {

enum class Op : std::uint8_t {
  kConstant,    ///< push constants[argument]
  kIdentifier,  ///< push what identifiers[argument] is in the message
  kDuplicate,   ///< push the top again

  // Replace the top.
  kNegate,
  kNot,
  kIsNull,
  kToBoolean,  ///< null stays, a boolean stays, all else is false
  kLike,       ///< patterns[argument]
  kIn,         ///< sets[argument]

  // Replace the two at the top by one.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,

  // Go to code[argument], which is behind the operation at whose left operand they stand.
  kJumpIfNull,    ///< left of arithmetic: the right operand is not looked at
  kJumpIfNoLeft,  ///< left of < <= > >=: the same, and an error when it cannot be ordered
  kJumpIfFalse,   ///< left of AND
  kJumpIfTrue,    ///< left of OR
  // The same between the comparisons of BETWEEN, where the value lies under the first result: it is
  // dropped by a jump, and else put on top.
  kSwapOrJumpIfFalse,
  kSwapOrJumpIfTrue,
};

struct Instruction {
  Op op;
  /// Of kJumpIfFalse and kSwapOrJumpIfFalse: only AND and OR are around it, up to the whole
  /// selector. Asked for a match, Artemis leaves such an AND at an unknown operand as well.
  bool outermost = false;
  std::uint32_t argument = 0;
};

/// What an identifier means; all that can be found out without a message.
struct Identifier {
  enum class Header : std::uint8_t {
    kNone,
    kUserId,
    kPriority,
    kTimestamp,
    kDurable,
    kExpiration,
    kSize,
    kAddress,
    kGroupId,
  };
  enum class AmqpField : std::uint8_t {
    kNone,
    kAnnotation,
    kSubject,
    kConnectionId,
    kGroupId,
    kGroupSequence,
    kUserId,
    kCorrelationId,
  };

  std::string name;          // UTF-8
  std::string utf16_name{};  // as keys of Core properties are stored
  Header header = Header::kNone;
  AmqpField amqp_field = AmqpField::kNone;
  bool is_hops = false;
  std::string annotation{};        // of kAnnotation: the key
  std::string other_annotation{};  // the key that is tried before it, when not empty
};

/// The place of a value that is not kept for a next time: its identifier stands in the text once.
inline constexpr std::uint32_t kNotKept = UINT32_MAX;

struct ConstantText {
  std::string utf8;
  std::string utf16;
};

struct Program {
  std::string text;
  bool convert_texts = false;
  std::vector<Instruction> code{};
  std::vector<Identifier> identifiers{};
  std::vector<std::uint32_t> kept{};  // of each identifier: its place among the kept values
  std::uint32_t kept_count = 0;
  std::vector<LikePattern> patterns{};
  std::vector<std::vector<std::string>> sets{};  // of UTF-16 texts, in their order
  std::uint32_t stack_size = 0;

  std::vector<ConstantText> texts{};
  /// The constants, with texts in UTF-16 for Core messages and in UTF-8 for AMQP messages.
  std::vector<Value> core_constants{};
  std::vector<Value> amqp_constants{};
};

}  // namespace saranga::message::selector
