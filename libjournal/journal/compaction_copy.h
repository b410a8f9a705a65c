// Behind the first reading of a compaction: each record that is kept, as it will be written.
#pragma once

#include <cstdint>

#include "libjournal/journal/compaction_choice.h"
#include "libjournal/journal/compaction_output.h"
#include "libjournal/journal/copy_list.h"
#include "libjournal/journal/record_outlines.h"

namespace saranga::journal {

/// What a reading has kept.
struct CopyCounts {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t replaced_updates = 0;
};

/// What a record is written with. `number` is that of a PREPARE or COMMIT.
[[nodiscard]] RecordFields copied_fields(const Record& record, std::int32_t number);

/// Takes the records in load order and hands on those that are kept. One thread.
class CompactionCopy {
 public:
  /// Measures, and notes in the list what is to be copied. All must outlive the copy.
  CompactionCopy(const CompactionChoice& choice, OutputLayout& layout, CopyList& list)
      : choice_(choice), deleted_(choice.deleted()), layout_(layout), list_(&list) {}
  /// Writes.
  CompactionCopy(const CompactionChoice& choice, OutputLayout& layout, OutputWriter& writer)
      : choice_(choice), deleted_(choice.deleted()), layout_(layout), writer_(&writer) {}

  [[nodiscard]] Result<void> apply(const Record& record, std::size_t file) {
    return apply(record, record.body.size(), file);
  }
  /// A record whose body is not there; only for measuring.
  [[nodiscard]] Result<void> apply(const RecordOutline& outline) {
    return apply(outline.record, outline.body_bytes, outline.file);
  }
  [[nodiscard]] const CopyCounts& counts() const { return counts_; }

 private:
  struct Open {
    std::uint64_t instance = 0;
    TransactionFate fate = TransactionFate::kDropped;
    bool known = false;
    bool wrote = false;
    std::size_t last_file = 0;      // of the new ones
    std::int32_t in_last_file = 0;  // records of the transaction in it
  };

  [[nodiscard]] Result<void> apply(const Record& record, std::uint64_t body_bytes,
                                   std::size_t file);
  [[nodiscard]] Result<void> apply_in_transaction(const Record& record, std::uint64_t body_bytes,
                                                  std::size_t file);
  [[nodiscard]] Result<void> put(const Record& record, std::uint64_t body_bytes, std::size_t file,
                                 Open* transaction);

  const CompactionChoice& choice_;
  IdSet::Reader deleted_;
  OutputLayout& layout_;
  CopyList* list_ = nullptr;
  OutputWriter* writer_ = nullptr;
  TransactionCounter<Open> transactions_;
  CopyCounts counts_;
};

}  // namespace saranga::journal
