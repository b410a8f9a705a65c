// The archive of a store in JSON Lines: everything that is live, as it is stored
// (docs/format/archive.md).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "saranga/journal/format.h"
#include "saranga/journal/id_set.h"
#include "saranga/store/kept_records.h"
#include "tools/cli/json_writer.h"
#include "tools/cli/output.h"
#include "tools/export/export_target.h"

namespace saranga::exporting {

/// Writes lines. What it refers to must outlive it. One thread.
class ArchiveExport final : public ExportTarget {
 public:
  /// `store_name` is the store as it was given.
  ArchiveExport(const store::LoadedStore& store, std::string store_name, cli::Output& output,
                FindingSink& sink)
      : store_(store),
        store_name_(std::move(store_name)),
        output_(output),
        sink_(sink),
        json_(output.buffer()) {}

  [[nodiscard]] store::WholeOrder order() const override { return store::WholeOrder::kArrival; }
  [[nodiscard]] Result<void> begin(const ExportScope& scope) override;
  void message(const store::LiveMessage& message, std::span<const store::MessageOnQueue> queues,
               bool more) override;
  void later(const store::LiveMessage& message, const store::MessageOnQueue& place) override;
  [[nodiscard]] Result<void> end(const ExportCounts& counts) override;

 private:
  void header();
  [[nodiscard]] Result<void> bindings();
  [[nodiscard]] bool wants_binding(const journal::Record& record) const;
  void binding(const journal::Record& record);
  void facts(const store::LiveMessage& message);
  void content(const store::LiveMessage& message);
  void place(const store::MessageOnQueue& on);
  void rest_of_data(const store::LiveMessage& message);
  void body_file(const store::LiveMessage& message);
  void standing_records();
  void record(const journal::Record& record, std::optional<std::int64_t> tx_id);
  void transactions();
  void end_line();

  const store::LoadedStore& store_;
  std::string store_name_;
  cli::Output& output_;
  FindingSink& sink_;
  cli::JsonWriter json_;
  ExportScope scope_;
  std::set<std::int64_t> bound_;         // ids of the queues and addresses that are exported
  std::set<std::int64_t> transactions_;  // that exported messages are part of
  std::vector<std::byte> piece_;
  std::uint64_t bindings_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t transaction_count_ = 0;
};

}  // namespace saranga::exporting
