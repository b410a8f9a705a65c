// A store as tables of an SQLite database, for questions in SQL
// (docs/format/export-tables.md#sqlite).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saranga/bytes/finding.h"
#include "tools/export/export_target.h"
#include "tools/export/sqlite_writer.h"
#include "tools/list/message_body.h"

namespace saranga::exporting {

/// Fills a new database. What it refers to must outlive it. One thread.
class SqliteExport final : public ExportTarget {
 public:
  /// `path` names a file that is empty; `store_name` is the store as it was given.
  SqliteExport(const store::LoadedStore& store, std::string store_name, const std::string& path,
               Losses& losses, FindingSink& sink);
  ~SqliteExport() override;

  [[nodiscard]] Result<void> begin(const ExportScope& scope) override;
  void message(const store::LiveMessage& message, std::span<const store::MessageOnQueue> queues,
               bool more) override;
  [[nodiscard]] Result<void> end(const ExportCounts& counts) override;

 private:
  struct Inserts;

  void addresses(const ExportScope& scope);
  void queues(const ExportScope& scope);
  void properties(const store::LiveMessage& message);
  void core_properties(std::int64_t id, const message::TypedProperties& properties);
  void amqp_properties(std::int64_t id, const message::amqp::Stored& stored);
  void places(std::int64_t id, std::span<const store::MessageOnQueue> queues);
  void body(const store::LiveMessage& message, const list::MessageBody& body);
  void long_body(std::int64_t id, const message::LargeFile& file);
  void transactions();
  void files();
  void figures(const ExportCounts& counts);

  const store::LoadedStore& store_;
  std::string store_name_;
  Losses& losses_;
  FindingSink& sink_;
  list::BodyReader bodies_;
  SqliteWriter writer_;
  std::unique_ptr<Inserts> inserts_;
  std::vector<std::byte> piece_;
};

}  // namespace saranga::exporting
