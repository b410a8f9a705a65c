// Reading an export of whichever form it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "saranga/store/archive_reader.h"
#include "saranga/store/export_xml_reader.h"
#include "saranga/store/importer.h"

namespace saranga::importing {

struct ReaderOptions {
  std::string label;  ///< what messages call the input
  bool keep_going = false;
  bool legacy_prefixes = false;  ///< see store::ExportXmlOptions
};

/// What an export held, whichever its form.
struct ReadExport {
  std::string_view form;  ///< "jsonl" or "xml", a constant
  std::uint64_t left_out = 0;
  bool complete = true;
};

/// Takes an export in pieces, and tells by its first character what it is. One thread.
class ImportReader {
 public:
  /// What it refers to must outlive it.
  ImportReader(store::StoreImporter& importer, ReaderOptions options, FindingSink& sink)
      : importer_(importer), options_(std::move(options)), sink_(sink) {}

  [[nodiscard]] Result<void> feed(std::string_view piece);
  [[nodiscard]] Result<ReadExport> finish();

 private:
  [[nodiscard]] Result<void> choose(std::string_view piece);

  store::StoreImporter& importer_;
  ReaderOptions options_;
  FindingSink& sink_;
  std::unique_ptr<store::ArchiveReader> archive_;  // one of the two
  std::unique_ptr<store::ExportXmlReader> xml_;
};

}  // namespace saranga::importing
