// Runs a program on a message.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "libmessage/selector/lookup.h"
#include "libmessage/selector/program.h"
#include "libmessage/selector/work_texts.h"
#include "saranga/message/selector.h"

namespace saranga::message::selector {

/// Values on the stack when they are few, as they mostly are, else on the heap.
class Values {
 public:
  explicit Values(std::size_t count) {
    if (count > few_.size()) many_.resize(count);
    all_ = count > few_.size() ? std::span<Value>(many_) : std::span<Value>(few_);
  }
  [[nodiscard]] Value& operator[](std::size_t index) { return all_[index]; }

 private:
  std::array<Value, 6> few_{};
  std::vector<Value> many_{};
  std::span<Value> all_{};
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
  Values stack_;
  std::size_t size_ = 0;
  std::size_t at_ = 0;
  Values kept_;
  std::vector<bool> many_kept_{};
  std::uint64_t few_kept_ = 0;
};

}  // namespace saranga::message::selector
