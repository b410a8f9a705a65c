// Reads the XML of an export: ours, that of `artemis data exp` of every release, and that of
// HornetQ (docs/format/export-xml.md#reading).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "saranga/bytes/finding.h"
#include "saranga/store/import_target.h"

namespace saranga::store {

struct ExportXmlOptions {
  std::string label{};  ///< how errors and findings call the document
  /// Leaves out what cannot be taken and goes on; a document that is cut ends where it is cut. Both
  /// are findings then.
  bool keep_going = false;
  /// Keeps `jms.queue.` and `jms.topic.` in front of the names of a 1.x export.
  bool legacy_prefixes = false;
  /// Of a message without body file; the larger ones go to the target piece by piece.
  std::uint64_t max_body_bytes = std::uint64_t{100} << 20;
  /// Of one tag, and of the properties and queue names of a message together.
  std::uint64_t max_head_bytes = std::uint64_t{64} << 20;
};

/// What was handed on.
struct ExportXmlSummary {
  std::uint64_t addresses = 0;
  std::uint64_t queues = 0;
  std::uint64_t messages = 0;        ///< all of them
  std::uint64_t large_messages = 0;  ///< of these, the ones with a body file
  std::uint64_t skipped_bindings = 0;
  std::uint64_t skipped_messages = 0;  ///< left out: damaged, or refused by the target
  bool complete = false;               ///< the document was read to its end
};

/// Takes a document piece by piece and hands on what it holds, in its order. Names and values that
/// XML cannot hold come from the attributes that saranga adds, as UTF-8 with surrogates of three
/// bytes. A document type is refused, so there are no entities.
///
/// Findings: `export-name-unknown` for the first element or attribute of a name that has no
/// meaning here, which is passed over; `export-part-skipped` for the parts of a 1.x export that no
/// store holds; and with keep_going `export-binding-skipped`, `export-message-skipped`,
/// `export-cut`.
///
/// Memory: a message, of one with a body file its properties alone; a tag. One thread.
class SARANGA_API ExportXmlReader {
 public:
  /// `target` and `sink` must outlive the reader.
  ExportXmlReader(ImportTarget& target, ExportXmlOptions options, FindingSink& sink);
  ~ExportXmlReader();
  ExportXmlReader(const ExportXmlReader&) = delete;
  ExportXmlReader& operator=(const ExportXmlReader&) = delete;

  /// Takes the next piece of the document, cut anywhere. kDamaged names line and column of what
  /// cannot be understood; other errors are those of the target. After an error every call gives
  /// it again.
  [[nodiscard]] Result<void> feed(std::string_view piece);
  /// Ends the document. kDamaged when it was cut.
  [[nodiscard]] Result<ExportXmlSummary> finish();

 private:
  class Document;
  std::unique_ptr<Document> document_;
};

}  // namespace saranga::store
