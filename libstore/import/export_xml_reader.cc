#include "saranga/store/export_xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "libstore/import/base64_sections.h"
#include "libstore/import/export_xml_elements.h"
#include "libstore/import/export_xml_names.h"
#include "libstore/import/export_xml_values.h"
#include "libstore/import/export_xml_whole.h"
#include "libstore/import/xml_stream.h"

namespace saranga::store {
namespace {

constexpr std::string_view kOldQueuePrefix = "jms.queue.";
constexpr std::string_view kOldTopicPrefix = "jms.topic.";
// The real depth is 5; what is not known may be deeper.
constexpr std::uint32_t kMostLevels = 64;
// The parser keeps every name for good.
constexpr std::size_t kMostUnknownNames = 1000;
constexpr std::size_t kMostUnknownBytes = std::size_t{1} << 20;
// Body bytes of a message with a body file that go to the target at a time.
constexpr std::size_t kBodyPieceBytes = std::size_t{1} << 16;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string_view without_prefix(std::string_view name) {
  if (name.starts_with(kOldQueuePrefix)) return name.substr(kOldQueuePrefix.size());
  if (name.starts_with(kOldTopicPrefix)) return name.substr(kOldTopicPrefix.size());
  return name;
}

}  // namespace

/// What the document is at the moment.
class ExportXmlReader::Document : public XmlEvents {
 public:
  Document(ImportTarget& target, ExportXmlOptions options, FindingSink& sink)
      : target_(target),
        options_(std::move(options)),
        sink_(sink),
        xml_(*this, {.max_tag_bytes = options_.max_head_bytes, .pause_behind = "</message>"}),
        elements_(options_.max_head_bytes) {}

  [[nodiscard]] Result<void> feed(std::string_view piece);
  [[nodiscard]] Result<ExportXmlSummary> finish();

  void start(std::string_view name, const char* const* attributes) override;
  void end() override;
  void text(std::string_view piece) override;
  void section() override;
  [[nodiscard]] bool takes_line_ends() const override;
  [[nodiscard]] std::string_view ahead(std::string_view piece) override;

 private:
  [[nodiscard]] Result<void> outcome(const std::expected<void, std::string>& done);
  [[nodiscard]] Error error_here(std::string_view text) const;
  void end_document(std::string_view text);  // it makes no sense from here on
  void end_import(Error error);              // the target, or the first damage, ends it
  void drop(std::string_view text);          // the binding or message at hand
  void accept(const Result<void>& taken);

  [[nodiscard]] bool read_attributes(const ExportElementRow& row, const char* const* attributes);
  void unknown_element(std::string_view name, const char* const* attributes);
  void note_unknown(std::string_view name, bool tell);

  [[nodiscard]] ExportRead<void> enter();
  [[nodiscard]] ExportRead<void> address_binding();
  [[nodiscard]] ExportRead<void> queue_binding();
  [[nodiscard]] ExportRead<void> old_binding();
  [[nodiscard]] ExportRead<void> begin_message();
  [[nodiscard]] ExportRead<void> begin_body();
  void body_grew(bool ended);
  void end_message();
  [[nodiscard]] bool in_bindings() const { return parent_ == ExportElement::kBindings; }

  ImportTarget& target_;
  ExportXmlOptions options_;
  FindingSink& sink_;
  XmlStream xml_;
  ExportXmlSummary done_;
  std::optional<Error> error_;
  bool over_ = false;  // nothing behind this place is read

  std::array<ExportElement, 8> stack_{};
  std::size_t level_ = 0;
  ExportElement parent_ = ExportElement::kDocument;
  const ExportElementRow* row_ = nullptr;
  std::uint32_t skipped_levels_ = 0;  // within something that is not known
  bool rooted_ = false;
  bool dropped_ = false;  // the message at hand is left out
  bool in_message_ = false;
  bool bodied_ = false;

  ExportXmlElements elements_;
  Base64Sections sections_;
  std::set<std::string, std::less<>> unknown_;
  std::size_t unknown_bytes_ = 0;
};

// ---- outcomes -----------------------------------------------------------------------------------

Error ExportXmlReader::Document::error_here(std::string_view text) const {
  const XmlPlace place = xml_.place();
  return {.code = ErrorCode::kDamaged,
          .text = fmt::format("line {}, column {}: {}", place.line, place.column, text),
          .file = options_.label,
          .offset = place.offset};
}

void ExportXmlReader::Document::end_import(Error error) {
  error_ = std::move(error);
  over_ = true;
  xml_.stop();
}

void ExportXmlReader::Document::end_document(std::string_view text) {
  Error error = error_here(text);
  if (!options_.keep_going || !rooted_) return end_import(std::move(error));
  over_ = true;
  xml_.stop();
  if (in_message_ && !dropped_) ++done_.skipped_messages;
  sink_.finding({.code = "export-cut",
                 .severity = Severity::kDamage,
                 .file = std::move(error.file),
                 .offset = error.offset,
                 .text = error.text + "; what stands behind is not read"});
}

void ExportXmlReader::Document::drop(std::string_view text) {
  Error error = error_here(text);
  if (!options_.keep_going) return end_import(std::move(error));
  std::optional<std::int64_t> id;
  if (in_message_) {
    id = elements_.message.made.message.id;
    dropped_ = true;
    ++done_.skipped_messages;
  } else {
    ++done_.skipped_bindings;
  }
  sink_.finding({.code = in_message_ ? "export-message-skipped" : "export-binding-skipped",
                 .severity = Severity::kDamage,
                 .file = std::move(error.file),
                 .offset = error.offset,
                 .id = id,
                 .text = error.text + (in_message_ ? "; the message is left out"
                                                   : "; the binding is left out")});
}

void ExportXmlReader::Document::accept(const Result<void>& taken) {
  if (!taken) end_import(taken.error());
}

Result<void> ExportXmlReader::Document::outcome(const std::expected<void, std::string>& done) {
  if (!done && !over_) end_document(done.error());
  if (error_) return std::unexpected(*error_);
  return {};
}

Result<void> ExportXmlReader::Document::feed(std::string_view piece) {
  if (error_) return std::unexpected(*error_);
  if (over_) return {};
  return outcome(xml_.feed(piece));
}

Result<ExportXmlSummary> ExportXmlReader::Document::finish() {
  if (error_) return std::unexpected(*error_);
  if (!over_) {
    if (auto ended = outcome(xml_.finish()); !ended) return std::unexpected(ended.error());
    done_.complete = !over_;
    over_ = true;
  }
  return done_;
}

// ---- elements -----------------------------------------------------------------------------------

void ExportXmlReader::Document::start(std::string_view name, const char* const* attributes) {
  if (over_) return;
  if (skipped_levels_ != 0) {
    if (level_ + ++skipped_levels_ > kMostLevels) {
      return end_document(fmt::format("elements within elements, deeper than {}", kMostLevels));
    }
    note_unknown(name, false);
    for (; *attributes != nullptr && !over_; attributes += 2) note_unknown(*attributes, false);
    return;
  }
  parent_ = level_ == 0 ? ExportElement::kDocument : stack_[level_ - 1];
  const ExportElementRow* row = find_row(parent_, name);
  if (row == nullptr) {
    if (level_ == 0) {
      return end_document(
          fmt::format("this is no export of Artemis: its root is <{}>", shown_text(name)));
    }
    if (const ExportElementRow* other = find_row(name)) {
      const ExportElementRow* home = row_of(other->parent);
      return end_document(
          fmt::format("<{}> stands outside of {}", name,
                      home == nullptr ? "its place, the root" : fmt::format("<{}>", home->name)));
    }
    return unknown_element(name, attributes);
  }
  rooted_ = true;
  row_ = row;
  stack_[level_++] = row->element;
  if (dropped_ || !read_attributes(*row, attributes)) return;
  if (const auto entered = enter(); !entered) drop(entered.error());
}

ExportRead<void> ExportXmlReader::Document::enter() {
  switch (row_->element) {
    case ExportElement::kAddressBinding: return address_binding();
    case ExportElement::kQueueBinding: return queue_binding();
    case ExportElement::kOldBinding: return old_binding();
    case ExportElement::kMessage: return begin_message();
    case ExportElement::kProperty: return elements_.property();
    case ExportElement::kQueue: return elements_.queue();
    case ExportElement::kBody: return begin_body();
    default: return {};
  }
}

void ExportXmlReader::Document::end() {
  if (over_) return;
  if (skipped_levels_ != 0) {
    --skipped_levels_;
    return;
  }
  const ExportElement element = stack_[--level_];
  if (element == ExportElement::kMessage) return end_message();
  if (element == ExportElement::kBody && !dropped_) {
    if (!sections_.end(elements_.message.body)) return drop("the body ends within its Base64");
    body_grew(true);
  }
}

bool ExportXmlReader::Document::read_attributes(const ExportElementRow& row,
                                                const char* const* attributes) {
  elements_.attributes.begin(row);
  for (; *attributes != nullptr; attributes += 2) {
    const std::string_view name = attributes[0];
    if (std::string_view* const place = elements_.attributes.place(name)) {
      *place = attributes[1];
    } else if (!name.starts_with("xml")) {
      note_unknown(fmt::format("{} {}", row.name, name), true);
      if (over_) return false;
    }
  }
  return true;
}

void ExportXmlReader::Document::unknown_element(std::string_view name,
                                                const char* const* attributes) {
  skipped_levels_ = 1;
  if (name == "jms-connection-factories" || name == "jms-destinations") {
    if (!unknown_.emplace(name).second) return;
    return sink_.finding({.code = "export-part-skipped",
                          .severity = Severity::kInfo,
                          .file = options_.label,
                          .text = fmt::format("<{}> is passed over: names for JMS clients, which a "
                                              "broker of 2.x does not store",
                                              name)});
  }
  note_unknown(name, true);
  for (; *attributes != nullptr && !over_; attributes += 2) note_unknown(*attributes, false);
}

void ExportXmlReader::Document::note_unknown(std::string_view name, bool tell) {
  if (unknown_.contains(name)) return;
  unknown_bytes_ += name.size();
  if (unknown_.size() >= kMostUnknownNames || unknown_bytes_ > kMostUnknownBytes) {
    return end_document(
        fmt::format("more than {} different names that no export has", kMostUnknownNames));
  }
  unknown_.emplace(name);
  if (!tell) return;
  const std::size_t blank = name.find(' ');
  const bool element = blank == std::string_view::npos;
  const std::string what =
      element ? fmt::format(
                    "<{}> has no meaning here: it is passed over with all that it holds, and "
                    "so are others of its name",
                    shown_text(name))
              : fmt::format(
                    "the attribute {} of <{}> has no meaning here: it is passed over, "
                    "everywhere",
                    shown_text(name.substr(blank + 1)), name.substr(0, blank));
  Error error = error_here(what);
  sink_.finding({.code = "export-name-unknown",
                 .severity = Severity::kWarning,
                 .file = std::move(error.file),
                 .offset = error.offset,
                 .text = std::move(error.text)});
}

// ---- bindings -----------------------------------------------------------------------------------

ExportRead<void> ExportXmlReader::Document::address_binding() {
  enum : std::size_t { kName, kTypes };
  ExportXmlAttributes& attributes = elements_.attributes;
  const auto name = attributes.required(kName);
  if (!name) return std::unexpected(name.error());
  const auto types = attributes.text(kTypes);
  const auto routing = types ? read_routing_types(*types) : std::nullopt;
  if (!routing) return attributes.wrong(kTypes, "ANYCAST, MULTICAST or both, with a comma");
  ++done_.addresses;
  accept(target_.address({.name = std::string(*name), .routing = *routing}));
  return {};
}

ExportRead<void> ExportXmlReader::Document::queue_binding() {
  enum : std::size_t { kName, kAddress, kFilter, kType };
  ExportXmlAttributes& attributes = elements_.attributes;
  const auto name = attributes.required(kName);
  if (!name) return std::unexpected(name.error());
  const auto address = attributes.required(kAddress);
  if (!address) return std::unexpected(address.error());
  const auto type = attributes.text(kType);
  const auto routing = type ? read_routing_types(*type) : std::nullopt;
  if (!routing || (routing->anycast && routing->multicast)) {
    return attributes.wrong(kType, "ANYCAST or MULTICAST");
  }
  const auto filter = attributes.text(kFilter);
  if (!filter) return attributes.wrong(kFilter, "UTF-16 in Base64 in its second form");
  ImportedQueue queue{
      .name = std::string(*name), .address = std::string(*address), .routing = *routing};
  if (!filter->empty()) queue.filter = std::string(*filter);
  ++done_.queues;
  accept(target_.queue(queue));
  return {};
}

// In 1.x an address had no routing types: the prefixes of JMS say what it was. A filter that no
// message passes marked a topic, whose queues stand on their own.
ExportRead<void> ExportXmlReader::Document::old_binding() {
  enum : std::size_t { kName, kAddress, kFilter };
  ExportXmlAttributes& attributes = elements_.attributes;
  const auto old_name = attributes.required(kName);
  if (!old_name) return std::unexpected(old_name.error());
  const auto old_address = attributes.required(kAddress);
  if (!old_address) return std::unexpected(old_address.error());
  const auto filter = attributes.text(kFilter);
  if (!filter) return attributes.wrong(kFilter, "UTF-16 in Base64 in its second form");
  const bool anycast = old_address->starts_with(kOldQueuePrefix);
  const Routing routing{.anycast = anycast, .multicast = !anycast};
  std::string_view name = *old_name, address = *old_address;
  if (!options_.legacy_prefixes) {
    name = without_prefix(name);
    address = without_prefix(address);
    if (name != *old_name) {
      elements_.renamed_queues.insert_or_assign(std::string(*old_name), std::string(name));
    }
  }
  ++done_.addresses;
  accept(target_.address({.name = std::string(address), .routing = routing}));
  if (over_ || *filter == "__AMQX=-1" || *filter == "__HQX=-1") return {};
  ImportedQueue queue{
      .name = std::string(name), .address = std::string(address), .routing = routing};
  if (!filter->empty()) queue.filter = std::string(*filter);
  ++done_.queues;
  accept(target_.queue(queue));
  return {};
}

// ---- messages -----------------------------------------------------------------------------------

ExportRead<void> ExportXmlReader::Document::begin_message() {
  sections_ = {};
  in_message_ = true;
  bodied_ = false;
  const auto id = elements_.head();
  if (!id) return std::unexpected(id.error());
  accept(target_.begin_message(*id));
  return {};
}

// What is wrong in any way is left to the parser, so it is told as of any other document.
std::string_view ExportXmlReader::Document::ahead(std::string_view piece) {
  if (level_ == 0 || skipped_levels_ != 0 || stack_[level_ - 1] != ExportElement::kMessages) {
    return piece;
  }
  while (!over_) {
    const auto whole = read_whole_message(piece, elements_,
                                          {.is_utf8 = xml_.is_utf8(),
                                           .max_head_bytes = options_.max_head_bytes,
                                           .max_body_bytes = options_.max_body_bytes});
    if (!whole) break;
    accept(target_.begin_message(whole->id));
    if (over_) break;
    xml_.pass(piece.substr(0, whole->end_tag));
    end_message();
    xml_.pass(piece.substr(whole->end_tag, whole->size_bytes - whole->end_tag));
    piece.remove_prefix(whole->size_bytes);
  }
  return piece;
}

// ---- bodies -------------------------------------------------------------------------------------

ExportRead<void> ExportXmlReader::Document::begin_body() {
  if (bodied_) return std::unexpected("a message with two bodies");
  bodied_ = true;
  return elements_.body();
}

void ExportXmlReader::Document::text(std::string_view piece) {
  if (over_ || skipped_levels_ != 0 || dropped_) return;
  if (level_ == 0 || stack_[level_ - 1] != ExportElement::kBody) {
    if (is_blank(piece)) return;
    return end_document(fmt::format("text where none belongs: \"{}\"", shown_text(piece)));
  }
  if (!sections_.feed(piece, elements_.message.body)) {
    return drop("the body is no Base64 here");
  }
  body_grew(false);
}

void ExportXmlReader::Document::section() {
  if (over_ || skipped_levels_ != 0 || dropped_) return;
  if (level_ == 0 || stack_[level_ - 1] != ExportElement::kBody) return;
  if (!sections_.end(elements_.message.body)) {
    return drop("a section of the body ends within its Base64");
  }
}

bool ExportXmlReader::Document::takes_line_ends() const {
  return skipped_levels_ == 0 && level_ != 0 && stack_[level_ - 1] == ExportElement::kBody;
}

void ExportXmlReader::Document::body_grew(bool ended) {
  if (elements_.message.made.large) {
    if (elements_.message.body.empty() ||
        (!ended && elements_.message.body.size() < kBodyPieceBytes))
      return;
    accept(target_.append_body(elements_.message.body));
    elements_.message.body.clear();
  } else if (elements_.message.body.size() > options_.max_body_bytes) {
    drop(
        fmt::format("a body of more than {} bytes in a message that is not large, which is the "
                    "most that is read",
                    options_.max_body_bytes));
  }
}

void ExportXmlReader::Document::end_message() {
  in_message_ = false;
  if (std::exchange(dropped_, false)) return;
  const Result<void> taken = target_.end_message(elements_.message.finish());
  if (taken) {
    ++done_.messages;
    done_.large_messages += elements_.message.made.large ? 1 : 0;
    return;
  }
  if (taken.error().code != ErrorCode::kInvalidArgument) return accept(taken);
  in_message_ = true;
  drop(fmt::format("the message cannot be taken: {}", taken.error().message()));
  in_message_ = dropped_ = false;
}

// ---- interface ----------------------------------------------------------------------------------

ExportXmlReader::ExportXmlReader(ImportTarget& target, ExportXmlOptions options, FindingSink& sink)
    : document_(std::make_unique<Document>(target, std::move(options), sink)) {}

ExportXmlReader::~ExportXmlReader() = default;

Result<void> ExportXmlReader::feed(std::string_view piece) { return document_->feed(piece); }

Result<ExportXmlSummary> ExportXmlReader::finish() { return document_->finish(); }

}  // namespace saranga::store
