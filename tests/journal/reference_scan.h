// The scan of a journal file as Artemis does it, step by step over a buffer
// (docs/format/journal.md, "Scanning a file"), slow and plain: the scanner of the library is
// compared with it.
#pragma once

#include <cstdint>
#include <vector>

#include "saranga/journal/format.h"
#include "tests/support/journal_builder.h"

namespace saranga::test {

struct ReferenceScan {
  std::vector<journal::Record> records;  ///< views of the scanned bytes
  bool marked = false;
  std::uint64_t end = journal::kHeaderBytes;
};

/// Reads the fields of one record after the other, as far as the bytes go.
class ReferenceReader {
 public:
  ReferenceReader(Bytes file, std::int32_t version, std::int32_t tag, bool reclaimed)
      : file_(file), version_(version), tag_(tag), reclaimed_(reclaimed) {}

  ReferenceScan scan() {
    if (file_.size() < journal::kHeaderBytes) return result_;
    for (std::size_t at = journal::kHeaderBytes; at < file_.size();) {
      journal::Record record;
      if (read(at, record)) {
        result_.records.push_back(record);
        at += record.length_bytes;
        result_.end = at;
      } else {
        ++at;
      }
    }
    return result_;
  }

 private:
  [[nodiscard]] bool has(std::size_t count) const { return next_ + count <= file_.size(); }
  template <class T>
  T take() {
    const T value = load_be<T>(file_.data() + next_);
    next_ += sizeof(T);
    return value;
  }
  bool mark() {
    result_.marked = true;
    return false;
  }

  bool read(std::size_t at, journal::Record& record) {
    const auto type = static_cast<int>(file_[at]);
    if (type < 10 || type > 19) return false;
    next_ = at + 1;
    record.kind = static_cast<journal::RecordKind>(type);
    record.offset = at;
    if (!has(4)) return mark();
    record.tag = take<std::int32_t>();
    if (!reclaimed_ && record.tag != tag_) return false;
    if (version_ >= 2) {
      if (!has(1)) return mark();
      record.compact_count = take<std::int8_t>();
    }
    if (type == 13 || type == 14 || type == 15 || type >= 17) {
      if (!has(8)) return mark();
      record.tx_id = take<std::int64_t>();
    }
    if (type < 17) {
      if (!has(8)) return mark();
      record.id = take<std::int64_t>();
    }
    std::int64_t variable = 0;
    if (type <= 15 && !read_body(type, record, variable)) return false;
    if (type == 17 || type == 18) {
      if (!has(4)) return false;
      record.number = take<std::int32_t>();
    }
    if (type == 17) {
      if (!has(4)) return false;
      variable = take<std::int32_t>();
    }
    return finish(at, type, variable, record);
  }

  bool read_body(int type, journal::Record& record, std::int64_t& variable) {
    if (!has(4)) return mark();
    variable = take<std::int32_t>();
    if (type != 15) {
      if (!has(1)) return false;
      record.user_type = take<std::int8_t>();
    }
    if (variable < 0 || !has(static_cast<std::size_t>(variable))) return false;
    record.body = file_.subspan(next_, static_cast<std::size_t>(variable));
    return true;
  }

  bool finish(std::size_t at, int type, std::int64_t variable, journal::Record& record) {
    static constexpr int kFixed[] = {23, 23, 23, 31, 31, 30, 18, 26, 22, 18};
    const std::int64_t length = kFixed[type - 10] - (version_ >= 2 ? 0 : 1) + variable;
    // Artemis may fail on a negative length of extra data; here that is just no record.
    if (variable < 0 || at + static_cast<std::size_t>(length) > file_.size()) return mark();
    if (length > INT32_MAX) return mark();
    next_ = at + static_cast<std::size_t>(length) - 4;
    if (take<std::int32_t>() != length) return mark();
    if (type == 17) {
      record.body = file_.subspan(at + static_cast<std::size_t>(length - 4 - variable),
                                  static_cast<std::size_t>(variable));
    }
    record.length_bytes = static_cast<std::uint32_t>(length);
    return true;
  }

  Bytes file_;
  std::int32_t version_;
  std::int32_t tag_;
  bool reclaimed_;
  std::size_t next_ = 0;
  ReferenceScan result_;
};

/// Scans the bytes of a file by its header, as Artemis would.
inline ReferenceScan reference_scan(const Buffer& file, bool reclaimed = false) {
  if (file.size() < journal::kHeaderBytes) return {};
  const journal::FileHeader header = journal::parse_header(file);
  return ReferenceReader(file, header.format_version, header.tag(), reclaimed).scan();
}

}  // namespace saranga::test
