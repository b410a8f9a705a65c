// Makes a program out of the text of a selector.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libmessage/selector/lexer.h"
#include "libmessage/selector/preparation.h"
#include "libmessage/selector/program_writer.h"

namespace saranga::message::selector {

/// Reads operands and operators in turn and writes operations behind their operands. What waits for
/// its right operand stands on a stack, ordered by how tightly it binds, so that depth costs memory
/// and no recursion (docs/format/selectors.md#grammar). For one text.
class Compiler {
 public:
  /// `text` behind its prefixes is compiled into `program`. Both have to outlive the compiler.
  Compiler(std::string_view text, const Prefixes& prefixes, Program& program);

  /// True when the program is complete; else see mistake().
  [[nodiscard]] bool run();
  [[nodiscard]] const Mistake& mistake() const { return mistake_; }

 private:
  /// What may be done with an operand depends on what it is.
  enum class OperandKind : std::uint8_t {
    kNullLiteral,
    kBooleanLiteral,
    kTextLiteral,
    kNumberLiteral,
    kIdentifier,
    kCondition,
    kComputed,
  };
  /// How tightly operators bind.
  enum class Rank : std::uint8_t {
    kBarrier,
    kOr,
    kAnd,
    kEquality,
    kComparison,
    kSum,
    kProduct,
    kUnary,
  };
  enum class Waiting : std::uint8_t { kOpen, kBinary, kUnary, kBetweenLow, kBetweenHigh };
  struct Operator {
    Waiting waiting = Waiting::kBinary;
    Rank rank = Rank::kBarrier;
    Op op = Op::kNot;              // what is written when its operands are
    bool negated = false;          // kNot follows
    bool jumps = false;            // there is a jump behind the left operand
    std::uint32_t jump = 0;        // that jump
    std::uint32_t outer_jump = 0;  // of BETWEEN: the jump behind the first comparison
    Token token{};
  };

  // Tokens.
  bool advance();
  [[nodiscard]] TokenKind kind() const { return token_.kind; }
  bool expect(TokenKind kind, std::string_view expected);
  bool refuse(const Token& token, std::string text, ErrorCode code = ErrorCode::kInvalidArgument);
  bool refuse_token(std::string_view expected);

  // Operands.
  bool operand();
  bool integer_literal(int base);
  void decimal_literal();
  bool xml_query();
  void push_constant(const Value& value, OperandKind kind);

  // Operators.
  bool operation();
  bool arithmetic(Rank rank, Op op);
  bool ordering(Op op);
  bool equality(bool negated);
  bool logic(Rank rank, Op op, Op jump);
  bool is_null();
  bool negated_comparison();
  bool like(bool negated);
  bool in(bool negated);
  bool between(bool negated);
  bool between_middle();
  bool close();
  bool finish();
  [[nodiscard]] static Rank rank_of(TokenKind kind);
  void complete(Rank rank, bool negated);
  void wait(Rank rank, Op op, bool jumps, std::uint32_t jump, bool negated = false);

  // Writing what waited.
  bool reduce(Rank rank);
  bool write(const Operator& waiting);
  bool write_binary(const Operator& waiting);
  bool need_condition(const Token& where);
  bool check_order(const Token& where);
  bool check_equality(const Token& where, bool both);

  Lexer lexer_;
  ProgramWriter writer_;
  Token token_{};
  Mistake mistake_{};
  bool wants_operand_ = true;
  Rank tightest_ = Rank::kUnary;  // that may follow: LIKE, IN and IS NULL end in no operand
  bool done_ = false;
  std::vector<OperandKind> operands_;
  std::vector<Operator> operators_;
};

}  // namespace saranga::message::selector
