#include "libstore/import/import_pages.h"

#include "libstore/import/record_bodies.h"
#include "saranga/bytes/base64.h"
#include "saranga/message/record_ids.h"
#include "saranga/store/digest.h"

namespace saranga::store {
namespace {

// Any UUID will do; the same import gives the same.
std::string folder_name(std::string_view address) {
  constexpr std::size_t kUuidBytes = 16;
  Hasher hasher;
  hasher.piece(address);
  const Hasher::Value value = hasher.finish();
  TextBuffer name;
  append_uuid(name, Bytes(value).first(kUuidBytes));
  return name.str();
}

paging::LargeKind large_kind(const NewEntry& entry) {
  if (entry.core_large) return paging::LargeKind::kCore;
  return entry.amqp_large ? paging::LargeKind::kAmqp : paging::LargeKind::kNone;
}

}  // namespace

// Archives have the pages of an address together, so one at a time is open.
Result<void> ImportPages::open(std::string_view address) {
  if (writer_ && address_ == address) return {};
  if (auto closed = close(); !closed) return closed;
  const auto [known, fresh] = folders_.try_emplace(
      std::string(address), folders_.contains(address) ? "" : folder_name(address));
  const std::string& name = known->second;
  if (fresh) {
    if (auto made = folder_.create_directory(name); !made) return made;
    if (auto synced = folder_.sync(); !synced) return synced;
  }
  auto directory = open_writable_directory(folder_.path() + "/" + name);
  if (!directory) return std::unexpected(directory.error());
  directory_ = std::move(*directory);
  if (fresh) {
    if (auto named = paging::write_address_file(*directory_, address); !named) return named;
  }
  auto writer = paging::PageWriter::open(*directory_);
  if (!writer) return std::unexpected(writer.error());
  writer_ = std::move(*writer);
  address_ = address;
  return {};
}

Result<void> ImportPages::close() {
  if (!writer_) return {};
  auto synced = writer_->sync();
  writer_.reset();
  directory_.reset();
  return synced;
}

Result<paging::PagePosition> ImportPages::append(const NewEntry& entry) {
  if (auto opened = open(entry.address); !opened) return std::unexpected(opened.error());
  const auto payload =
      paging::encode_paged_message(paging::NewPagedMessage{.tx_id = entry.tx_id,
                                                           .large = large_kind(entry),
                                                           .message = entry.encoded,
                                                           .queues = entry.queues});
  if (!payload) return std::unexpected(payload.error());
  const auto position = writer_->append(*payload);
  if (!position) return position;
  if (entry.tx_id >= 0) {
    sends_[entry.tx_id] += static_cast<std::int64_t>(entry.queues.size());
    return position;
  }
  for (const std::int64_t queue : entry.queues) {
    Counter& counter = counters_[queue];
    ++counter.messages;
    counter.bytes += static_cast<std::int64_t>(entry.encoded.size());
  }
  return position;
}

Result<void> ImportPages::prepare(std::int64_t tx_id, ImportJournal& journal,
                                  std::int64_t& next_id) {
  if (const auto sends = sends_.extract(tx_id)) {
    const auto body = page_transaction_body(tx_id, static_cast<std::int32_t>(sends.mapped()));
    auto added = journal.add_tx(tx_id, next_id++, message::kPageTransaction, body);
    if (!added) return added;
  }
  const auto acknowledged = acknowledgements_.extract(tx_id);
  if (!acknowledged) return {};
  for (const auto& [queue, position] : acknowledged.mapped()) {
    const auto body = cursor_body(queue, position.page, position.number);
    auto added = journal.add_tx(tx_id, next_id++, message::kAcknowledgeCursor, body);
    if (!added) return added;
  }
  return {};
}

Result<void> ImportPages::finish(ImportJournal& journal, std::int64_t& next_id) {
  if (auto closed = close(); !closed) return closed;
  for (const auto& [queue, counter] : counters_) {
    const auto body = page_counter_body(queue, counter.messages, counter.bytes);
    auto added = journal.add(next_id++, message::kPageCounterValue, body);
    if (!added) return added;
  }
  return {};
}

}  // namespace saranga::store
