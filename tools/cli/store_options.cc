#include "tools/cli/store_options.h"

#include "saranga/io/archive.h"
#include "tools/cli/command_line.h"

namespace saranga::cli {

void add_store_options(CommandLine& line, StoreOptions& options) {
  line.option(
      "STORE", options.store,
      "data folder, instance folder, broker.xml, or an archive of one (.tar, .tar.gz, .zip)");
  line.option("--bindings", options.bindings, "folder of the bindings journal");
  line.option("--journal", options.journal, "folder of the message journal");
  line.option("--paging", options.paging, "folder of the page stores");
  line.option("--large-messages", options.large_messages, "folder of the large-message bodies");
  line.option("--broker", options.broker, "broker.xml that names the folders");
  line.flag("--f", options.ignored_f,
            "do not look at the lock of Artemis' own commands (no command that reads does)");
  line.flag("--jdbc", options.jdbc, "not supported: stores in a database");
  for (const char* name : {"--jdbc-bindings-table-name", "--jdbc-message-table-name",
                           "--jdbc-large-message-table-name", "--jdbc-page-store-table-name",
                           "--jdbc-node-manager-table-name", "--jdbc-connection-url",
                           "--jdbc-driver-class-name", "--jdbc-user", "--jdbc-password"}) {
    line.option(name, options.jdbc_text).hidden();
  }
}

Result<store::Location> locate_store(const Context& context, const StoreOptions& options,
                                     bool tell) {
  // The first argument of Artemis' own command may be the URI of its bootstrap file.
  std::string store = options.store;
  if (store.starts_with("xml:")) store = store.substr(4);
  if (store.starts_with("file:")) store = store.substr(5);
  auto location =
      store::locate({.store = store,
                     .bindings = options.bindings,
                     .journal = options.journal,
                     .paging = options.paging,
                     .large_messages = options.large_messages,
                     .broker = options.broker,
                     .environment = {context.environment.begin(), context.environment.end()},
                     .current_folder = {}});
  if (!location) return location;
  if (location->jdbc) {
    return fail(ErrorCode::kUnsupported,
                "the configuration names a database; JDBC stores are not supported",
                location->configuration);
  }
  if (tell) {
    for (const std::string& note : location->notes) context.say("notice: " + note);
  }
  return location;
}

Result<store::StoreParts> open_store_parts(const Context& context, const StoreOptions& options,
                                           bool tell) {
  if (is_archive_name(options.store)) return store::open_archive_parts(options.store);
  auto location = locate_store(context, options, tell);
  if (!location) return std::unexpected(location.error());
  return store::open_parts(*location);
}

}  // namespace saranga::cli
