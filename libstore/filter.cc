#include "saranga/store/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "saranga/bindings/record_types.h"
#include "saranga/message/record_types.h"
#include "saranga/store/times.h"

namespace saranga::store {
namespace {

constexpr std::array<std::string_view, 8> kStateNames = {
    "pending", "scheduled", "delivered", "prepared", "paged", "orphan", "expired", "large"};

constexpr std::uint32_t bit(FilterState state) { return 1U << static_cast<unsigned>(state); }

std::unexpected<Error> wrong(std::string_view member, std::string text) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", member, text));
}

std::optional<std::int64_t> read_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Calls `each` with every piece between commas, without blanks around it; stops at the first error.
template <class Each>
Result<void> for_each_piece(const std::vector<std::string>& texts, Each each) {
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (true) {
      const std::size_t comma = rest.find(',');
      std::string_view piece = rest.substr(0, comma);
      while (piece.starts_with(' ')) piece.remove_prefix(1);
      while (piece.ends_with(' ')) piece.remove_suffix(1);
      if (auto done = each(piece); !done) return done;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return {};
}

// "add-ref" and "Add_Ref" name ADD_REF as well.
std::string upper_name(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '-') c = '_';
  }
  return upper;
}

// A queue whose address has wildcards of the broker holds messages of other addresses.
bool has_broker_wildcards(std::string_view address) {
  return address.find_first_of("*#") != std::string_view::npos;
}

std::string_view last_part(std::string_view label) {
  return label.substr(label.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

std::span<const std::string_view> filter_state_names() { return kStateNames; }

// ---- compiling
// ------------------------------------------------------------------------------------

Result<Filter> Filter::compile(const FilterSpec& spec, std::int64_t now_ms) {
  Filter filter;
  filter.now_ms_ = now_ms;
  auto queues = compile_names("queue", spec.queues, true);
  if (!queues) return std::unexpected(queues.error());
  filter.queues_ = std::move(*queues);
  auto addresses = compile_names("address", spec.addresses, false);
  if (!addresses) return std::unexpected(addresses.error());
  filter.addresses_ = std::move(*addresses);
  auto files = compile_names("file", spec.files, false);
  if (!files) return std::unexpected(files.error());
  filter.files_ = std::move(*files);
  auto ids = compile_ids("id", spec.ids);
  if (!ids) return std::unexpected(ids.error());
  filter.ids_ = std::move(*ids);
  auto transactions = compile_ids("tx", spec.transactions);
  if (!transactions) return std::unexpected(transactions.error());
  filter.transactions_ = std::move(*transactions);
  for (std::string_view text : spec.user_ids) {
    if (text.starts_with("ID:")) text.remove_prefix(3);
    if (text.empty()) return wrong("user-id", "must not be empty");
    filter.user_ids_.push_back({.text = std::string(text)});
  }
  for (const Result<void>& done :
       {filter.compile_record_types(spec.record_types), filter.compile_states(spec.states),
        filter.compile_times(spec), filter.compile_where(spec.where)}) {
    if (!done) return std::unexpected(done.error());
  }
  filter.note_what_is_said();
  return filter;
}

Result<std::vector<Filter::Name>> Filter::compile_names(std::string_view member,
                                                        const std::vector<std::string>& texts,
                                                        bool with_ids) {
  std::vector<Name> names;
  for (const std::string& text : texts) {
    auto glob = Glob::compile(text);
    if (!glob) return wrong(member, fmt::format("'{}': {}", text, glob.error().text));
    names.push_back({.text = text,
                     .glob = std::move(*glob),
                     .id = with_ids ? read_number(text) : std::nullopt});
  }
  return names;
}

Result<std::vector<Filter::IdRange>> Filter::compile_ids(std::string_view member,
                                                         const std::vector<std::string>& texts) {
  std::vector<IdRange> ranges;
  const auto add = [&](std::string_view piece) -> Result<void> {
    // The dash behind the first character: ids may be negative in a damaged store.
    const std::size_t dash = piece.empty() ? std::string_view::npos : piece.find('-', 1);
    const auto first = read_number(piece.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : read_number(piece.substr(dash + 1));
    if (!first || !last || *last < *first) {
      return wrong(member, fmt::format("'{}' is no id, list of ids (7,9) or range (10-20)", piece));
    }
    ranges.push_back({.first = *first, .last = *last, .text = std::string(piece)});
    return {};
  };
  if (auto done = for_each_piece(texts, add); !done) return std::unexpected(done.error());
  std::ranges::stable_sort(ranges, {}, &IdRange::first);
  std::vector<IdRange> apart;
  for (IdRange& range : ranges) {
    if (apart.empty() || range.first > apart.back().last) {
      apart.push_back(std::move(range));
    } else if (range.last > apart.back().last) {
      apart.back().last = range.last;
      apart.back().text += "," + range.text;
    }
  }
  return apart;
}

Result<void> Filter::compile_record_types(const std::vector<std::string>& texts) {
  return for_each_piece(texts, [&](std::string_view piece) -> Result<void> {
    if (const auto number = read_number(piece); number && *number >= -128 && *number <= 127) {
      record_types_.insert(static_cast<std::int8_t>(*number));
      return {};
    }
    const std::string name = upper_name(piece);
    bool found = false;
    for (const auto table : {message::record_types(), bindings::record_types()}) {
      for (const RecordType& type : table) {
        if (type.name != name) continue;
        record_types_.insert(type.number);
        found = true;
      }
    }
    if (found) return {};
    return wrong("type", fmt::format("'{}' is no record type: a number or a name such as "
                                     "ADD_MESSAGE_PROTOCOL is expected",
                                     piece));
  });
}

Result<void> Filter::compile_states(const std::vector<std::string>& texts) {
  return for_each_piece(texts, [&](std::string_view piece) -> Result<void> {
    const auto* name = std::ranges::find(kStateNames, piece);
    if (name == kStateNames.end()) {
      return wrong("state", fmt::format("'{}' is none of {}", piece, fmt::join(kStateNames, ", ")));
    }
    states_ |= 1U << static_cast<unsigned>(name - kStateNames.begin());
    return {};
  });
}

Result<void> Filter::compile_times(const FilterSpec& spec) {
  if (!spec.since.empty()) {
    const auto time = parse_time(spec.since, now_ms_);
    if (!time) return wrong("since", time.error().text);
    since_ms_ = *time;
  }
  if (!spec.until.empty()) {
    const auto time = parse_time(spec.until, now_ms_);
    if (!time) return wrong("until", time.error().text);
    until_ms_ = *time;
  }
  return {};
}

Result<void> Filter::compile_where(const std::string& text) {
  if (text.empty()) return {};
  auto selector = message::Selector::compile(text, message::SelectorSource::kJms);
  if (!selector) return wrong("where", selector.error().text);
  where_ = std::move(*selector);
  return {};
}

void Filter::note_what_is_said() {
  said_ = (queues_.empty() ? 0U : kQueue) | (addresses_.empty() ? 0U : kAddress) |
          (ids_.empty() ? 0U : kId) | (user_ids_.empty() ? 0U : kUserId) |
          (transactions_.empty() ? 0U : kTransaction) | (record_types_.empty() ? 0U : kRecordType) |
          (files_.empty() ? 0U : kFile) | (since_ms_ || until_ms_ ? kTime : 0U) |
          (states_ == 0 ? 0U : kState) | (where_.selects_all() ? 0U : kWhere);
}

// ---- matching
// -------------------------------------------------------------------------------------

// Every name is tried, so that each one knows whether it has fitted something.
bool Filter::any_fits(std::vector<Name>& names, std::string_view name) {
  bool any = false;
  for (Name& candidate : names) {
    if (!candidate.fits(name)) continue;
    candidate.matched = true;
    any = true;
  }
  return any;
}

bool Filter::contains(std::vector<IdRange>& ranges, std::int64_t id) {
  const auto range = std::ranges::lower_bound(ranges, id, {}, &IdRange::last);
  if (range == ranges.end() || id < range->first) return false;
  range->matched = true;
  return true;
}

bool Filter::queue_fits(std::int64_t id, const bindings::Queue* queue) {
  bool any = false;
  for (Name& name : queues_) {
    if (name.id != id && (queue == nullptr || !name.fits(queue->name))) continue;
    name.matched = true;
    any = true;
  }
  return any;
}

bool Filter::wants_queue(std::int64_t id, const bindings::Queue* queue) {
  if (says(kQueue) && !queue_fits(id, queue)) return false;
  if (states_ == bit(FilterState::kOrphan) && queue != nullptr) return false;
  if (!says(kAddress) || queue == nullptr || has_broker_wildcards(queue->address)) return true;
  return any_fits(addresses_, queue->address);
}

bool Filter::may_want_orphans() const {
  return !says(kQueue) || std::ranges::any_of(queues_, [](const Name& name) { return !!name.id; });
}

bool Filter::wants_address(std::string_view name) {
  return !says(kAddress) || any_fits(addresses_, name);
}

bool Filter::wants_id(std::int64_t id) { return !says(kId) || contains(ids_, id); }

bool Filter::wants_transaction(std::int64_t id) {
  return !says(kTransaction) || contains(transactions_, id);
}

bool Filter::wants_record_type(std::int8_t type) const {
  return !says(kRecordType) || record_types_.contains(type);
}

bool Filter::wants_file(std::string_view label) {
  if (!says(kFile)) return true;
  if (label == last_file_) return last_file_fits_;
  last_file_ = label;
  const bool whole = any_fits(files_, label);
  last_file_fits_ = any_fits(files_, last_part(label)) || whole;
  return last_file_fits_;
}

bool Filter::wants_time(std::int64_t timestamp_ms) const {
  if (!says(kTime)) return true;
  if (timestamp_ms == 0) return false;  // nobody knows when it was sent
  if (since_ms_ && timestamp_ms < *since_ms_) return false;
  return !until_ms_ || timestamp_ms < *until_ms_;
}

bool Filter::address_fits(const LiveMessage& message) {
  if (message.queue != nullptr && any_fits(addresses_, message.queue->address)) return true;
  const auto address = message.message.address();
  return address && any_fits(addresses_, address->str());
}

bool Filter::state_fits(const LiveMessage& message) const {
  const auto is = [&](FilterState state, bool truth) {
    return truth && (states_ & bit(state)) != 0;
  };
  const std::int64_t expiration_ms = message.facts.expiration_ms;
  return is(FilterState::kPending, message.state == MessageState::kPending) ||
         is(FilterState::kScheduled, message.state == MessageState::kScheduled) ||
         is(FilterState::kDelivered, message.delivery_count > 0) ||
         is(FilterState::kPrepared, message.state == MessageState::kInDoubtAck ||
                                        message.state == MessageState::kInDoubtSend) ||
         is(FilterState::kPaged, message.paged) ||
         is(FilterState::kOrphan, message.queue == nullptr) ||
         is(FilterState::kExpired, expiration_ms > 0 && expiration_ms < now_ms_) ||
         is(FilterState::kLarge, message.facts.large);
}

bool Filter::user_id_fits(const message::StoredMessage& message) {
  const auto id = user_id(message);
  if (!id) return false;
  std::string_view plain = *id;
  if (plain.starts_with("ID:")) plain.remove_prefix(3);
  bool any = false;
  for (UserId& wanted : user_ids_) {
    if (wanted.text != plain) continue;
    wanted.matched = true;
    any = true;
  }
  return any;
}

bool Filter::transaction_fits(const LiveMessage& message) {
  const bool in_doubt = message.tx_id >= 0 && contains(transactions_, message.tx_id);
  const bool paged = message.page_tx_id >= 0 && contains(transactions_, message.page_tx_id);
  return in_doubt || paged;
}

bool Filter::where_fits(const message::StoredMessage& message, const MessageFacts& facts) const {
  return where_.matches(
      {.message = message, .expiration_ms = facts.expiration_ms, .durable = facts.durable});
}

bool Filter::wants_content(const message::StoredMessage& message, const MessageFacts& facts) {
  if (says(kAddress)) {
    const auto address = message.address();
    if (!address || !any_fits(addresses_, address->str())) return false;
  }
  return wants_message_content(message, facts);
}

bool Filter::wants_message_content(const message::StoredMessage& message,
                                   const MessageFacts& facts) {
  return wants_time(facts.timestamp_ms) && (!says(kUserId) || user_id_fits(message)) &&
         (!says(kWhere) || where_fits(message, facts));
}

bool Filter::may_match(const Message& message) {
  return said_ == 0 || (wants_id(message.id) && wants_time(message.timestamp_ms));
}

bool Filter::matches(const LiveMessage& message) {
  if (said_ == 0) return true;
  if (last_queue_ != message.queue_id) {
    last_queue_ = message.queue_id;
    last_queue_fits_ = wants_queue(message.queue_id, message.queue);
  }
  if (!last_queue_fits_) return false;
  return (!says(kId) || contains(ids_, message.id)) && wants_time(message.facts.timestamp_ms) &&
         (!says(kState) || state_fits(message)) && wants_record_type(message.record_type) &&
         (!says(kTransaction) || transaction_fits(message)) && wants_file(message.file) &&
         (!says(kAddress) || address_fits(message)) &&
         (!says(kUserId) || user_id_fits(message.message)) &&
         (!says(kWhere) || where_fits(message.message, message.facts));
}

// ---- names that fit nothing
// -----------------------------------------------------------------------

void Filter::survey(const bindings::Catalog& catalog) {
  if (says(kQueue)) {
    for (const auto& [id, queue] : catalog.queues()) (void)queue_fits(id, &queue);
  }
  if (!says(kAddress)) return;
  for (const auto& [id, address] : catalog.addresses()) (void)any_fits(addresses_, address.name);
  for (const auto& [id, queue] : catalog.queues()) (void)any_fits(addresses_, queue.address);
}

void Filter::survey(const LoadedStore& store) {
  const bindings::Catalog& catalog = store.catalog();
  survey(catalog);
  if (says(kQueue)) {
    for (const std::int64_t id : store.model().queue_ids()) (void)queue_fits(id, catalog.queue(id));
  }
  if (says(kAddress)) {
    for (const auto& pages : store.page_stores()) (void)any_fits(addresses_, pages.address);
  }
  if (!says(kFile)) return;
  for (const std::string& label : store.bindings().labels) (void)wants_file(label);
  for (const std::string& label : store.journal().labels) (void)wants_file(label);
  for (const auto& pages : store.page_stores()) {
    for (const paging::Page& page : pages.pages) {
      (void)wants_file(fmt::format("paging/{}/{}", pages.folder, page.name));
    }
  }
}

std::vector<Filter::Unmatched> Filter::unmatched(bool saw_all) const {
  std::vector<Unmatched> result;
  const auto collect = [&](std::string_view member, const auto& entries) {
    for (const auto& entry : entries) {
      if (!entry.matched) result.push_back({member, entry.text});
    }
  };
  collect("queue", queues_);
  collect("address", addresses_);
  collect("file", files_);
  if (!saw_all) return result;
  collect("id", ids_);
  collect("user-id", user_ids_);
  collect("tx", transactions_);
  return result;
}

}  // namespace saranga::store
