// Runs a program on a message.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "libmessage/selector/lookup.h"
#include "libmessage/selector/program.h"
#include "libmessage/selector/work_texts.h"
#include "saranga/message/selector.h"

namespace saranga::message::selector {

/// A few things without the heap, which is enough for most selectors, or many with it.
template <class T>
class FewOrMany {
 public:
  explicit FewOrMany(std::size_t count) {
    if (count > few_.size()) many_.resize(count);
  }
  [[nodiscard]] T& operator[](std::size_t index) {
    return many_.empty() ? few_[index] : many_[index];
  }

 private:
  std::array<T, 6> few_{};
  std::vector<T> many_{};
};

/// One evaluation.
class Evaluator {
 public:
  /// What is asked for decides where an AND is left, see Op::kJumpIfFalse.
  enum class Question : std::uint8_t { kMatch, kResult };

  Evaluator(const Program& program, const SelectorMessage& message, Question question);

  [[nodiscard]] SelectorResult run();

 private:
  bool step(const Instruction& instruction);
  bool push_identifier(std::uint32_t index);
  bool apply_to_top(const Instruction& instruction);
  bool apply_to_two(Op op);
  bool jump(const Instruction& instruction);
  bool order(Op op);
  bool compute(Op op);
  bool add();
  void join(Op op);

  void push(const Value& value) { stack_[size_++] = value; }
  [[nodiscard]] Value& top() { return stack_[size_ - 1]; }
  [[nodiscard]] Value& below() { return stack_[size_ - 2]; }
  /// Replaces the two at the top.
  void replace_two(const Value& value) {
    --size_;
    top() = value;
  }

  const Program& program_;
  const std::vector<Value>& constants_;
  WorkTexts texts_;
  Lookup lookup_;
  bool wants_match_;
  FewOrMany<Value> stack_;
  std::size_t size_ = 0;
  std::size_t at_ = 0;  // the next instruction
  FewOrMany<std::optional<Value>> kept_;
};

}  // namespace saranga::message::selector
