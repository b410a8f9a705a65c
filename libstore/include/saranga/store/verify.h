// Verifying a store: every byte, every body, and what the parts say of each other. What is found
// goes to a sink; what remains is an account in which every byte has its place (docs/findings.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/finding.h"
#include "saranga/io/jobs.h"
#include "saranga/store/finding_codes.h"
#include "saranga/store/parts.h"
#include "saranga/store/release.h"

namespace saranga::store {

struct VerifyOptions {
  CheckLevel level = CheckLevel::kCross;
  std::int64_t now_ms = 0;                ///< the caller's clock, ms since 1970
  std::optional<ReleaseNumber> target{};  ///< report what this release could not read
  std::uint64_t id_cache_size =
      20000;                    ///< of duplicate ids, an address; as the broker is configured
  std::string store = "STORE";  ///< how commands in findings name the store, ready for a shell
};

/// What the bytes of one part of a store are.
struct PartAccount {
  std::string_view part;  ///< "bindings", "jms", "journal", "paging", "large_messages", "other"
  std::uint64_t file_count = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t record_bytes = 0;  ///< journal records, page entries, bodies of large messages
  std::optional<std::uint64_t>
      live_bytes{};                    ///< the part of them that counts; unknown at low levels
  std::uint64_t stale_bytes = 0;       ///< left from former lives of reused files
  std::uint64_t padding_bytes = 0;     ///< fill that was never written
  std::uint64_t unreadable_bytes = 0;  ///< none of these
  std::uint64_t ignored_bytes = 0;     ///< files that a broker does not read
  std::uint64_t unread_bytes = 0;  ///< not looked at: the level is too low, or the system refused
  std::uint64_t total_bytes = 0;   ///< what the folders say

  [[nodiscard]] std::optional<std::uint64_t> dead_bytes() const {
    if (!live_bytes) return std::nullopt;
    return record_bytes - *live_bytes;
  }
  /// All of them together; equal to total_bytes, or there is a finding.
  [[nodiscard]] std::uint64_t sum_bytes() const {
    return header_bytes + record_bytes + stale_bytes + padding_bytes + unreadable_bytes +
           ignored_bytes + unread_bytes;
  }
  SARANGA_API void add(const PartAccount& other);
};

/// What was looked at, apart from the findings.
struct VerifyReport {
  CheckLevel level = CheckLevel::kCross;
  std::vector<PartAccount> parts;  ///< those that have files
  std::uint64_t record_count = 0;
  std::uint64_t message_count = 0;        ///< live, in the journal
  std::uint64_t reference_count = 0;      ///< live, in the journal
  std::uint64_t paged_message_count = 0;  ///< in page files, live or not
  /// Of these: not consumed by all of their queues, be these bound or not. Unset below kCross.
  std::optional<std::uint64_t> live_paged_message_count{};
  std::uint64_t large_file_count = 0;

  /// The sum over all parts; its name is "total".
  [[nodiscard]] SARANGA_API PartAccount total() const;
};

/// Verifies in steps. `sink` and `jobs` must outlive it. One thread drives it.
class SARANGA_API Verifier {
 public:
  Verifier(StoreParts parts, VerifyOptions options, FindingSink& sink, JobRunner& jobs);
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  /// Does a piece of the work; false when all is done. Errors are those that keep a folder from
  /// being read at all.
  [[nodiscard]] Result<bool> step();
  /// How much of the message journal has been read, and how much there is.
  [[nodiscard]] std::uint64_t read_bytes() const;
  [[nodiscard]] std::uint64_t total_bytes() const;
  /// Complete once step() has returned false.
  [[nodiscard]] const VerifyReport& report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a verifier to its end.
[[nodiscard]] SARANGA_API Result<VerifyReport> verify_store(StoreParts parts, VerifyOptions options,
                                                            FindingSink& sink, JobRunner& jobs);

}  // namespace saranga::store
