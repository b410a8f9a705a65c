// A folder on disk that is there for one test.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "saranga/bytes/bytes.h"

namespace saranga::test {

/// Removed with everything in it at the end of its life.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "saranga-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file, and the folders on the way to it.
  void put(const std::string& name, std::string_view content = {}) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::ofstream out(*this / name, std::ios::binary);
    out << content;
    REQUIRE(out.flush());
  }
  void put(const std::string& name, Bytes content) const { put(name, as_text(content)); }
  void folder(const std::string& name) const { std::filesystem::create_directories(*this / name); }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream in(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// How many entries the folder has.
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

}  // namespace saranga::test
