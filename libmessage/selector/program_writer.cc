#include "libmessage/selector/program_writer.h"

#include <algorithm>
#include <utility>

#include "libmessage/selector/java_number.h"
#include "libmessage/selector/units.h"

namespace saranga::message::selector {
namespace {

constexpr std::uint32_t kNoText = UINT32_MAX;

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
      {"JMSType", Field::kSubject},     {"__AMQ_CID", Field::kConnectionId},
      {"JMSXGroupID", Field::kGroupId}, {"JMSXGroupSeq", Field::kGroupSequence},
      {"JMSXUserID", Field::kUserId},   {"JMSCorrelationID", Field::kCorrelationId},
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

void ProgramWriter::constant(const Value& value) {
  constants_.push_back(value);
  constant_texts_.push_back(kNoText);
  emit(Op::kConstant, constants_.size() - 1);
}

void ProgramWriter::text_constant(std::string utf8) {
  const std::uint32_t text = add_text(std::move(utf8));
  constant({.kind = Kind::kText});
  constant_texts_.back() = text;
}

void ProgramWriter::big_constant(std::int64_t low_bits, std::string_view digits) {
  const std::uint32_t text = add_text(std::string(digits));
  constant({.kind = Kind::kBig, .number = low_bits, .real = parse_decimal(digits)});
  constant_texts_.back() = text;
}

std::uint32_t ProgramWriter::add_text(std::string utf8) {
  std::string utf16 = to_utf16(utf8);
  program_.texts.push_back({std::move(utf8), std::move(utf16)});
  return static_cast<std::uint32_t>(program_.texts.size() - 1);
}

void ProgramWriter::identifier(std::string name) {
  const auto next = static_cast<std::uint32_t>(program_.identifiers.size());
  const auto [place, is_new] = identifier_places_.emplace(name, next);
  if (is_new) {
    program_.identifiers.push_back(make_identifier(std::move(name)));
    identifier_uses_.push_back(0);
  }
  ++identifier_uses_[place->second];
  emit(Op::kIdentifier, place->second);
}

void ProgramWriter::like(LikePattern pattern) {
  program_.patterns.push_back(std::move(pattern));
  emit(Op::kLike, program_.patterns.size() - 1);
}

void ProgramWriter::in(std::vector<std::string> texts) {
  const auto is_less = [](const std::string& left, const std::string& right) {
    return compare_texts(utf16_text(left), utf16_text(right)) < 0;
  };
  std::ranges::sort(texts, is_less);
  program_.sets.push_back(std::move(texts));
  emit(Op::kIn, program_.sets.size() - 1);
}

std::uint32_t ProgramWriter::emit(Op op, std::size_t argument) {
  track(op);
  program_.code.push_back({.op = op, .argument = static_cast<std::uint32_t>(argument)});
  return static_cast<std::uint32_t>(program_.code.size() - 1);
}

void ProgramWriter::land(std::uint32_t jump) {
  program_.code[jump].argument = static_cast<std::uint32_t>(program_.code.size());
}

void ProgramWriter::finish() {
  mark_outermost();
  shorten_jumps();
  place_constants();
  keep_repeated_identifiers();
}

// How many values there are at most.
void ProgramWriter::track(Op op) {
  if (op <= Op::kDuplicate) ++depth_;
  if (op >= Op::kAdd && op <= Op::kOr) --depth_;
  program_.stack_size = std::max(program_.stack_size, depth_);
}

// Finds the ANDs that nothing but AND and OR stands around, from the last instruction backwards: an
// operand ends where the jump behind it, or the operation, stands.
void ProgramWriter::mark_outermost() {
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
void ProgramWriter::shorten_jumps() {
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
void ProgramWriter::place_constants() {
  program_.core_constants = constants_;
  program_.amqp_constants = constants_;
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    if (constant_texts_[i] == kNoText) continue;
    const ConstantText& text = program_.texts[constant_texts_[i]];
    const Text utf8(text.utf8);
    const Text utf16 = utf16_text(text.utf16);
    program_.amqp_constants[i].text = utf8;
    program_.core_constants[i].text = constants_[i].kind == Kind::kText ? utf16 : utf8;
  }
}

void ProgramWriter::keep_repeated_identifiers() {
  for (const std::uint32_t uses : identifier_uses_) {
    program_.kept.push_back(uses > 1 ? program_.kept_count++ : kNotKept);
  }
}

}  // namespace saranga::message::selector
