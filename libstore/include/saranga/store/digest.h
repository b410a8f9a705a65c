// A digest of what a store holds that does not depend on how it is laid out: the same before and
// after a compaction, a copy into other files, or a broker's restart (docs/hash.md).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/store/live_messages.h"

namespace saranga::store {

/// SHA-256 over what is added, piece by piece. One thread uses it.
class SARANGA_API Hasher {
 public:
  using Value = std::array<std::byte, 32>;

  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  /// Raw bytes, for streams whose end is marked otherwise.
  void raw(Bytes bytes);
  /// A piece that can't run into its neighbours: its length is added in front of it.
  void piece(Bytes bytes);
  void piece(std::string_view text) { piece(as_bytes(text)); }
  void number(std::int64_t number);
  /// The digest; afterwards the hasher begins anew.
  [[nodiscard]] Value finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Lower-case hexadecimal text.
[[nodiscard]] SARANGA_API std::string to_hex(const Hasher::Value& value);

struct DigestOptions {
  bool ids = false;       ///< message ids count: not after an import that gave new ones
  bool delivery = false;  ///< delivery counts and schedules count: Artemis' compaction loses some
  /// When it becomes true, the work ends early, and what comes out means nothing.
  const std::atomic<bool>* interrupted = nullptr;

  [[nodiscard]] bool stopped() const {
    return interrupted != nullptr && interrupted->load(std::memory_order_relaxed);
  }
};

/// Digests messages: headers, properties (in the order of their keys), bodies, those in files
/// included.
class SARANGA_API MessageDigest {
 public:
  /// `sink` receives what keeps a body file from being read; all must outlive this.
  MessageDigest(const LoadedStore& store, DigestOptions options, FindingSink& sink)
      : store_(store), options_(options), sink_(sink) {}
  /// A body file that can't be read counts as an empty one.
  [[nodiscard]] Hasher::Value of(const LiveMessage& message);

 private:
  void add_core(const LiveMessage& message);
  void add_amqp(const LiveMessage& message);
  void add_properties(const message::TypedProperties& properties);
  void add_body_file(const LiveMessage& message, bool durable);
  void report_unread(const LiveMessage& message, const std::string& name, const Error& error,
                     bool durable);

  const LoadedStore& store_;
  DigestOptions options_;
  FindingSink& sink_;
  Hasher hasher_;
  std::vector<std::byte> buffer_;
};

/// The digest of one queue.
struct QueueDigest {
  std::int64_t queue_id = 0;
  /// "(id N)" when the queue has no binding; "(other ids)" for what pages name beyond 65,536 ids.
  std::string name;
  std::string address;
  std::uint64_t messages = 0;
  Hasher::Value digest{};  ///< of its messages in delivery order, and of its routing
};

/// The digests of a store; queues by name.
struct StoreDigest {
  std::vector<QueueDigest> queues;
  Hasher::Value whole{};
};

/// Digests everything that is live. Paged or journalled makes no difference.
[[nodiscard]] SARANGA_API StoreDigest digest_store(const LoadedStore& store, DigestOptions options,
                                                   FindingSink& sink);

}  // namespace saranga::store
