#include "tools/import/import_reader.h"

namespace saranga::importing {

Result<void> ImportReader::choose(std::string_view piece) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (piece.starts_with(kMark)) piece.remove_prefix(kMark.size());
  const std::size_t begin = piece.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && piece[begin] == '{') {
    archive_ = std::make_unique<store::ArchiveReader>(
        importer_,
        store::ArchiveReaderOptions{.label = options_.label, .keep_going = options_.keep_going},
        sink_);
    return {};
  }
  return fail(ErrorCode::kDamaged,
              "is no export: neither XML of `data export` nor an archive in JSON Lines",
              options_.label);
}

Result<void> ImportReader::feed(std::string_view piece) {
  if (archive_ == nullptr) {
    if (auto done = choose(piece); !done) return done;
  }
  return archive_->feed(piece);
}

Result<ReadExport> ImportReader::finish() {
  if (archive_ == nullptr) return fail(ErrorCode::kDamaged, "is empty", options_.label);
  const auto read = archive_->finish();
  if (!read) return std::unexpected(read.error());
  return ReadExport{.form = "jsonl", .left_out = read->left_out, .complete = read->complete};
}

}  // namespace saranga::importing
