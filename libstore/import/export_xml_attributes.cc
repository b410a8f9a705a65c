#include "libstore/import/export_xml_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "libstore/import/export_xml_values.h"

namespace saranga::store {
namespace {

constexpr std::size_t kShownBytes = 60;

}  // namespace

void ExportXmlAttributes::begin(const ExportElementRow& row) {
  row_ = &row;
  plain_ = {};
  utf16_ = {};
}

std::string_view* ExportXmlAttributes::place(std::string_view name) {
  const auto found = find_attribute(*row_, name);
  if (!found) return nullptr;
  return &(found->utf16 ? utf16_ : plain_)[found->index];
}

std::optional<std::string_view> ExportXmlAttributes::text(std::size_t index) {
  if (!has_utf16(index)) return plain_[index];
  auto exact = read_utf16(utf16_[index]);
  if (!exact) return {};
  room_[index] = std::move(*exact);
  return room_[index];
}

ExportRead<std::string_view> ExportXmlAttributes::required(std::size_t index) {
  const std::string_view name = row_->attributes[index];
  if (!has(index) && !has_utf16(index)) {
    return std::unexpected(fmt::format("<{}> has no attribute {}", row_->name, name));
  }
  const auto found = text(index);
  if (found) return *found;
  return std::unexpected(fmt::format("the attribute x-{}-utf16 is no UTF-16 in Base64", name));
}

ExportRead<std::int64_t> ExportXmlAttributes::number(std::size_t index, std::int64_t least,
                                                     std::int64_t most) const {
  if (!has(index)) return 0;
  const auto read = read_integer(plain_[index], least, most);
  if (read) return *read;
  return wrong(index, fmt::format("a number from {} to {}", least, most));
}

std::unexpected<std::string> ExportXmlAttributes::wrong(std::size_t index,
                                                        std::string_view wanted) const {
  return std::unexpected(fmt::format("the attribute {} of <{}> is \"{}\" and should be {}",
                                     row_->attributes[index], row_->name, shown_text(plain_[index]),
                                     wanted));
}

std::string shown_text(std::string_view text) {
  std::size_t size = std::min(text.size(), kShownBytes);
  while (size != 0 && size < text.size() &&
         (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) {
    --size;
  }
  std::string shown(text.substr(0, size));
  std::ranges::replace_if(shown, [](char c) { return c >= 0 && c < ' '; }, ' ');
  if (size < text.size()) shown += "…";
  return shown;
}

}  // namespace saranga::store
