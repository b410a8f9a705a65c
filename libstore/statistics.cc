#include "saranga/store/statistics.h"

#include <memory>

namespace saranga::store {
namespace {

using Counts = std::map<std::pair<journal::RecordKind, std::int8_t>, RecordCount>;

/// Counts the records of one file.
class CountJob final : public Job {
 public:
  CountJob(const LoadedStore& store, std::size_t file, Counts& total)
      : store_(store), file_(file), total_(total) {}
  void run() override {
    const journal::JournalFile& file = store_.journal().folder.files[file_];
    auto opened = store_.parts().journal->open(file.name);
    if (!opened) return;
    journal::FileScanner scanner(**opened, file.header, {.window_bytes = std::size_t{256} << 10});
    journal::Batch batch;
    for (auto more = scanner.next(batch); more && *more; more = scanner.next(batch)) {
      for (const journal::Record& record : batch.records) {
        RecordCount& count = counts_[{record.kind, record.user_type}];
        ++count.records;
        count.bytes += record.length_bytes;
      }
    }
  }
  void deliver() override {
    for (const auto& [key, count] : counts_) {
      total_[key].records += count.records;
      total_[key].bytes += count.bytes;
    }
  }

 private:
  const LoadedStore& store_;
  std::size_t file_;
  Counts& total_;
  Counts counts_;
};

}  // namespace

Statistics count_records(const LoadedStore& store, JobRunner& jobs) {
  Statistics result;
  for (std::size_t i = 0; i < store.journal().folder.files.size(); ++i) {
    jobs.submit(std::make_unique<CountJob>(store, i, result.records));
  }
  jobs.drain();
  const Model& model = store.model();
  for (std::size_t i = 0; i < model.messages().size(); ++i) {
    const Message& message = model.messages()[i];
    if (message.has(Message::kDead) || message.first_reference == kNone) continue;
    result.body_bytes.add(message.body_bytes);
    const bool known = message.timestamp_ms > 0 && message.timestamp_ms <= store.now_ms();
    const std::int64_t age_ms = known ? store.now_ms() - message.timestamp_ms : 0;
    result.age_seconds.add(static_cast<std::uint64_t>(age_ms / 1000));
  }
  return result;
}

}  // namespace saranga::store
