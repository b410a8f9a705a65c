// What an older or newer release could not read. Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/fields.h"
#include "saranga/bytes/finding.h"
#include "saranga/message/stored_message.h"
#include "saranga/paging/paged_message.h"
#include "saranga/store/release.h"

namespace saranga::store {

/// Remembers what the target could not read, by reason. A record that is deleted anyway does no
/// harm, which is only known at the end.
class TargetTally {
 public:
  /// `code` is a constant.
  void add(std::string_view code, const std::string& reason, const std::string& file,
           std::uint64_t offset, std::int64_t id);
  void merge(const TargetTally& later);
  /// Reports one finding a reason, with the number of records that `counts` and the first of them.
  void report(const ReleaseNumber& target, const std::function<bool(std::int64_t id)>& counts,
              FindingSink& sink) const;

 private:
  struct Item {
    std::int64_t id = 0;
    std::uint64_t offset = 0;
    std::uint32_t file = 0;  // in files_
  };
  struct Row {
    std::string_view code;
    std::vector<Item> items{};
  };
  std::uint32_t file_index(const std::string& file);

  std::map<std::string, Row> rows_;  // by reason
  std::vector<std::string> files_;
};

/// The reasons why a release does not take something; nothing when it does.
struct TargetProblem {
  std::string_view code;  ///< "target-cannot-read" or "target-ignores"
  std::string reason;     ///< "records of type 54, MQTT_PACKET_ID_CORRELATION, of 2.56.0"
};

/// Of a record by its type; `type` is null for an unknown one. `decoded` when the body was decoded.
[[nodiscard]] std::optional<TargetProblem> record_problem(const ReleaseNumber& target,
                                                          const RecordType* type,
                                                          const DecodedRecord* decoded);
/// Of the message in a record or page entry.
[[nodiscard]] std::optional<TargetProblem> message_problem(const ReleaseNumber& target,
                                                           const message::StoredMessage& message);
/// Of a page entry, apart from its message.
[[nodiscard]] std::optional<TargetProblem> paged_problem(const ReleaseNumber& target,
                                                         const paging::PagedMessage& paged,
                                                         Bytes payload);

}  // namespace saranga::store
