#include "libmessage/selector/evaluator.h"

#include <algorithm>
#include <utility>

#include "libmessage/selector/units.h"

namespace saranga::message::selector {
namespace {

bool is_among(const std::vector<std::string>& set, const Text& text) {
  const auto order_of = [&](const std::string& member) {
    return compare_texts(utf16_text(member), text);
  };
  const auto found = std::ranges::partition_point(
      set, [&](const std::string& member) { return order_of(member) < 0; });
  return found != set.end() && order_of(*found) == 0;
}

Operation operation_of(Op op) {
  switch (op) {
    case Op::kSubtract: return Operation::kSubtract;
    case Op::kMultiply: return Operation::kMultiply;
    case Op::kDivide: return Operation::kDivide;
    case Op::kRemainder: return Operation::kRemainder;
    default: return Operation::kAdd;
  }
}

TextEncoding encoding_of(const SelectorMessage& message) {
  return message.message.core ? TextEncoding::kUtf16Le : TextEncoding::kUtf8;
}

}  // namespace

Evaluator::Evaluator(const Program& program, const SelectorMessage& message, Question question)
    : program_(program),
      constants_(message.message.core ? program.core_constants : program.amqp_constants),
      texts_(encoding_of(message)),
      lookup_(message, texts_),
      wants_match_(question == Question::kMatch),
      stack_(program.stack_size),
      kept_(program.kept_count) {}

SelectorResult Evaluator::run() {
  while (at_ < program_.code.size()) {
    if (!step(program_.code[at_++])) return SelectorResult::kError;
  }
  if (top().is_null()) return SelectorResult::kUnknown;
  return top().is_true() ? SelectorResult::kTrue : SelectorResult::kFalse;
}

// False is an error, with every step.
bool Evaluator::step(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::kConstant: push(constants_[instruction.argument]); return true;
    case Op::kIdentifier: return push_identifier(instruction.argument);
    case Op::kDuplicate:
      top().temporary = nullptr;
      push(top());
      return true;
    case Op::kNegate:
    case Op::kNot:
    case Op::kIsNull:
    case Op::kToBoolean:
    case Op::kLike:
    case Op::kIn: return apply_to_top(instruction);
    case Op::kJumpIfNull:
    case Op::kJumpIfNoLeft:
    case Op::kJumpIfFalse:
    case Op::kJumpIfTrue:
    case Op::kSwapOrJumpIfFalse:
    case Op::kSwapOrJumpIfTrue: return jump(instruction);
    default: return apply_to_two(instruction.op);
  }
}

bool Evaluator::push_identifier(std::uint32_t index) {
  const Identifier& identifier = program_.identifiers[index];
  const std::uint32_t place = program_.kept[index];
  if (place != kNotKept && kept_[place]) {
    push(*kept_[place]);
    return true;
  }
  const auto value = lookup_.find(identifier);
  if (!value) return false;
  if (place != kNotKept) kept_[place] = value;
  push(*value);
  return true;
}

bool Evaluator::apply_to_top(const Instruction& instruction) {
  Value& value = top();
  switch (instruction.op) {
    case Op::kIsNull: value = boolean_value(value.is_null()); return true;
    case Op::kNegate: {
      if (value.is_null()) return true;
      const auto negated = negate(value);
      if (negated) value = *negated;
      return negated.has_value();
    }
    default: break;
  }
  if (value.is_null()) return true;
  switch (instruction.op) {
    case Op::kNot: value = boolean_value(!value.is_true()); break;
    case Op::kToBoolean: value = boolean_value(value.is_true()); break;
    case Op::kLike:
      value = boolean_value(value.kind == Kind::kText &&
                            program_.patterns[instruction.argument].matches(value.text));
      break;
    case Op::kIn:
      value = value.kind == Kind::kText
                  ? boolean_value(is_among(program_.sets[instruction.argument], value.text))
                  : Value{};
      break;
    default: break;
  }
  return true;
}

bool Evaluator::apply_to_two(Op op) {
  switch (op) {
    case Op::kEqual: {
      const bool no_left = below().is_null();
      const bool no_right = top().is_null();
      if (no_left && !no_right) {
        replace_two({});
      } else {
        // Two nulls are equal.
        const bool both = !no_left && !no_right;
        replace_two(boolean_value(both ? equal(below(), top(), program_.convert_texts) : no_left));
      }
      return true;
    }
    case Op::kAnd:
    case Op::kOr: join(op); return true;
    case Op::kLess:
    case Op::kLessOrEqual:
    case Op::kGreater:
    case Op::kGreaterOrEqual: return order(op);
    default: return compute(op);
  }
}

// The left one is not null and can be ordered, see kJumpIfNoLeft.
bool Evaluator::order(Op op) {
  if (top().is_null()) {
    replace_two({});
    return true;
  }
  if (!is_comparable(top())) return false;
  const auto order = compare(below(), top(), program_.convert_texts);
  bool holds = order.has_value();
  switch (op) {
    case Op::kLess: holds = holds && *order < 0; break;
    case Op::kLessOrEqual: holds = holds && *order <= 0; break;
    case Op::kGreater: holds = holds && *order > 0; break;
    default: holds = holds && *order >= 0; break;
  }
  replace_two(boolean_value(holds));
  return true;
}

// The left one is not null, see kJumpIfNull.
bool Evaluator::compute(Op op) {
  if (top().is_null()) {
    replace_two({});
    return true;
  }
  if (op == Op::kAdd && below().kind == Kind::kText) return add();
  const auto result = calculate(operation_of(op), below(), top(), program_.convert_texts);
  if (!result) return false;
  replace_two(*result);
  return true;
}

// A chain of concatenations grows one text, instead of copying it for each link.
bool Evaluator::add() {
  std::string* out = below().temporary;
  if (out == nullptr) {
    out = &texts_.create();
    if (!texts_.append(*out, below().text)) return false;
  }
  if (!texts_.append_spelling(*out, top())) return false;
  Value joined = texts_.value(*out);
  joined.temporary = out;
  replace_two(joined);
  return true;
}

// The operand that decides wins, then the unknown one.
void Evaluator::join(Op op) {
  const bool deciding = op == Op::kOr;
  const auto decides = [deciding](const Value& value) {
    return !value.is_null() && value.is_true() == deciding;
  };
  if (decides(below()) || decides(top())) return replace_two(boolean_value(deciding));
  const bool unknown = below().is_null() || top().is_null();
  replace_two(unknown ? Value{} : boolean_value(!deciding));
}

bool Evaluator::jump(const Instruction& instruction) {
  const bool left_behind = wants_match_ && instruction.outermost && top().is_null();
  bool jumps = false;
  switch (instruction.op) {
    case Op::kJumpIfNull: jumps = top().is_null(); break;
    case Op::kJumpIfNoLeft:
      jumps = top().is_null();
      if (!jumps && !is_comparable(top())) return false;
      break;
    case Op::kJumpIfFalse: jumps = top().is_false() || left_behind; break;
    case Op::kJumpIfTrue: jumps = top().is_true(); break;
    case Op::kSwapOrJumpIfFalse:
    case Op::kSwapOrJumpIfTrue: {
      const bool wanted = instruction.op == Op::kSwapOrJumpIfTrue;
      jumps = left_behind || (!top().is_null() && top().is_true() == wanted);
      std::swap(below(), top());
      if (jumps) --size_;
      break;
    }
    default: break;
  }
  if (jumps) at_ = instruction.argument;
  return true;
}

}  // namespace saranga::message::selector
