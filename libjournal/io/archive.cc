#include "saranga/io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <vector>

namespace saranga {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

/// The content of a member in chunks; a chunk of zeros is not kept.
class SparseContent {
 public:
  /// Writes at any offset; returns the bytes of memory that it took.
  std::uint64_t write(std::uint64_t offset, Bytes bytes);
  std::size_t read(std::uint64_t offset, std::span<std::byte> to) const;
  void set_size(std::uint64_t size) { size_ = size; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::map<std::uint64_t, std::vector<std::byte>> chunks_;  // by number
  std::uint64_t size_ = 0;
};

std::uint64_t SparseContent::write(std::uint64_t offset, Bytes bytes) {
  std::uint64_t taken = 0;
  while (!bytes.empty()) {
    const std::uint64_t number = offset / kChunkBytes;
    const auto from = static_cast<std::size_t>(offset % kChunkBytes);
    const std::size_t count = std::min(bytes.size(), kChunkBytes - from);
    const Bytes piece = bytes.first(count);
    const bool zeros = std::ranges::all_of(piece, [](std::byte b) { return b == std::byte{0}; });
    if (!zeros) {
      auto& chunk = chunks_[number];
      if (chunk.empty()) {
        chunk.resize(kChunkBytes);
        taken += kChunkBytes;
      }
      std::ranges::copy(piece, chunk.begin() + static_cast<std::ptrdiff_t>(from));
    }
    offset += count;
    bytes = bytes.subspan(count);
  }
  size_ = std::max(size_, offset);
  return taken;
}

std::size_t SparseContent::read(std::uint64_t offset, std::span<std::byte> to) const {
  if (offset >= size_) return 0;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), size_ - offset));
  for (std::size_t done = 0; done < count;) {
    const std::uint64_t number = (offset + done) / kChunkBytes;
    const auto from = static_cast<std::size_t>((offset + done) % kChunkBytes);
    const std::size_t part = std::min(count - done, kChunkBytes - from);
    const auto chunk = chunks_.find(number);
    if (chunk == chunks_.end()) {
      std::fill_n(to.begin() + static_cast<std::ptrdiff_t>(done), part, std::byte{0});
    } else {
      std::copy_n(chunk->second.begin() + static_cast<std::ptrdiff_t>(from), part,
                  to.begin() + static_cast<std::ptrdiff_t>(done));
    }
    done += part;
  }
  return count;
}

/// A member: either a stretch of the archive's own file or content in memory.
struct Member {
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ms = 0;
  std::uint64_t offset = 0;  ///< in the archive, when `content` is null
  std::shared_ptr<const SparseContent> content{};
  bool missing = false;  ///< a link out of the archive
};

using Tree = std::map<std::string, Member, std::less<>>;

class MemberFile final : public ReadableFile {
 public:
  MemberFile(Member member, std::shared_ptr<const ReadableFile> archive)
      : member_(std::move(member)), archive_(std::move(archive)) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return member_.size_bytes; }
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset,
                                            std::span<std::byte> to) const override {
    if (member_.content) return member_.content->read(offset, to);
    if (offset >= member_.size_bytes) return std::size_t{0};
    const std::uint64_t count = std::min<std::uint64_t>(to.size(), member_.size_bytes - offset);
    return archive_->read_at(member_.offset + offset, to.first(static_cast<std::size_t>(count)));
  }

 private:
  Member member_;
  std::shared_ptr<const ReadableFile> archive_;
};

/// A folder of the tree: all members whose names begin with its prefix.
class ArchiveDirectory final : public ReadableDirectory {
 public:
  ArchiveDirectory(std::shared_ptr<const Tree> tree, std::shared_ptr<const ReadableFile> archive,
                   std::string path, std::string prefix)
      : tree_(std::move(tree)),
        archive_(std::move(archive)),
        path_(std::move(path)),
        prefix_(std::move(prefix)) {}
  [[nodiscard]] const std::string& path() const override { return path_; }
  [[nodiscard]] Result<std::vector<DirectoryEntry>> list() const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableFile>> open(std::string_view name) const override;
  [[nodiscard]] Result<std::unique_ptr<ReadableDirectory>> open_directory(
      std::string_view name) const override;

 private:
  std::shared_ptr<const Tree> tree_;
  std::shared_ptr<const ReadableFile> archive_;
  std::string path_;
  std::string prefix_;  // "" or ends with a slash
};

Result<std::vector<DirectoryEntry>> ArchiveDirectory::list() const {
  std::vector<DirectoryEntry> entries;
  for (auto at = tree_->lower_bound(prefix_); at != tree_->end() && at->first.starts_with(prefix_);
       ++at) {
    const std::string_view rest = std::string_view(at->first).substr(prefix_.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) {
      if (rest.empty()) continue;
      entries.push_back({.name = std::string(rest),
                         .size_bytes = at->second.size_bytes,
                         .modified_ms = at->second.modified_ms,
                         .unreadable = at->second.missing});
    } else if (entries.empty() || entries.back().name != rest.substr(0, slash)) {
      entries.push_back({.name = std::string(rest.substr(0, slash)), .is_directory = true});
    }
  }
  return entries;
}

Result<std::unique_ptr<ReadableFile>> ArchiveDirectory::open(std::string_view name) const {
  const auto found = tree_->find(prefix_ + std::string(name));
  if (found == tree_->end()) {
    return fail(ErrorCode::kNotFound, "no such file in the archive",
                path_ + "/" + std::string(name));
  }
  if (found->second.missing) {
    return fail(ErrorCode::kUnsupported, "a link that leads out of the archive",
                path_ + "/" + std::string(name));
  }
  return std::make_unique<MemberFile>(found->second, archive_);
}

Result<std::unique_ptr<ReadableDirectory>> ArchiveDirectory::open_directory(
    std::string_view name) const {
  const std::string prefix = prefix_ + std::string(name) + "/";
  const std::string path = path_ + "/" + std::string(name);
  const auto first = tree_->lower_bound(prefix);
  if (first == tree_->end() || !first->first.starts_with(prefix)) {
    return fail(ErrorCode::kNotFound, "no such folder in the archive", path);
  }
  return std::make_unique<ArchiveDirectory>(tree_, archive_, path, prefix);
}

/// Feeds libarchive from a gzip file through zlib, which compares checksum and length at the end;
/// libarchive does not.
class GzipSource {
 public:
  explicit GzipSource(const std::string& path)
      : file_(gzopen(path.c_str(), "rb")), buffer_(kReadBytes) {}
  ~GzipSource() {
    if (file_ != nullptr) gzclose(file_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  /// Bytes read, 0 at the end, negative on failure.
  int read() { return gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size())); }
  [[nodiscard]] const void* data() const { return buffer_.data(); }
  [[nodiscard]] const char* problem() const {
    int number = Z_OK;
    const char* text = gzerror(file_, &number);
    return number == Z_OK || number == Z_STREAM_END ? nullptr : text;
  }

 private:
  gzFile file_;
  std::vector<std::byte> buffer_;
};

la_ssize_t read_gzip(archive* handle, void* source, const void** block) {
  auto& gzip = *static_cast<GzipSource*>(source);
  const int got = gzip.read();
  if (got >= 0 && gzip.problem() == nullptr) {
    *block = gzip.data();
    return got;
  }
  archive_set_error(handle, EIO, "%s",
                    gzip.problem() == nullptr ? "gzip: damaged" : gzip.problem());
  return -1;
}

struct ReadClose {
  void operator()(archive* handle) const { archive_read_free(handle); }
};

/// Builds the tree of an archive.
class ArchiveReader {
 public:
  ArchiveReader(std::string path, ArchiveLimits limits)
      : path_(std::move(path)), limits_(limits), handle_(archive_read_new()) {}

  Result<std::shared_ptr<const Tree>> read();

 private:
  [[nodiscard]] bool open();
  void resolve_links();
  [[nodiscard]] Result<void> read_to_end();
  Result<void> add(archive_entry* entry);
  Result<void> inflate(Member& member);
  [[nodiscard]] std::unexpected<Error> damaged() const {
    const char* text = archive_error_string(handle_.get());
    return fail(ErrorCode::kDamaged,
                std::string("the archive cannot be read: ") + (text == nullptr ? "?" : text),
                path_);
  }

  std::string path_;
  ArchiveLimits limits_;
  std::unique_ptr<GzipSource> gzip_;  // when it is one; outlives the handle
  std::unique_ptr<archive, ReadClose> handle_;
  std::shared_ptr<Tree> tree_ = std::make_shared<Tree>();
  std::uint64_t memory_ = 0;
  std::vector<std::pair<std::string, std::string>> links_;  // names, and what they stand for
};

Result<std::shared_ptr<const Tree>> ArchiveReader::read() {
  archive* handle = handle_.get();
  archive_read_support_filter_gzip(handle);
  archive_read_support_filter_bzip2(handle);
  archive_read_support_filter_xz(handle);
  archive_read_support_format_tar(handle);
  archive_read_support_format_gnutar(handle);
  archive_read_support_format_zip(handle);
  if (!open()) return damaged();
  archive_entry* entry = nullptr;
  while (true) {
    const int state = archive_read_next_header(handle, &entry);
    if (state == ARCHIVE_EOF) break;
    if (state != ARCHIVE_OK && state != ARCHIVE_WARN) return damaged();
    if (tree_->size() >= limits_.members) {
      return fail(ErrorCode::kUnsupported, "the archive has too many members; unpack it first",
                  path_);
    }
    if (auto added = add(entry); !added) return std::unexpected(added.error());
  }
  if (auto read = read_to_end(); !read) return std::unexpected(read.error());
  resolve_links();
  return tree_;
}

// A snapshot made with hard links has files that are only links to others.
void ArchiveReader::resolve_links() {
  for (const auto& [name, target] : links_) {
    const auto found = tree_->find(target);
    tree_->insert_or_assign(name, found == tree_->end() ? Member{.missing = true} : found->second);
  }
}

bool ArchiveReader::open() {
  archive* handle = handle_.get();
  if (!path_.ends_with(".gz") && !path_.ends_with(".tgz")) {
    return archive_read_open_filename(handle, path_.c_str(), kReadBytes) == ARCHIVE_OK;
  }
  gzip_ = std::make_unique<GzipSource>(path_);
  if (!gzip_->is_open()) return false;
  return archive_read_open(handle, gzip_.get(), nullptr, read_gzip, nullptr) == ARCHIVE_OK;
}

// The checksum stands behind the last member.
Result<void> ArchiveReader::read_to_end() {
  if (!gzip_) return {};
  int got = 1;
  while (got > 0) got = gzip_->read();
  if (got == 0 && gzip_->problem() == nullptr) return {};
  return fail(ErrorCode::kDamaged,
              std::string("the archive is damaged: ") +
                  (gzip_->problem() == nullptr ? "gzip" : gzip_->problem()) +
                  "; fetch it again, what is in it cannot be trusted",
              path_);
}

// "./a//b" is a/b; a name that leaves the archive is nothing.
std::string clean_name(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, slash);
    name.remove_prefix(std::min(slash + 1, name.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..") return {};
    if (!result.empty()) result += '/';
    result += part;
  }
  return result;
}

Result<void> ArchiveReader::add(archive_entry* entry) {
  const char* raw_name = archive_entry_pathname(entry);
  const std::string name = clean_name(raw_name == nullptr ? "" : raw_name);
  if (name.empty()) return {};
  Member member{.modified_ms = static_cast<std::int64_t>(archive_entry_mtime(entry)) * 1000};
  if (archive_entry_filetype(entry) == AE_IFDIR) {
    tree_->insert_or_assign(name + "/", member);
    return {};
  }
  if (const char* target = archive_entry_hardlink(entry)) {
    links_.emplace_back(name, clean_name(target));
    return {};
  }
  if (archive_entry_filetype(entry) == AE_IFLNK) {
    const char* target = archive_entry_symlink(entry);
    const std::string_view text = target == nullptr ? "" : target;
    const std::size_t slash = name.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : name.substr(0, slash + 1);
    links_.emplace_back(name, text.starts_with('/') ? "" : clean_name(folder + std::string(text)));
    return {};
  }
  if (archive_entry_filetype(entry) != AE_IFREG) return {};
  if (auto read = inflate(member); !read) return read;
  tree_->insert_or_assign(name, std::move(member));
  return {};
}

Result<void> ArchiveReader::inflate(Member& member) {
  auto content = std::make_shared<SparseContent>();
  const void* block = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  while (true) {
    const int state = archive_read_data_block(handle_.get(), &block, &size, &offset);
    if (state == ARCHIVE_EOF) break;
    if (state != ARCHIVE_OK && state != ARCHIVE_WARN) return damaged();
    if (offset < 0) return damaged();
    if (static_cast<std::uint64_t>(offset) + size > limits_.member_bytes) {
      return fail(ErrorCode::kUnsupported,
                  "a file in the archive is too long for reading it here; unpack it first", path_);
    }
    memory_ += content->write(static_cast<std::uint64_t>(offset),
                              Bytes(static_cast<const std::byte*>(block), size));
    if (memory_ > limits_.memory_bytes) {
      return fail(ErrorCode::kUnsupported,
                  "the archive holds too much for reading it in memory; unpack it first", path_);
    }
  }
  // A sparse member ends with a hole that no block tells.
  member.size_bytes = content->size();
  member.content = std::move(content);
  return {};
}

// ---- plain tar files ----------------------------------------------------------------------------

constexpr std::size_t kTarBlock = 512;

// An octal number field; nothing when it is something else (GNU's binary form, damage).
std::optional<std::uint64_t> octal(Bytes field) {
  std::uint64_t value = 0;
  bool any = false;
  for (const std::byte b : field) {
    const auto c = static_cast<char>(b);
    if (c == '\0' || (c == ' ' && any)) break;
    if (c == ' ') continue;
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | static_cast<std::uint64_t>(c - '0');
    any = true;
  }
  return value;
}

std::string text_field(Bytes field) {
  const std::string_view text = as_text(field);
  return std::string(text.substr(0, text.find('\0')));
}

// The members of an uncompressed tar whose headers are all plain, so that its contents can be read
// where they are; nothing when libarchive has to read it.
std::shared_ptr<Tree> read_plain_tar(const ReadableFile& file) {
  auto tree = std::make_shared<Tree>();
  std::uint64_t at = 0;
  std::byte header[kTarBlock];
  while (at + kTarBlock <= file.size_bytes()) {
    const auto got = file.read_at(at, header);
    if (!got || *got != kTarBlock) return nullptr;
    if (header[0] == std::byte{0}) return tree;
    const Bytes bytes(header);
    if (as_text(bytes.subspan(257, 5)) != "ustar") return nullptr;
    const auto size = octal(bytes.subspan(124, 12));
    const auto modified = octal(bytes.subspan(136, 12));
    const char type = static_cast<char>(bytes[156]);
    if (!size || !modified || *size > file.size_bytes()) return nullptr;
    std::string name = text_field(bytes.subspan(0, 100));
    const bool gnu = as_text(bytes.subspan(257, 8)) == "ustar  ";
    const std::string prefix = gnu ? std::string() : text_field(bytes.subspan(345, 155));
    if (!prefix.empty()) name = prefix + "/" + name;
    name = clean_name(name);
    at += kTarBlock;
    Member member{.size_bytes = *size,
                  .modified_ms = static_cast<std::int64_t>(*modified) * 1000,
                  .offset = at};
    if (type == '5') {
      member.size_bytes = 0;
      if (!name.empty()) tree->insert_or_assign(name + "/", member);
    } else if (type == '0' || type == '\0') {
      if (!name.empty()) tree->insert_or_assign(name, member);
    } else {
      return nullptr;
    }
    at += (*size + kTarBlock - 1) / kTarBlock * kTarBlock;
  }
  return nullptr;
}

}  // namespace

bool is_archive_name(std::string_view name) {
  for (const std::string_view end : {".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".zip"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

Result<std::unique_ptr<ReadableDirectory>> open_archive(const std::string& path,
                                                        ArchiveLimits limits) {
  const std::size_t slash = path.rfind('/');
  auto folder = open_disk_directory(slash == std::string::npos ? "." : path.substr(0, slash + 1));
  if (!folder) return std::unexpected(folder.error());
  auto file = (*folder)->open(slash == std::string::npos ? path : path.substr(slash + 1));
  if (!file) return std::unexpected(file.error());
  std::shared_ptr<const ReadableFile> archive = std::move(*file);
  std::shared_ptr<const Tree> tree;
  if (path.ends_with(".tar")) tree = read_plain_tar(*archive);
  if (!tree) {
    auto read = ArchiveReader(path, limits).read();
    if (!read) return std::unexpected(read.error());
    tree = std::move(*read);
  }
  return std::make_unique<ArchiveDirectory>(tree, archive, path, std::string());
}

}  // namespace saranga
