// A disk in memory that fails on purpose. It counts the calls that change something; at a chosen
// one power goes, or the call fails, or the disk is full from there on. What was not synced when
// power goes may be there or not, in whole or in part, in any combination that the seed picks.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "saranga/io/writable_directory.h"

namespace saranga::test {

/// What a power failure does to what was not synced.
enum class Loss : std::uint8_t {
  kNothing,   ///< all of it was on the disk already; also what the kill of a process leaves
  kAll,       ///< none of it was
  kTail,      ///< it was written in order, and the last write up to some byte
  kAnything,  ///< any sectors of any write, any changes of names
};
inline constexpr std::size_t kLossKinds = 4;

/// The plan of failures. Calls count from 1.
struct FaultPlan {
  std::uint64_t power_fails_at = 0;  ///< during this call; 0: never
  std::uint64_t fails_at = 0;        ///< this call fails with `error`; 0: none
  bool keeps_failing = false;        ///< and so do all behind it
  int error = EIO;
  std::uint64_t full_from = 0;  ///< from this call on no file can grow; 0: never
};

/// One folder, and folders below it for what is renamed there.
class FaultyDirectory final : public WritableDirectory {
 public:
  using Content = std::vector<std::byte>;

  explicit FaultyDirectory(FaultPlan plan = {}) : plan_(plan) {}
  FaultyDirectory(const FaultyDirectory&) = delete;
  FaultyDirectory& operator=(const FaultyDirectory&) = delete;

  /// Begins another plan with call 1. When power was off, the disk goes on as it is for a process
  /// that was killed: what was not synced is still there, and may still be lost.
  void plan(FaultPlan plan) {
    plan_ = plan;
    calls_ = 0;
    off_ = false;
  }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] bool power_is_off() const { return off_; }
  /// A durable file, as if it had always been there.
  void put(const std::string& name, Content content) {
    auto inode = std::make_shared<Inode>();
    inode->durable = inode->content = std::move(content);
    names_[name] = durable_names_[name] = inode;
  }
  /// A write that is durable when it returns, as with O_DSYNC: it alone, not those before it.
  [[nodiscard]] Result<void> write_durably(WritableFile& file, std::uint64_t offset, Bytes bytes);
  /// The files as a process sees them that goes on running.
  [[nodiscard]] std::map<std::string, Content> files() const { return contents(names_, false); }
  /// The files that are found when power is back.
  [[nodiscard]] std::map<std::string, Content> after_power_failure(Loss loss,
                                                                   std::uint64_t seed) const;

  [[nodiscard]] const std::string& path() const override { return path_; }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<WritableFile>> create(std::string_view name) override;
  [[nodiscard]] Result<std::unique_ptr<WritableFile>> open_for_writing(
      std::string_view name) override;
  [[nodiscard]] Result<void> rename(std::string_view from, std::string_view to) override;
  [[nodiscard]] Result<void> remove(std::string_view name) override;
  [[nodiscard]] Result<void> create_directory(std::string_view name) override;
  [[nodiscard]] Result<void> sync() override;

 private:
  static constexpr std::size_t kSectorBytes = 512;

  struct Write {
    std::uint64_t order = 0;  // among all writes to the disk
    std::uint64_t offset = 0;
    Content bytes;
  };
  struct Inode {
    Content content;            // as processes see it
    Content durable;            // as the disk has it for sure
    std::vector<Write> writes;  // what lies between
  };
  using Names = std::map<std::string, std::shared_ptr<Inode>, std::less<>>;
  /// A change of names: `from` goes, `to` comes. Either may be empty.
  struct Change {
    std::string from;
    std::string to;
    std::shared_ptr<Inode> inode;
  };
  class File;

  /// Counts a call; an error when the plan has one for it. At a power failure the call takes effect
  /// first: what becomes of it is as open as what becomes of everything not synced.
  [[nodiscard]] std::optional<Error> begin(std::string_view doing, std::string_view name);
  [[nodiscard]] std::optional<Error> end(std::string_view doing, std::string_view name);
  [[nodiscard]] Error error(int number, std::string_view doing, std::string_view name) const;
  [[nodiscard]] bool is_full() const { return plan_.full_from != 0 && calls_ >= plan_.full_from; }
  void change(Change change);
  static void apply(Names& names, const Change& change);
  static void write(Content& content, std::uint64_t offset, Bytes bytes);
  [[nodiscard]] static std::map<std::string, Content> contents(const Names& names, bool durable);
  static void tear_tail(Content& content, const std::vector<Write>& writes, std::uint64_t last,
                        std::mt19937_64& random);
  static void tear_sectors(Content& content, const std::vector<Write>& writes,
                           std::mt19937_64& random);

  std::string path_ = "disk";
  FaultPlan plan_;
  std::uint64_t calls_ = 0;
  std::uint64_t writes_ = 0;
  bool off_ = false;
  Names names_;
  Names durable_names_;
  std::vector<Change> changes_;
};

// ---- errors -------------------------------------------------------------------------------------

inline Error FaultyDirectory::error(int number, std::string_view doing,
                                    std::string_view name) const {
  const ErrorCode code = number == ENOENT   ? ErrorCode::kNotFound
                         : number == EEXIST ? ErrorCode::kExists
                                            : ErrorCode::kIo;
  return {.code = code,
          .text = std::string(doing) + ": " + std::strerror(number),
          .file = path_ + "/" + std::string(name)};
}

inline std::optional<Error> FaultyDirectory::begin(std::string_view doing, std::string_view name) {
  if (off_) return error(EIO, doing, name);
  ++calls_;
  const bool hit = calls_ == plan_.fails_at || (plan_.keeps_failing && calls_ > plan_.fails_at);
  if (plan_.fails_at != 0 && hit) return error(plan_.error, doing, name);
  return std::nullopt;
}

inline std::optional<Error> FaultyDirectory::end(std::string_view doing, std::string_view name) {
  if (plan_.power_fails_at == 0 || calls_ != plan_.power_fails_at) return std::nullopt;
  off_ = true;
  return error(EIO, doing, name);
}

// ---- files --------------------------------------------------------------------------------------

class FaultyDirectory::File final : public WritableFile {
 public:
  File(FaultyDirectory& disk, std::shared_ptr<Inode> inode, std::string name)
      : disk_(disk),
        inode_(std::move(inode)),
        name_(std::move(name)),
        path_(disk.path_ + "/" + name_) {}
  [[nodiscard]] const std::string& path() const override { return path_; }

  [[nodiscard]] Result<void> write_at(std::uint64_t offset, Bytes bytes) override {
    static constexpr std::string_view kDoing = "cannot write";
    if (auto refused = disk_.begin(kDoing, name_)) return std::unexpected(*refused);
    const bool full = disk_.is_full() && offset + bytes.size() > inode_->content.size();
    // As a real disk does, it takes a part of what does not fit.
    if (full) bytes = bytes.first(bytes.size() / 2);
    FaultyDirectory::write(inode_->content, offset, bytes);
    inode_->writes.push_back({++disk_.writes_, offset, {bytes.begin(), bytes.end()}});
    if (full) return std::unexpected(disk_.error(ENOSPC, kDoing, name_));
    if (auto failed = disk_.end(kDoing, name_)) return std::unexpected(*failed);
    return {};
  }
  [[nodiscard]] Result<void> write_durably(std::uint64_t offset, Bytes bytes) {
    if (auto written = write_at(offset, bytes); !written) return written;
    FaultyDirectory::write(inode_->durable, offset, bytes);
    inode_->writes.pop_back();
    return {};
  }
  [[nodiscard]] Result<void> sync_data() override {
    static constexpr std::string_view kDoing = "cannot sync";
    if (auto refused = disk_.begin(kDoing, name_)) return std::unexpected(*refused);
    if (auto failed = disk_.end(kDoing, name_)) return std::unexpected(*failed);
    inode_->durable = inode_->content;
    inode_->writes.clear();
    return {};
  }

 private:
  FaultyDirectory& disk_;
  std::shared_ptr<Inode> inode_;
  std::string name_;
  std::string path_;
};

inline void FaultyDirectory::write(Content& content, std::uint64_t offset, Bytes bytes) {
  if (bytes.empty()) return;
  const auto at = static_cast<std::size_t>(offset);
  if (content.size() < at + bytes.size()) content.resize(at + bytes.size());
  std::memcpy(content.data() + at, bytes.data(), bytes.size());
}

inline Result<void> FaultyDirectory::write_durably(WritableFile& file, std::uint64_t offset,
                                                   Bytes bytes) {
  return dynamic_cast<File&>(file).write_durably(offset, bytes);
}

// ---- names --------------------------------------------------------------------------------------

inline Result<std::vector<DirectoryEntry>> FaultyDirectory::list() const {
  MemoryDirectory view(path_);
  for (const auto& [name, inode] : names_) view.put(name, inode->content);
  return view.list();
}

inline Result<std::unique_ptr<ReadableFile>> FaultyDirectory::open(std::string_view name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) return std::unexpected(error(ENOENT, "cannot open", name));
  MemoryDirectory view(path_);
  view.put(found->first, found->second->content);
  return view.open(name);
}

inline Result<std::unique_ptr<ReadableDirectory>> FaultyDirectory::open_directory(
    std::string_view name) const {
  auto below = std::make_unique<MemoryDirectory>(path_ + "/" + std::string(name));
  const std::string prefix = std::string(name) + "/";
  for (const auto& [entry, inode] : names_) {
    if (entry.starts_with(prefix)) below->put(entry.substr(prefix.size()), inode->content);
  }
  return below;
}

inline Result<std::unique_ptr<WritableFile>> FaultyDirectory::create(std::string_view name) {
  static constexpr std::string_view kDoing = "cannot create";
  if (auto refused = begin(kDoing, name)) return std::unexpected(*refused);
  if (names_.contains(name)) return std::unexpected(error(EEXIST, kDoing, name));
  auto inode = std::make_shared<Inode>();
  change({.from = {}, .to = std::string(name), .inode = inode});
  if (auto failed = end(kDoing, name)) return std::unexpected(*failed);
  return std::make_unique<File>(*this, inode, std::string(name));
}

inline Result<std::unique_ptr<WritableFile>> FaultyDirectory::open_for_writing(
    std::string_view name) {
  static constexpr std::string_view kDoing = "cannot open for writing";
  if (auto refused = begin(kDoing, name)) return std::unexpected(*refused);
  const auto found = names_.find(name);
  if (found == names_.end()) return std::unexpected(error(ENOENT, kDoing, name));
  if (auto failed = end(kDoing, name)) return std::unexpected(*failed);
  return std::make_unique<File>(*this, found->second, std::string(name));
}

inline Result<void> FaultyDirectory::rename(std::string_view from, std::string_view to) {
  static constexpr std::string_view kDoing = "cannot rename";
  if (auto refused = begin(kDoing, from)) return std::unexpected(*refused);
  const auto found = names_.find(from);
  if (found == names_.end()) return std::unexpected(error(ENOENT, kDoing, from));
  change({.from = std::string(from), .to = std::string(to), .inode = found->second});
  if (auto failed = end(kDoing, from)) return std::unexpected(*failed);
  return {};
}

inline Result<void> FaultyDirectory::remove(std::string_view name) {
  static constexpr std::string_view kDoing = "cannot remove";
  if (auto refused = begin(kDoing, name)) return std::unexpected(*refused);
  const auto found = names_.find(name);
  if (found == names_.end()) return std::unexpected(error(ENOENT, kDoing, name));
  change({.from = std::string(name), .to = {}, .inode = found->second});
  if (auto failed = end(kDoing, name)) return std::unexpected(*failed);
  return {};
}

inline Result<void> FaultyDirectory::create_directory(std::string_view name) {
  static constexpr std::string_view kDoing = "cannot create folder";
  if (auto refused = begin(kDoing, name)) return std::unexpected(*refused);
  if (auto failed = end(kDoing, name)) return std::unexpected(*failed);
  return {};
}

inline Result<void> FaultyDirectory::sync() {
  static constexpr std::string_view kDoing = "cannot sync folder";
  if (auto refused = begin(kDoing, "")) return std::unexpected(*refused);
  if (auto failed = end(kDoing, "")) return std::unexpected(*failed);
  durable_names_ = names_;
  changes_.clear();
  return {};
}

inline void FaultyDirectory::change(Change change) {
  apply(names_, change);
  changes_.push_back(std::move(change));
}

// A change whose forerunner was lost does what is left of it.
inline void FaultyDirectory::apply(Names& names, const Change& change) {
  const auto found = names.find(change.from);
  if (found != names.end() && found->second == change.inode) names.erase(found);
  if (!change.to.empty()) names[change.to] = change.inode;
}

// ---- losing power -------------------------------------------------------------------------------

inline std::map<std::string, FaultyDirectory::Content> FaultyDirectory::contents(const Names& names,
                                                                                 bool durable) {
  std::map<std::string, Content> all;
  for (const auto& [name, inode] : names) all[name] = durable ? inode->durable : inode->content;
  return all;
}

// In order: all writes up to `last`, and of that one some first bytes.
inline void FaultyDirectory::tear_tail(Content& content, const std::vector<Write>& writes,
                                       std::uint64_t last, std::mt19937_64& random) {
  for (const Write& one : writes) {
    if (one.order > last) break;
    const Bytes bytes(one.bytes);
    write(content, one.offset,
          bytes.first(one.order < last ? bytes.size() : random() % (bytes.size() + 1)));
  }
}

// Each sector has some state that it went through: a sector with a later write has the earlier
// ones.
inline void FaultyDirectory::tear_sectors(Content& content, const std::vector<Write>& writes,
                                          std::mt19937_64& random) {
  std::map<std::uint64_t, std::size_t> left;  // by sector, how many of its writes reach the disk
  const std::uint64_t luck = random() % 4;    // most are lost, most are kept, or half of each
  for (const Write& one : writes) {
    const Bytes bytes(one.bytes);
    for (std::size_t at = 0; at < bytes.size();) {
      const std::uint64_t position = one.offset + at;
      const std::size_t in_sector = static_cast<std::size_t>(position % kSectorBytes);
      const std::size_t count = std::min(kSectorBytes - in_sector, bytes.size() - at);
      const std::uint64_t lot = random() % 8;
      const bool none = luck == 0 ? lot < 7 : luck == 1 ? lot == 0 : lot < 4;
      const auto [sector, fresh] = left.try_emplace(position / kSectorBytes, 0);
      if (fresh && !none) sector->second = 1 + random() % writes.size();
      if (sector->second != 0) {
        --sector->second;
        write(content, position, bytes.subspan(at, count));
      }
      at += count;
    }
  }
}

inline std::map<std::string, FaultyDirectory::Content> FaultyDirectory::after_power_failure(
    Loss loss, std::uint64_t seed) const {
  if (loss == Loss::kNothing) return contents(names_, false);
  if (loss == Loss::kAll) return contents(durable_names_, true);
  std::mt19937_64 random(seed);
  Names names = durable_names_;
  const std::size_t kept = random() % (changes_.size() + 1);
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const bool reached = loss == Loss::kTail ? i < kept : random() % 2 == 0;
    if (reached) apply(names, changes_[i]);
  }
  std::vector<std::uint64_t> orders{0};
  for (const auto& [name, inode] : names) {
    for (const Write& one : inode->writes) orders.push_back(one.order);
  }
  std::ranges::sort(orders);
  const std::uint64_t last = orders[random() % orders.size()];
  std::map<std::string, Content> all;
  for (const auto& [name, inode] : names) {
    Content content = inode->durable;
    if (loss == Loss::kTail) {
      tear_tail(content, inode->writes, last, random);
    } else {
      tear_sectors(content, inode->writes, random);
    }
    all[name] = std::move(content);
  }
  return all;
}

}  // namespace saranga::test
