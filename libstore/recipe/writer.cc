#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "libstore/recipe/bodies.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"
#include "saranga/paging/page_file.h"
#include "saranga/store/recipe.h"

namespace saranga::store {
namespace {

using journal::FileHeader;
using journal::JournalKind;
using journal::KindTraits;
using journal::Record;
using journal::RecordKind;

constexpr std::size_t kPieceBytes = 57;       // of bytes in a line
constexpr std::size_t kChunkBytes = 57 * 64;  // read at once
constexpr std::size_t kFewZeros = 16;         // in a row are written as any other bytes
constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

Result<void> check_name(std::string_view path) {
  if (Text(path).well_formed()) return {};
  return fail(ErrorCode::kUnsupported, "the name is no UTF-8 and cannot stand in a recipe",
              std::string(path));
}

/// Writes the recipe of one file, front to back.
class FileWriter {
 public:
  FileWriter(const ReadableFile& file, const RecipeSink& sink) : file_(file), sink_(sink) {}

  [[nodiscard]] Result<void> write(std::string_view path) {
    if (auto named = check_name(path); !named) return named;
    const std::size_t slash = path.rfind('/');
    const std::string_view name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    const auto kind = name == journal::kControlFileName ? std::optional(JournalKind::kMessages)
                                                        : journal::journal_kind_of(name);
    Result<void> written;
    if (kind && file_.size_bytes() >= journal::kHeaderBytes) {
      written = write_journal(path, *kind);
    } else if (name.ends_with(".page")) {
      written = write_page(path);
    } else {
      begin("file", path);
      out_.put('\n');
      written = write_plain(file_.size_bytes());
    }
    if (!written) return written;
    out_.put('\n');
    flush();
    return {};
  }

 private:
  void begin(std::string_view verb, std::string_view path) {
    out_.put(verb);
    out_.put(' ');
    (void)put_text(out_, Text(path));
  }
  void flush() {
    if (wanted_) wanted_ = sink_(out_);
    out_.clear();
  }
  void flush_if_full() {
    if (out_.size() >= kFlushBytes) flush();
  }

  // Everything from the present position to `end` as bytes, in rows of zeros and lines of others.
  [[nodiscard]] Result<void> write_plain(std::uint64_t end) {
    std::vector<std::byte> chunk(kChunkBytes);
    std::uint64_t zeros = 0;
    while (at_ < end && wanted_) {
      const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(end - at_, chunk.size()));
      const auto got = file_.read_at(at_, std::span(chunk).first(want));
      if (!got) return std::unexpected(got.error());
      if (*got == 0) break;  // a live file has been cut meanwhile
      Bytes rest(chunk.data(), *got);
      at_ += *got;
      while (!rest.empty()) {
        const auto other =
            std::ranges::find_if(rest, [](std::byte b) { return b != std::byte{0}; });
        const auto count = static_cast<std::size_t>(other - rest.begin());
        zeros += count;
        rest = rest.subspan(count);
        if (rest.empty()) break;
        put_zeros(zeros);
        zeros = 0;
        put_line(rest);
      }
      flush_if_full();
    }
    put_zeros(zeros);
    return {};
  }
  void put_zeros(std::uint64_t count) {
    if (count != 0) out_.put(fmt::format("  zeros {}\n", count));
  }
  // A line of the bytes up to a long row of zeros.
  void put_line(Bytes& rest) {
    std::size_t size = std::min(rest.size(), kPieceBytes);
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < size; ++i) {
      zeros = rest[i] == std::byte{0} ? zeros + 1 : 0;
      if (zeros == kFewZeros) size = i + 1 - kFewZeros;
    }
    out_.put("  bytes ");
    put_bytes(out_, rest.first(size));
    out_.put('\n');
    rest = rest.subspan(size);
  }

  [[nodiscard]] Result<void> write_journal(std::string_view path, JournalKind kind) {
    std::byte bytes[journal::kHeaderBytes];
    const auto got = file_.read_at(0, bytes);
    if (!got) return std::unexpected(got.error());
    if (*got < sizeof bytes) return fail(ErrorCode::kIo, "has become shorter", std::string(path));
    header_ = journal::parse_header(bytes);
    begin("journal", path);
    out_.put(fmt::format(" id={} size={}", header_.id, file_.size_bytes()));
    if (header_.format_version != journal::kFormatVersion) {
      out_.put(fmt::format(" version={}", header_.format_version));
    }
    if (header_.user_version != 0) out_.put(fmt::format(" user_version={}", header_.user_version));
    out_.put('\n');
    at_ = journal::kHeaderBytes;
    // A header that nothing can be read by leaves nothing but bytes.
    if (!header_.readable()) return write_plain(file_.size_bytes());
    journal::FileScanner scanner(file_, header_, {.reclaimed = true});
    for (journal::Batch batch; wanted_;) {
      const auto more = scanner.next(batch);
      if (!more) return std::unexpected(more.error());
      if (!*more) break;
      for (const Record& record : batch.records) {
        if (auto written = write_record(record, kind); !written) return written;
        flush_if_full();
      }
    }
    return write_end(scanner);
  }

  // The zeros up to the size that the first line says need no line of their own.
  [[nodiscard]] Result<void> write_end(const journal::FileScanner& scanner) {
    const bool fill = scanner.gaps().empty() || scanner.gaps().back().offset < at_;
    if (!fill) return write_plain(file_.size_bytes());
    std::vector<std::byte> chunk(kFlushBytes);
    for (std::uint64_t at = at_; at < file_.size_bytes();) {
      const auto got = file_.read_at(at, chunk);
      if (!got) return std::unexpected(got.error());
      if (*got == 0) break;
      const bool zeros = std::ranges::all_of(std::span(chunk).first(*got),
                                             [](std::byte b) { return b == std::byte{0}; });
      if (!zeros) return write_plain(file_.size_bytes());
      at += *got;
    }
    return {};
  }

  [[nodiscard]] Result<void> write_record(const Record& record, JournalKind kind) {
    if (record.offset < at_) return {};  // inside of another, whose bytes have been written
    if (auto plain = write_plain(record.offset); !plain) return plain;
    // The kind of life is told by each record that is not of the present one.
    const bool present = record.tag == header_.tag();
    const KindTraits& made_of = journal::traits(record.kind);
    std::string_view verb = made_of.name;
    if (verb.ends_with("_tx")) verb.remove_suffix(3);
    out_.put("  ");
    out_.put(verb);
    if (made_of.has_id) out_.put(fmt::format(" {}", record.id));
    if (made_of.has_user_type) put_record_type(out_, record.user_type, kind);
    if (made_of.has_tx) out_.put(fmt::format(" tx={}", record.tx_id));
    if (made_of.has_number) out_.put(fmt::format(" records={}", record.number));
    if (record.compact_count != 0) out_.put(fmt::format(" compact={}", record.compact_count));
    if (!present) out_.put(fmt::format(" tag={}", record.tag));
    if (record.kind == RecordKind::kPrepare) {
      put_xid_body(out_, record.body);
    } else if (record.kind == RecordKind::kDeleteTx) {
      if (!record.body.empty()) {
        out_.put(' ');
        put_bytes(out_, record.body);
      }
    } else if (made_of.has_body) {
      put_body(out_, record.body,
               {.journal = kind,
                .user_type = record.user_type,
                .is_update = record.is_update(),
                .record_id = record.id});
    }
    out_.put('\n');
    at_ = record.offset + record.length_bytes;
    return {};
  }

  [[nodiscard]] Result<void> write_page(std::string_view path) {
    begin("page", path);
    out_.put('\n');
    paging::PageScanner scanner(file_);
    for (paging::PageEntry entry; wanted_;) {
      const auto more = scanner.next(entry);
      if (!more) return std::unexpected(more.error());
      if (!*more) break;
      if (auto plain = write_plain(entry.offset); !plain) return plain;
      out_.put("  entry");
      put_page_payload(out_, entry.payload);
      out_.put('\n');
      at_ = entry.offset + entry.payload.size() + paging::kFrameBytes;
      flush_if_full();
    }
    return write_plain(file_.size_bytes());
  }

  const ReadableFile& file_;
  const RecipeSink& sink_;
  TextBuffer out_;
  FileHeader header_;
  std::uint64_t at_ = 0;  // everything in front of it has been written
  bool wanted_ = true;
};

}  // namespace

Result<void> write_recipe(const ReadableFile& file, std::string_view path, const RecipeSink& sink) {
  return FileWriter(file, sink).write(path);
}

Result<void> write_recipe(const ReadableDirectory& folder, std::string_view path,
                          const RecipeSink& sink) {
  const auto entries = folder.list();
  if (!entries) return std::unexpected(entries.error());
  if (auto named = check_name(path); !named) return named;
  TextBuffer head;
  head.put("folder ");
  (void)put_text(head, Text(path));
  head.put("\n\n");
  if (!sink(head)) return {};
  for (const DirectoryEntry& entry : *entries) {
    if (entry.unreadable) continue;
    const std::string below = std::string(path) + "/" + entry.name;
    Result<void> written;
    if (entry.is_directory) {
      const auto directory = folder.open_directory(entry.name);
      if (!directory) return std::unexpected(directory.error());
      written = write_recipe(**directory, below, sink);
    } else {
      const auto file = folder.open(entry.name);
      if (!file) return std::unexpected(file.error());
      written = write_recipe(**file, below, sink);
    }
    if (!written) return written;
  }
  return {};
}

}  // namespace saranga::store
