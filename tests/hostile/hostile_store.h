// Stores with one change each, and what printing them says.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "saranga/io/directory.h"
#include "saranga/store/parts.h"

namespace saranga::test {

/// One file of a store, by its path from there.
struct StoreFile {
  std::string part;  ///< "journal", "bindings" or "paging"
  std::string name;  ///< below the part
  std::vector<std::byte> content;
};

/// A change of one file.
struct Change {
  enum class Kind : std::uint8_t { kFlip, kCut };
  Kind kind = Kind::kFlip;
  std::size_t file = 0;
  std::uint64_t at = 0;  ///< the bit to flip, or the size to cut to
};

/// A record or an entry of a page, as the unchanged store prints it.
struct Item {
  std::uint64_t from = 0;  ///< in its file
  std::uint64_t to = 0;
  std::string line;  ///< without what may differ although the item is the same
};

/// What a run of printing gives.
struct Printout {
  std::string json;
  std::size_t peak_bytes = 0;  ///< of the heap, above what was in use before
  std::size_t read_bytes = 0;  ///< size of the files that were there to be read
};

/// A store in memory, and what it prints unchanged.
class HostileStore {
 public:
  /// Loads the store in a folder. The unused rest of journal files is cut off: it only takes time.
  HostileStore(std::string name, const std::string& folder);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<StoreFile>& files() const { return files_; }
  /// The bits worth flipping in a file: those of its header, records and entries.
  [[nodiscard]] const std::vector<std::uint64_t>& bytes_of(std::size_t file) const {
    return used_[file];
  }
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  [[nodiscard]] Change change(std::uint64_t number) const;

  /// Asks everything that can be asked of the changed store: it is verified, loaded, summed up,
  /// digested and explained. What is wrong with the answers, if anything.
  [[nodiscard]] std::string interrogate(const Change& change) const;
  /// Prints the changed file and what is needed with it, or the whole store.
  [[nodiscard]] Printout print(const Change& change, bool whole) const;
  /// What is wrong with a printout; empty when nothing is.
  [[nodiscard]] std::string verdict(const Change& change, const Printout& printout) const;
  /// "xa journal/activemq-data-1.amq flip 16.3"
  [[nodiscard]] std::string describe(const Change& change) const;

 private:
  [[nodiscard]] store::StoreParts parts_with(const Change& change, bool whole) const;
  [[nodiscard]] std::vector<std::byte> changed(const Change& change) const;
  [[nodiscard]] MemoryDirectory part_of(std::string_view part, const Change& change,
                                        bool whole) const;
  [[nodiscard]] std::string label(std::size_t file) const;
  void note_items();
  void note_used();

  std::string name_;
  std::vector<StoreFile> files_;
  std::map<std::string, MemoryDirectory, std::less<>> parts_;
  std::vector<std::vector<Item>> items_;          // by file
  std::vector<std::vector<std::uint64_t>> used_;  // by file: offsets
  std::uint64_t changes_ = 0;
};

}  // namespace saranga::test
