#include "tools/cli/filter_options.h"

#include <fmt/format.h>

#include "tools/cli/command_line.h"

namespace saranga::cli {
namespace {

constexpr const char* kGroup = "Selection";

// A negative number would become a huge one.
std::string check_count(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::string() : "'" + text + "' is no count";
}

// Repeatable, one value a time: `--queue a STORE` must not take STORE for a second queue.
void add_list(CommandLine& line, const char* name, std::vector<std::string>& values,
              const std::string& text) {
  line.option(name, values, text).group(kGroup).many();
}

void add_message_options(CommandLine& line, store::FilterSpec& spec, FilterScope scope) {
  const std::string what = scope == FilterScope::kRecords ? "records" : "messages";
  add_list(line, "--id", spec.ids, what + " by id: 7 or 7,9 or 10-20; may be repeated");
  add_list(line, "--user-id", spec.user_ids,
           "messages by the sender's id: Core user id, AMQP message-id; may be repeated");
  add_list(line, "--tx", spec.transactions,
           what + " of a transaction: an id, list or range; may be repeated");
  add_list(line, "--type", spec.record_types,
           "records of this type: number or name; may be repeated");
  add_list(line, "--file", spec.files,
           what + " in these files: glob of journal/x.amq or x.amq; may be repeated");
  line.option("--since", spec.since,
              "sent then or later: 2024-05-01, 2024-05-01T12:30Z, 2h, 3d, ms since 1970")
      .group(kGroup);
  line.option("--until", spec.until, "sent before then; like --since").group(kGroup);
  if (scope == FilterScope::kMessages) {
    add_list(line, "--state", spec.states,
             "pending, scheduled, delivered, prepared, paged, orphan, expired, large; a list is "
             "any of them");
  }
  line.option("--where", spec.where, "a JMS selector: \"region = 'eu' AND JMSPriority > 4\"")
      .group(kGroup);
}

}  // namespace

void add_filter_options(CommandLine& line, FilterOptions& options, FilterScope scope) {
  store::FilterSpec& spec = options.spec;
  add_list(line, "--queue", spec.queues, "queues by name, glob (* ? [a-z]) or id; may be repeated");
  add_list(line, "--address", spec.addresses, "addresses by name or glob; may be repeated");
  if (scope != FilterScope::kQueues) add_message_options(line, spec, scope);
  line.option("--limit", options.limit, "show so many at most; 0 = all")
      .check(check_count)
      .group(kGroup);
  line.option("--offset", options.offset, "leave out so many first")
      .check(check_count)
      .group(kGroup);
  line.flag("--strict-names", options.strict_names,
            "exit code 1 when something that was named does not exist")
      .group(kGroup);
}

Result<store::Filter> compile_filter(const FilterOptions& options, std::int64_t now_ms) {
  auto filter = store::Filter::compile(options.spec, now_ms);
  if (!filter) filter.error().text = "--" + filter.error().text;
  return filter;
}

bool tell_selected(const Context& context, const FilterOptions& options,
                   const store::Filter& filter, const Selected& selected) {
  const auto unmatched = filter.unmatched(selected.saw_all);
  for (const auto& [member, text] : unmatched) {
    if (!selected.quiet) context.say(fmt::format("note: --{} {} matches nothing", member, text));
  }
  if (!selected.quiet && options.spec.where.find('"') != std::string::npos) {
    context.say("note: in a selector, text stands in single quotes: 'eu'; \"eu\" is a name");
  }
  const bool nothing = selected.shown == 0 && selected.saw_all;
  if (nothing && unmatched.empty() && !selected.quiet) {
    context.say(fmt::format("note: {}", selected.none_text));
  }
  return options.strict_names && (!unmatched.empty() || (nothing && !filter.selects_all()));
}

}  // namespace saranga::cli
