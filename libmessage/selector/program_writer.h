// Fills a program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libmessage/selector/program.h"

namespace saranga::message::selector {

/// Appends instructions and what they refer to, and finishes the program at the end. For one
/// program, which has to outlive the writer.
class ProgramWriter {
 public:
  explicit ProgramWriter(Program& program) : program_(program) {}

  /// Each appends the instruction that pushes the value.
  void constant(const Value& value);
  void text_constant(std::string utf8);
  /// A literal beyond 64 bits, `low_bits` of it and its digits.
  void big_constant(std::int64_t low_bits, std::string_view digits);
  void identifier(std::string name);

  void like(LikePattern pattern);
  /// Texts in UTF-16.
  void in(std::vector<std::string> texts);

  /// The place of the new instruction.
  std::uint32_t emit(Op op, std::size_t argument = 0);
  /// Lets a jump lead behind the last instruction.
  void land(std::uint32_t jump);

  /// After the last instruction: everything that needs the whole program.
  void finish();

 private:
  std::uint32_t add_text(std::string utf8);
  void track(Op op);
  void mark_outermost();
  void shorten_jumps();
  void place_constants();
  void keep_repeated_identifiers();

  Program& program_;
  std::uint32_t depth_ = 0;
  std::map<std::string, std::uint32_t> identifier_places_{};
  std::vector<std::uint32_t> identifier_uses_{};
  std::vector<Value> constants_{};               // without their texts
  std::vector<std::uint32_t> constant_texts_{};  // of each constant: its text, if it has one
};

}  // namespace saranga::message::selector
