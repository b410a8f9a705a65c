#include "libstore/verify/large_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "libstore/verify/message_check.h"
#include "libstore/verify/section_ends.h"
#include "saranga/message/compressed_body.h"
#include "saranga/store/cross_findings.h"

namespace saranga::store {
namespace {

// How much of a body is read to find its sections; annotations and properties are rarely longer.
constexpr std::uint64_t kFrontBytes = std::uint64_t{256} << 10;

/// One body being checked.
class BodyCheck {
 public:
  BodyCheck(const LoadedStore& store, const LargeReference& reference,
            std::vector<Finding>& findings)
      : store_(store), reference_(reference), findings_(findings), id_(reference.message->id()) {}

  void check();

 private:
  void report_missing();
  void check_content(const message::LargeFile& file, const ReadableFile* opened);
  void check_length(const message::LargeFile& file, const ReadableFile* opened);
  void check_inflated(const message::LargeFile& file, const ReadableFile& opened,
                      const DeclaredSize& declared);
  void check_layout(const message::LargeFile& file, const ReadableFile* opened);
  void check_end(const message::LargeFile& file, const ReadableFile& opened);
  void check_positions(const message::amqp::Stored& stored, const message::amqp::Message& front,
                       const message::LargeFile& file, std::uint64_t read_bytes);
  void report_layout(const message::LargeFile& file, std::string text);
  [[nodiscard]] static std::string label_of(const message::LargeFile& file) {
    return "large-messages/" + file.name;
  }

  const LoadedStore& store_;
  const LargeReference& reference_;
  std::vector<Finding>& findings_;
  std::int64_t id_;
};

void BodyCheck::check() {
  const message::LargeFile* file = store_.large_file(id_);
  if (file == nullptr) return report_missing();
  if (!reference_.open) return check_content(*file, nullptr);
  const auto opened = store_.parts().large_messages->open(file->name);
  if (!opened) {
    findings_.push_back({.code = "file-unreadable",
                         .severity = Severity::kDamage,
                         .file = label_of(*file),
                         .id = id_,
                         .text = opened.error().text});
    return;
  }
  check_content(*file, opened->get());
}

// `opened` is null when only the length of the file counts.
void BodyCheck::check_content(const message::LargeFile& file, const ReadableFile* opened) {
  if (reference_.message->core) check_length(file, opened);
  if (reference_.message->amqp) check_layout(file, opened);
}

void BodyCheck::report_missing() {
  if (!reference_.durable) {
    findings_.push_back(
        {.code = "paged-body-gone",
         .severity = Severity::kInfo,
         .file = std::string(reference_.file),
         .offset = reference_.offset,
         .id = id_,
         .text = fmt::format(
             "message {} is not durable and its body is gone, as after every restart; a "
             "broker delivers it empty",
             id_)});
    return;
  }
  // Very old records may refer to the body of the message that they were made from.
  if (reference_.message->core && !reference_.paged) {
    const auto& properties = reference_.message->core->headers.properties;
    const auto original = properties.find("_AMQ_ORIG_MESSAGE_ID");
    const message::LargeFile* file = original && original->type == message::PropertyType::kLong
                                         ? store_.large_file(original->number)
                                         : nullptr;
    if (file != nullptr) {
      findings_.push_back(
          {.code = "large-body-elsewhere",
           .severity = Severity::kInfo,
           .file = label_of(*file),
           .length_bytes = file->size_bytes,
           .id = id_,
           .text = fmt::format("large message {} has no body of its own; a broker copies "
                               "this one, of its original {}",
                               id_, original->number)});
      return;
    }
  }
  findings_.push_back(large_body_missing(id_));
}

void BodyCheck::check_length(const message::LargeFile& file, const ReadableFile* opened) {
  const DeclaredSize declared = declared_size(*reference_.message->core);
  // Of a compressed body the message tells the length before compression.
  const bool empty = declared.compressed && file.size_bytes == 0;
  const auto expected = static_cast<std::uint64_t>(declared.size_bytes.value_or(0));
  const bool differs = !declared.compressed && declared.size_bytes && file.size_bytes != expected;
  if (declared.compressed && !empty) {
    if (opened != nullptr) check_inflated(file, *opened, declared);
    return;
  }
  if (!empty && !differs) return;
  findings_.push_back(
      {.code = "large-body-length",
       .severity = empty || file.size_bytes < expected ? Severity::kDamage : Severity::kWarning,
       .file = label_of(file),
       .length_bytes = file.size_bytes,
       .id = id_,
       .text = fmt::format("the body of message {} has {} bytes, the message announces "
                           "{}",
                           id_, file.size_bytes, expected)});
}

void BodyCheck::check_inflated(const message::LargeFile& file, const ReadableFile& opened,
                               const DeclaredSize& declared) {
  if (!reference_.inflate) return;
  const auto size = message::inflated_size(opened, inflation_limit(declared));
  const auto problem = inflation_problem(declared, size);
  if (!problem) return;
  findings_.push_back({.code = "large-body-damaged",
                       .severity = Severity::kDamage,
                       .file = label_of(file),
                       .length_bytes = file.size_bytes,
                       .id = id_,
                       .text = fmt::format("message {}: {}", id_, *problem)});
}

void BodyCheck::report_layout(const message::LargeFile& file, std::string text) {
  findings_.push_back({.code = "amqp-large-layout",
                       .severity = Severity::kDamage,
                       .file = label_of(file),
                       .length_bytes = file.size_bytes,
                       .id = id_,
                       .text = std::move(text)});
}

void BodyCheck::check_layout(const message::LargeFile& file, const ReadableFile* opened) {
  const message::amqp::Stored& stored = *reference_.message->amqp;
  const std::int64_t body = stored.large.body_position;
  if (file.size_bytes == 0 || (body > 0 && file.size_bytes <= static_cast<std::uint64_t>(body))) {
    return report_layout(file,
                         fmt::format("the file has {} bytes, the record of message {} says that "
                                     "the body begins at {}",
                                     file.size_bytes, id_, body));
  }
  if (opened == nullptr) return;
  std::vector<std::byte> front(
      static_cast<std::size_t>(std::min<std::uint64_t>(file.size_bytes, kFrontBytes)));
  const auto got = opened->read_at(0, front);
  if (!got) return;
  front.resize(*got);
  const std::size_t before = findings_.size();
  check_positions(stored, message::amqp::Message::scan(front), file, front.size());
  if (findings_.size() == before) check_end(file, *opened);
}

// No record tells how long the file should be, but each section how long it is.
void BodyCheck::check_end(const message::LargeFile& file, const ReadableFile& opened) {
  const auto cut = find_cut_section(opened, file.size_bytes, 0);
  if (!cut) return;
  report_layout(
      file,
      fmt::format("the file of message {} has {} bytes; the section that begins at {} goes on "
                  "to {} at least: it lacks {}",
                  id_, file.size_bytes, cut->offset, cut->end, cut->needs_bytes));
}

// What the record remembers of the file must be there. Sections that are longer than what was read
// are taken on trust.
void BodyCheck::check_positions(const message::amqp::Stored& stored,
                                const message::amqp::Message& front, const message::LargeFile& file,
                                std::uint64_t read_bytes) {
  using message::amqp::SectionKind;
  const message::amqp::LargeParts& large = stored.large;
  if (large.body_position >= 0 && static_cast<std::uint64_t>(large.body_position) >= read_bytes &&
      read_bytes < file.size_bytes) {
    return;
  }
  const std::pair<SectionKind, std::int32_t> sections[] = {
      {SectionKind::kHeader, large.header_position},
      {SectionKind::kDeliveryAnnotations, large.delivery_annotations_position},
      {SectionKind::kMessageAnnotations, large.message_annotations_position},
      {SectionKind::kProperties, large.properties_position},
      {SectionKind::kApplicationProperties, large.application_properties_position},
  };
  for (const auto& [kind, position] : sections) {
    if (position < 0) continue;
    const message::amqp::Section& section = front.section(kind);
    if (section.present && section.offset == static_cast<std::uint64_t>(position)) continue;
    return report_layout(file,
                         fmt::format("the record of message {} says that the section {} stands "
                                     "at {}, and it does not",
                                     id_, section_name(kind), position));
  }
  if (large.body_position < 0 || !front.scanned()) return;
  if (front.body_offset() == static_cast<std::size_t>(large.body_position)) return;
  report_layout(file,
                fmt::format("the record of message {} says that the body begins at {}, in the file "
                            "it begins at {}",
                            id_, large.body_position, front.body_offset()));
}

}  // namespace

void check_large_body(const LoadedStore& store, const LargeReference& reference,
                      std::vector<Finding>& findings) {
  BodyCheck(store, reference, findings).check();
}

}  // namespace saranga::store
