#include "saranga/paging/page_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace saranga::paging {
namespace {

constexpr std::string_view kAddressFile = "address.txt";
constexpr std::string_view kPageSuffix = ".page";
constexpr std::string_view kQuarantineSuffix = ".invalidPage";
constexpr std::uint64_t kAddressLimitBytes = std::uint64_t{1} << 20;

class StoreLister {
 public:
  StoreLister(const ReadableDirectory& paging, std::string_view label, FindingSink& sink)
      : paging_(paging), label_(label), sink_(sink) {}

  Result<std::vector<PageStore>> list() {
    auto entries = paging_.list();
    if (!entries) return std::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      if (entry.is_directory) read_store(entry.name);
    }
    std::ranges::stable_sort(stores_, {}, &PageStore::address);
    report_doubles();
    return std::move(stores_);
  }

 private:
  void read_store(const std::string& folder);
  void add_page(const DirectoryEntry& entry, PageStore& store);
  void report_doubles();
  void report(std::string_view code, Severity severity, const std::string& place,
              std::string text) {
    sink_.finding({.code = code,
                   .severity = severity,
                   .file = label_.empty() ? place : fmt::format("{}/{}", label_, place),
                   .text = std::move(text)});
  }

  const ReadableDirectory& paging_;
  std::string_view label_;
  FindingSink& sink_;
  std::vector<PageStore> stores_;
};

void StoreLister::read_store(const std::string& folder) {
  auto directory = paging_.open_directory(folder);
  if (!directory) {
    return report("page-store-unreadable", Severity::kDamage, folder, directory.error().text);
  }
  auto entries = (*directory)->list();
  if (!entries) {
    return report("page-store-unreadable", Severity::kDamage, folder, entries.error().text);
  }
  PageStore store{.folder = folder, .address = {}, .pages = {}};
  for (const DirectoryEntry& entry : *entries) add_page(entry, store);
  std::ranges::sort(store.pages, {}, &Page::number);
  auto address = read_whole(**directory, kAddressFile, kAddressLimitBytes);
  if (!address || address->empty()) {
    const std::uint64_t count = store.pages.size();
    if (folder.find("oldreplica.") != std::string::npos) return;
    report(
        "page-store-without-address", count == 0 ? Severity::kWarning : Severity::kDamage, folder,
        fmt::format("the folder has no address.txt with an address; a broker ignores its {} pages",
                    count));
    if (count == 0) return;
  } else {
    const std::string_view text = as_text(*address);
    store.address = text.substr(0, text.find_first_of("\r\n"));
  }
  stores_.push_back(std::move(store));
}

void StoreLister::add_page(const DirectoryEntry& entry, PageStore& store) {
  if (entry.is_directory || entry.name == kAddressFile) return;
  const std::string place = store.folder + "/" + entry.name;
  if (entry.name.ends_with(kQuarantineSuffix)) {
    return report("page-in-quarantine", Severity::kWarning, place,
                  "a broker found this page damaged and put it aside; it is not read");
  }
  if (!entry.name.ends_with(kPageSuffix)) return;
  const auto number = page_number(entry.name);
  if (!number) {
    return report("page-name", Severity::kWarning, place,
                  "the name of the page does not begin with a page number (at most 2147483647); a "
                  "broker does not start");
  }
  if (entry.name != page_file_name(*number)) {
    report("page-name", Severity::kWarning, place,
           fmt::format("a broker looks for {} and never reads this file", page_file_name(*number)));
  }
  store.pages.push_back({.number = *number, .name = entry.name, .size_bytes = entry.size_bytes});
}

void StoreLister::report_doubles() {
  std::map<std::string_view, const PageStore*> seen;
  for (const PageStore& store : stores_) {
    const auto [other, fresh] = seen.emplace(store.address, &store);
    if (fresh || store.address.empty()) continue;
    report("page-store-doubled", Severity::kWarning, store.folder,
           fmt::format("has the same address as {}; a broker uses only one of them",
                       other->second->folder));
  }
}

}  // namespace

std::string page_file_name(std::int64_t number) { return fmt::format("{:09}.page", number); }

std::optional<std::int64_t> page_number(std::string_view name) {
  if (!name.ends_with(kPageSuffix)) return std::nullopt;
  const std::string_view digits = name.substr(0, name.find('.'));
  std::int64_t number = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = end.ec == std::errc{} && end.ptr == digits.data() + digits.size();
  return whole && number <= INT32_MAX ? std::optional(number) : std::nullopt;
}

Result<std::vector<PageStore>> list_page_stores(const ReadableDirectory& paging,
                                                std::string_view label, FindingSink& sink) {
  return StoreLister(paging, label, sink).list();
}

}  // namespace saranga::paging
