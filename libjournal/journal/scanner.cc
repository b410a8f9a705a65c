// The byte-by-byte scan of a journal file. A record starts at any offset from 16 on; whatever is
// not a record costs one byte, so that nothing behind damage is lost (docs/format/journal.md).
#include "saranga/journal/scanner.h"

#include <fmt/format.h>

#include <algorithm>

namespace saranga::journal {
namespace {

constexpr std::size_t kTypeAndTagBytes = 5;
constexpr std::byte kZeroFill{0x00};
constexpr std::byte kOldFill{0x4A};  // 'J': HornetQ and Artemis 1.0 filled new files with it

bool is_fill(std::byte b) { return b == kZeroFill || b == kOldFill; }

bool is_kind(std::byte b) {
  return static_cast<unsigned>(b) - static_cast<unsigned>(RecordKind::kEvent) < kKinds.size();
}

// Format 1 has no compact count, so everything is one byte shorter.
std::uint64_t fixed_bytes(const KindTraits& kind, std::int32_t version) {
  return kind.fixed_bytes - (version >= kFormatVersion ? 0U : 1U);
}

// Reads the fields between tag and body; `at` holds at least the fixed part of the record.
// Returns the length of what follows the fields: the body or extra data, negative when it is
// absurd.
std::int64_t read_fields(const std::byte* at, const KindTraits& kind, std::int32_t version,
                         Record& record) {
  record.kind = kind.kind;
  record.tag = load_be<std::int32_t>(at + 1);
  const std::byte* next = at + kTypeAndTagBytes;
  record.compact_count = 0;
  if (version >= kFormatVersion) record.compact_count = static_cast<std::int8_t>(*next++);
  record.tx_id = 0;
  if (kind.has_tx) {
    record.tx_id = load_be<std::int64_t>(next);
    next += 8;
  }
  record.id = 0;
  if (kind.has_id) {
    record.id = load_be<std::int64_t>(next);
    next += 8;
  }
  record.number = 0;
  if (kind.has_number) {
    record.number = load_be<std::int32_t>(next);
    next += 4;
  }
  std::int64_t variable = 0;
  if (kind.has_body || kind.kind == RecordKind::kPrepare) {
    variable = load_be<std::int32_t>(next);
    next += 4;
  }
  record.user_type = 0;
  if (kind.has_user_type) record.user_type = static_cast<std::int8_t>(*next++);
  const std::size_t body = variable < 0 ? 0 : static_cast<std::size_t>(variable);
  record.body = Bytes(next, body);
  return variable;
}

// Whether Artemis takes a file for a data file because of a record whose fixed part is cut off by
// the end: it looks at one field after the other and leaves out some. `left` bytes are at `at`.
bool cut_marks(const std::byte* at, const KindTraits& kind, std::uint64_t fixed,
               std::uint64_t left) {
  const std::uint64_t fields = fixed - 4;
  if (left < fields) {
    const unsigned silent = kind.kind == RecordKind::kPrepare ? 8 : kind.has_number ? 4 : 0;
    return left < fields - silent - (kind.has_user_type ? 1 : 0);
  }
  if (!kind.has_body) return true;
  const auto body = load_be<std::int32_t>(at + fields - (kind.has_user_type ? 5 : 4));
  return body >= 0 && static_cast<std::uint64_t>(body) <= left - fields;
}

// Reads the fields of the record at the start of `bytes` and returns the length that it claims to
// have, 0 when there can be no record.
std::uint64_t claimed_bytes(Bytes bytes, std::int32_t version, Record& record) {
  if (bytes.size() < kTypeAndTagBytes || !is_kind(bytes[0])) return 0;
  const KindTraits& kind = traits(static_cast<RecordKind>(bytes[0]));
  const std::uint64_t fixed = fixed_bytes(kind, version);
  if (bytes.size() < fixed) return 0;
  const std::int64_t variable = read_fields(bytes.data(), kind, version, record);
  if (variable < 0 || variable > INT32_MAX - static_cast<std::int64_t>(fixed)) return 0;
  return fixed + static_cast<std::uint64_t>(variable);
}

// The end of a run of the fill byte at `at`.
std::size_t fill_run_end(const std::byte* data, std::size_t at, std::size_t end) {
  const std::byte fill = data[at];
  std::uint64_t pattern;
  std::memset(&pattern, static_cast<int>(fill), sizeof pattern);
  std::uint64_t word = pattern;
  while (at + 8 <= end) {
    std::memcpy(&word, data + at, 8);
    if (word != pattern) break;
    at += 8;
  }
  while (at < end && data[at] == fill) ++at;
  return at;
}

}  // namespace

void ByteAccount::add(ByteClass kind, std::uint64_t count) {
  switch (kind) {
    case ByteClass::kHeader: header_bytes += count; break;
    case ByteClass::kRecord: record_bytes += count; break;
    case ByteClass::kStale: stale_bytes += count; break;
    case ByteClass::kPadding: padding_bytes += count; break;
    case ByteClass::kUnreadable: unreadable_bytes += count; break;
  }
}

void ByteAccount::add(const ByteAccount& other) {
  header_bytes += other.header_bytes;
  record_bytes += other.record_bytes;
  stale_bytes += other.stale_bytes;
  padding_bytes += other.padding_bytes;
  unreadable_bytes += other.unreadable_bytes;
  stale_records += other.stale_records;
}

// Why the bytes at a position are no record although they carry the file's tag.
struct FileScanner::Problem {
  enum class What : std::uint8_t { kNone, kCut, kNegative, kPastEnd, kCheck };
  What what = What::kNone;
  bool marks = true;  // Artemis would take the file for a data file because of it
  std::int64_t found = 0;
  std::int64_t expected = 0;
};

FileScanner::FileScanner(const ReadableFile& file, FileHeader header, ScanOptions options)
    : file_(file), header_(header), options_(options), size_(file.size_bytes()) {
  const std::uint64_t header_bytes = std::min<std::uint64_t>(size_, kHeaderBytes);
  account_.add(ByteClass::kHeader, header_bytes);
  base_ = header_bytes;
  done_ = base_ == size_;
}

Result<bool> FileScanner::next(Batch& batch) {
  batch.records.clear();
  while (!done_ && batch.records.empty()) {
    if (auto read = refill(batch); !read) return std::unexpected(read.error());
    if (auto scanned = scan_window(batch); !scanned) return std::unexpected(scanned.error());
    if (base_ + at_ >= size_) {
      finish();
    } else {
      carry_.assign(data_ + at_, data_ + filled_);
      base_ += at_;
      at_ = filled_ = 0;
    }
  }
  return !batch.records.empty();
}

Result<void> FileScanner::refill(Batch& batch) {
  const std::uint64_t left = size_ - base_;
  const std::uint64_t target =
      std::min(left, std::max<std::uint64_t>({options_.window_bytes, wanted_, carry_.size() + 1}));
  if (!batch.window || batch.capacity_bytes < target) {
    batch.window = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(target));
    batch.capacity_bytes = static_cast<std::size_t>(target);
  }
  const auto end = static_cast<std::size_t>(std::min<std::uint64_t>(left, batch.capacity_bytes));
  const std::size_t kept = std::min(carry_.size(), end);
  if (kept != 0) std::memcpy(batch.window.get(), carry_.data(), kept);
  data_ = batch.window.get();
  auto got = file_.read_at(base_ + kept, std::span(batch.window.get() + kept, end - kept));
  if (!got) return std::unexpected(got.error());
  filled_ = kept + *got;
  if (*got < end - kept) size_ = base_ + filled_;  // a live file has been cut meanwhile
  at_ = 0;
  wanted_ = 0;
  carry_.clear();
  return {};
}

Result<void> FileScanner::scan_window(Batch& batch) {
  while (at_ < filled_) {
    if (is_kind(data_[at_])) {
      const Match found = look(batch);
      if (found == Match::kNeedMore) return {};
      if (found == Match::kYes) continue;
    }
    skip();
  }
  return {};
}

FileScanner::Match FileScanner::look(Batch& batch) {
  Record record;
  Problem problem;
  const Match own = match(options_.reclaimed, record, problem);
  if (own == Match::kNeedMore) return own;
  if (own == Match::kYes) {
    take(record);
    batch.records.push_back(record);
    return own;
  }
  const bool inside_stale = position() < stale_until_;
  if (problem.marks && problem.what != Problem::What::kNone) marked_ = true;
  const bool near = problem.what != Problem::What::kNone && record.tag == header_.tag();
  if (options_.reclaimed) {
    if (near) note_near(record, problem);
  } else if (!inside_stale) {
    Problem ignored;
    Record stale;
    const Match other = match(true, stale, ignored);
    if (other == Match::kNeedMore) return other;
    if (other == Match::kYes) {
      take_stale(stale);
      return Match::kNo;  // its bytes are still looked at one by one
    }
    if (near) note_near(record, problem);
  }
  return Match::kNo;
}

FileScanner::Match FileScanner::match(bool any_tag, Record& record, Problem& problem) {
  const std::uint64_t left = size_ - position();
  const std::size_t there = filled_ - at_;
  if (left < kTypeAndTagBytes) {
    marked_ = true;  // Artemis looks at the length of the file before it looks at the tag
    return Match::kNo;
  }
  if (there < kTypeAndTagBytes) {
    wanted_ = kTypeAndTagBytes;
    return Match::kNeedMore;
  }
  const std::byte* at = data_ + at_;
  if (!any_tag && load_be<std::int32_t>(at + 1) != header_.tag()) return Match::kNo;
  const KindTraits& kind = traits(static_cast<RecordKind>(at[0]));
  const std::uint64_t fixed = fixed_bytes(kind, header_.format_version);
  if (there < std::min(left, fixed)) {
    wanted_ = std::min(left, fixed);
    return Match::kNeedMore;
  }
  if (left < fixed) {
    record.kind = kind.kind;
    record.tag = load_be<std::int32_t>(at + 1);
    problem = {.what = Problem::What::kCut,
               .marks = cut_marks(at, kind, fixed, left),
               .expected = static_cast<std::int64_t>(fixed)};
    return Match::kNo;
  }
  const std::int64_t variable = read_fields(at, kind, header_.format_version, record);
  record.offset = position();
  if (variable < 0) {
    problem = {.what = Problem::What::kNegative, .marks = !kind.has_body, .found = variable};
    return Match::kNo;
  }
  const std::uint64_t length = fixed + static_cast<std::uint64_t>(variable);
  record.length_bytes = static_cast<std::uint32_t>(length);
  return match_length(kind, length, problem);
}

FileScanner::Match FileScanner::match_length(const KindTraits& kind, std::uint64_t length,
                                             Problem& problem) {
  const std::uint64_t left = size_ - position();
  if (length > left || length > INT32_MAX) {
    problem = {.what = Problem::What::kPastEnd,
               .marks = !kind.has_body || length - 4 <= left,
               .found = static_cast<std::int64_t>(length),
               .expected = static_cast<std::int64_t>(left)};
    return Match::kNo;
  }
  std::int32_t check = 0;
  if (at_ + length <= filled_) {
    check = load_be<std::int32_t>(data_ + at_ + length - 4);
  } else {
    // Look at the trailer before the window is moved or grows for it, so that lies cost little.
    std::byte trailer[4];
    const auto got = file_.read_at(position() + length - 4, trailer);
    if (got && *got == sizeof trailer) check = load_be<std::int32_t>(trailer);
    if (static_cast<std::uint64_t>(static_cast<std::uint32_t>(check)) == length) {
      wanted_ = length;
      return Match::kNeedMore;
    }
  }
  if (static_cast<std::int64_t>(check) == static_cast<std::int64_t>(length)) return Match::kYes;
  problem = {
      .what = Problem::What::kCheck, .found = check, .expected = static_cast<std::int64_t>(length)};
  return Match::kNo;
}

void FileScanner::take(const Record& record) {
  ++record_count_;
  if (record.tag != header_.tag()) {
    take_stale(record);
    account_.add(ByteClass::kStale, record.length_bytes);
    at_ += record.length_bytes;
    return;
  }
  for (auto gap = gaps_.rbegin(); gap != gaps_.rend() && !gap->followed_by_record; ++gap) {
    gap->followed_by_record = true;
  }
  close_unknown(record.offset, false, true);
  if (stale_from_) {
    // Records of a previous life lie behind those of the present one; in front of one they are an
    // oddity: a hole of a crashed ASYNCIO journal, or a record whose tag was damaged.
    const auto place = std::ranges::upper_bound(gaps_, *stale_from_, {}, &Gap::offset);
    gaps_.insert(place, Gap{.offset = *stale_from_,
                            .length_bytes = record.offset - *stale_from_,
                            .kind = ByteClass::kStale,
                            .followed_by_record = true});
    stale_from_.reset();
  }
  account_.add(ByteClass::kRecord, record.length_bytes);
  at_ += record.length_bytes;
  stale_until_ = 0;
  end_of_records_ = position();
}

void FileScanner::take_stale(const Record& record) {
  close_unknown(record.offset, true, false);
  if (!stale_from_) stale_from_ = record.offset;
  stale_until_ = record.offset + record.length_bytes;
  ++account_.stale_records;
}

void FileScanner::skip() {
  const bool fill = is_fill(data_[at_]);
  const std::size_t end = fill ? fill_run_end(data_, at_, filled_) : at_ + 1;
  account_skipped(position(), base_ + end, fill);
  at_ = end;
}

void FileScanner::account_skipped(std::uint64_t from, std::uint64_t to, bool fill) {
  if (from < stale_until_) {
    const std::uint64_t stale_end = std::min(to, stale_until_);
    account_.add(ByteClass::kStale, stale_end - from);
    from = stale_end;
  }
  if (from == to) return;
  if (!unknown_from_) {
    if (fill) return account_.add(ByteClass::kPadding, to - from);
    unknown_from_ = from;
  }
  if (!fill) unknown_end_ = to;
}

void FileScanner::note_near(const Record& record, const Problem& problem) {
  ++near_count_;
  std::uint32_t early = 0;
  if (problem.what == Problem::What::kCheck && (!near_ || position() == short_end_)) {
    early = early_check(record.length_bytes);
    if (early != 0) short_end_ = position() + record.length_bytes - early;
  }
  if (near_) return;
  near_ = NearRecord{.offset = position(),
                     .kind = record.kind,
                     .id = traits(record.kind).has_id ? record.id : record.tx_id,
                     .user_type = record.user_type,
                     .problem = {},
                     .early_bytes = early};
  switch (problem.what) {
    case Problem::What::kCut:
      near_->problem =
          fmt::format("the file ends before the {} bytes that it needs at least", problem.expected);
      break;
    case Problem::What::kNegative:
      near_->problem = fmt::format("its body length is {}", problem.found);
      break;
    case Problem::What::kPastEnd:
      near_->problem = fmt::format("it would need {} bytes, the file has {} left", problem.found,
                                   problem.expected);
      break;
    case Problem::What::kCheck:
      near_->problem =
          fmt::format("check size is {}, expected {}", problem.found, problem.expected);
      break;
    case Problem::What::kNone: break;
  }
}

// Releases 2.16 to 2.35 computed the length of some records too long
// (docs/format/bindings.md#diverts): the check size is right, but stands a few bytes in front of
// its place.
std::uint32_t FileScanner::early_check(std::uint64_t length) const {
  static constexpr std::uint32_t kFarthest = 64;
  const std::uint64_t end = position() + length;
  for (std::uint32_t early = 1; early <= kFarthest && early + kTypeAndTagBytes < length; ++early) {
    std::byte check[4];
    const auto got = file_.read_at(end - early - sizeof check, check);
    if (!got || *got != sizeof check) continue;
    if (static_cast<std::uint64_t>(load_be<std::int32_t>(check)) == length) return early;
  }
  return 0;
}

// Decides what the stretch of unknown bytes that ends at or before `end` was.
void FileScanner::close_unknown(std::uint64_t end, bool before_stale, bool before_record) {
  if (!unknown_from_) return;
  const std::uint64_t from = *unknown_from_;
  std::uint64_t used_end = unknown_end_;
  ByteClass kind = ByteClass::kUnreadable;
  if (!near_ && from > kHeaderBytes && !before_record) {
    if (const std::uint64_t remnant = remnant_end(end, before_stale); remnant != 0) {
      kind = ByteClass::kStale;
      used_end = remnant;
    }
  }
  account_.add(kind, used_end - from);
  account_.add(ByteClass::kPadding, end - used_end);
  // Records that were written too short explain the stretch only when nothing else is in it.
  if (near_ && (near_->offset != from || used_end > short_end_)) near_->early_bytes = 0;
  if (kind == ByteClass::kUnreadable) {
    gaps_.push_back({.offset = from,
                     .length_bytes = used_end - from,
                     .kind = kind,
                     .near = std::move(near_),
                     .near_count = near_count_,
                     .followed_by_record = before_record});
  } else if (!stale_from_) {
    stale_from_ = from;
  }
  unknown_from_.reset();
  near_.reset();
  near_count_ = 0;
  short_end_ = 0;
}

// When a file is reused, the last new record overwrites the beginning of an old one. What is left
// of that one ends with its check size, which reaches back beyond the beginning of the stretch.
// Returns where such a remnant ends, 0 when the unknown stretch is none.
std::uint64_t FileScanner::remnant_end(std::uint64_t end, bool before_stale) const {
  const std::uint64_t from = *unknown_from_;
  const std::uint64_t first = before_stale ? end : unknown_end_;
  // The low bytes of the check size may be zero and so may look like fill.
  const std::uint64_t last = before_stale ? end : std::min(end, unknown_end_ + 3);
  for (std::uint64_t candidate = first; candidate <= last; ++candidate) {
    if (candidate - from < 4) return before_stale ? candidate : 0;
    std::byte trailer[4];
    const auto got = file_.read_at(candidate - 4, trailer);
    if (!got || *got != sizeof trailer) return 0;
    const auto check = load_be<std::int32_t>(trailer);
    if (check < 0) continue;
    const auto length = static_cast<std::uint64_t>(check);
    if (length > candidate - from && length <= candidate - kHeaderBytes) return candidate;
  }
  return 0;
}

void FileScanner::finish() {
  close_unknown(size_, false, false);
  done_ = true;
}

std::optional<Record> parse_record(Bytes bytes, std::int32_t format_version, std::uint64_t offset) {
  Record record;
  const std::uint64_t length = claimed_bytes(bytes, format_version, record);
  if (length == 0 || length > bytes.size()) return std::nullopt;
  const auto check = load_be<std::int32_t>(bytes.data() + length - 4);
  if (static_cast<std::int64_t>(check) != static_cast<std::int64_t>(length)) return std::nullopt;
  record.length_bytes = static_cast<std::uint32_t>(length);
  record.offset = offset;
  return record;
}

Result<Record> read_record(const ReadableFile& file, std::int32_t format_version,
                           std::uint64_t offset, std::vector<std::byte>& buffer) {
  static constexpr std::size_t kFirstBytes = 4096;
  const std::uint64_t size = file.size_bytes();
  const std::uint64_t left = offset < size ? size - offset : 0;
  for (std::uint64_t want = std::min<std::uint64_t>(left, kFirstBytes);;) {
    buffer.resize(static_cast<std::size_t>(want));
    auto got = file.read_at(offset, buffer);
    if (!got) return std::unexpected(got.error());
    buffer.resize(*got);
    if (auto record = parse_record(buffer, format_version, offset)) return *record;
    Record cut;
    const std::uint64_t claimed = claimed_bytes(buffer, format_version, cut);
    if (claimed <= want || claimed > left) break;
    want = claimed;
  }
  return std::unexpected(Error{.code = ErrorCode::kDamaged,
                               .text = "there is no valid record here",
                               .file = {},
                               .offset = offset});
}

}  // namespace saranga::journal
