// The catalog of a broker: addresses, queues and everything else that the bindings journal
// configures, as a starting broker would have it (docs/format/bindings.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/bytes/export.h"

namespace saranga::bindings {

/// A queue. Names are UTF-8, with surrogates that have no partner kept as three bytes.
struct Queue {
  std::int64_t id = 0;
  std::string name;
  std::string address;
  std::string routing_type;  ///< ANYCAST or MULTICAST
  std::optional<std::string> filter;
  std::optional<std::string> user;
  bool paused = false;
  bool auto_created = false;
  bool internal = false;
  bool exclusive = false;
  bool last_value = false;
  bool non_destructive = false;
  std::int64_t ring_size = -1;
  std::vector<std::byte> body;  ///< the record, for everything else
};

/// An address.
struct Address {
  std::int64_t id = 0;
  std::string name;
  std::vector<std::string> routing_types;
  bool auto_created = false;
  bool internal = false;
  bool paused = false;
};

/// A record of another kind: settings, security, divert, bridge, connector, user, role, group,
/// pair.
struct ConfigurationRecord {
  std::int8_t type = 0;
  std::int64_t id = 0;
  std::string key;  ///< what makes it unique among its kind
  std::vector<std::byte> body;
};

/// What is wrong with a surviving record of the bindings journal.
struct BindingProblem {
  enum class What : std::uint8_t {
    kUndecodable,
    kStatusWithoutTarget,  ///< a pause of a queue or address that is not there
    kReplaced,             ///< an older record of the same key is still there
    kPauseLost,            ///< the queue was paused, and a later update of its record undid that
    kMetadataNull,         ///< of a queue: a broker reads on as if it were text, and does not start
  };
  What what = What::kUndecodable;
  std::int8_t type = 0;
  std::int64_t id = 0;
};

/// Takes the surviving records of the bindings journal in load order. No I/O; one thread at a time.
class SARANGA_API Catalog {
 public:
  void apply(std::int8_t type, std::int64_t id, bool is_update, Bytes body);

  [[nodiscard]] const std::map<std::int64_t, Queue>& queues() const { return queues_; }
  [[nodiscard]] const std::map<std::int64_t, Address>& addresses() const { return addresses_; }
  [[nodiscard]] const std::vector<ConfigurationRecord>& configuration() const {
    return configuration_;
  }
  [[nodiscard]] const std::vector<BindingProblem>& problems() const { return problems_; }
  /// The last id counter: every id in use is at most this; the next one is one more.
  [[nodiscard]] std::optional<std::int64_t> id_counter() const { return id_counter_; }
  [[nodiscard]] const Queue* queue(std::int64_t id) const;
  [[nodiscard]] const Queue* queue_by_name(std::string_view name) const;
  [[nodiscard]] const Address* address_by_name(std::string_view name) const;
  /// Whether the address is configured or at least used by a queue.
  [[nodiscard]] bool knows_address(std::string_view name) const;

 private:
  void apply_queue(std::int64_t id, Bytes body);
  void apply_address(std::int64_t id, Bytes body);
  void apply_status(std::int8_t type, std::int64_t id, Bytes body);
  void apply_configuration(std::int8_t type, std::int64_t id, Bytes body);

  std::map<std::int64_t, Queue> queues_;
  std::map<std::int64_t, Address> addresses_;
  std::vector<ConfigurationRecord> configuration_;
  std::map<std::pair<std::int8_t, std::string>, std::size_t> by_key_;  // index in configuration_
  std::vector<BindingProblem> problems_;
  std::optional<std::int64_t> id_counter_;
};

}  // namespace saranga::bindings
