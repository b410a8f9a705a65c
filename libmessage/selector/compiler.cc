#include "libmessage/selector/compiler.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "libmessage/selector/java_number.h"

namespace saranga::message::selector {
namespace {

constexpr std::uint32_t kNoText = UINT32_MAX;
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

Identifier make_identifier(std::string name) {
  using Header = Identifier::Header;
  using Field = Identifier::AmqpField;
  static constexpr std::pair<std::string_view, Header> kHeaders[] = {
      {"AMQUserID", Header::kUserId},         {"AMQPriority", Header::kPriority},
      {"AMQTimestamp", Header::kTimestamp},   {"AMQDurable", Header::kDurable},
      {"AMQExpiration", Header::kExpiration}, {"AMQSize", Header::kSize},
      {"AMQAddress", Header::kAddress},       {"AMQGroupID", Header::kGroupId},
  };
  static constexpr std::pair<std::string_view, Field> kFields[] = {
      {"JMSType", Field::kSubject},         {"__AMQ_CID", Field::kConnectionId},
      {"JMSXGroupID", Field::kGroupId},     {"JMSXGroupSeq", Field::kGroupSequence},
      {"JMSXUserID", Field::kUserId},       {"JMSCorrelationID", Field::kCorrelationId},
  };
  static constexpr std::string_view kInternalPrefix = "_AMQ_";
  Identifier identifier{.name = std::move(name)};
  const std::string_view view = identifier.name;
  identifier.utf16_name = to_utf16(view);
  for (const auto& [key, header] : kHeaders) {
    if (view == key) identifier.header = header;
  }
  for (const auto& [key, field] : kFields) {
    if (view == key) identifier.amqp_field = field;
  }
  identifier.is_hops = view.starts_with("_AMQ_Hops");
  if (!view.starts_with("m.")) return identifier;
  identifier.amqp_field = Field::kAnnotation;
  identifier.annotation = view.substr(2);
  if (std::string_view(identifier.annotation).starts_with(kInternalPrefix)) {
    // The broker keeps its own notes as annotations, under names in the manner of AMQP.
    std::string other = identifier.annotation.substr(kInternalPrefix.size());
    std::ranges::replace(other, '_', '-');
    identifier.other_annotation = "x-opt-" + other;
  }
  return identifier;
}

}  // namespace

Compiler::Compiler(std::string_view text, const Prefixes& prefixes, Program& program)
    : lexer_(text, prefixes.size_bytes, prefixes.hyphenated_names), program_(program) {
  program_.convert_texts = prefixes.convert_texts;
}

bool Compiler::run() {
  if (!advance()) return false;
  while (!done_) {
    if (!(wants_operand_ ? operand() : operation())) return false;
  }
  mark_outermost();
  shorten_jumps();
  place_constants();
  keep_repeated_identifiers();
  return true;
}

// ---- tokens --------------------------------------------------------------------------------------

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

// ---- operands ------------------------------------------------------------------------------------

bool Compiler::operand() {
  wants_operand_ = false;
  switch (kind()) {
    case TokenKind::kPlus: wants_operand_ = true; break;  // a plus sign means nothing
    case TokenKind::kMinus:
    case TokenKind::kNot: {
      const Op op = kind() == TokenKind::kNot ? Op::kNot : Op::kNegate;
      operators_.push_back({.waiting = Waiting::kUnary, .rank = Rank::kUnary, .op = op,
                            .token = token_});
      wants_operand_ = true;
      break;
    }
    case TokenKind::kOpen:
      operators_.push_back({.waiting = Waiting::kOpen, .token = token_});
      wants_operand_ = true;
      break;
    case TokenKind::kName:
    case TokenKind::kQuotedName: identifier(); break;
    case TokenKind::kText: text_literal(); break;
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
  const std::uint32_t text = add_text(std::string(digits));
  push_constant({.kind = Kind::kBig, .number = value, .real = parse_decimal(digits)},
                OperandKind::kNumberLiteral);
  constant_texts_.back() = text;
}

void Compiler::text_literal() {
  const std::uint32_t text = add_text(lexer_.unquoted(token_));
  push_constant({.kind = Kind::kText}, OperandKind::kTextLiteral);
  constant_texts_.back() = text;
}

std::uint32_t Compiler::add_text(std::string utf8) {
  std::string utf16 = to_utf16(utf8);
  program_.texts.push_back({std::move(utf8), std::move(utf16)});
  return static_cast<std::uint32_t>(program_.texts.size() - 1);
}

void Compiler::push_constant(const Value& value, OperandKind kind) {
  constants_.push_back(value);
  constant_texts_.push_back(kNoText);
  emit(Op::kConstant, static_cast<std::uint32_t>(constants_.size() - 1));
  operands_.push_back(kind);
}

void Compiler::identifier() {
  std::string name = kind() == TokenKind::kQuotedName ? lexer_.unquoted(token_)
                                                      : std::string(lexer_.image(token_));
  const auto next = static_cast<std::uint32_t>(program_.identifiers.size());
  const auto [place, is_new] = identifier_places_.emplace(name, next);
  if (is_new) {
    program_.identifiers.push_back(make_identifier(std::move(name)));
    identifier_uses_.push_back(0);
  }
  ++identifier_uses_[place->second];
  emit(Op::kIdentifier, place->second);
  operands_.push_back(OperandKind::kIdentifier);
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

// ---- operators -----------------------------------------------------------------------------------

bool Compiler::operation() {
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

void Compiler::wait(Rank rank, Op op, bool jumps, std::uint32_t jump, bool negated) {
  operators_.push_back({.waiting = Waiting::kBinary, .rank = rank, .op = op, .negated = negated,
                        .jumps = jumps, .jump = jump, .token = token_});
  wants_operand_ = true;
}

bool Compiler::arithmetic(Rank rank, Op op) {
  if (!reduce(rank)) return false;
  wait(rank, op, true, emit(Op::kJumpIfNull));
  return advance();
}

bool Compiler::ordering(Op op) {
  if (!reduce(Rank::kComparison) || !check_order(token_)) return false;
  wait(Rank::kComparison, op, true, emit(Op::kJumpIfNoLeft));
  return advance();
}

bool Compiler::equality(bool negated) {
  if (!reduce(Rank::kEquality) || !check_equality(token_, false)) return false;
  wait(Rank::kEquality, Op::kEqual, false, 0, negated);
  return advance();
}

bool Compiler::logic(Rank rank, Op op, Op jump) {
  if (!reduce(rank) || !need_condition(token_)) return false;
  wait(rank, op, true, emit(jump));
  return advance();
}

bool Compiler::is_null() {
  if (!reduce(Rank::kEquality) || !advance()) return false;
  const bool negated = kind() == TokenKind::kNot;
  if (negated && !advance()) return false;
  if (!expect(TokenKind::kNull, negated ? "NULL" : "NULL or NOT NULL")) return false;
  emit(Op::kIsNull);
  if (negated) emit(Op::kNot);
  operands_.back() = OperandKind::kCondition;
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
  program_.patterns.push_back(std::move(*compiled));
  emit(Op::kLike, static_cast<std::uint32_t>(program_.patterns.size() - 1));
  if (negated) emit(Op::kNot);
  operands_.back() = OperandKind::kCondition;
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
  const auto is_less = [](const std::string& left, const std::string& right) {
    return compare_texts(Text(as_bytes(left), TextEncoding::kUtf16Le),
                         Text(as_bytes(right), TextEncoding::kUtf16Le)) < 0;
  };
  std::ranges::sort(texts, is_less);
  program_.sets.push_back(std::move(texts));
  emit(Op::kIn, static_cast<std::uint32_t>(program_.sets.size() - 1));
  if (negated) emit(Op::kNot);
  operands_.back() = OperandKind::kCondition;
  return advance();
}

// value, the value again, low, >=, (jump), the value on top, high, <=, AND; NOT BETWEEN is < OR >.
bool Compiler::between(bool negated) {
  if (!reduce(Rank::kComparison) || !check_order(token_)) return false;
  emit(Op::kDuplicate);
  operators_.push_back({.waiting = Waiting::kBetweenLow, .negated = negated,
                        .jump = emit(Op::kJumpIfNoLeft), .token = token_});
  wants_operand_ = true;
  return advance();
}

bool Compiler::between_middle() {
  Operator& waiting = operators_.back();
  if (!check_order(waiting.token)) return false;
  operands_.pop_back();
  emit(waiting.negated ? Op::kLess : Op::kGreaterOrEqual);
  land(waiting.jump);
  waiting.outer_jump = emit(waiting.negated ? Op::kSwapOrJumpIfTrue : Op::kSwapOrJumpIfFalse);
  waiting.jump = emit(Op::kJumpIfNoLeft);
  waiting.waiting = Waiting::kBetweenHigh;
  waiting.rank = Rank::kComparison;
  wants_operand_ = true;
  return advance();
}

bool Compiler::close() {
  if (!reduce(Rank::kOr)) return false;
  if (operators_.empty()) return refuse_token(kWantsOperator);
  operators_.pop_back();
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

// ---- writing what waited -------------------------------------------------------------------------

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
      emit(waiting.op);
      operands_.back() =
          waiting.op == Op::kNot ? OperandKind::kCondition : OperandKind::kComputed;
      return true;
    case Waiting::kBetweenHigh:
      if (!check_order(waiting.token)) return false;
      operands_.pop_back();
      emit(waiting.negated ? Op::kGreater : Op::kLessOrEqual);
      land(waiting.jump);
      emit(waiting.negated ? Op::kOr : Op::kAnd, waiting.outer_jump);
      land(waiting.outer_jump);
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
  emit(waiting.op, argument);
  if (waiting.jumps) land(waiting.jump);
  if (waiting.negated) emit(Op::kNot);
  return true;
}

// An identifier on its own is a condition that has to be made one.
bool Compiler::need_condition(const Token& where) {
  switch (operands_.back()) {
    case OperandKind::kIdentifier:
      emit(Op::kToBoolean);
      operands_.back() = OperandKind::kCondition;
      return true;
    case OperandKind::kCondition:
    case OperandKind::kBooleanLiteral:
    case OperandKind::kNullLiteral: return true;
    default: break;
  }
  const bool whole = where.to == 0;
  const std::string what =
      whole ? "the selector" : "an operand of " + lexer_.describe(where);
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

std::uint32_t Compiler::emit(Op op, std::uint32_t argument) {
  track(op);
  program_.code.push_back({.op = op, .argument = argument});
  return static_cast<std::uint32_t>(program_.code.size() - 1);
}

void Compiler::land(std::uint32_t jump) {
  program_.code[jump].argument = static_cast<std::uint32_t>(program_.code.size());
}

// How many values there are at most.
void Compiler::track(Op op) {
  if (op <= Op::kDuplicate) ++depth_;
  if (op >= Op::kAdd && op <= Op::kOr) --depth_;
  program_.stack_size = std::max(program_.stack_size, depth_);
}

// Finds the ANDs that nothing but AND and OR stands around, from the last instruction backwards: an
// operand ends where the jump behind it, or the operation, stands.
void Compiler::mark_outermost() {
  std::vector<Instruction>& code = program_.code;
  std::vector<std::size_t> ends{code.size() - 1};
  while (!ends.empty()) {
    const std::size_t end = ends.back();
    ends.pop_back();
    if (code[end].op != Op::kAnd && code[end].op != Op::kOr) continue;
    const std::uint32_t jump = code[end].argument;
    const Op op = code[jump].op;
    code[jump].outermost = op == Op::kJumpIfFalse || op == Op::kSwapOrJumpIfFalse;
    // The operands of BETWEEN's own AND are comparisons.
    if (op != Op::kJumpIfFalse && op != Op::kJumpIfTrue) continue;
    ends.push_back(end - 1);
    ends.push_back(jump - 1);
  }
}

// A jump that lands on another of its kind can go where that one goes: the top is still the same.
void Compiler::shorten_jumps() {
  std::vector<Instruction>& code = program_.code;
  for (std::size_t i = code.size(); i-- > 0;) {
    Instruction& jump = code[i];
    if (jump.op != Op::kJumpIfFalse && jump.op != Op::kJumpIfTrue) continue;
    if (jump.argument >= code.size()) continue;
    const Instruction& target = code[jump.argument];
    if (target.op == jump.op && target.outermost == jump.outermost) {
      jump.argument = target.argument;
    }
  }
}

// Views of the texts can only be taken once no more are added.
void Compiler::place_constants() {
  program_.core_constants = constants_;
  program_.amqp_constants = constants_;
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    if (constant_texts_[i] == kNoText) continue;
    const ConstantText& text = program_.texts[constant_texts_[i]];
    const Text utf8(text.utf8);
    const Text utf16(as_bytes(text.utf16), TextEncoding::kUtf16Le);
    program_.amqp_constants[i].text = utf8;
    program_.core_constants[i].text = constants_[i].kind == Kind::kText ? utf16 : utf8;
  }
}

void Compiler::keep_repeated_identifiers() {
  for (const std::uint32_t uses : identifier_uses_) {
    program_.kept.push_back(uses > 1 ? program_.kept_count++ : kNotKept);
  }
}

}  // namespace saranga::message::selector
