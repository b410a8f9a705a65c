// Writing page files as a broker does (docs/format/paging.md): entries framed one behind the other,
// a folder an address, and nothing after damage.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "saranga/bytes/encoder.h"
#include "saranga/io/writable_directory.h"
#include "saranga/paging/page_file.h"

namespace saranga::paging {

/// Encodes a payload: the inverse of read_paged_message(), to the same bytes.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> encode_paged_message(
    const PagedMessage& paged);

/// A message for a page, encoded already.
struct NewPagedMessage {
  std::int64_t tx_id = -1;             ///< page transaction; -1 outside of one, never 0
  LargeKind large = LargeKind::kNone;  ///< where the body is
  /// The body of a record of type 45, or of type 30 when `large` is kCore. A view.
  Bytes message{};
  std::span<const std::int64_t> queues{};  ///< durable ones first
};

/// The payload of a new entry. kInvalidArgument for page transaction 0, which readers disagree on.
[[nodiscard]] SARANGA_API Result<std::vector<std::byte>> encode_paged_message(
    const NewPagedMessage& paged);

/// Writes address.txt into the folder of a page store, durably and whole or not at all. kExists
/// when there is one already, kInvalidArgument when nobody could read the address back: it is empty
/// or has a line break. The folder has the text of a new UUID as its name; whoever made it syncs
/// the one above.
[[nodiscard]] SARANGA_API Result<void> write_address_file(WritableDirectory& folder,
                                                          std::string_view address);

/// Where an entry went.
struct PagePosition {
  std::int64_t page = 0;
  std::int32_t number = 0;  ///< in the page, from 0: what cursors refer to
};

struct PageWriterOptions {
  std::uint64_t page_size_bytes = 10'485'760;  ///< a page holds at least one entry
  /// The least number that a new page gets: above every page that a cursor record refers to.
  std::int64_t least_number = 1;
};

/// Appends to the pages of one address. An entry is durable once sync() has returned; after a crash
/// a page holds the durable entries and may end in a part of one that was not. One thread.
class SARANGA_API PageWriter {
 public:
  /// Goes on behind the last entry of the last page in `folder`, the folder of one address; in the
  /// page after it when that one does not end with a whole entry, so that what is damaged stays as
  /// it is and hides nothing. `folder` must outlive the writer.
  [[nodiscard]] static Result<std::unique_ptr<PageWriter>> open(WritableDirectory& folder,
                                                                PageWriterOptions options = {});

  /// Appends an entry, in the next page when this one would become too large. When a write fails,
  /// the page may end in a part of the entry, so the next one goes to a new page. A sync that fails
  /// is final: nobody knows what is durable.
  [[nodiscard]] Result<PagePosition> append(Bytes payload);
  /// Leaves the page, empty or not, and goes on in the next one.
  [[nodiscard]] Result<void> next_page();
  /// Returns when every entry appended so far is durable, and the name of its page.
  [[nodiscard]] Result<void> sync();

  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] std::uint64_t page_size_bytes() const { return size_bytes_; }

 private:
  PageWriter(WritableDirectory& folder, PageWriterOptions options)
      : folder_(folder), options_(options) {}
  [[nodiscard]] Result<void> go_on(std::int64_t last);
  [[nodiscard]] Result<void> begin(std::int64_t number);

  WritableDirectory& folder_;
  PageWriterOptions options_;
  std::unique_ptr<WritableFile> file_;
  std::vector<std::byte> frame_;
  std::int64_t number_ = 0;
  std::int32_t entries_ = 0;
  std::uint64_t size_bytes_ = 0;
  bool dirty_ = false;    // written since the last sync
  bool unnamed_ = false;  // made since the last sync of the folder
  bool broken_ = false;   // a write failed
  std::optional<Error> error_;
};

}  // namespace saranga::paging
