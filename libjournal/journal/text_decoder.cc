#include "saranga/journal/text_decoder.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "libjournal/journal/file_pool.h"
#include "saranga/bytes/base64.h"
#include "saranga/bytes/id_hash.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/journal_text.h"

namespace saranga::journal {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::uint64_t kSmallestFile = 1024;
constexpr std::uint64_t kLargestFile = 0x7FFFFFFF;
constexpr std::size_t kFieldsCharacters = 512;  // more than the fields of a line take without body
constexpr std::size_t kNameCharacters = 255;
constexpr std::size_t kToldCharacters = 80;  // of a name that cannot be one

// A name as a finished file has it.
std::string_view without_suffix(std::string_view name) {
  for (const std::string_view suffix : {".bkp", ".cmp"}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

std::string_view extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

// What stands in front of the first number: "activemq-data" of activemq-data-20260102030405-17.amq.
std::string_view prefix_of(std::string_view name) {
  for (std::size_t at = name.find('-'); at != std::string_view::npos; at = name.find('-', at + 1)) {
    if (at + 1 < name.size() && name[at + 1] >= '0' && name[at + 1] <= '9') {
      return name.substr(0, at);
    }
  }
  return {};
}

std::string_view usual_prefix(std::string_view extension) {
  if (extension == "bindings") return "activemq-bindings";
  if (extension == "jms") return "activemq-jms";
  return extension == "hq" ? "hornetq-data" : "activemq-data";
}

// Whether a file may be called like that: nothing that leads out of the folder or hides in it, and
// no character that would not stand in its text again.
bool usable(std::string_view name) {
  return !name.empty() && name.size() <= kNameCharacters && name.front() != '.' &&
         std::ranges::none_of(name, [](char c) { return c == '/' || (c >= 0 && c < ' '); });
}

// A name as a message may have it: one line, not too long.
std::string told(std::string_view name) {
  std::string text(name.substr(0, kToldCharacters));
  std::ranges::replace_if(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, '?');
  return "'" + text + (text.size() < name.size() ? "…'" : "'");
}

}  // namespace

/// The files that are written.
class TextDecoder::Files {
 public:
  Files(WritableDirectory& directory, TextDecoderOptions options, FindingSink& sink)
      : directory_(directory),
        options_(std::move(options)),
        sink_(sink),
        names_given_(options_.prefix || options_.extension) {}

  [[nodiscard]] const TextDecoderOptions& options() const { return options_; }
  [[nodiscard]] Result<void> check_options() const;
  [[nodiscard]] Result<void> begin(const TextFile& wanted, std::uint64_t line);
  [[nodiscard]] Result<void> append(RecordFields fields, Bytes body, std::uint64_t line);
  [[nodiscard]] Result<void> finish();
  [[nodiscard]] std::uint64_t count() const { return used_names_.size() + unnamed_.size(); }

 private:
  // How many records of a transaction stand in the file of the text, and in the one written.
  struct Count {
    std::int32_t read = 0;
    std::int32_t written = 0;
    std::int64_t written_id = 0;  // of the file that `written` counts in
  };

  // A file whose name is found out at the end.
  struct Unnamed {
    std::string temporary;
    std::string wanted;  // as it is told; empty when that is nobody's question
    std::uint64_t line = 0;
    bool taken = false;  // by another file, and nothing else is wrong with it
  };

  [[nodiscard]] Result<void> open(std::string_view name, std::int64_t id);
  void tell_renamed(const Unnamed& file, std::string_view name);
  [[nodiscard]] Result<void> close();
  [[nodiscard]] Result<void> flush();
  void settle_names(std::string_view name);
  [[nodiscard]] std::int32_t number_for(const RecordFields& fields, std::uint64_t line);
  void count(std::int64_t tx_id);
  [[nodiscard]] static std::unexpected<Error> no_higher_id() {
    return fail(ErrorCode::kDamaged, "there is no higher file id left");
  }
  [[nodiscard]] std::string file_name(std::uint64_t number) const {
    return *options_.prefix + "-" + std::to_string(number) + "." + *options_.extension;
  }

  WritableDirectory& directory_;
  TextDecoderOptions options_;
  FindingSink& sink_;
  std::unique_ptr<WritableFile> file_;
  std::vector<std::byte> buffer_;  // bytes of the file that are not written yet
  std::uint64_t written_ = 0;      // bytes of the file in front of them
  std::int64_t id_ = 0;            // of the last file
  std::set<std::string, std::less<>> used_names_;
  std::vector<Unnamed> unnamed_;  // files that get a name when all names of the text are known
  std::int64_t last_number_ = 0;  // the greatest in a name of the text, or 0
  bool names_given_ = false;      // by the caller: then those of the text count as far as they fit
  IdMap<Count> counts_;
};

Result<void> TextDecoder::Files::check_options() const {
  if (options_.file_size_bytes < kSmallestFile || options_.file_size_bytes > kLargestFile) {
    return fail(ErrorCode::kInvalidArgument,
                "the size of files must be from 1024 to 2147483647 bytes");
  }
  if (options_.prefix && !usable(*options_.prefix)) {
    return fail(ErrorCode::kInvalidArgument, "the prefix cannot begin the name of a file");
  }
  if (options_.extension && !journal_kind_of("x." + *options_.extension)) {
    return fail(ErrorCode::kInvalidArgument,
                "the suffix of journal files is amq, bindings, jms or hq");
  }
  return {};
}

// The first file of the text says what all are called, unless the caller does.
void TextDecoder::Files::settle_names(std::string_view name) {
  if (options_.prefix && options_.extension) return;
  const std::string_view extension = extension_of(name);
  const bool known = !extension.empty() && journal_kind_of("x." + std::string(extension));
  if (!options_.extension) options_.extension = known ? extension : "amq";
  if (options_.prefix) return;
  const std::string_view prefix = known && usable(name) ? prefix_of(name) : std::string_view();
  options_.prefix = prefix.empty() ? usual_prefix(*options_.extension) : prefix;
}

Result<void> TextDecoder::Files::begin(const TextFile& wanted, std::uint64_t line) {
  const std::string_view name = without_suffix(wanted.name);
  settle_names(name);
  const bool fits = usable(name) && name.starts_with(*options_.prefix + "-") &&
                    name.ends_with("." + *options_.extension);
  const bool keep = fits && !used_names_.contains(name);
  std::int64_t id = wanted.id;
  if (id <= id_) {
    if (id_ == INT64_MAX) return no_higher_id();
    id = id_ + 1;
    sink_.finding({.code = "file-renumbered",
                   .severity = Severity::kInfo,
                   .file = options_.label,
                   .text = "line " + std::to_string(line) + ": file id " +
                           std::to_string(wanted.id) + " does not ascend; " + std::to_string(id) +
                           " is written instead"});
  }
  counts_.clear();
  if (auto opened = open(keep ? name : std::string_view(), id); !opened) return opened;
  if (keep || (names_given_ && usable(name))) return {};
  Unnamed& unnamed = unnamed_.back();
  unnamed.wanted = told(wanted.name);
  unnamed.line = line;
  unnamed.taken = fits;
  return {};
}

Result<void> TextDecoder::Files::open(std::string_view name, std::int64_t id) {
  if (auto closed = close(); !closed) return closed;
  std::string called(name);
  if (name.empty()) {
    called = "unnamed-" + std::to_string(unnamed_.size()) + ".tmp";
    unnamed_.push_back({.temporary = called, .wanted = {}});
  } else {
    used_names_.insert(called);
    last_number_ = std::max(last_number_, name_number(name));
  }
  auto created = directory_.create(called);
  if (!created) return std::unexpected(created.error());
  file_ = std::move(*created);
  id_ = id;
  written_ = 0;
  buffer_.assign(kHeaderBytes, std::byte{0});
  store_be(buffer_.data(), kFormatVersion);
  store_be(buffer_.data() + 8, id);
  return {};
}

Result<void> TextDecoder::Files::flush() {
  if (auto written = file_->write_at(written_, buffer_); !written) return written;
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

Result<void> TextDecoder::Files::close() {
  if (!file_) return {};
  if (auto flushed = flush(); !flushed) return flushed;
  if (auto filled = write_zeros(*file_, written_, options_.file_size_bytes); !filled) return filled;
  if (auto synced = file_->sync_data(); !synced) return synced;
  file_.reset();
  return {};
}

void TextDecoder::Files::count(std::int64_t tx_id) {
  Count& count = counts_[tx_id];
  if (count.written_id != id_) count.written = 0;
  count.written_id = id_;
  ++count.read;
  ++count.written;
}

// A number that was right in the text is right in the file, and one that was wrong stays so: the
// broker that finds it drops the transaction in both.
std::int32_t TextDecoder::Files::number_for(const RecordFields& fields, std::uint64_t line) {
  const auto found = counts_.find(fields.tx_id);
  const Count count = found == counts_.end() ? Count{} : found->second;
  const std::int32_t written = count.written_id == id_ ? count.written : 0;
  if (fields.kind == RecordKind::kCommit && found != counts_.end()) counts_.erase(found);
  if (count.read == fields.number) return written;
  sink_.finding({.code = "transaction-incomplete",
                 .severity = Severity::kWarning,
                 .file = options_.label,
                 .id = fields.tx_id,
                 .text = "line " + std::to_string(line) + ": transaction " +
                         std::to_string(fields.tx_id) + " is said to have " +
                         std::to_string(fields.number) + " records in this file, the text has " +
                         std::to_string(count.read) + "; a broker will drop it"});
  const std::int64_t number = std::int64_t{fields.number} - count.read + written;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(number, INT32_MIN, INT32_MAX));
}

Result<void> TextDecoder::Files::append(RecordFields fields, Bytes body, std::uint64_t line) {
  if (id_ == 0 && !file_) {
    settle_names({});
    if (auto opened = open(file_name(1), 1); !opened) return opened;
  }
  const std::uint64_t length = encoded_bytes(fields.kind, body.size());
  if (kHeaderBytes + length > options_.file_size_bytes) {
    return fail(ErrorCode::kDamaged, "the record of " + std::to_string(length) +
                                         " bytes does not fit into a file of " +
                                         std::to_string(options_.file_size_bytes));
  }
  if (written_ + buffer_.size() + length > options_.file_size_bytes) {
    if (id_ == INT64_MAX) return no_higher_id();
    if (auto opened = open({}, id_ + 1); !opened) return opened;
  }
  fields.tag = FileHeader{.id = id_}.tag();
  if (traits(fields.kind).has_number) {
    fields.number = number_for(fields, line);
  } else if (fields.kind == RecordKind::kRollback) {
    counts_.erase(fields.tx_id);
  } else if (traits(fields.kind).has_tx) {
    count(fields.tx_id);
  }
  const std::size_t at = buffer_.size();
  buffer_.resize(at + static_cast<std::size_t>(length));
  encode_record(fields, std::span(&body, 1), std::span(buffer_).subspan(at));
  return buffer_.size() < kBufferBytes ? Result<void>{} : flush();
}

Result<void> TextDecoder::Files::finish() {
  if (auto closed = close(); !closed) return closed;
  auto number = static_cast<std::uint64_t>(last_number_);
  for (const Unnamed& file : unnamed_) {
    std::string name = file_name(++number);
    while (used_names_.contains(name)) name = file_name(++number);
    if (auto renamed = directory_.rename(file.temporary, name); !renamed) return renamed;
    if (!file.wanted.empty()) tell_renamed(file, name);
  }
  return {};
}

// Two texts in a row have the same names: nothing is odd about that.
void TextDecoder::Files::tell_renamed(const Unnamed& file, std::string_view name) {
  sink_.finding({.code = "file-renamed",
                 .severity = file.taken ? Severity::kInfo : Severity::kWarning,
                 .file = options_.label,
                 .text = "line " + std::to_string(file.line) + ": a file called " + file.wanted +
                         (file.taken ? " is there already"
                                     : " cannot be one of this journal, whose files are " +
                                           *options_.prefix + "-NUMBER." + *options_.extension) +
                         "; it is written as " + std::string(name)});
}

/// The lines of the text, one after the other.
class TextDecoder::Lines {
 public:
  Lines(WritableDirectory& directory, TextDecoderOptions options, FindingSink& sink)
      : files_(directory, std::move(options), sink) {}

  [[nodiscard]] Result<void> feed(std::string_view piece) {
    if (auto checked = check_once(); !checked) return checked;
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      if (carry_.size() + std::min(end, piece.size()) > longest()) return too_long();
      if (end == std::string_view::npos) {
        carry_ += piece;
        return {};
      }
      std::string_view line = piece.substr(0, end);
      if (!carry_.empty()) line = carry_ += line;
      ++done_.lines;
      if (auto taken = take(line); !taken) return taken;
      carry_.clear();
      piece.remove_prefix(end + 1);
    }
    return {};
  }

  [[nodiscard]] Result<DecodedText> finish() {
    if (auto checked = check_once(); !checked) return std::unexpected(checked.error());
    if (!carry_.empty()) {
      ++done_.lines;
      return wrong({.column = carry_.size() + 1,
                    .text = "the last line has no end: the text may have been cut; add a line end "
                            "if it is whole"});
    }
    if (auto named = files_.finish(); !named) return std::unexpected(named.error());
    done_.files = files_.count();
    if (done_.files == 0) {
      return fail(ErrorCode::kDamaged, "the text is empty: no file and no record in it",
                  files_.options().label);
    }
    return done_;
  }

 private:
  [[nodiscard]] Result<void> check_once() {
    if (std::exchange(checked_, true)) return {};
    return files_.check_options();
  }
  // In characters; four of base64 hold three bytes.
  [[nodiscard]] std::size_t longest() const {
    return static_cast<std::size_t>(files_.options().file_size_bytes) / 3 * 4 + kFieldsCharacters;
  }
  [[nodiscard]] std::unexpected<Error> wrong(const TextProblem& problem) const {
    return fail(ErrorCode::kDamaged,
                "line " + std::to_string(done_.lines) + ", column " +
                    std::to_string(problem.column) + ": " + problem.text,
                files_.options().label);
  }
  [[nodiscard]] std::unexpected<Error> too_long() {
    ++done_.lines;
    return wrong({.column = longest() + 1,
                  .text = "the line is longer than any record in a file of " +
                          std::to_string(files_.options().file_size_bytes) +
                          " bytes; larger ones need --file-size"});
  }

  [[nodiscard]] Result<void> take(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto parsed = parse_text_line(line);
    if (!parsed) return wrong(parsed.error());
    if (const auto* file = std::get_if<TextFile>(&*parsed)) {
      return files_.begin(*file, done_.lines);
    }
    if (const auto* record = std::get_if<TextRecord>(&*parsed)) return take_record(*record);
    return {};
  }

  [[nodiscard]] Result<void> take_record(const TextRecord& record) {
    body_.clear();
    const auto decoded = append_base64_bytes(body_, record.body, Base64Alphabet::kUrl);
    if (!decoded) {
      return wrong({.column = record.body_column + decoded.error(),
                    .text = decoded.error() == record.body.size()
                                ? "base64 ends in the middle: the line is cut"
                                : "no base64 as it is expected here: A-Z a-z 0-9 - _ and = at the "
                                  "end"});
    }
    if (record.length_bytes && *record.length_bytes != body_.size()) {
      return wrong({.column = record.body_column,
                    .text = "length says " + std::to_string(*record.length_bytes) +
                            " bytes, data holds " + std::to_string(body_.size())});
    }
    ++done_.records;
    auto appended = files_.append(record.fields, body_, done_.lines);
    if (!appended && appended.error().code == ErrorCode::kDamaged) {
      return wrong({.column = 1, .text = appended.error().text});
    }
    return appended;
  }

  Files files_;
  std::string carry_;            // the beginning of a line
  std::vector<std::byte> body_;  // of the record at hand
  DecodedText done_;
  bool checked_ = false;
};

TextDecoder::TextDecoder(WritableDirectory& directory, TextDecoderOptions options,
                         FindingSink& sink)
    : lines_(std::make_unique<Lines>(directory, std::move(options), sink)) {}

TextDecoder::~TextDecoder() = default;

Result<void> TextDecoder::feed(std::string_view piece) { return lines_->feed(piece); }

Result<DecodedText> TextDecoder::finish() { return lines_->finish(); }

}  // namespace saranga::journal
