// Writes a store with the library alone, for a real broker to start on (written_proof.py).
//
//   write_store FOLDER [direct]
//
// With `direct`, the message journal has blocks and is written past the page cache, where that
// works. Prints a line for each queue: its name, and the ids of its messages in their order.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "saranga/bindings/id_ranges.h"
#include "saranga/bindings/record_ids.h"
#include "saranga/bindings/record_types.h"
#include "saranga/io/aio_engine.h"
#include "saranga/journal/journal_writer.h"
#include "saranga/message/large_file_writer.h"
#include "saranga/message/message_encoder.h"
#include "saranga/message/record_ids.h"
#include "saranga/message/record_types.h"
#include "saranga/paging/page_writer.h"

using namespace saranga;

namespace {

using Buffer = std::vector<std::byte>;

constexpr std::string_view kStoreUuid = "5a5a5a5a-0000-11ee-8000-020000000001";
constexpr std::size_t kLargeBytes = 150'000;
constexpr std::byte kMulticast{0};
constexpr std::byte kAnycast{1};

[[noreturn]] void give_up(const std::string& what) {
  fmt::print(stderr, "write_store: {}\n", what);
  std::_Exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class IgnoreFindings final : public FindingSink {
 public:
  void finding(Finding) override {}
};

/// A journal in a folder of its own.
class Journal {
 public:
  Journal(const std::string& path, const journal::WriterOptions& options)
      : directory_(need(open_writable_directory(path))) {
    EngineChoice choice = choose_direct_engine(path, options.alignment_bytes, runner_);
    if (options.alignment_bytes > 1 && !choice.direct) fmt::print(stderr, "{}\n", choice.reason);
    engine_ = std::move(choice.engine);
    writer_ = need(journal::JournalWriter::open(*directory_, *engine_, options, sink_));
  }
  journal::JournalWriter* operator->() { return writer_.get(); }
  void add(std::int64_t id, std::int8_t type, const Buffer& body, std::int64_t tx_id = 0) {
    const Bytes pieces[] = {body};
    need(tx_id == 0 ? writer_->add(id, type, pieces) : writer_->add_tx(tx_id, id, type, pieces));
  }
  void update(std::int64_t id, std::int8_t type, const Buffer& body, std::int64_t tx_id = 0) {
    const Bytes pieces[] = {body};
    need(tx_id == 0 ? writer_->update(id, type, pieces)
                    : writer_->update_tx(tx_id, id, type, pieces));
  }

 private:
  InlineRunner runner_;
  std::unique_ptr<WriteEngine> engine_;
  IgnoreFindings sink_;
  std::unique_ptr<WritableDirectory> directory_;
  std::unique_ptr<journal::JournalWriter> writer_;
};

FieldsBuilder body_of(std::int8_t type) {
  return FieldsBuilder(message::find_record_type(type)->fields);
}

/// The store.
class Store {
 public:
  Store(const std::string& root, bool direct)
      : root_(root),
        bindings_(folder("bindings"), {.kind = journal::JournalKind::kBindings,
                                       .prefix = "activemq-bindings",
                                       .extension = "bindings",
                                       .file_size_bytes = 1'048'576}),
        messages_(folder("journal"), {.file_size_bytes = 262'144,
                                      .alignment_bytes = direct ? 4096U : 1U,
                                      .buffer_bytes = 126'976}) {
    folder("large-messages");
    folder("paging");
  }

  void write() {
    add_queue("plain", "plain", kAnycast);
    add_queue("topic", "topic.a", kMulticast);
    add_queue("topic", "topic.b", kMulticast);
    add_queue("large", "large", kAnycast);
    add_queue("paged", "paged", kAnycast);
    add_queue("doubt", "doubt", kAnycast);
    for (int i = 0; i < 50; ++i) send("plain", {"plain"}, i % 5 == 0);
    for (int i = 0; i < 20; ++i) send("topic", {"topic.a", "topic.b"}, false);
    acknowledge_some();
    send_large();
    write_pages();
    prepare_one();
    need(messages_->sync());
    const bindings::IdCounter last = ids_.stop();
    bindings_.add(last.record_id, bindings::kIdCounter, last.body());
    need(bindings_->sync());
  }
  void tell() const {
    for (const auto& [queue, ids] : on_queue_) {
      fmt::print("{}", queue);
      for (const std::int64_t id : ids) fmt::print(" {}", id);
      fmt::print("\n");
    }
  }

 private:
  std::string folder(const std::string& name) const {
    const std::filesystem::path path = std::filesystem::path(root_) / name;
    std::filesystem::create_directories(path);
    return path.string();
  }
  // The record of a range is durable before an id of it is used.
  std::int64_t take_id() {
    const std::int64_t id = ids_.next();
    if (const auto counter = ids_.due()) {
      bindings_.add(counter->record_id, bindings::kIdCounter, counter->body());
      need(bindings_->sync());
    }
    return id;
  }
  void add_queue(const std::string& address, const std::string& name, std::byte routing) {
    if (!addresses_[address]) {
      const Buffer types{routing};
      bindings_.add(take_id(), bindings::kAddressBinding,
                    need(FieldsBuilder(bindings::find_record_type(44)->fields)
                             .text("name", address)
                             .list("routing_types", 1, types)
                             .number("auto_created", 0)
                             .encode()));
    }
    addresses_[address] = true;
    queues_[name] = take_id();
    on_queue_[name] = {};
    bindings_.add(queues_[name], bindings::kQueueBinding,
                  need(FieldsBuilder(bindings::find_record_type(21)->fields)
                           .text("name", name)
                           .text("address", address)
                           .text("metadata", "")
                           .number("auto_created", 0)
                           .number("max_consumers", -1)
                           .number("purge_on_no_consumers", 0)
                           .number("routing_type", static_cast<std::int64_t>(routing))
                           .encode()));
  }
  Buffer queue_reference(const std::string& queue) const {
    return need(body_of(message::kAddReference).number("queue_id", queues_.at(queue)).encode());
  }
  // Every message has its number, by which the broker finds it again.
  message::NewCoreMessage new_message(std::int64_t id, Text address, Bytes body) {
    message::NewCoreMessage made{.id = id,
                                 .address = address,
                                 .type = message::CoreType::kText,
                                 .timestamp_ms = 1'700'000'000'000,
                                 .body = body};
    made.user_id.emplace();
    made.user_id->fill(std::byte{0x11});
    made.properties = {{Text("n"), message::long_value(++number_)},
                       {Text("name"), message::string_value(Text("n\xC3\xA4me"))},
                       {Text("yes"), message::boolean_value(true)}};
    return made;
  }
  void send(const std::string& address, const std::vector<std::string>& to, bool in_tx) {
    const std::int64_t tx_id = in_tx ? take_id() : 0;
    const std::int64_t id = take_id();
    const Buffer text = need(message::encode_text_body(Text("text of a message")));
    messages_.add(id, message::kAddMessageProtocol,
                  need(message::encode_core_message(new_message(id, Text(address), text))), tx_id);
    for (const std::string& queue : to) {
      messages_.update(id, message::kAddReference, queue_reference(queue), tx_id);
      on_queue_[queue].push_back(id);
    }
    if (in_tx) need(messages_->commit(tx_id));
  }
  // The first messages of the plain queue go, and one queue of the topic has read half of them.
  void acknowledge_some() {
    for (int i = 0; i < 5; ++i) {
      const std::int64_t id = take_first("plain");
      messages_.update(id, message::kAcknowledgeReference, queue_reference("plain"));
      need(messages_->remove(id));
    }
    for (int i = 0; i < 10; ++i) {
      messages_.update(take_first("topic.a"), message::kAcknowledgeReference,
                       queue_reference("topic.a"));
    }
  }
  std::int64_t take_first(const std::string& queue) {
    auto& ids = on_queue_[queue];
    const std::int64_t id = ids.front();
    ids.erase(ids.begin());
    return id;
  }
  // The body is durable before there is a record of it.
  void send_large() {
    const std::int64_t id = take_id();
    auto directory = need(open_writable_directory(folder("large-messages")));
    auto file = need(message::LargeFileWriter::create(*directory, id));
    const Buffer body(kLargeBytes, std::byte{0x62});
    need(file->append(body));
    need(file->finish());
    message::NewCoreMessage made = new_message(id, Text("large"), {});
    made.type = message::CoreType::kBytes;
    made.properties.push_back({Text("_AMQ_LARGE_SIZE"),
                               message::long_value(static_cast<std::int64_t>(file->size_bytes()))});
    messages_.add(id, message::kAddLargeMessage, need(message::encode_large_message(made)));
    messages_.update(id, message::kAddReference, queue_reference("large"));
    on_queue_["large"].push_back(id);
  }
  void write_pages() {
    auto paging = need(open_writable_directory(folder("paging")));
    need(paging->create_directory(kStoreUuid));
    need(paging->sync());
    auto directory = need(open_writable_directory(folder("paging/" + std::string(kStoreUuid))));
    need(paging::write_address_file(*directory, "paged"));
    auto pages = need(paging::PageWriter::open(*directory, {.page_size_bytes = 20'480}));
    const std::int64_t committed = take_id();
    const std::int64_t never_committed = take_id();
    for (int i = 0; i < 200; ++i) {
      const std::int64_t tx_id = i % 50 == 7 ? committed : i % 50 == 9 ? never_committed : -1;
      const std::int64_t id = page(*pages, tx_id);
      if (tx_id != never_committed) on_queue_["paged"].push_back(id);
    }
    need(pages->sync());
    messages_.add(take_id(), message::kPageTransaction,
                  need(body_of(message::kPageTransaction)
                           .number("page_tx", committed)
                           .number("reference_count", 4)
                           .encode()),
                  committed);
    need(messages_->commit(committed));
    // Releases before 2.28 believe what the counter says.
    messages_.add(take_id(), message::kPageCounterValue,
                  need(body_of(message::kPageCounterValue)
                           .number("queue_id", queues_["paged"])
                           .number("value", static_cast<std::int64_t>(on_queue_["paged"].size()))
                           .number("persistent_size_bytes", 40'000)
                           .encode()));
  }
  std::int64_t page(paging::PageWriter& pages, std::int64_t tx_id) {
    const std::int64_t id = take_id();
    const Buffer text = need(message::encode_text_body(Text("text of a paged message")));
    const Buffer stored = need(message::encode_core_message(new_message(id, Text("paged"), text)));
    const std::int64_t queues[] = {queues_["paged"]};
    need(pages.append(need(paging::encode_paged_message(
        paging::NewPagedMessage{.tx_id = tx_id, .message = stored, .queues = queues}))));
    return id;
  }
  void prepare_one() {
    const std::int64_t tx_id = take_id();
    const std::int64_t id = take_id();
    const Buffer text = need(message::encode_text_body(Text("in doubt")));
    messages_.add(id, message::kAddMessageProtocol,
                  need(message::encode_core_message(new_message(id, Text("doubt"), text))), tx_id);
    messages_.update(id, message::kAddReference, queue_reference("doubt"), tx_id);
    const Bytes branch = as_bytes("branch");
    const Bytes global = as_bytes("global");
    Encoder xid;
    xid.i32(1).sized_bytes(branch).sized_bytes(global);
    const Bytes pieces[] = {xid.view()};
    need(messages_->prepare(tx_id, pieces));
  }

  std::string root_;
  bindings::IdRanges ids_;
  Journal bindings_;
  Journal messages_;
  std::map<std::string, bool> addresses_;
  std::map<std::string, std::int64_t> queues_;
  std::map<std::string, std::vector<std::int64_t>> on_queue_;
  std::int64_t number_ = 0;
};

}  // namespace

int main(int count, char** values) {
  const bool direct = count == 3 && std::string_view(values[2]) == "direct";
  if (count != (direct ? 3 : 2)) give_up("usage: write_store FOLDER [direct]");
  Store store(values[1], direct);
  store.write();
  store.tell();
  return 0;
}
