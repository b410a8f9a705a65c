#include "tools/export/sqlite_writer.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace saranga::exporting {

struct SqliteWriter::Connection {
  sqlite3* handle = nullptr;
  ~Connection() { sqlite3_close(handle); }
};

struct SqliteInsert::Statement {
  sqlite3_stmt* handle = nullptr;
  ~Statement() { sqlite3_finalize(handle); }
};

// ---- the database -------------------------------------------------------------------------------

// Nobody sees the file before it is whole, so there is nothing to be undone and nothing to sync
// before the end.
SqliteWriter::SqliteWriter(const std::string& path)
    : path_(path), connection_(std::make_unique<Connection>()) {
  fail(sqlite3_open_v2(path.c_str(), &connection_->handle,
                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr));
  run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
      "PRAGMA page_size=16384; PRAGMA cache_size=-16384; PRAGMA temp_store=FILE; BEGIN;");
}

SqliteWriter::~SqliteWriter() = default;

void SqliteWriter::fail(int code) {
  if (failed() || code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  problem_ = fmt::format(
      "cannot write the database: {}",
      connection_->handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection_->handle));
}

void SqliteWriter::run(const char* sql) {
  if (!failed()) fail(sqlite3_exec(connection_->handle, sql, nullptr, nullptr, nullptr));
}

Result<void> SqliteWriter::finish() {
  run("COMMIT");
  if (!failed()) fail(sqlite3_close(std::exchange(connection_->handle, nullptr)));
  return failed() ? saranga::fail(ErrorCode::kIo, problem_, path_) : Result<void>{};
}

// ---- rows ---------------------------------------------------------------------------------------

SqliteInsert::SqliteInsert(SqliteWriter& writer, std::string_view table, int columns)
    : writer_(writer), statement_(std::make_unique<Statement>()) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (?", table);
  for (int i = 1; i < columns; ++i) sql += ",?";
  sql += ')';
  if (writer.failed()) return;
  check(sqlite3_prepare_v2(writer.connection_->handle, sql.c_str(), -1, &statement_->handle,
                           nullptr));
}

SqliteInsert::~SqliteInsert() = default;

void SqliteInsert::check(int code) { writer_.fail(code); }

SqliteInsert& SqliteInsert::null() {
  if (!writer_.failed()) check(sqlite3_bind_null(statement_->handle, next_++));
  return *this;
}

SqliteInsert& SqliteInsert::number(std::int64_t value) {
  if (!writer_.failed()) check(sqlite3_bind_int64(statement_->handle, next_++, value));
  return *this;
}

SqliteInsert& SqliteInsert::number(std::optional<std::int64_t> value) {
  return value ? number(*value) : null();
}

SqliteInsert& SqliteInsert::real(double value) {
  if (!writer_.failed()) check(sqlite3_bind_double(statement_->handle, next_++, value));
  return *this;
}

SqliteInsert& SqliteInsert::text(std::string_view value) {
  if (!writer_.failed()) {
    check(sqlite3_bind_text64(statement_->handle, next_++,
                              value.data() == nullptr ? "" : value.data(), value.size(),
                              SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  return *this;
}

SqliteInsert& SqliteInsert::nullable(const std::optional<std::string>& value) {
  return value ? text(std::string_view(*value)) : null();
}

SqliteInsert& SqliteInsert::blob(Bytes value) {
  if (writer_.failed()) return *this;
  // A null pointer would be a null value.
  const void* at = value.empty() ? static_cast<const void*>("") : value.data();
  check(sqlite3_bind_blob64(statement_->handle, next_++, at, value.size(), SQLITE_TRANSIENT));
  return *this;
}

void SqliteInsert::row() {
  next_ = 1;
  if (writer_.failed()) return;
  check(sqlite3_step(statement_->handle));
  sqlite3_reset(statement_->handle);
}

}  // namespace saranga::exporting
