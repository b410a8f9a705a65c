// Makes a program out of the text of a selector.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libmessage/selector/lexer.h"
#include "libmessage/selector/preparation.h"
#include "libmessage/selector/program.h"

namespace saranga::message::selector {

/// Reads operands and operators in turn and writes operations behind their operands. What waits for
/// its right operand stands on a stack, ordered by how tightly it binds (docs/format/selectors.md
/// #grammar), so that depth costs memory and no recursion. For one text.
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
  enum class Rank : std::uint8_t { kBarrier, kOr, kAnd, kEquality, kComparison, kSum, kProduct, kUnary };
  enum class Waiting : std::uint8_t { kOpen, kBinary, kUnary, kBetweenLow, kBetweenHigh };
  struct Operator {
    Waiting waiting = Waiting::kBinary;
    Rank rank = Rank::kBarrier;
    Op op = Op::kNot;             // what is written when its operands are
    bool negated = false;         // kNot follows
    bool jumps = false;           // there is a jump behind the left operand
    std::uint32_t jump = 0;       // that jump
    std::uint32_t outer_jump = 0; // of BETWEEN: the jump behind the first comparison
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
  void text_literal();
  void identifier();
  bool xml_query();
  void push_constant(const Value& value, OperandKind kind);
  std::uint32_t add_text(std::string utf8);

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
  void wait(Rank rank, Op op, bool jumps, std::uint32_t jump, bool negated = false);

  // Writing what waited.
  bool reduce(Rank rank);
  bool write(const Operator& waiting);
  bool write_binary(const Operator& waiting);
  bool need_condition(const Token& where);
  bool check_order(const Token& where);
  bool check_equality(const Token& where, bool both);
  std::uint32_t emit(Op op, std::uint32_t argument = 0);
  void land(std::uint32_t jump);
  void track(Op op);
  void mark_outermost();
  void shorten_jumps();
  void place_constants();
  void keep_repeated_identifiers();

  Lexer lexer_;
  Program& program_;
  Token token_{};
  Mistake mistake_{};
  bool wants_operand_ = true;
  bool done_ = false;
  std::vector<OperandKind> operands_;
  std::vector<Operator> operators_;
  std::uint32_t depth_ = 0;
  std::map<std::string, std::uint32_t> identifier_places_;
  std::vector<std::uint32_t> identifier_uses_;
  std::vector<Value> constants_;                 // without their texts
  std::vector<std::uint32_t> constant_texts_;    // of each constant: its text, or kNoText
};

}  // namespace saranga::message::selector
