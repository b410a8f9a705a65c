// A journal written in memory, and what is in its files.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "saranga/journal/journal_writer.h"
#include "tests/journal/scan_helpers.h"
#include "tests/support/faulty_directory.h"

namespace saranga::test {

/// A disk and the writer of the journal on it. Whatever fails, fails the test.
class WrittenJournal {
 public:
  explicit WrittenJournal(journal::WriterOptions given = {}) : options(std::move(given)) { open(); }
  /// For a test that puts files on the disk first.
  struct NotOpened {};
  WrittenJournal(journal::WriterOptions given, NotOpened) : options(std::move(given)) {}

  void open() {
    writer.reset();
    engine = std::make_unique<PwriteEngine>(runner);
    auto opened = journal::JournalWriter::open(disk, *engine, options, findings);
    INFO((opened ? "" : opened.error().message()));
    REQUIRE(opened);
    writer = std::move(*opened);
  }
  /// The error that opening gives.
  [[nodiscard]] Error refusal() {
    engine = std::make_unique<PwriteEngine>(runner);
    const auto opened = journal::JournalWriter::open(disk, *engine, options, findings);
    REQUIRE_FALSE(opened);
    return opened.error();
  }
  void sync() { REQUIRE(writer->sync()); }
  /// Closes as a broker that stops, and opens again.
  void restart() {
    sync();
    open();
  }

  void add(std::int64_t id, std::int8_t type = 45, const Buffer& body = {}) {
    took(writer->add(id, type, pieces(body)));
  }
  void update(std::int64_t id, std::int8_t type = 32, const Buffer& body = {}) {
    took(writer->update(id, type, pieces(body)));
  }
  void remove(std::int64_t id) { took(writer->remove(id)); }
  void event(std::int64_t id, std::int8_t type, const Buffer& body = {}) {
    took(writer->event(id, type, pieces(body)));
  }
  void add_tx(std::int64_t tx, std::int64_t id, std::int8_t type = 45, const Buffer& body = {}) {
    took(writer->add_tx(tx, id, type, pieces(body)));
  }
  void update_tx(std::int64_t tx, std::int64_t id, std::int8_t type = 32, const Buffer& body = {}) {
    took(writer->update_tx(tx, id, type, pieces(body)));
  }
  void remove_tx(std::int64_t tx, std::int64_t id, const Buffer& body = {}) {
    took(writer->remove_tx(tx, id, pieces(body)));
  }
  void prepare(std::int64_t tx, const Buffer& xid = {}) { took(writer->prepare(tx, pieces(xid))); }
  void commit(std::int64_t tx) { took(writer->commit(tx)); }
  void rollback(std::int64_t tx) { took(writer->rollback(tx)); }

  [[nodiscard]] Buffer content(const std::string& name) const {
    const auto files = disk.files();
    const auto found = files.find(name);
    REQUIRE(found != files.end());
    return found->second;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, content] : disk.files()) names.push_back(name);
    return names;
  }
  [[nodiscard]] std::int64_t header_id(const std::string& name) const {
    return header_of(content(name)).id;
  }

  journal::WriterOptions options;
  FaultyDirectory disk;
  InlineRunner runner;
  Findings findings;
  std::unique_ptr<PwriteEngine> engine;
  std::unique_ptr<journal::JournalWriter> writer;

 private:
  static std::vector<Bytes> pieces(const Buffer& body) {
    const Bytes all(body);
    return {all.first(body.size() / 2), all.subspan(body.size() / 2)};
  }
  static void took(const Result<journal::Position>& position) {
    INFO((position ? "" : position.error().message()));
    REQUIRE(position);
  }
};

}  // namespace saranga::test
