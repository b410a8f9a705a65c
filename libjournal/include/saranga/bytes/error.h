// Errors as values: what went wrong, and where in which file.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "saranga/bytes/export.h"

namespace saranga {

/// The kind of an error, for callers that decide by it; the text is for people.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  ///< the caller asked for something that makes no sense
  kNotFound,         ///< a file or folder is not there
  kIo,               ///< the system refused or failed
  kUnsupported,      ///< understood, but not handled here
  kDamaged,          ///< the bytes contradict their format
  kExists,           ///< the target is already there
  kBusy,             ///< another process holds a lock
};

/// An error with its place. It owns its strings, so it may outlive the reader that made it.
struct Error {
  ErrorCode code = ErrorCode::kIo;
  std::string text;                       ///< what is, what should be
  std::string file = {};                  ///< the file or folder, empty when none is concerned
  std::optional<std::uint64_t> offset{};  ///< byte offset in `file`
  std::optional<std::int64_t> record{};   ///< record id, when the error belongs to a record

  /// "file:0x1f40: record 8841: text", leaving out what is not known.
  [[nodiscard]] SARANGA_API std::string message() const;
};

/// The outcome of an operation that can fail. Nothing throws across the public interface.
template <class T>
using Result = std::expected<T, Error>;

/// An Error wrapped for returning from a function of type Result.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string text,
                                                 std::string file = {}) {
  return std::unexpected(Error{.code = code, .text = std::move(text), .file = std::move(file)});
}

}  // namespace saranga
