#include "tools/encode/journal_choice.h"

#include <utility>

#include "tools/cli/command_line.h"

namespace saranga::encode {
namespace {
constexpr std::uint64_t kSmallestFile = 1024;
constexpr std::uint64_t kLargestFile = 0x7FFFFFFF;
}  // namespace

void add_journal_options(cli::CommandLine& line, JournalOptions& options,
                         const char* directory_text, const char* prefix_text,
                         const char* size_text) {
  line.option("--directory", options.directory, directory_text);
  line.option("--prefix", options.prefix, prefix_text);
  line.option("--suffix", options.suffix, "ending of its files: amq, bindings, jms or hq");
  line.option("--file-size", options.file_size_bytes, size_text).range(kSmallestFile, kLargestFile);
}

Result<journal::JournalKind> journal_kind(const JournalOptions& options) {
  if (!options.suffix) return journal::JournalKind::kMessages;
  const auto kind = journal::journal_kind_of("x." + *options.suffix);
  const bool finished = options.suffix->find('.') == std::string::npos;
  if (!kind || !finished) {
    return fail(ErrorCode::kInvalidArgument, "--suffix: no journal has files that end in ." +
                                                 *options.suffix +
                                                 ": expected amq, bindings, jms or hq");
  }
  return *kind;
}

cli::StoreOptions with_directory(cli::StoreOptions store, const JournalOptions& options,
                                 journal::JournalKind kind) {
  if (!options.directory) return store;
  (kind == journal::JournalKind::kMessages ? store.journal : store.bindings) = options.directory;
  return store;
}

}  // namespace saranga::encode
