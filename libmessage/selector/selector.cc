#include "saranga/message/selector.h"

#include <algorithm>
#include <string>

#include "libmessage/selector/compiler.h"
#include "libmessage/selector/evaluator.h"
#include "libmessage/selector/preparation.h"
#include "libmessage/selector/units.h"

namespace saranga::message {
namespace {

using selector::Evaluator;

// Lines and columns count from 1, columns in characters.
std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::string_view in_line = before.substr(before.rfind('\n') + 1);
  const auto column =
      std::ranges::count_if(
          in_line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }) +
      1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
}

std::unexpected<Error> refuse(std::string_view text, std::size_t offset, ErrorCode code,
                              std::string_view what) {
  return fail(code, "selector, " + place_of(text, offset) + std::string(what));
}

SelectorResult run(const selector::Program* program, const SelectorMessage& message,
                   Evaluator::Question question) {
  if (program == nullptr) return SelectorResult::kTrue;
  return Evaluator(*program, message, question).run();
}

}  // namespace

Selector::Selector(std::shared_ptr<const selector::Program> program)
    : program_(std::move(program)) {}

Result<Selector> Selector::compile(std::string_view text, SelectorSource source) {
  if (text.size() > kMaximumTextBytes) {
    return fail(ErrorCode::kUnsupported, "selector: " + std::to_string(text.size()) +
                                             " bytes, at most " +
                                             std::to_string(kMaximumTextBytes) + " are taken");
  }
  const std::size_t malformed = selector::find_malformed(text);
  if (malformed != std::string_view::npos) {
    return refuse(text, malformed, ErrorCode::kInvalidArgument,
                  "found a byte that is not UTF-8, expected only UTF-8");
  }
  const selector::PreparedText prepared(text, source);
  if (prepared.text().empty()) return Selector{};
  const auto program = std::make_shared<selector::Program>();
  program->text = prepared.text();
  selector::Compiler compiler(program->text, selector::read_prefixes(program->text), *program);
  if (compiler.run()) return Selector(program);
  const selector::Mistake& mistake = compiler.mistake();
  return refuse(text, prepared.origin(mistake.offset), mistake.code, mistake.text);
}

std::string_view Selector::text() const {
  return program_ == nullptr ? std::string_view() : std::string_view(program_->text);
}

bool Selector::matches(const SelectorMessage& message) const {
  return run(program_.get(), message, Evaluator::Question::kMatch) == SelectorResult::kTrue;
}

SelectorResult Selector::evaluate(const SelectorMessage& message) const {
  return run(program_.get(), message, Evaluator::Question::kResult);
}

}  // namespace saranga::message
