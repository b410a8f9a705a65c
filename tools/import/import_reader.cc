#include "tools/import/import_reader.h"

namespace saranga::importing {

Result<void> ImportReader::choose(std::string_view piece) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  std::string_view text = piece;
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const char first = begin == std::string_view::npos ? '\0' : text[begin];
  // UTF-16, with its mark or without.
  const bool wide = piece.starts_with("\xFE\xFF") || piece.starts_with("\xFF\xFE") ||
                    piece.starts_with(std::string_view("\0<", 2)) ||
                    piece.starts_with(std::string_view("<\0", 2));
  if (first == '{') {
    archive_ = std::make_unique<store::ArchiveReader>(
        importer_,
        store::ArchiveReaderOptions{.label = options_.label, .keep_going = options_.keep_going},
        sink_);
    return {};
  }
  if (first == '<' || wide) {
    xml_ = std::make_unique<store::ExportXmlReader>(
        importer_,
        store::ExportXmlOptions{.label = options_.label,
                                .keep_going = options_.keep_going,
                                .legacy_prefixes = options_.legacy_prefixes},
        sink_);
    return {};
  }
  return fail(ErrorCode::kDamaged,
              "is no export: neither XML of `data export` or `artemis data exp`, nor an archive in "
              "JSON Lines",
              options_.label);
}

Result<void> ImportReader::feed(std::string_view piece) {
  if (archive_ == nullptr && xml_ == nullptr) {
    if (auto done = choose(piece); !done) return done;
  }
  return archive_ != nullptr ? archive_->feed(piece) : xml_->feed(piece);
}

Result<ReadExport> ImportReader::finish() {
  if (archive_ != nullptr) {
    const auto read = archive_->finish();
    if (!read) return std::unexpected(read.error());
    return ReadExport{.form = "jsonl", .left_out = read->left_out, .complete = read->complete};
  }
  if (xml_ == nullptr) return fail(ErrorCode::kDamaged, "is empty", options_.label);
  const auto read = xml_->finish();
  if (!read) return std::unexpected(read.error());
  return ReadExport{.form = "xml",
                    .left_out = read->skipped_messages + read->skipped_bindings,
                    .complete = read->complete};
}

}  // namespace saranga::importing
