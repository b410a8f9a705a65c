#include "saranga/paging/page_writer.h"

#include <algorithm>
#include <utility>

#include "saranga/message/message_encoder.h"
#include "saranga/paging/page_stores.h"

namespace saranga::paging {
namespace {

constexpr std::byte kBegin{0x7B};
constexpr std::byte kEnd{0x7D};
constexpr std::string_view kAddressFile = "address.txt";
// Kind bytes, as in paged_message.cc.
constexpr std::uint8_t kNotLarge = 0x00;
constexpr std::uint8_t kCoreLarge = 0x01;
constexpr std::uint8_t kAmqpLarge = 0x02;
constexpr std::uint8_t kOldCoreLarge = 0xFF;

std::uint8_t kind_byte(LargeKind kind, bool old) {
  switch (kind) {
    case LargeKind::kNone: return kNotLarge;
    case LargeKind::kCore: return old ? kOldCoreLarge : kCoreLarge;
    case LargeKind::kAmqp: return kAmqpLarge;
  }
  return kNotLarge;
}

Result<void> refuse(std::string text, std::string file = {}) {
  return fail(ErrorCode::kInvalidArgument, std::move(text), std::move(file));
}

Result<void> write_new(WritableDirectory& folder, std::string_view name, Bytes bytes) {
  auto file = folder.create(name);
  if (!file) return std::unexpected(file.error());
  if (auto written = (*file)->write_at(0, bytes); !written) return written;
  return (*file)->sync_data();
}

}  // namespace

Result<std::vector<std::byte>> encode_paged_message(const PagedMessage& paged) {
  Encoder out;
  out.i64(paged.tx_id).u8(kind_byte(paged.large, paged.old_kind));
  if (paged.large == LargeKind::kCore || paged.old_layout) {
    if (!paged.message.core) return fail(ErrorCode::kInvalidArgument, "holds no Core message");
    out.sized_bytes(paged.message.core->buffer);
  } else {
    message::encode_stored_message(paged.message, out);
  }
  out.size(paged.queues.size());
  for (std::size_t i = 0; i < paged.queues.size(); ++i) out.i64(paged.queues[i]);
  return out.take();
}

Result<std::vector<std::byte>> encode_paged_message(const NewPagedMessage& paged) {
  if (paged.tx_id == 0) {
    return fail(ErrorCode::kInvalidArgument, "page transaction 0 is none; -1 stands for no one");
  }
  Encoder out;
  out.i64(paged.tx_id).u8(kind_byte(paged.large, false));
  paged.large == LargeKind::kCore ? out.sized_bytes(paged.message) : out.bytes(paged.message);
  out.size(paged.queues.size());
  for (const std::int64_t queue : paged.queues) out.i64(queue);
  return out.take();
}

Result<void> write_address_file(WritableDirectory& folder, std::string_view address) {
  if (address.empty() || address.find_first_of("\r\n") != std::string_view::npos) {
    return refuse("the address is empty or has a line break, so it cannot be read back",
                  folder.path());
  }
  auto there = folder.list();
  if (!there) return std::unexpected(there.error());
  if (std::ranges::find(*there, kAddressFile, &DirectoryEntry::name) != there->end()) {
    return fail(ErrorCode::kExists, "is there already",
                folder.path() + "/" + std::string(kAddressFile));
  }
  const std::string line = std::string(address) + "\n";
  const std::string temporary = std::string(kAddressFile) + ".tmp";
  if (std::ranges::find(*there, temporary, &DirectoryEntry::name) != there->end()) {
    if (auto removed = folder.remove(temporary); !removed) return removed;  // of a crash
  }
  auto written = write_new(folder, temporary, as_bytes(line));
  if (written) written = folder.rename(temporary, kAddressFile);
  if (!written) {
    (void)folder.remove(temporary);  // what matters is the first error
    return written;
  }
  return folder.sync();
}

Result<std::unique_ptr<PageWriter>> PageWriter::open(WritableDirectory& folder,
                                                     PageWriterOptions options) {
  auto entries = folder.list();
  if (!entries) return std::unexpected(entries.error());
  std::int64_t last = 0;
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.is_directory) last = std::max(last, page_number(entry.name).value_or(0));
  }
  std::unique_ptr<PageWriter> writer(new PageWriter(folder, options));
  auto begun = last > 0 && last >= options.least_number
                   ? writer->go_on(last)
                   : writer->begin(std::max(last + 1, options.least_number));
  if (!begun) return std::unexpected(begun.error());
  return writer;
}

// Only a page that ends with a whole entry can be appended to: a reader stops at the first one that
// is not.
Result<void> PageWriter::go_on(std::int64_t last) {
  const std::string name = page_file_name(last);
  auto reading = folder_.open(name);
  // A page under another name is never read, so nothing may be written to it.
  if (!reading && reading.error().code == ErrorCode::kNotFound) return begin(last + 1);
  if (!reading) return std::unexpected(reading.error());
  PageScanner scanner(**reading);
  PageEntry entry;
  for (;;) {
    const auto more = scanner.next(entry);
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
  }
  if (scanner.unreadable_bytes() != 0) return begin(last + 1);
  auto file = folder_.open_for_writing(name);
  if (!file) return std::unexpected(file.error());
  file_ = std::move(*file);
  number_ = last;
  entries_ = static_cast<std::int32_t>(scanner.entry_count());
  size_bytes_ = scanner.size_bytes();
  // What a process left that was killed may not be durable yet.
  dirty_ = unnamed_ = true;
  return {};
}

Result<void> PageWriter::begin(std::int64_t number) {
  if (number < 1 || number > INT32_MAX) {
    return refuse("the pages of this address are numbered to the end; the next one would be " +
                      std::to_string(number),
                  folder_.path());
  }
  auto made = folder_.create(page_file_name(number));
  if (!made) return std::unexpected(made.error());
  file_ = std::move(*made);
  number_ = number;
  entries_ = 0;
  size_bytes_ = 0;
  broken_ = false;
  unnamed_ = true;
  return {};
}

Result<PagePosition> PageWriter::append(Bytes payload) {
  if (error_) return std::unexpected(*error_);
  if (payload.size() > INT32_MAX) {
    return std::unexpected(refuse("the entry is larger than a page can hold").error());
  }
  const std::uint64_t bytes = payload.size() + kFrameBytes;
  const bool full = entries_ != 0 && size_bytes_ + bytes > options_.page_size_bytes;
  if (broken_ || full) {
    if (auto next = next_page(); !next) return std::unexpected(next.error());
  }
  frame_.resize(static_cast<std::size_t>(bytes));
  frame_.front() = kBegin;
  store_be(frame_.data() + 1, static_cast<std::int32_t>(payload.size()));
  std::ranges::copy(payload, frame_.begin() + 5);
  frame_.back() = kEnd;
  dirty_ = true;
  if (auto written = file_->write_at(size_bytes_, frame_); !written) {
    broken_ = true;
    return std::unexpected(written.error());
  }
  size_bytes_ += bytes;
  return PagePosition{.page = number_, .number = entries_++};
}

Result<void> PageWriter::next_page() {
  if (auto synced = sync(); !synced) return synced;
  return begin(number_ + 1);
}

Result<void> PageWriter::sync() {
  if (error_) return std::unexpected(*error_);
  Result<void> synced;
  if (dirty_) synced = file_->sync_data();
  if (synced && unnamed_) synced = folder_.sync();
  if (!synced) {
    error_ = synced.error();
    return synced;
  }
  dirty_ = unnamed_ = false;
  return {};
}

}  // namespace saranga::paging
