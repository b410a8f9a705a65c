#include "libstore/import/export_xml_names.h"

namespace saranga::store {
namespace {

using enum ExportElement;

constexpr ExportElementRow kRows[] = {
    {"activemq-journal", kRoot, kDocument, {}},
    {"hornetq-journal", kRoot, kDocument, {}},
    {"bindings", kBindings, kRoot, {}},
    {"messages", kMessages, kRoot, {}},
    {"address-binding", kAddressBinding, kBindings, {"name", "routing-types", "id"}},
    {"queue-binding",
     kQueueBinding,
     kBindings,
     {"name", "address", "filter-string", "routing-type", "id"}},
    {"binding", kOldBinding, kBindings, {"queue-name", "address", "filter-string", "id"}},
    {"message",
     kMessage,
     kMessages,
     {"id", "priority", "expiration", "timestamp", "type", "user-id"}},
    {"properties", kProperties, kMessage, {}},
    {"property", kProperty, kProperties, {"name", "value", "type", "x-type"}},
    {"queues", kQueues, kMessage, {}},
    {"queue", kQueue, kQueues, {"name"}},
    {"body", kBody, kMessage, {"isLarge"}},
};

}  // namespace

const ExportElementRow* row_of(ExportElement element) {
  for (const ExportElementRow& row : kRows) {
    if (row.element == element) return &row;
  }
  return nullptr;
}

const ExportElementRow* find_row(ExportElement parent, std::string_view name) {
  for (const ExportElementRow& row : kRows) {
    if (row.parent == parent && row.name == name) return &row;
  }
  return nullptr;
}

const ExportElementRow* find_row(std::string_view name) {
  for (const ExportElementRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::optional<AttributePlace> find_attribute(const ExportElementRow& row, std::string_view name) {
  constexpr std::string_view kBegin = "x-";
  constexpr std::string_view kEnd = "-utf16";
  const auto place = [&](std::string_view wanted) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < kMostAttributes && !row.attributes[i].empty(); ++i) {
      if (row.attributes[i] == wanted) return i;
    }
    return {};
  };
  if (const auto index = place(name)) return AttributePlace{.index = *index};
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return {};
  if (name.size() <= kBegin.size() + kEnd.size()) return {};
  name.remove_prefix(kBegin.size());
  name.remove_suffix(kEnd.size());
  if (const auto index = place(name)) return AttributePlace{.index = *index, .utf16 = true};
  return {};
}

}  // namespace saranga::store
