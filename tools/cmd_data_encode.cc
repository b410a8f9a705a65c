#include "tools/cmd_data_encode.h"

#include <sys/stat.h>

#include "saranga/io/archive.h"
#include "tools/cli/command_line.h"
#include "tools/encode/encode_journal.h"
#include "tools/encode/journal_choice.h"

namespace saranga::cli {
namespace {

using journal::JournalFolder;
using journal::JournalKind;

constexpr const char* kVerb = "saranga data encode";

struct Options {
  VerbOptions verb;
  encode::JournalOptions journal;
};

void add_options(CommandLine& line, Options& options) {
  add_verb_options(line, options.verb, {"text"}, "text, the only one: that of Artemis");
  encode::add_journal_options(line, options.journal, "folder of the journal",
                              "accepted for Artemis' sake: every file with the suffix is read",
                              "accepted for Artemis' sake: every file has its own size");
  line.footer(
      "One line a record, in the form of `artemis data encode`; `saranga data decode` makes a "
      "journal\nof it again. STORE may also be one file. Nothing is ever written to the store.\n"
      "Exit codes: 0 clean, 1 warnings, 2 damage, 3 could not finish, 64 usage.");
}

/// What is to be written as text.
struct Subject {
  std::unique_ptr<ReadableDirectory> directory;
  JournalFolder folder;
  std::string label;
};

bool is_single_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return !path.ends_with(".xml") && !is_archive_name(path);
}

Result<Subject> open_file(VerbRun& run, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto kind = journal::journal_kind_of(name);
  if (!kind) {
    return fail(ErrorCode::kInvalidArgument,
                "not a journal file: expected .amq, .bindings, .hq or .jms", path);
  }
  auto directory =
      open_disk_directory(slash == std::string::npos ? "." : path.substr(0, slash + 1));
  if (!directory) return std::unexpected(directory.error());
  auto file = (*directory)->open(name);
  if (!file) return std::unexpected(file.error());
  auto header = journal::read_file_header(**file, name);
  if (!header) return std::unexpected(header.error());
  Subject subject{.directory = std::move(*directory),
                  .folder = {.kind = *kind, .files = {}, .odd = {}, .plan = {}},
                  .label = {}};
  if (*header) {
    subject.folder.files.push_back(std::move(**header));
  } else {
    run.findings().finding({.code = "short-file",
                            .severity = Severity::kWarning,
                            .file = name,
                            .length_bytes = (*file)->size_bytes(),
                            .text = "the file is shorter than a header; it holds no records"});
  }
  return subject;
}

// Without a suffix it is the message journal, or the only one that STORE leads to.
JournalKind chosen_kind(const Options& options, JournalKind asked, const store::StoreParts& parts) {
  const bool messages = store::is_given(*parts.journal) || !store::is_given(*parts.bindings);
  return options.journal.suffix || messages ? asked : JournalKind::kBindings;
}

Result<Subject> open_journal(VerbRun& run, const Options& options, JournalKind asked) {
  auto parts = run.open_parts();
  if (!parts) return std::unexpected(parts.error());
  const JournalKind kind = chosen_kind(options, asked, *parts);
  const bool messages = kind == JournalKind::kMessages;
  Subject subject{.directory = std::move(messages ? parts->journal : parts->bindings),
                  .folder = {},
                  .label = messages ? "journal" : "bindings"};
  if (!store::is_given(*subject.directory)) {
    return fail(ErrorCode::kInvalidArgument, "STORE does not lead to the folder of this journal");
  }
  auto folder = journal::read_folder(*subject.directory, kind, subject.label, run.findings());
  if (!folder) return std::unexpected(folder.error());
  subject.folder = std::move(*folder);
  if (const auto& suffix = options.journal.suffix) {
    std::erase_if(subject.folder.files, [&](const journal::JournalFile& file) {
      return file.name.find("." + *suffix) == std::string::npos;
    });
  }
  if (subject.folder.files.empty()) {
    run.findings().finding({.code = "journal-missing",
                            .severity = Severity::kWarning,
                            .file = subject.directory->path(),
                            .text = "there is no file of this journal here"});
  }
  return subject;
}

ExitCode run_encode(Context& context, Options options) {
  const auto kind = encode::journal_kind(options.journal);
  if (kind) options.verb.store = with_directory(options.verb.store, options.journal, *kind);
  VerbRun run(context, options.verb, kVerb);
  if (!kind) return run.fail(kind.error());
  auto subject = is_single_file(options.verb.store.store) ? open_file(run, options.verb.store.store)
                                                          : open_journal(run, options, *kind);
  if (!subject) return run.fail(subject.error());
  if (auto opened = run.open_output(); !opened) return run.fail(opened.error());
  encode::encode_journal(
      run, {.directory = *subject->directory, .folder = subject->folder, .label = subject->label});
  return run.finish([](ExitCode) {});
}

}  // namespace

ExitCode cmd_data_encode(Context& context, const std::vector<std::string>& arguments) {
  CommandLine line("Write a journal as lines of text.", kVerb);
  Options options;
  add_options(line, options);
  if (const auto code = parse_arguments(context, line, options.verb, arguments)) return *code;
  return run_encode(context, options);
}

}  // namespace saranga::cli
