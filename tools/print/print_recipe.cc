#include "tools/print/print_recipe.h"

#include "saranga/journal/folder.h"
#include "saranga/store/recipe.h"

namespace saranga::print {
namespace {

store::RecipeSink sink_of(cli::VerbRun& run) {
  return [&run](TextBuffer& text) {
    run.output().put(text.view());
    return !run.must_stop();
  };
}

void put_title(cli::VerbRun& run) {
  run.output().put("# A recipe: `saranga data build` makes the store of it again.\n\n");
}

std::string_view folder_for(std::string_view name) {
  if (const auto kind = journal::journal_kind_of(name)) {
    return *kind == journal::JournalKind::kMessages ? "journal" : "bindings";
  }
  return name.ends_with(".page") ? "paging/page-store" : "large-messages";
}

}  // namespace

Result<void> print_store_recipe(cli::VerbRun& run, const store::StoreParts& parts,
                                bool skip_bindings, bool skip_journal) {
  put_title(run);
  const std::pair<const ReadableDirectory*, std::string_view> folders[] = {
      {skip_bindings ? nullptr : parts.bindings.get(), "bindings"},
      {skip_journal ? nullptr : parts.journal.get(), "journal"},
      {parts.paging.get(), "paging"},
      {parts.large_messages.get(), "large-messages"}};
  for (const auto& [folder, name] : folders) {
    if (folder == nullptr || !store::is_given(*folder) || run.must_stop()) continue;
    if (auto written = store::write_recipe(*folder, name, sink_of(run)); !written) return written;
  }
  return {};
}

Result<void> print_file_recipe(cli::VerbRun& run, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto directory =
      open_disk_directory(slash == std::string::npos ? "." : path.substr(0, slash + 1));
  if (!directory) return std::unexpected(directory.error());
  const auto file = (*directory)->open(name);
  if (!file) return std::unexpected(file.error());
  put_title(run);
  return store::write_recipe(**file, std::string(folder_for(name)) + "/" + name, sink_of(run));
}

}  // namespace saranga::print
