#include "libmessage/selector/compiler.h"

#include <charconv>
#include <limits>
#include <utility>

#include "libmessage/selector/java_number.h"

namespace saranga::message::selector {
namespace {

constexpr char kWantsValue[] = "an identifier, a literal, ( or NOT";
constexpr char kWantsOperator[] = "an operator, AND, OR or the end of the text";
constexpr char kWantsCondition[] =
    "a comparison, an identifier, TRUE, FALSE, NULL or several of them joined by AND, OR and NOT";

// The number that some digits are, modulo 2^64.
std::uint64_t low_bits(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char digit : digits) value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  return value;
}

bool fits_int(std::int64_t value) {
  using Int = std::numeric_limits<std::int32_t>;
  return value >= Int::min() && value <= Int::max();
}

Value integer_value(std::int64_t value) {
  return number_value(fits_int(value) ? Kind::kInt : Kind::kLong, value);
}

}  // namespace

Compiler::Compiler(std::string_view text, const Prefixes& prefixes, Program& program)
    : lexer_(text, prefixes.size_bytes, prefixes.hyphenated_names), writer_(program) {
  program.convert_texts = prefixes.convert_texts;
}

bool Compiler::run() {
  if (!advance()) return false;
  while (!done_) {
    if (!(wants_operand_ ? operand() : operation())) return false;
  }
  writer_.finish();
  return true;
}

// ---- tokens -------------------------------------------------------------------------------------

bool Compiler::advance() {
  const auto token = lexer_.next();
  if (!token) {
    mistake_ = lexer_.mistake();
    return false;
  }
  token_ = *token;
  return true;
}

bool Compiler::refuse(const Token& token, std::string text, ErrorCode code) {
  mistake_ = {.offset = token.from, .text = std::move(text), .code = code};
  return false;
}

bool Compiler::refuse_token(std::string_view expected) {
  return refuse(token_, "found " + lexer_.describe(token_) + ", expected " + std::string(expected));
}

bool Compiler::expect(TokenKind kind, std::string_view expected) {
  return token_.kind == kind || refuse_token(expected);
}

// ---- operands -----------------------------------------------------------------------------------

bool Compiler::operand() {
  wants_operand_ = false;
  tightest_ = Rank::kUnary;
  switch (kind()) {
    case TokenKind::kPlus: wants_operand_ = true; break;  // a plus sign means nothing
    case TokenKind::kMinus:
    case TokenKind::kNot: {
      const Op op = kind() == TokenKind::kNot ? Op::kNot : Op::kNegate;
      operators_.push_back(
          {.waiting = Waiting::kUnary, .rank = Rank::kUnary, .op = op, .token = token_});
      wants_operand_ = true;
      break;
    }
    case TokenKind::kOpen:
      operators_.push_back({.waiting = Waiting::kOpen, .token = token_});
      wants_operand_ = true;
      break;
    case TokenKind::kName:
    case TokenKind::kQuotedName:
      writer_.identifier(kind() == TokenKind::kName ? std::string(lexer_.image(token_))
                                                    : lexer_.unquoted(token_));
      operands_.push_back(OperandKind::kIdentifier);
      break;
    case TokenKind::kText:
      writer_.text_constant(lexer_.unquoted(token_));
      operands_.push_back(OperandKind::kTextLiteral);
      break;
    case TokenKind::kDecimal: decimal_literal(); break;
    case TokenKind::kHexadecimal:
      if (!integer_literal(16)) return false;
      break;
    case TokenKind::kOctal:
      if (!integer_literal(8)) return false;
      break;
    case TokenKind::kReal:
      push_constant(real_value(Kind::kDouble, parse_decimal(lexer_.image(token_))),
                    OperandKind::kNumberLiteral);
      break;
    case TokenKind::kTrue:
    case TokenKind::kFalse:
      push_constant(boolean_value(kind() == TokenKind::kTrue), OperandKind::kBooleanLiteral);
      break;
    case TokenKind::kNull: push_constant({}, OperandKind::kNullLiteral); break;
    case TokenKind::kXpath:
    case TokenKind::kXquery: return xml_query();
    default: return refuse_token(kWantsValue);
  }
  return advance();
}

bool Compiler::integer_literal(int base) {
  const std::string_view image = lexer_.image(token_);
  const std::string_view digits = image.substr(base == 16 ? 2 : 0);
  std::int64_t value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (end.ec != std::errc{}) {
    return refuse(token_, "found " + printable(image) + ", expected a number below 2^63");
  }
  push_constant(integer_value(value), OperandKind::kNumberLiteral);
  return true;
}

// A number that is too long becomes a decimal of any size, but only if its low 64 bits are no int.
void Compiler::decimal_literal() {
  std::string_view digits = lexer_.image(token_);
  if (digits.back() == 'l' || digits.back() == 'L') digits.remove_suffix(1);
  std::int64_t value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end.ec != std::errc{}) value = static_cast<std::int64_t>(low_bits(digits));
  if (end.ec == std::errc{} || fits_int(value)) {
    return push_constant(integer_value(value), OperandKind::kNumberLiteral);
  }
  writer_.big_constant(value, digits);
  operands_.push_back(OperandKind::kNumberLiteral);
}

void Compiler::push_constant(const Value& value, OperandKind kind) {
  writer_.constant(value);
  operands_.push_back(kind);
}

// XPATH would need an XML parser, and takes time that nothing bounds.
bool Compiler::xml_query() {
  const Token keyword = token_;
  if (!advance() || !expect(TokenKind::kText, "a text in single quotes")) return false;
  if (keyword.kind == TokenKind::kXpath) {
    return refuse(keyword, "XPATH is not supported", ErrorCode::kUnsupported);
  }
  push_constant(boolean_value(false), OperandKind::kCondition);
  return advance();
}

// ---- operators ----------------------------------------------------------------------------------

bool Compiler::operation() {
  if (rank_of(kind()) > tightest_) return refuse_token(kWantsOperator);
  switch (kind()) {
    case TokenKind::kStar: return arithmetic(Rank::kProduct, Op::kMultiply);
    case TokenKind::kSlash: return arithmetic(Rank::kProduct, Op::kDivide);
    case TokenKind::kPercent: return arithmetic(Rank::kProduct, Op::kRemainder);
    case TokenKind::kPlus: return arithmetic(Rank::kSum, Op::kAdd);
    case TokenKind::kMinus: return arithmetic(Rank::kSum, Op::kSubtract);
    default: break;
  }
  // All others bind less tightly than a sum. Between BETWEEN and its AND there is only a sum.
  if (!reduce(Rank::kSum)) return false;
  if (!operators_.empty() && operators_.back().waiting == Waiting::kBetweenLow) {
    return expect(TokenKind::kAnd, "AND and the upper bound of BETWEEN") && between_middle();
  }
  switch (kind()) {
    case TokenKind::kLess: return ordering(Op::kLess);
    case TokenKind::kLessOrEqual: return ordering(Op::kLessOrEqual);
    case TokenKind::kGreater: return ordering(Op::kGreater);
    case TokenKind::kGreaterOrEqual: return ordering(Op::kGreaterOrEqual);
    case TokenKind::kLike: return like(false);
    case TokenKind::kIn: return in(false);
    case TokenKind::kBetween: return between(false);
    case TokenKind::kNot: return negated_comparison();
    case TokenKind::kEqual: return equality(false);
    case TokenKind::kNotEqual: return equality(true);
    case TokenKind::kIs: return is_null();
    case TokenKind::kAnd: return logic(Rank::kAnd, Op::kAnd, Op::kJumpIfFalse);
    case TokenKind::kOr: return logic(Rank::kOr, Op::kOr, Op::kJumpIfTrue);
    case TokenKind::kClose: return close();
    case TokenKind::kEnd: return finish();
    default: return refuse_token(kWantsOperator);
  }
}

Compiler::Rank Compiler::rank_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kStar:
    case TokenKind::kSlash:
    case TokenKind::kPercent: return Rank::kProduct;
    case TokenKind::kPlus:
    case TokenKind::kMinus: return Rank::kSum;
    case TokenKind::kLess:
    case TokenKind::kLessOrEqual:
    case TokenKind::kGreater:
    case TokenKind::kGreaterOrEqual:
    case TokenKind::kLike:
    case TokenKind::kIn:
    case TokenKind::kBetween:
    case TokenKind::kNot: return Rank::kComparison;
    default: return Rank::kEquality;
  }
}

// Ends an operation that has only a left operand. What follows it may not bind more tightly.
void Compiler::complete(Rank rank, bool negated) {
  if (negated) writer_.emit(Op::kNot);
  operands_.back() = OperandKind::kCondition;
  tightest_ = rank;
}

void Compiler::wait(Rank rank, Op op, bool jumps, std::uint32_t jump, bool negated) {
  operators_.push_back({.waiting = Waiting::kBinary,
                        .rank = rank,
                        .op = op,
                        .negated = negated,
                        .jumps = jumps,
                        .jump = jump,
                        .token = token_});
  wants_operand_ = true;
}

bool Compiler::arithmetic(Rank rank, Op op) {
  if (!reduce(rank)) return false;
  wait(rank, op, true, writer_.emit(Op::kJumpIfNull));
  return advance();
}

bool Compiler::ordering(Op op) {
  if (!reduce(Rank::kComparison) || !check_order(token_)) return false;
  wait(Rank::kComparison, op, true, writer_.emit(Op::kJumpIfNoLeft));
  return advance();
}

bool Compiler::equality(bool negated) {
  if (!reduce(Rank::kEquality) || !check_equality(token_, false)) return false;
  wait(Rank::kEquality, Op::kEqual, false, 0, negated);
  return advance();
}

bool Compiler::logic(Rank rank, Op op, Op jump) {
  if (!reduce(rank) || !need_condition(token_)) return false;
  wait(rank, op, true, writer_.emit(jump));
  return advance();
}

bool Compiler::is_null() {
  if (!reduce(Rank::kEquality) || !advance()) return false;
  const bool negated = kind() == TokenKind::kNot;
  if (negated && !advance()) return false;
  if (!expect(TokenKind::kNull, negated ? "NULL" : "NULL or NOT NULL")) return false;
  writer_.emit(Op::kIsNull);
  complete(Rank::kEquality, negated);
  return advance();
}

bool Compiler::negated_comparison() {
  if (!advance()) return false;
  switch (kind()) {
    case TokenKind::kLike: return like(true);
    case TokenKind::kIn: return in(true);
    case TokenKind::kBetween: return between(true);
    default: return refuse_token("LIKE, IN or BETWEEN behind this NOT");
  }
}

bool Compiler::like(bool negated) {
  static constexpr std::string_view kText = "a text in single quotes";
  if (!reduce(Rank::kComparison) || !advance() || !expect(TokenKind::kText, kText)) return false;
  const Token where = token_;
  const std::string pattern = lexer_.unquoted(token_);
  std::int32_t escape = kEndOfText;
  if (!advance()) return false;
  if (kind() == TokenKind::kEscape) {
    if (!advance() || !expect(TokenKind::kText, kText)) return false;
    const std::string text = lexer_.unquoted(token_);
    UnitReader units{Text(text)};
    escape = units.next_unit();
    if (escape == kEndOfText || units.next_unit() != kEndOfText) {
      return refuse_token("one character of the basic plane");
    }
    if (!advance()) return false;
  }
  auto compiled = LikePattern::compile(pattern, escape);
  if (!compiled) return refuse(where, compiled.error());
  writer_.like(std::move(*compiled));
  complete(Rank::kComparison, negated);
  return true;
}

bool Compiler::in(bool negated) {
  if (!reduce(Rank::kComparison)) return false;
  if (operands_.back() != OperandKind::kIdentifier) {
    return refuse(token_, "what stands on the left of IN is no identifier, expected one");
  }
  if (!advance() || !expect(TokenKind::kOpen, "( and a list of texts")) return false;
  std::vector<std::string> texts;
  do {
    if (!advance() || !expect(TokenKind::kText, "a text in single quotes")) return false;
    texts.push_back(to_utf16(lexer_.unquoted(token_)));
    if (!advance()) return false;
  } while (kind() == TokenKind::kComma);
  if (!expect(TokenKind::kClose, ", or )")) return false;
  writer_.in(std::move(texts));
  complete(Rank::kComparison, negated);
  return advance();
}

// value, the value again, low, >=, (jump), the value on top, high, <=, AND; NOT BETWEEN is < OR >.
bool Compiler::between(bool negated) {
  if (!reduce(Rank::kComparison) || !check_order(token_)) return false;
  writer_.emit(Op::kDuplicate);
  operators_.push_back({.waiting = Waiting::kBetweenLow,
                        .negated = negated,
                        .jump = writer_.emit(Op::kJumpIfNoLeft),
                        .token = token_});
  wants_operand_ = true;
  return advance();
}

bool Compiler::between_middle() {
  Operator& waiting = operators_.back();
  if (!check_order(waiting.token)) return false;
  operands_.pop_back();
  writer_.emit(waiting.negated ? Op::kLess : Op::kGreaterOrEqual);
  writer_.land(waiting.jump);
  const Op outer = waiting.negated ? Op::kSwapOrJumpIfTrue : Op::kSwapOrJumpIfFalse;
  waiting.outer_jump = writer_.emit(outer);
  waiting.jump = writer_.emit(Op::kJumpIfNoLeft);
  waiting.waiting = Waiting::kBetweenHigh;
  waiting.rank = Rank::kComparison;
  wants_operand_ = true;
  return advance();
}

bool Compiler::close() {
  if (!reduce(Rank::kOr)) return false;
  if (operators_.empty()) return refuse_token(kWantsOperator);
  operators_.pop_back();
  tightest_ = Rank::kUnary;
  return advance();
}

bool Compiler::finish() {
  if (!reduce(Rank::kOr)) return false;
  if (!operators_.empty()) {
    return refuse(operators_.back().token, "found a ( that is not closed, expected )");
  }
  done_ = true;
  return need_condition({});
}

// ---- writing what waited ------------------------------------------------------------------------

// Writes everything that binds at least as tightly as `rank`: operators of one rank go from left to
// right.
bool Compiler::reduce(Rank rank) {
  while (!operators_.empty() && operators_.back().rank >= rank) {
    const Operator waiting = operators_.back();
    operators_.pop_back();
    if (!write(waiting)) return false;
  }
  return true;
}

bool Compiler::write(const Operator& waiting) {
  switch (waiting.waiting) {
    case Waiting::kUnary:
      if (waiting.op == Op::kNot && !need_condition(waiting.token)) return false;
      writer_.emit(waiting.op);
      operands_.back() = waiting.op == Op::kNot ? OperandKind::kCondition : OperandKind::kComputed;
      return true;
    case Waiting::kBetweenHigh:
      if (!check_order(waiting.token)) return false;
      operands_.pop_back();
      writer_.emit(waiting.negated ? Op::kGreater : Op::kLessOrEqual);
      writer_.land(waiting.jump);
      writer_.emit(waiting.negated ? Op::kOr : Op::kAnd, waiting.outer_jump);
      writer_.land(waiting.outer_jump);
      operands_.back() = OperandKind::kCondition;
      return true;
    default: return write_binary(waiting);
  }
}

bool Compiler::write_binary(const Operator& waiting) {
  OperandKind result = OperandKind::kCondition;
  std::uint32_t argument = 0;
  switch (waiting.rank) {
    case Rank::kComparison:
      if (!check_order(waiting.token)) return false;
      break;
    case Rank::kEquality:
      if (!check_equality(waiting.token, true)) return false;
      break;
    case Rank::kAnd:
    case Rank::kOr:
      if (!need_condition(waiting.token)) return false;
      argument = waiting.jump;  // leads to the end of the left operand
      break;
    default: result = OperandKind::kComputed; break;
  }
  operands_.pop_back();
  operands_.back() = result;
  writer_.emit(waiting.op, argument);
  if (waiting.jumps) writer_.land(waiting.jump);
  if (waiting.negated) writer_.emit(Op::kNot);
  return true;
}

// An identifier on its own is a condition that has to be made one.
bool Compiler::need_condition(const Token& where) {
  switch (operands_.back()) {
    case OperandKind::kIdentifier:
      writer_.emit(Op::kToBoolean);
      operands_.back() = OperandKind::kCondition;
      return true;
    case OperandKind::kCondition:
    case OperandKind::kBooleanLiteral:
    case OperandKind::kNullLiteral: return true;
    default: break;
  }
  const bool whole = where.to == 0;
  const std::string what = whole ? "the selector" : "an operand of " + lexer_.describe(where);
  return refuse(where, what + " is no condition, expected " + kWantsCondition);
}

bool Compiler::check_order(const Token& where) {
  switch (operands_.back()) {
    case OperandKind::kIdentifier:
    case OperandKind::kNumberLiteral:
    case OperandKind::kComputed: return true;
    default: break;
  }
  return refuse(where, "an operand of " + lexer_.describe(where) +
                           " cannot be ordered, expected a number, an identifier or a calculation");
}

bool Compiler::check_equality(const Token& where, bool both) {
  const OperandKind right = operands_.back();
  if (right == OperandKind::kNullLiteral) {
    return refuse(where, "an operand of " + lexer_.describe(where) +
                             " is NULL, expected IS NULL or IS NOT NULL instead");
  }
  const bool is_literal =
      right == OperandKind::kTextLiteral || right == OperandKind::kNumberLiteral;
  if (both && is_literal && operands_[operands_.size() - 2] == OperandKind::kBooleanLiteral) {
    return refuse(where, "TRUE or FALSE stands on the left of " + lexer_.describe(where) +
                             " and another literal on the right, expected no such comparison");
  }
  return true;
}

}  // namespace saranga::message::selector
