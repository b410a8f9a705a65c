// Reading a folder as somebody who comes later would: with the reader that knows nothing of the
// writer.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "saranga/journal/folder.h"
#include "saranga/journal/scanner.h"
#include "saranga/journal/survivors.h"
#include "tests/crash/model.h"

namespace saranga::test {

/// A record as it stands in a file, and how long it is.
struct RawRecord {
  journal::RecordFields fields{};
  Buffer body{};
  std::uint32_t length_bytes = 0;
};

/// Everything that a fresh read finds.
struct FreshRead {
  std::vector<RawRecord> raw{};
  LoadedState state{};
  std::set<std::int64_t> dropped{};  ///< transactions whose commit counts wrong
  std::string failure{};             ///< why it could not be read; empty when it could
};

namespace detail {

class LoadSink final : public FindingSink {
 public:
  void finding(Finding finding) override {
    const bool commit = finding.text.find("the commit") != std::string::npos;
    if (finding.code == "transaction-incomplete" && commit) dropped.insert(*finding.id);
    if (finding.code == "header-damaged") damaged = finding.file;
  }
  std::set<std::int64_t> dropped;
  std::string damaged;
};

}  // namespace detail

/// Reads the journal of a folder in memory.
inline FreshRead read_fresh(const std::map<std::string, Buffer>& files) {
  FreshRead result;
  MemoryDirectory directory;
  for (const auto& [name, content] : files) directory.put(name, content);
  detail::LoadSink sink;
  const auto folder = journal::read_folder(directory, journal::JournalKind::kMessages, "", sink);
  if (!folder) return {.failure = folder.error().message()};
  if (!sink.damaged.empty()) result.failure = "damaged header: " + sink.damaged;
  std::vector<std::string> names;
  for (const journal::JournalFile& file : folder->files) names.push_back(file.name);
  journal::Survivors survivors(sink, names);
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> raw_at;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto file = directory.open(names[i]);
    journal::FileScanner scanner(**file, folder->files[i].header);
    journal::Batch batch;
    while (*scanner.next(batch)) {
      for (const journal::Record& record : batch.records) {
        survivors.apply(record, i);
        raw_at[{i, record.offset}] = result.raw.size();
        result.raw.push_back({{.kind = record.kind,
                               .user_type = record.user_type,
                               .tag = record.tag,
                               .tx_id = record.tx_id,
                               .id = record.id},
                              {record.body.begin(), record.body.end()},
                              record.length_bytes});
      }
    }
  }
  survivors.finish();
  const auto raw = [&](const journal::PlacedRecord& placed) -> const RawRecord& {
    return result.raw[raw_at.at({placed.place.file(), placed.place.offset()})];
  };
  const auto loaded = [&](const journal::PlacedRecord& placed) -> LoadedRecord {
    const RawRecord& record = raw(placed);
    const bool update = record.fields.kind == journal::RecordKind::kUpdate ||
                        record.fields.kind == journal::RecordKind::kUpdateTx;
    return {placed.id, record.fields.user_type, update, record.body};
  };
  for (const journal::PlacedRecord& placed : survivors.records()) {
    result.state.records.push_back(loaded(placed));
  }
  for (const journal::OpenTransaction& tx : survivors.open()) {
    if (!tx.prepared) continue;
    PreparedTransaction& prepared = result.state.prepared[tx.tx_id];
    prepared.xid = raw(*tx.prepare).body;
    for (const journal::PlacedRecord& placed : tx.records)
      prepared.records.push_back(loaded(placed));
    for (const journal::PlacedRecord& placed : tx.deletes) prepared.deletes.push_back(placed.id);
  }
  result.dropped = std::move(sink.dropped);
  return result;
}

}  // namespace saranga::test
