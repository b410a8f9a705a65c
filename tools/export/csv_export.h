// One line a message, for spreadsheets (docs/format/export-tables.md#csv).
#pragma once

#include "saranga/bytes/finding.h"
#include "tools/cli/csv_writer.h"
#include "tools/cli/output.h"
#include "tools/export/export_target.h"
#include "tools/list/message_body.h"

namespace saranga::exporting {

/// Writes a row of names and the rows. What it refers to must outlive it. One thread.
class CsvExport final : public ExportTarget {
 public:
  CsvExport(const store::LoadedStore& store, cli::Output& output, Losses& losses, FindingSink& sink)
      : output_(output),
        losses_(losses),
        csv_(output.buffer()),
        bodies_(store, list::BodyDetail::kFull, sink) {}

  [[nodiscard]] Result<void> begin(const ExportScope& scope) override;
  void message(const store::LiveMessage& message, std::span<const store::MessageOnQueue> queues,
               bool more) override;
  [[nodiscard]] Result<void> end(const ExportCounts& counts) override;

 private:
  void queue_list(std::span<const store::MessageOnQueue> queues);
  void body(const store::LiveMessage& message);

  cli::Output& output_;
  Losses& losses_;
  cli::CsvWriter csv_;
  list::BodyReader bodies_;
  TextBuffer scratch_;
};

}  // namespace saranga::exporting
