#include "saranga/store/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "saranga/store/cross_findings.h"

namespace saranga::store {
namespace {

constexpr std::size_t kBodyWindowBytes = std::size_t{256} << 10;
// What follows in the stream, so that a body can't pass for something else.
constexpr std::int64_t kBodyInRecord = 0;
constexpr std::int64_t kBodyInFile = 1;

using message::Property;
using message::PropertyType;
using message::TypedProperties;

}  // namespace

// ---- the hash -----------------------------------------------------------------------------------

struct Hasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
}

Hasher::~Hasher() = default;

void Hasher::raw(Bytes bytes) { EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()); }

void Hasher::piece(Bytes bytes) {
  number(static_cast<std::int64_t>(bytes.size()));
  raw(bytes);
}

void Hasher::number(std::int64_t number) {
  std::byte encoded[8];
  store_be(encoded, number);
  raw(encoded);
}

Hasher::Value Hasher::finish() {
  Value value{};
  EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(value.data()), nullptr);
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
  return value;
}

std::string to_hex(const Hasher::Value& value) {
  std::string text;
  for (const std::byte b : value) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

// ---- messages -----------------------------------------------------------------------------------

Hasher::Value MessageDigest::of(const LiveMessage& message) {
  if (options_.ids) hasher_.number(message.id);
  hasher_.piece(state_name(message.state == MessageState::kScheduled ? MessageState::kPending
                                                                     : message.state));
  const auto address = message.message.address();
  hasher_.piece(address ? address->str() : std::string());
  if (message.message.core) add_core(message);
  if (message.message.amqp) add_amqp(message);
  if (options_.delivery) {
    hasher_.number(message.delivery_count);
    hasher_.number(message.scheduled_ms);
  }
  return hasher_.finish();
}

// Field by field, so that the layouts of different releases give the same digest.
void MessageDigest::add_core(const LiveMessage& message) {
  const message::CoreMessage& core = *message.message.core;
  const message::CoreHeaders& headers = core.headers;
  hasher_.piece("core");
  hasher_.number(static_cast<std::int64_t>(headers.type));
  hasher_.number(headers.durable ? 1 : 0);
  hasher_.number(headers.priority);
  hasher_.number(headers.timestamp_ms);
  hasher_.number(headers.expiration_ms);
  hasher_.piece(headers.user_id);
  add_properties(headers.properties);
  if (message.core_large) return add_body_file(message, headers.durable);
  hasher_.number(kBodyInRecord);
  hasher_.piece(core.body);
}

void MessageDigest::add_properties(const TypedProperties& properties) {
  std::vector<Property> sorted;
  TypedProperties::Iterator iterator(properties);
  while (const auto property = iterator.next()) sorted.push_back(*property);
  const auto less = [](const Property& a, const Property& b) {
    return std::ranges::lexicographical_compare(a.key.raw(), b.key.raw());
  };
  std::stable_sort(sorted.begin(), sorted.end(), less);
  // Of a key that occurs more than once the last one counts, as in a map.
  std::vector<Property> last;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i + 1 == sorted.size() || less(sorted[i], sorted[i + 1])) last.push_back(sorted[i]);
  }
  hasher_.number(static_cast<std::int64_t>(last.size()));
  for (const Property& property : last) {
    hasher_.piece(property.key.raw());
    hasher_.number(static_cast<std::int64_t>(property.value.type));
    hasher_.number(property.value.number);
    hasher_.piece(property.value.text.raw());
    hasher_.piece(property.value.bytes);
  }
}

void MessageDigest::add_amqp(const LiveMessage& message) {
  const message::amqp::Stored& stored = *message.message.amqp;
  hasher_.piece("amqp");
  hasher_.number(stored.message_format);
  hasher_.number(stored.expiration_ms.value_or(0));
  Cursor cursor(stored.extra_properties);
  add_properties(TypedProperties::read(cursor));
  if (!stored.is_large()) {
    hasher_.number(kBodyInRecord);
    return hasher_.piece(stored.encoded);
  }
  const message::amqp::LargeParts& parts = stored.large;
  for (const auto* part : {&parts.header, &parts.message_annotations, &parts.properties,
                           &parts.application_properties}) {
    hasher_.piece(part->encoded());
  }
  hasher_.number(stored.reencoded.value_or(false) ? 1 : 0);
  add_body_file(message, stored.large_durable);
}

void MessageDigest::add_body_file(const LiveMessage& message, bool durable) {
  const std::string name = fmt::format("{}{}", message.id, durable ? ".msg" : ".tmp");
  auto file = store_.parts().large_messages->open(name);
  hasher_.number(kBodyInFile);
  hasher_.number(file ? static_cast<std::int64_t>((*file)->size_bytes()) : 0);
  std::uint64_t done = 0;
  buffer_.resize(kBodyWindowBytes);
  std::optional<Error> error;
  if (!file) error = file.error();
  while (file && !options_.stopped()) {
    const auto got = (*file)->read_at(done, buffer_);
    if (!got) error = got.error();
    if (!got || *got == 0) break;
    hasher_.raw(Bytes(buffer_).first(*got));
    done += *got;
  }
  hasher_.number(static_cast<std::int64_t>(done));
  if (error) report_unread(message, name, *error, durable);
}

// Missing bodies of the journal are told when the store is loaded; see report_lost_bodies().
void MessageDigest::report_unread(const LiveMessage& message, const std::string& name,
                                  const Error& error, bool durable) {
  if (error.code == ErrorCode::kNotFound) {
    if (message.paged && durable) sink_.finding(large_body_missing(message.id));
    return;
  }
  sink_.finding({.code = "file-unreadable",
                 .severity = Severity::kDamage,
                 .file = "large-messages/" + name,
                 .id = message.id,
                 .text = error.text});
}

// ---- queues -------------------------------------------------------------------------------------

namespace {

// A page can name as many queue ids as it likes. What was paged for more ids than this goes into
// one digest together.
constexpr std::size_t kMostUnboundIds = std::size_t{1} << 16;

/// A queue, or an id without a binding on the address of its messages: an id may be both.
struct QueueKey {
  std::int64_t id = 0;
  bool bound = false;
  auto operator<=>(const QueueKey&) const = default;
};
// Ids are never negative; one of a damaged entry may be, and then shares its digest with the rest.
constexpr QueueKey kRest{.id = INT64_MIN, .bound = false};

/// Adds every message to the digest of its queue.
class DigestVisitor final : public MessageVisitor {
 public:
  DigestVisitor(const LoadedStore& store, DigestOptions options, FindingSink& sink)
      : options_(options), digest_(store, options, sink), sink_(sink) {}

  bool wants_unbound_pages() override { return true; }
  bool message(const LiveMessage& message) override {
    auto& [hasher, count] = queues_[key_of(message)];
    if (!hasher) hasher = std::make_unique<Hasher>();
    hasher->raw(digest_.of(message));
    ++count;
    return !options_.stopped();
  }

  /// The digest of a queue's messages, and how many there are.
  std::pair<Hasher::Value, std::uint64_t> take(QueueKey key) {
    const auto found = queues_.find(key);
    if (found == queues_.end()) return {Hasher().finish(), 0};
    return {found->second.first->finish(), found->second.second};
  }
  /// Those without a binding.
  [[nodiscard]] std::vector<QueueKey> unbound() const {
    std::vector<QueueKey> keys;
    for (const auto& [key, state] : queues_) {
      if (!key.bound) keys.push_back(key);
    }
    return keys;
  }

 private:
  [[nodiscard]] QueueKey key_of(const LiveMessage& message);

  DigestOptions options_;
  MessageDigest digest_;
  FindingSink& sink_;
  std::map<QueueKey, std::pair<std::unique_ptr<Hasher>, std::uint64_t>> queues_;
  bool told_ = false;
};

QueueKey DigestVisitor::key_of(const LiveMessage& message) {
  const QueueKey key{.id = message.queue_id, .bound = message.queue != nullptr};
  const bool full = queues_.size() >= kMostUnboundIds && !key.bound && message.paged;
  if (!full || queues_.contains(key)) return key;
  if (!std::exchange(told_, true)) sink_.finding(too_many_queue_ids());
  return kRest;
}

QueueDigest digest_queue(QueueKey key, const bindings::Queue* queue, DigestVisitor& visitor) {
  const auto [messages, count] = visitor.take(key);
  QueueDigest result{.queue_id = key.id,
                     .name = key == kRest ? "(other ids)" : fmt::format("(id {})", key.id),
                     .address = {},
                     .messages = count};
  Hasher hasher;
  if (queue != nullptr) {
    result.name = queue->name;
    result.address = queue->address;
    for (const std::string_view text :
         {std::string_view(queue->name), std::string_view(queue->address),
          std::string_view(queue->routing_type)}) {
      hasher.piece(text);
    }
    hasher.piece(queue->filter.value_or(std::string()));
    hasher.number(queue->paused ? 1 : 0);
  }
  hasher.number(static_cast<std::int64_t>(count));
  hasher.raw(messages);
  result.digest = hasher.finish();
  return result;
}

}  // namespace

StoreDigest digest_store(const LoadedStore& store, DigestOptions options, FindingSink& sink) {
  DigestVisitor visitor(store, options, sink);
  visit_messages(store, visitor, sink);
  StoreDigest result;
  for (const auto& [id, queue] : store.catalog().queues()) {
    result.queues.push_back(digest_queue({.id = id, .bound = true}, &queue, visitor));
  }
  for (const QueueKey key : visitor.unbound()) {
    result.queues.push_back(digest_queue(key, nullptr, visitor));
  }
  std::ranges::stable_sort(result.queues, {}, &QueueDigest::name);
  Hasher whole;
  for (const QueueDigest& queue : result.queues) whole.raw(queue.digest);
  result.whole = whole.finish();
  return result;
}

}  // namespace saranga::store
