// Small helpers for reading configuration: paths, and text files of bounded size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "saranga/bytes/error.h"

namespace saranga::store {

[[nodiscard]] bool exists(const std::string& path);
[[nodiscard]] bool is_folder(const std::string& path);

/// `path` seen from the folder `base`: joined unless absolute, and without "." and "x/..".
[[nodiscard]] std::string path_from(std::string_view base, std::string_view path);
/// The folder that holds `path`; "." for a bare name.
[[nodiscard]] std::string parent_of(std::string_view path);
/// The last part of the path.
[[nodiscard]] std::string name_of(std::string_view path);

/// The path of a `file:` URL with its %XX escapes decoded; other text comes back as it is.
[[nodiscard]] std::string path_of_url(std::string_view text);
/// True for "http://…" and every other scheme but `file:`.
[[nodiscard]] bool is_foreign_url(std::string_view text);

/// The content of a text file; files of more than `limit_bytes` are an error.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path,
                                                 std::uint64_t limit_bytes);

/// The text without blanks, tabs and line ends at both sides.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace saranga::store
