#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "libstore/recipe/bodies.h"
#include "saranga/bytes/encoder.h"
#include "saranga/bytes/id_hash.h"
#include "saranga/journal/folder.h"
#include "saranga/journal/record_encoder.h"
#include "saranga/store/recipe.h"

namespace saranga::store {
namespace {

using journal::JournalKind;
using journal::KindTraits;
using journal::RecordKind;

constexpr std::int64_t kUsualSize = 8192;
constexpr std::size_t kLongestPath = 1024;
constexpr std::size_t kCompactOffset = 5;  // of the byte that format version 1 does not have

// A path below the folder: names between slashes, none of which leads elsewhere.
bool usable(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    const bool odd = std::ranges::any_of(name, [](char c) { return c == '\0' || c == '\n'; });
    if (name.empty() || name == "." || name == ".." || odd) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

/// The files of the store, one at a time.
class RecipeBuilder::Files {
 public:
  Files(WritableDirectory& directory, const RecipeOptions& options)
      : directory_(directory), options_(options) {}

  /// Carries out one line. A failure of the system ends up in system_error().
  [[nodiscard]] Parsed<void> take(Word verb, Arguments& arguments);
  /// Writes the last file.
  [[nodiscard]] Parsed<void> close(Word at);
  [[nodiscard]] const std::optional<Error>& system_error() const { return system_error_; }
  [[nodiscard]] std::uint64_t files() const { return sizes_.size(); }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [name, size] : sizes_) sum += size;
    return sum;
  }

 private:
  using Outcome = Parsed<void>;
  using Step = Outcome (Files::*)(Word verb, Arguments& arguments);
  enum class Form : std::uint8_t { kNone, kJournal, kPage, kPlain };
  struct Verb {
    std::string_view name;
    Step step;
    bool in_file;  // it belongs to the file that was begun last
  };
  struct Change {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
    bool flip = false;
  };
  static const Verb kVerbs[];

  Outcome folder(Word verb, Arguments& arguments);
  Outcome begin_journal(Word verb, Arguments& arguments);
  Outcome begin_page(Word verb, Arguments& arguments);
  Outcome begin_plain(Word verb, Arguments& arguments);
  Outcome begin_again(Word verb, Arguments& arguments);
  Outcome without(Word verb, Arguments& arguments);
  Outcome bytes(Word verb, Arguments& arguments);
  Outcome zeros(Word verb, Arguments& arguments);
  Outcome at(Word verb, Arguments& arguments);
  Outcome cut(Word verb, Arguments& arguments);
  Outcome change(Word verb, Arguments& arguments);
  Outcome life(Word verb, Arguments& arguments);
  Outcome record(Word verb, Arguments& arguments);
  Outcome control(Word verb, Arguments& arguments);
  Outcome entry(Word verb, Arguments& arguments);

  [[nodiscard]] Outcome begin(Word verb, Arguments& arguments, Form form);
  [[nodiscard]] Outcome read_sizes(Arguments& arguments, std::int64_t usual_size);
  [[nodiscard]] Outcome make_folders(Word path);
  [[nodiscard]] Outcome remove_file(Word verb, const std::string& name);
  [[nodiscard]] Parsed<journal::RecordFields> read_fields(Arguments& arguments,
                                                          const KindTraits& kind);
  [[nodiscard]] Outcome put_record(Word verb, Arguments& arguments,
                                   const journal::RecordFields& fields, Bytes body);
  [[nodiscard]] Outcome make_room(Word verb, std::uint64_t size);
  [[nodiscard]] Outcome append(Word verb, Bytes bytes);
  [[nodiscard]] Outcome extend(Word verb, std::uint64_t size);
  [[nodiscard]] Outcome fail_system(Word verb, Error error) {
    system_error_ = std::move(error);
    return verb.problem(system_error_->text);
  }

  WritableDirectory& directory_;
  const RecipeOptions& options_;
  std::map<std::string, std::uint64_t, std::less<>> sizes_;  // of the files so far
  std::set<std::string, std::less<>> folders_;
  std::optional<Error> system_error_;

  // Of the file at hand.
  Form form_ = Form::kNone;
  std::string name_;
  JournalKind kind_ = JournalKind::kMessages;
  std::int32_t version_ = journal::kFormatVersion;
  std::int64_t life_ = 0;  // the header id whose tag records get
  std::byte fill_{0};
  std::uint64_t size_ = 0;  // at least
  std::vector<std::byte> content_;
  std::vector<Change> changes_;
  std::optional<std::uint64_t> cut_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> counts_;  // by life, transaction
};

const RecipeBuilder::Files::Verb RecipeBuilder::Files::kVerbs[] = {
    {"folder", &Files::folder, false},
    {"journal", &Files::begin_journal, false},
    {"page", &Files::begin_page, false},
    {"file", &Files::begin_plain, false},
    {"change", &Files::begin_again, false},
    {"without", &Files::without, false},
    {"bytes", &Files::bytes, true},
    {"zeros", &Files::zeros, true},
    {"at", &Files::at, true},
    {"cut", &Files::cut, true},
    {"put", &Files::change, true},
    {"flip", &Files::change, true},
    {"life", &Files::life, true},
    {"control", &Files::control, true},
    {"entry", &Files::entry, true},
    {"event", &Files::record, true},
    {"add", &Files::record, true},
    {"update", &Files::record, true},
    {"delete", &Files::record, true},
    {"prepare", &Files::record, true},
    {"commit", &Files::record, true},
    {"rollback", &Files::record, true}};

Parsed<void> RecipeBuilder::Files::take(Word verb, Arguments& arguments) {
  const auto* known = std::ranges::find(kVerbs, verb.text, &Verb::name);
  if (known == std::end(kVerbs)) {
    return verb.problem(fmt::format("'{:.40}' is nothing that a recipe says", verb.text));
  }
  if (known->in_file && form_ == Form::kNone) {
    return verb.problem("stands in front of every file: begin with journal, page or file");
  }
  if (auto done = (this->*known->step)(verb, arguments); !done) return done;
  return arguments.finish();
}

// ---- files --------------------------------------------------------------------------------------

Parsed<void> RecipeBuilder::Files::make_folders(Word path) {
  for (std::size_t at = path.text.find('/'); at != std::string_view::npos;
       at = path.text.find('/', at + 1)) {
    const std::string folder(path.text.substr(0, at));
    if (sizes_.contains(folder)) return path.problem(folder + " is a file of this recipe");
    if (!folders_.insert(folder).second) continue;
    if (auto made = directory_.create_directory(folder); !made) {
      return fail_system(path, made.error());
    }
  }
  return {};
}

Parsed<void> RecipeBuilder::Files::folder(Word verb, Arguments& arguments) {
  if (auto closed = close(verb); !closed) return closed;
  const auto word = arguments.next("the path of the folder");
  if (!word) return std::unexpected(word.error());
  const auto path = read_text(*word);
  if (!path) return std::unexpected(path.error());
  if (!usable(*path)) return word->problem("expected a path below the store, as journal");
  const std::string below = *path + "/";
  return make_folders({.text = below, .column = word->column});
}

Parsed<void> RecipeBuilder::Files::begin(Word verb, Arguments& arguments, Form form) {
  if (auto closed = close(verb); !closed) return closed;
  const auto word = arguments.next("the path of the file");
  if (!word) return std::unexpected(word.error());
  auto path = read_text(*word);
  if (!path) return std::unexpected(path.error());
  if (!usable(*path)) {
    return word->problem("expected a path below the store, as journal/activemq-data-1.amq");
  }
  if (auto made = make_folders({.text = *path, .column = word->column}); !made) return made;
  if (folders_.contains(*path) || !sizes_.emplace(*path, 0).second) {
    return word->problem("the recipe has this name already");
  }
  form_ = form;
  name_ = std::move(*path);
  return read_sizes(arguments, form == Form::kJournal ? kUsualSize : 0);
}

Parsed<void> RecipeBuilder::Files::read_sizes(Arguments& arguments, std::int64_t usual_size) {
  const auto size = arguments.number("size", usual_size, 0,
                                     static_cast<std::int64_t>(options_.largest_file_bytes));
  if (!size) return std::unexpected(size.error());
  const auto fill = arguments.number("fill", 0, 0, 255);
  if (!fill) return std::unexpected(fill.error());
  size_ = static_cast<std::uint64_t>(*size);
  fill_ = static_cast<std::byte>(*fill);
  return {};
}

Parsed<void> RecipeBuilder::Files::begin_journal(Word verb, Arguments& arguments) {
  if (auto begun = begin(verb, arguments, Form::kJournal); !begun) return begun;
  const auto named = arguments.named("id");
  if (!named) {
    return Word{.text = {}, .column = arguments.end_column()}.problem(
        "expected id=, of the header");
  }
  const auto id = read_number(*named);
  const auto version = arguments.number("version", journal::kFormatVersion, INT32_MIN, INT32_MAX);
  const auto user = arguments.number("user_version", 0, INT32_MIN, INT32_MAX);
  for (const auto* number : {&id, &version, &user}) {
    if (!*number) return std::unexpected(number->error());
  }
  const std::size_t slash = name_.rfind('/');
  const auto kind =
      journal::journal_kind_of(name_.substr(slash == std::string::npos ? 0 : slash + 1));
  kind_ = kind.value_or(JournalKind::kMessages);
  version_ = static_cast<std::int32_t>(*version);
  life_ = *id;
  Encoder header;
  header.i32(version_).i32(static_cast<std::int32_t>(*user)).i64(*id);
  return append(verb, header.view());
}

Parsed<void> RecipeBuilder::Files::begin_page(Word verb, Arguments& arguments) {
  return begin(verb, arguments, Form::kPage);
}

Parsed<void> RecipeBuilder::Files::begin_plain(Word verb, Arguments& arguments) {
  return begin(verb, arguments, Form::kPlain);
}

// A file that was finished is read back, so that no more than one is ever held.
Parsed<void> RecipeBuilder::Files::begin_again(Word verb, Arguments& arguments) {
  if (auto closed = close(verb); !closed) return closed;
  const auto word = arguments.next("the path of a file of this recipe");
  if (!word) return std::unexpected(word.error());
  auto path = read_text(*word);
  if (!path) return std::unexpected(path.error());
  if (!sizes_.contains(*path)) return word->problem("the recipe has no such file yet");
  auto content = read_whole(directory_, *path, options_.largest_file_bytes);
  if (!content) return fail_system(verb, content.error());
  if (auto removed = directory_.remove(*path); !removed) return fail_system(verb, removed.error());
  form_ = Form::kPlain;
  name_ = std::move(*path);
  content_ = std::move(*content);
  return read_sizes(arguments, 0);
}

Parsed<void> RecipeBuilder::Files::remove_file(Word verb, const std::string& name) {
  if (auto removed = directory_.remove(name); !removed) return fail_system(verb, removed.error());
  sizes_.erase(name);
  return {};
}

// The folders stay: a broker makes them before anything else.
Parsed<void> RecipeBuilder::Files::without(Word verb, Arguments& arguments) {
  if (auto closed = close(verb); !closed) return closed;
  const auto word = arguments.next("the path of a file or folder of this recipe");
  if (!word) return std::unexpected(word.error());
  const auto path = read_text(*word);
  if (!path) return std::unexpected(path.error());
  if (sizes_.contains(*path)) return remove_file(verb, *path);
  if (!folders_.contains(*path)) return word->problem("the recipe has no such file or folder yet");
  const std::string below = *path + "/";
  std::vector<std::string> names;
  for (auto at = sizes_.lower_bound(below); at != sizes_.end(); ++at) {
    if (!at->first.starts_with(below)) break;
    names.push_back(at->first);
  }
  for (const std::string& name : names) {
    if (auto removed = remove_file(verb, name); !removed) return removed;
  }
  return {};
}

Parsed<void> RecipeBuilder::Files::close(Word at) {
  if (form_ == Form::kNone) return {};
  if (content_.size() < size_) content_.resize(static_cast<std::size_t>(size_), fill_);
  for (const Change& change : changes_) {
    if (change.offset + change.bytes.size() > content_.size()) {
      return at.problem(fmt::format("{}: put or flip at {} is behind the end of the file, {}",
                                    name_, change.offset, content_.size()));
    }
    for (std::size_t i = 0; i < change.bytes.size(); ++i) {
      std::byte& here = content_[static_cast<std::size_t>(change.offset) + i];
      here = change.flip ? here ^ change.bytes[i] : change.bytes[i];
    }
  }
  if (cut_ && *cut_ > content_.size()) {
    return at.problem(fmt::format("{}: cut at {} is behind the end of the file, {}", name_, *cut_,
                                  content_.size()));
  }
  if (cut_) content_.resize(static_cast<std::size_t>(*cut_));
  auto file = directory_.create(name_);
  if (!file) return fail_system(at, file.error());
  if (auto written = (*file)->write_at(0, content_); !written) {
    return fail_system(at, written.error());
  }
  if (auto synced = (*file)->sync_data(); !synced) return fail_system(at, synced.error());
  sizes_[name_] = content_.size();
  form_ = Form::kNone;
  content_.clear();
  changes_.clear();
  cut_.reset();
  counts_.clear();
  return {};
}

// ---- bytes --------------------------------------------------------------------------------------

Parsed<void> RecipeBuilder::Files::make_room(Word verb, std::uint64_t size) {
  if (size > options_.largest_file_bytes - content_.size()) {
    return verb.problem(
        fmt::format("the file becomes larger than {} bytes", options_.largest_file_bytes));
  }
  content_.resize(content_.size() + static_cast<std::size_t>(size));
  return {};
}

Parsed<void> RecipeBuilder::Files::append(Word verb, Bytes bytes) {
  const std::size_t begin = content_.size();
  if (auto grown = make_room(verb, bytes.size()); !grown) return grown;
  std::ranges::copy(bytes, content_.begin() + static_cast<std::ptrdiff_t>(begin));
  return {};
}

Parsed<void> RecipeBuilder::Files::extend(Word verb, std::uint64_t size) {
  if (size < content_.size()) {
    return verb.problem(fmt::format("the file is longer already: {} bytes", content_.size()));
  }
  content_.resize(static_cast<std::size_t>(size), fill_);
  return {};
}

Parsed<void> RecipeBuilder::Files::bytes(Word verb, Arguments& arguments) {
  auto word = arguments.next("bytes: hex:…, b64:… or a text");
  if (!word) return std::unexpected(word.error());
  for (std::optional<Word> next = *word; next; next = arguments.next_if_any()) {
    const auto read = read_bytes(*next);
    if (!read) return std::unexpected(read.error());
    if (auto appended = append(verb, *read); !appended) return appended;
  }
  return {};
}

Parsed<void> RecipeBuilder::Files::zeros(Word verb, Arguments& arguments) {
  const auto word = arguments.next("how many");
  if (!word) return std::unexpected(word.error());
  const auto count = read_number(
      *word, 0, static_cast<std::int64_t>(options_.largest_file_bytes - content_.size()));
  if (!count) return std::unexpected(count.error());
  content_.resize(content_.size() + static_cast<std::size_t>(*count));
  (void)verb;
  return {};
}

Parsed<void> RecipeBuilder::Files::at(Word verb, Arguments& arguments) {
  const auto word = arguments.next("the offset to go on at");
  if (!word) return std::unexpected(word.error());
  const auto offset = read_number(*word, 0, static_cast<std::int64_t>(options_.largest_file_bytes));
  if (!offset) return std::unexpected(offset.error());
  return extend(verb, static_cast<std::uint64_t>(*offset));
}

Parsed<void> RecipeBuilder::Files::cut(Word /*verb*/, Arguments& arguments) {
  const auto word = arguments.next("the size that the file is cut to");
  if (!word) return std::unexpected(word.error());
  const auto size = read_number(*word, 0, static_cast<std::int64_t>(options_.largest_file_bytes));
  if (!size) return std::unexpected(size.error());
  cut_ = static_cast<std::uint64_t>(*size);
  return {};
}

Parsed<void> RecipeBuilder::Files::change(Word verb, Arguments& arguments) {
  const auto place = arguments.next("the offset of the first byte");
  if (!place) return std::unexpected(place.error());
  const auto offset =
      read_number(*place, 0, static_cast<std::int64_t>(options_.largest_file_bytes));
  if (!offset) return std::unexpected(offset.error());
  const auto word = arguments.next("bytes: hex:…, b64:… or a text");
  if (!word) return std::unexpected(word.error());
  auto read = read_bytes(*word);
  if (!read) return std::unexpected(read.error());
  changes_.push_back({.offset = static_cast<std::uint64_t>(*offset),
                      .bytes = std::move(*read),
                      .flip = verb.text == "flip"});
  return {};
}

// ---- records and entries ------------------------------------------------------------------------

Parsed<void> RecipeBuilder::Files::life(Word verb, Arguments& arguments) {
  if (form_ != Form::kJournal) return verb.problem("belongs into a journal file");
  const auto word = arguments.next("the header id that the records belong to");
  if (!word) return std::unexpected(word.error());
  const auto id = read_number(*word);
  if (!id) return std::unexpected(id.error());
  life_ = *id;
  return {};
}

Parsed<journal::RecordFields> RecipeBuilder::Files::read_fields(Arguments& arguments,
                                                                const KindTraits& kind) {
  journal::RecordFields fields{.kind = kind.kind};
  const auto compact = arguments.number("compact", 0, INT8_MIN, INT8_MAX);
  const auto tag =
      arguments.number("tag", journal::FileHeader{.id = life_}.tag(), INT32_MIN, INT32_MAX);
  const auto tx = kind.has_tx ? arguments.number("tx", 0) : Parsed<std::int64_t>(0);
  for (const auto* number : {&compact, &tag, &tx}) {
    if (!*number) return std::unexpected(number->error());
  }
  fields.compact_count = static_cast<std::int8_t>(*compact);
  fields.tag = static_cast<std::int32_t>(*tag);
  fields.tx_id = *tx;
  if (kind.has_id) {
    const auto word = arguments.next("the record id");
    if (!word) return std::unexpected(word.error());
    const auto id = read_number(*word);
    if (!id) return std::unexpected(id.error());
    fields.id = *id;
  }
  if (kind.has_user_type) {
    const auto word = arguments.next("the record type");
    if (!word) return std::unexpected(word.error());
    const auto type = read_record_type(*word, kind_);
    if (!type) return std::unexpected(type.error());
    fields.user_type = *type;
  }
  if (!kind.has_number) return fields;
  const auto counted = counts_.find({life_, fields.tx_id});
  const auto number = arguments.number("records", counted == counts_.end() ? 0 : counted->second,
                                       INT32_MIN, INT32_MAX);
  if (!number) return std::unexpected(number.error());
  fields.number = static_cast<std::int32_t>(*number);
  return fields;
}

Parsed<void> RecipeBuilder::Files::record(Word verb, Arguments& arguments) {
  if (form_ != Form::kJournal) return verb.problem("belongs into a journal file");
  std::string name(verb.text);
  const bool plain = name == "add" || name == "update" || name == "delete";
  const bool in_tx = plain && arguments.named("tx").has_value();
  if (in_tx) name += "_tx";
  const KindTraits& kind = *std::ranges::find(journal::kKinds, name, &KindTraits::name);
  const auto fields = read_fields(arguments, kind);
  if (!fields) return std::unexpected(fields.error());
  if (in_tx) ++counts_[{life_, fields->tx_id}];
  std::vector<std::byte> body;
  Parsed<std::vector<std::byte>> read = body;
  if (kind.kind == RecordKind::kPrepare) {
    read = read_xid_body(arguments);
  } else if (kind.kind == RecordKind::kDeleteTx) {
    if (const auto word = arguments.next_if_any()) read = read_bytes(*word);
  } else if (kind.has_body) {
    read = read_body(arguments, {.journal = kind_,
                                 .user_type = fields->user_type,
                                 .is_update = name.starts_with("update"),
                                 .record_id = fields->id});
  }
  if (!read) return std::unexpected(read.error());
  return put_record(verb, arguments, *fields, *read);
}

// length= and check= say something else than is true.
Parsed<void> RecipeBuilder::Files::put_record(Word verb, Arguments& arguments,
                                              const journal::RecordFields& fields, Bytes body) {
  const KindTraits& kind = journal::traits(fields.kind);
  const std::size_t begin = content_.size();
  const auto grown = make_room(verb, journal::encoded_bytes(fields.kind, body.size()));
  if (!grown) return grown;
  journal::encode_record(fields, std::span(&body, 1), std::span(content_).subspan(begin));
  if (version_ == journal::kOldFormatVersion) {
    content_.erase(content_.begin() + static_cast<std::ptrdiff_t>(begin + kCompactOffset));
  }
  const std::span<std::byte> encoded = std::span(content_).subspan(begin);
  const auto size = static_cast<std::int64_t>(encoded.size());
  const auto check = arguments.number("check", size, INT32_MIN, INT32_MAX);
  if (!check) return std::unexpected(check.error());
  store_be(encoded.data() + encoded.size() - 4, static_cast<std::int32_t>(*check));
  if (const auto word = arguments.named("length")) {
    const auto length = read_number(*word, INT32_MIN, INT32_MAX);
    if (!length) return std::unexpected(length.error());
    const bool has_length = kind.has_body || fields.kind == RecordKind::kPrepare;
    if (!has_length) return word->problem("a record of this kind has no body");
    const std::size_t behind = body.size() + 4 + (kind.has_user_type ? 1 : 0);
    store_be(encoded.data() + encoded.size() - behind - 4, static_cast<std::int32_t>(*length));
  }
  return {};
}

// docs/format/journal.md#control-file: an add with three lists of names.
Parsed<void> RecipeBuilder::Files::control(Word verb, Arguments& arguments) {
  if (form_ != Form::kJournal) return verb.problem("belongs into a journal file");
  Encoder lists;
  for (const std::string_view name : {"consumed", "produced", "renamed"}) {
    const auto word = arguments.named(name);
    const std::vector<Word> parts = split_list(word.value_or(Word{}));
    const bool pairs = name == "renamed";
    if (pairs && parts.size() % 2 != 0) return word->problem("expected pairs: from,to");
    lists.i32(static_cast<std::int32_t>(parts.size() / (pairs ? 2 : 1)));
    for (const Word& part : parts) {
      const auto read = read_text(part);
      if (!read) return std::unexpected(read.error());
      lists.utf(Text(std::string_view(*read)));
    }
  }
  const auto body = lists.take();
  if (!body) return verb.problem(body.error().text);
  return put_record(
      verb, arguments,
      {.kind = RecordKind::kAdd, .tag = journal::FileHeader{.id = life_}.tag(), .id = 1}, *body);
}

Parsed<void> RecipeBuilder::Files::entry(Word verb, Arguments& arguments) {
  if (form_ != Form::kPage) return verb.problem("belongs into a page");
  const auto payload = read_page_payload(arguments);
  if (!payload) return std::unexpected(payload.error());
  Encoder framed;
  framed.u8('{').sized_bytes(*payload).u8('}');
  return append(verb, framed.view());
}

/// The lines of the recipe, one after the other.
class RecipeBuilder::Lines {
 public:
  Lines(WritableDirectory& directory, RecipeOptions options)
      : options_(std::move(options)), files_(directory, options_) {}

  [[nodiscard]] Result<void> feed(std::string_view piece) {
    while (!piece.empty()) {
      const std::size_t end = std::min(piece.find('\n'), piece.size());
      if (carry_.size() + end > 2 * options_.largest_file_bytes) {
        ++done_.lines;
        return wrong({.column = 1, .text = "the line is longer than any file may be"});
      }
      if (end == piece.size()) {
        carry_ += piece;
        return {};
      }
      std::string_view line = piece.substr(0, end);
      if (!carry_.empty()) line = carry_ += line;
      if (auto taken = take(line); !taken) return taken;
      carry_.clear();
      piece.remove_prefix(end + 1);
    }
    return {};
  }

  [[nodiscard]] Result<BuiltStore> finish() {
    if (!carry_.empty()) {
      if (auto taken = take(carry_); !taken) return std::unexpected(taken.error());
    }
    if (auto closed = files_.close({.text = {}, .column = 1}); !closed) {
      return wrong(closed.error());
    }
    done_.files = files_.files();
    done_.bytes = files_.bytes();
    return done_;
  }

 private:
  [[nodiscard]] std::unexpected<Error> wrong(const RecipeProblem& problem) const {
    if (files_.system_error()) return std::unexpected(*files_.system_error());
    return fail(ErrorCode::kDamaged,
                fmt::format("line {}, column {}: {}", done_.lines, problem.column, problem.text),
                options_.label);
  }
  [[nodiscard]] Result<void> take(std::string_view line) {
    ++done_.lines;
    if (line.ends_with('\r')) line.remove_suffix(1);
    auto words = split_words(line);
    if (!words) return wrong(words.error());
    if (words->empty()) return {};
    const Word verb = words->front();
    const Word last = words->back();
    words->erase(words->begin());
    Arguments arguments(std::move(*words), last.column + last.text.size());
    const auto taken = files_.take(verb, arguments);
    if (!taken) return wrong(taken.error());
    return {};
  }

  RecipeOptions options_;
  Files files_;
  std::string carry_;  // the beginning of a line
  BuiltStore done_;
};

RecipeBuilder::RecipeBuilder(WritableDirectory& directory, RecipeOptions options)
    : lines_(std::make_unique<Lines>(directory, std::move(options))) {}

RecipeBuilder::~RecipeBuilder() = default;

Result<void> RecipeBuilder::feed(std::string_view piece) { return lines_->feed(piece); }

Result<BuiltStore> RecipeBuilder::finish() { return lines_->finish(); }

}  // namespace saranga::store
