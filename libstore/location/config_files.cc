#include "libstore/location/config_files.h"

#include <charconv>
#include <filesystem>

#include "saranga/bytes/bytes.h"
#include "saranga/io/directory.h"

namespace saranga::store {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::string path_from(std::string_view base, std::string_view path) {
  std::string joined = (fs::path(base) / fs::path(path)).lexically_normal().string();
  while (joined.size() > 1 && joined.ends_with('/')) joined.pop_back();
  return joined;
}

std::string parent_of(std::string_view path) {
  const std::string clean = path_from({}, path);
  if (clean == "." || clean.ends_with("..")) return path_from(clean, "..");
  const std::string parent = fs::path(clean).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string name_of(std::string_view path) { return fs::path(path).filename().string(); }

namespace {

/// Length of "scheme:", or 0. One letter is no scheme but a drive of another system.
std::size_t scheme_length(std::string_view text) {
  const std::size_t colon =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
  if (colon == std::string_view::npos || colon < 2 || text[colon] != ':') return 0;
  return colon + 1;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const char* end = text.data() + i + 3;
      if (std::from_chars(text.data() + i + 1, end, value, 16).ptr == end) {
        decoded += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    decoded += text[i];
  }
  return decoded;
}

}  // namespace

std::string path_of_url(std::string_view text) {
  if (!text.starts_with("file:")) return std::string(text);
  text.remove_prefix(5);
  if (text.starts_with("///")) text.remove_prefix(2);
  return percent_decoded(text);
}

bool is_foreign_url(std::string_view text) {
  return scheme_length(text) != 0 && !text.starts_with("file:");
}

Result<std::string> read_text_file(const std::string& path, std::uint64_t limit_bytes) {
  auto folder = open_disk_directory(parent_of(path));
  if (!folder) return std::unexpected(folder.error());
  auto content = read_whole(**folder, name_of(path), limit_bytes);
  if (!content) return std::unexpected(content.error());
  return std::string(as_text(*content));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace saranga::store
