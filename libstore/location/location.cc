#include "saranga/store/location.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>

#include "libstore/location/config_files.h"
#include "libstore/location/config_sources.h"
#include "saranga/io/directory.h"
#include "saranga/journal/folder.h"

namespace saranga::store {

namespace {

/// What the names in a folder say about it.
struct FolderLook {
  bool journal = false;         ///< files of a message journal
  bool bindings = false;        ///< files of a bindings journal
  bool paging = false;          ///< folders of page files
  bool large_messages = false;  ///< bodies of large messages
  bool parts = false;           ///< folders with the names of a store's parts
  bool etc = false;             ///< a configuration

  [[nodiscard]] bool is_part() const { return journal || bindings || paging || large_messages; }
};

constexpr std::array kParts = {"bindings", "journal", "paging", "large-messages", "largemessages"};

FolderLook look_into(const std::string& path) {
  FolderLook look;
  const auto folder = open_disk_directory(path);
  const auto entries = folder ? (*folder)->list() : std::unexpected(folder.error());
  if (!entries) return look;
  for (const DirectoryEntry& entry : *entries) {
    const std::string_view name = entry.name;
    if (entry.is_directory) {
      look.parts = look.parts || std::ranges::find(kParts, name) != kParts.end();
      look.paging = look.paging || exists(path_from(path, entry.name + "/address.txt"));
      continue;
    }
    if (const auto kind = journal::journal_kind_of(name)) {
      (*kind == journal::JournalKind::kMessages ? look.journal : look.bindings) = true;
    }
    look.large_messages = look.large_messages || name.ends_with(".msg");
    look.etc = look.etc || name == "broker.xml" || name == "bootstrap.xml";
  }
  return look;
}

/// Digits, then optionally K, M or G with "i", "b" or "ib" behind it; powers of 1024.
std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{}) return std::nullopt;
  std::string unit(trimmed(std::string_view(rest, end)));
  std::ranges::transform(unit, unit.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (unit.empty() || unit == "b") return value;
  const std::size_t power = std::string_view("kmg").find(unit[0]);
  const std::string_view tail = std::string_view(unit).substr(1);
  if (power == std::string_view::npos || (tail != "" && tail != "i" && tail != "b" && tail != "ib"))
    return std::nullopt;
  const std::uint64_t factor = std::uint64_t{1} << (10 * (power + 1));
  if (value > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return value * factor;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || rest != end) return std::nullopt;
  return value;
}

/// Carries out one request.
class Locator {
 public:
  explicit Locator(const LocationRequest& request) : request_(request) {}

  Result<Location> run() {
    Result<void> outcome = request_.store.empty() ? start_without_store() : start_from_store();
    if (!outcome) return std::unexpected(outcome.error());
    take_options();
    drop_repeated_notes();
    return std::move(location_);
  }

 private:
  [[nodiscard]] std::string from_here(std::string_view path) const {
    return path_from(request_.current_folder, path);
  }

  /// The --broker option as a path; empty when it was not given.
  [[nodiscard]] std::string broker_option() const {
    return request_.broker ? from_here(path_of_url(*request_.broker)) : std::string();
  }

  /// Whether every folder is named by an option, so that nothing else is needed.
  [[nodiscard]] bool all_named() const {
    return request_.bindings && request_.journal && request_.paging && request_.large_messages;
  }

  Result<void> start_without_store() {
    const auto instance = request_.environment.find("ARTEMIS_INSTANCE");
    if (request_.broker) return read_configuration({.etc = {}, .instance = {}});
    if (instance != request_.environment.end() && !instance->second.empty()) {
      const auto etc = request_.environment.find("ARTEMIS_INSTANCE_ETC");
      const bool own_etc = etc != request_.environment.end() && !etc->second.empty();
      return read_configuration(
          {.etc = own_etc ? from_here(etc->second) : from_here(instance->second + "/etc"),
           .instance = from_here(instance->second)});
    }
    const bool named =
        request_.bindings || request_.journal || request_.paging || request_.large_messages;
    const std::string folder = from_here("data");
    if (is_folder(folder)) {
      take_data_folder(folder, "default");
    } else if (!named) {
      return fail(ErrorCode::kNotFound,
                  "no store was named, and there is no folder \"data\" here; name a data folder, "
                  "an instance folder, or the parts with --journal, --bindings, --paging and "
                  "--large-messages");
    }
    return {};
  }

  Result<void> start_from_store() {
    const std::string store = from_here(request_.store);
    if (auto there = look_at(store); !there) return there;
    if (!is_folder(store)) return start_from_file(store);
    if (auto readable = list_of(store); !readable) return readable;
    const FolderLook look = look_into(store);
    const std::string etc = path_from(store, "etc");
    if (look_into(etc).etc) return read_configuration({.etc = etc, .instance = store});
    if (look.etc && !look.parts) return read_configuration({.etc = store, .instance = {}});
    if (request_.broker) {
      location_.notes.push_back("the folders are those of --broker; " + store + " was not used");
      return read_configuration({.etc = {}, .instance = {}});
    }
    if (look.parts) {
      take_data_folder(store, "data folder");
      return {};
    }
    if (look.is_part()) {
      take_part(store, look);
      return {};
    }
    const std::string data = path_from(store, "data");
    if (look_into(data).parts) {
      location_.notes.push_back(store + " holds no etc/broker.xml; its folder data was taken");
      take_data_folder(data, "data folder");
      return {};
    }
    return fail(ErrorCode::kNotFound,
                "is no store: it holds no bindings, journal, paging or large-messages folder, no "
                "journal or page files, and no etc/broker.xml",
                store);
  }

  // A folder that may not be read must not look like one that holds nothing.
  static Result<void> look_at(const std::string& path) {
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    if (status.type() == std::filesystem::file_type::not_found) {
      return fail(ErrorCode::kNotFound, "does not exist", path);
    }
    if (problem) return fail(ErrorCode::kIo, "cannot be read: " + problem.message(), path);
    return {};
  }

  static Result<void> list_of(const std::string& path) {
    const auto folder = open_disk_directory(path);
    if (!folder) return std::unexpected(folder.error());
    const auto entries = (*folder)->list();
    if (!entries) return std::unexpected(entries.error());
    return {};
  }

  Result<void> start_from_file(const std::string& file) {
    if (name_of(file) == "bootstrap.xml") {
      return read_configuration({.etc = parent_of(file), .instance = {}});
    }
    if (file.ends_with(".xml")) {
      return read_configuration({.etc = parent_of(file), .instance = {}, .broker = file});
    }
    return fail(ErrorCode::kInvalidArgument, "is neither a folder nor a broker.xml", file);
  }

  Result<void> read_configuration(ConfigurationPlace place) {
    if (request_.broker) place.broker = broker_option();
    if (place.etc.empty()) place.etc = parent_of(place.broker);
    InstanceConfiguration configuration(std::move(place), request_.environment,
                                        request_.current_folder, location_.notes);
    if (const auto outcome = configuration.read(); !outcome) {
      if (!all_named()) return std::unexpected(outcome.error());
      location_.notes.push_back(outcome.error().message());
      return {};
    }
    location_.instance = configuration.instance();
    location_.configuration = configuration.broker_xml();
    take_folders(configuration);
    take_settings(configuration);
    if (configuration.has_element("database-store")) {
      location_.jdbc = true;
      location_.notes.push_back("JDBC stores are not supported");
    }
    return {};
  }

  void take_folders(const InstanceConfiguration& configuration) {
    struct Folder {
      std::string_view element, property, standard;
      Place* place;
    };
    const std::array folders = {
        Folder{"bindings-directory", "bindingsDirectory", "data/bindings", &location_.bindings},
        Folder{"journal-directory", "journalDirectory", "data/journal", &location_.journal},
        Folder{"paging-directory", "pagingDirectory", "data/paging", &location_.paging},
        Folder{"large-messages-directory", "largeMessagesDirectory", "data/largemessages",
               &location_.large_messages},
    };
    for (const Folder& folder : folders) {
      const auto value = configuration.value(folder.element, folder.property);
      *folder.place = value ? Place{configuration.resolve(trimmed(value->text)), value->source}
                            : Place{configuration.resolve(folder.standard), "default"};
    }
    // Instances made by `artemis create` spell the default with a hyphen.
    if (location_.large_messages.source == "default") {
      location_.large_messages.path =
          large_messages_in(configuration.resolve("data"), "largemessages");
    }
    location_.retention =
        optional_folder(configuration, "journal-retention-directory", "journalRetentionDirectory");
    location_.node_manager_lock =
        optional_folder(configuration, "node-manager-lock-directory", "nodeManagerLockDirectory");
  }

  static std::optional<Place> optional_folder(const InstanceConfiguration& configuration,
                                              std::string_view element, std::string_view property) {
    const auto value = configuration.value(element, property);
    if (!value) return std::nullopt;
    return Place{configuration.resolve(trimmed(value->text)), value->source};
  }

  void take_settings(const InstanceConfiguration& configuration) {
    JournalSettings& settings = location_.settings;
    if (const auto size = configuration.value("journal-file-size", "journalFileSize")) {
      settings.file_size_bytes = parse_size(trimmed(size->text));
      if (!settings.file_size_bytes) note_odd(*size);
    }
    settings.min_files = number(configuration, "journal-min-files", "journalMinFiles");
    settings.pool_files = number(configuration, "journal-pool-files", "journalPoolFiles");
    settings.compact_min_files =
        number(configuration, "journal-compact-min-files", "journalCompactMinFiles");
    settings.compact_percentage =
        number(configuration, "journal-compact-percentage", "journalCompactPercentage");
    if (const auto type = configuration.value("journal-type", "journalType")) {
      settings.type = trimmed(type->text);
    }
    constexpr std::string_view kRetention = "journal-retention-directory";
    settings.retention_unit = configuration.attribute(kRetention, "unit");
    settings.retention_period = configuration.attribute(kRetention, "period");
    settings.retention_storage_limit = configuration.attribute(kRetention, "storage-limit");
  }

  std::optional<std::int64_t> number(const InstanceConfiguration& configuration,
                                     std::string_view element, std::string_view property) {
    const auto value = configuration.value(element, property);
    if (!value) return std::nullopt;
    const auto parsed = parse_number(trimmed(value->text));
    if (!parsed) note_odd(*value);
    return parsed;
  }

  void note_odd(const ConfiguredValue& value) {
    location_.notes.push_back(value.source + " is \"" + value.text + "\", which is no size");
  }

  void take_data_folder(const std::string& folder, const char* source) {
    location_.bindings = {path_from(folder, "bindings"), source};
    location_.journal = {path_from(folder, "journal"), source};
    location_.paging = {path_from(folder, "paging"), source};
    location_.large_messages = {large_messages_in(folder, "large-messages"), source};
    const std::string retention = path_from(folder, "retention");
    if (is_folder(retention)) location_.retention = Place{retention, source};
  }

  /// Both spellings are in use; one that holds bodies wins over one that is merely there.
  std::string large_messages_in(const std::string& folder, const char* standard) {
    const std::string hyphen = path_from(folder, "large-messages");
    const std::string plain = path_from(folder, "largemessages");
    if (is_folder(hyphen) && is_folder(plain)) {
      const bool use_plain = look_into(plain).large_messages && !look_into(hyphen).large_messages;
      location_.notes.push_back("both " + hyphen + " and " + plain + " exist; the " +
                                (use_plain ? "second" : "first") + " was taken");
      return use_plain ? plain : hyphen;
    }
    if (is_folder(hyphen)) return hyphen;
    if (is_folder(plain)) return plain;
    return path_from(folder, standard);
  }

  void take_part(const std::string& folder, const FolderLook& look) {
    if (look.bindings) location_.bindings = {folder, "bindings folder"};
    if (look.journal) location_.journal = {folder, "journal folder"};
    if (look.paging) location_.paging = {folder, "paging folder"};
    if (look.large_messages) location_.large_messages = {folder, "large-messages folder"};
    location_.notes.push_back(folder +
                              " is one part of a store: nothing is known of the others, names of "
                              "queues are in the bindings");
  }

  void take_options() {
    if (request_.bindings) {
      location_.bindings = {from_here(*request_.bindings), "option --bindings"};
    }
    if (request_.journal) location_.journal = {from_here(*request_.journal), "option --journal"};
    if (request_.paging) location_.paging = {from_here(*request_.paging), "option --paging"};
    if (request_.large_messages) {
      location_.large_messages = {from_here(*request_.large_messages), "option --large-messages"};
    }
  }

  /// Looking up a value twice tells its oddities twice.
  void drop_repeated_notes() {
    std::vector<std::string> once;
    for (std::string& note : location_.notes) {
      if (std::ranges::find(once, note) == once.end()) once.push_back(std::move(note));
    }
    location_.notes = std::move(once);
  }

  const LocationRequest& request_;
  Location location_{};
};

}  // namespace

bool lies_in_store(const std::string& path) {
  const std::string folder = parent_of(path);
  if (look_into(folder).is_part() || exists(path_from(folder, "address.txt"))) return true;
  const std::string above = parent_of(folder);
  if (look_into(above).paging) return true;
  // A part may be empty: then the others tell that it is one.
  return std::ranges::find(kParts, name_of(folder)) != kParts.end() &&
         std::ranges::any_of(
             kParts, [&](const char* part) { return look_into(path_from(above, part)).is_part(); });
}

Result<Location> locate(const LocationRequest& request) { return Locator(request).run(); }

}  // namespace saranga::store
