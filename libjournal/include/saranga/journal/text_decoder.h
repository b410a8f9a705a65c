// A journal folder made from its text form: what journal_text.h reads, as files
// (docs/format/journal.md#text-form).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/bytes/finding.h"
#include "saranga/io/writable_directory.h"

namespace saranga::journal {

struct TextDecoderOptions {
  /// Of the names of files. Unset: as in the text; and when that has none, `activemq-data`, or what
  /// a broker uses with the extension.
  std::optional<std::string> prefix{};
  /// Unset: as in the text; and when that names no file, `amq`.
  std::optional<std::string> extension{};
  std::uint64_t file_size_bytes = 10'485'760;  ///< from 1024 to 2^31 - 1
  std::string label{};                         ///< how errors and findings call the text
};

/// What was written.
struct DecodedText {
  std::uint64_t lines = 0;
  std::uint64_t files = 0;
  std::uint64_t records = 0;
};

/// Writes a file for each line that begins one, with the name and the header id that it says, and
/// goes on in another file when one is full. Ids that do not ascend are replaced by ones that do,
/// and names that no file of this journal can have, or one has already, by free ones; both are
/// told. The number of records in a PREPARE or COMMIT stays as right or as wrong as it is in the
/// text. Nothing of a journal has to make sense: updates of unknown ids are written like any other.
///
/// Memory: a line, which cannot be longer than a record in a file, and a few bytes for each
/// transaction that is open. One thread.
class SARANGA_API TextDecoder {
 public:
  /// `directory` must be empty; it and `sink` must outlive the decoder.
  TextDecoder(WritableDirectory& directory, TextDecoderOptions options, FindingSink& sink);
  ~TextDecoder();
  TextDecoder(const TextDecoder&) = delete;
  TextDecoder& operator=(const TextDecoder&) = delete;

  /// Takes the next piece of the text, cut anywhere. kDamaged names line and column of what cannot
  /// be understood; after an error nothing more may be called.
  [[nodiscard]] Result<void> feed(std::string_view piece);
  /// Ends the text, and syncs every file; the folder itself is left to the caller. kDamaged when
  /// the last line has no end, because then the text may have been cut.
  [[nodiscard]] Result<DecodedText> finish();

 private:
  class Lines;
  class Files;
  std::unique_ptr<Lines> lines_;
};

}  // namespace saranga::journal
