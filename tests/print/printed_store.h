// Small stores built in memory, and what printing them gives.
#pragma once

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/message/core_samples.h"
#include "tests/paging/pages.h"
#include "tests/support/odd_store.h"
#include "tools/print/json_printer.h"
#include "tools/print/print_store.h"
#include "tools/print/text_printer.h"

namespace saranga::test {

/// Files of a store by path: "journal/activemq-data-1.amq". Parts that are left out were not named.
struct StoreFiles {
  std::map<std::string, Buffer> files{};
  std::vector<std::string> parts = {"bindings", "journal", "paging", "large-messages"};
};

/// What a run of printing gives.
struct PrintedStore {
  std::string output;
  int exit_code = 0;
  std::vector<std::string> findings;  ///< codes

  [[nodiscard]] bool has(std::string_view text) const {
    return output.find(text) != std::string::npos;
  }
  /// The output as objects of JSON Lines, those of one type when one is given.
  [[nodiscard]] std::vector<nlohmann::json> objects(const std::string& type = {}) const {
    std::vector<nlohmann::json> found;
    for (std::size_t at = 0; at < output.size();) {
      const std::size_t end = output.find('\n', at);
      auto object = nlohmann::json::parse(output.substr(at, end - at));
      if (type.empty() || object["type"] == type) found.push_back(std::move(object));
      at = end + 1;
    }
    return found;
  }
};

inline std::unique_ptr<ReadableDirectory> part_of(const StoreFiles& store,
                                                  const std::string& name) {
  if (std::ranges::find(store.parts, name) == store.parts.end()) return store::not_given();
  auto folder = std::make_unique<MemoryDirectory>("/store/" + name);
  for (const auto& [path, content] : store.files) {
    if (path.starts_with(name + "/")) folder->put(path.substr(name.size() + 1), content);
  }
  return folder;
}

inline PrintedStore print_with(print::StorePrinter& printer, const StoreFiles& store,
                               const print::StoreRequest& request) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  REQUIRE(file != nullptr);
  const int descriptor = fileno(file.get());
  cli::Context context;
  context.helper_threads = 1;
  PrintedStore printed;
  cli::Output output(descriptor);
  cli::FindingLog log(context, {.quiet = true});
  {
    print::Selection everything;
    cli::Progress silent(context.narration_descriptor, cli::Progress::Mode::kNever);
    print::PrintSession session(context, output, printer, log, everything, silent);
    log.on_finding([&](const Finding& finding) {
      printer.finding(session.out(), finding);
      printed.findings.emplace_back(finding.code);
    });
    const auto done = print::print_store(session,
                                         {.bindings = part_of(store, "bindings"),
                                          .journal = part_of(store, "journal"),
                                          .paging = part_of(store, "paging"),
                                          .large_messages = part_of(store, "large-messages")},
                                         request);
    REQUIRE(done.has_value());
  }
  printed.exit_code = static_cast<int>(log.exit_code());
  printer.end(output.buffer(), printed.exit_code);
  REQUIRE(output.finish().has_value());
  std::rewind(file.get());
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file.get())) != 0;) {
    printed.output.append(buffer, got);
  }
  return printed;
}

inline PrintedStore print_text(const StoreFiles& store, const print::StoreRequest& request = {},
                               print::TextOptions options = {}) {
  print::TextPrinter printer(std::move(options));
  return print_with(printer, store, request);
}

inline PrintedStore print_json(const StoreFiles& store, print::JsonOptions options = {},
                               const print::StoreRequest& request = {}) {
  print::JsonPrinter printer(std::move(options));
  return print_with(printer, store, request);
}

/// A store whose message journal is this one file.
inline StoreFiles with_journal(const JournalBuilder& journal) {
  return {.files = {{"journal/activemq-data-1.amq", journal.bytes()},
                    {"bindings/activemq-bindings-1.bindings", JournalBuilder().bytes()}}};
}

/// The store that a recipe says.
inline StoreFiles built_files(std::string_view recipe) {
  FaultyDirectory built;
  build_into(built, recipe);
  return {.files = built.files()};
}

/// The part of a text between two marks.
inline std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t start = text.find(from);
  REQUIRE(start != std::string::npos);
  const std::size_t end = text.find(to, start + from.size());
  REQUIRE(end != std::string::npos);
  return text.substr(start + from.size(), end - start - from.size());
}

/// The text of the message journal's part.
inline std::string journal_text(const PrintedStore& printed) {
  return between(printed.output, "M E S S A G E S", "P A G I N G");
}

}  // namespace saranga::test
