// A new SQLite database, and statements that fill it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/error.h"

namespace saranga::exporting {

class SqliteWriter;

/// One INSERT, used row by row: a value for each column, in their order, then row(). One thread.
class SqliteInsert {
 public:
  /// `columns` is how many values a row has.
  SqliteInsert(SqliteWriter& writer, std::string_view table, int columns);
  ~SqliteInsert();
  SqliteInsert(const SqliteInsert&) = delete;
  SqliteInsert& operator=(const SqliteInsert&) = delete;

  SqliteInsert& null();
  SqliteInsert& number(std::int64_t value);
  SqliteInsert& number(std::optional<std::int64_t> value);
  SqliteInsert& real(double value);
  /// UTF-8. The view need not outlive row().
  SqliteInsert& text(std::string_view value);
  SqliteInsert& nullable(const std::optional<std::string>& value);
  SqliteInsert& blob(Bytes value);
  void row();

 private:
  void check(int code);

  SqliteWriter& writer_;
  struct Statement;
  std::unique_ptr<Statement> statement_;
  int next_ = 1;
};

/// Fills a file that is there and empty. The first failure is kept, and nothing happens after it.
class SqliteWriter {
 public:
  explicit SqliteWriter(const std::string& path);
  ~SqliteWriter();
  SqliteWriter(const SqliteWriter&) = delete;
  SqliteWriter& operator=(const SqliteWriter&) = delete;

  /// Runs statements that give nothing.
  void run(const char* sql);
  [[nodiscard]] bool failed() const { return !problem_.empty(); }
  /// Commits and closes. All inserts must have gone.
  [[nodiscard]] Result<void> finish();

 private:
  friend class SqliteInsert;
  struct Connection;
  void fail(int code);

  std::string path_;
  std::unique_ptr<Connection> connection_;
  std::string problem_;
};

}  // namespace saranga::exporting
