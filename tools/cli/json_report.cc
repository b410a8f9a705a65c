#include "tools/cli/json_report.h"

#include "tools/cli/context.h"
#include "tools/cli/finding_log.h"

namespace saranga::cli {
namespace {
constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
}

void write_finding_members(JsonWriter& json, const Finding& finding) {
  json.field("code", finding.code);
  json.field("severity", severity_name(finding.severity));
  json.key("file");
  if (finding.file.empty()) {
    json.null();
  } else {
    json.value(Text(finding.file));
  }
  json.field("offset", finding.offset);
  json.field("length", finding.length_bytes);
  json.field("id", finding.id);
  json.field("text", Text(finding.text));
  json.key("next");
  if (finding.next.empty()) {
    json.null();
  } else {
    json.value(Text(finding.next));
  }
}

JsonReport::JsonReport(Output& output, Form form, Head head)
    : output_(output),
      form_(form),
      schema_(head.schema),
      store_(head.store),
      json_(output.buffer()) {}

void JsonReport::open() {
  if (open_) return;
  open_ = true;
  json_.begin_object();
  if (form_ == Form::kLines) json_.field("type", "header");
  json_.field("schema", std::string_view(schema_));
  json_.field("program", program_version());
  json_.field("store", Text(store_));
  if (form_ == Form::kDocument) return;
  json_.end_object();
  json_.end_line();
}

void JsonReport::begin_list(std::string_view name) {
  end_list();
  in_list_ = true;
  list_ = name;
}

// The names of lists are constants, and seen only in a document.
void JsonReport::open_list() {
  open();
  if (list_.empty()) return;
  if (form_ == Form::kDocument) {
    json_.key(list_);
    json_.begin_array();
  }
  list_ = {};
}

void JsonReport::end_list() {
  if (in_list_) open_list();
  if (in_list_ && form_ == Form::kDocument) json_.end_array();
  in_list_ = false;
}

JsonWriter& JsonReport::begin_object(std::string_view type) {
  open_list();
  in_object_ = true;
  json_.begin_object();
  json_.field("type", type);
  return json_;
}

void JsonReport::end_object() {
  json_.end_object();
  if (form_ == Form::kLines) json_.end_line();
  in_object_ = false;
  if (form_ == Form::kLines && !held_.empty()) {
    for (const Finding& finding : held_) write_finding(finding);
    held_.clear();
  }
  if (output_.buffer().size() >= kFlushBytes) output_.flush();
}

void JsonReport::finding(const Finding& finding) {
  ++counts_[static_cast<std::size_t>(finding.severity)];
  if (in_object_ || form_ == Form::kDocument) {
    held_.push_back(finding);
  } else {
    open();
    write_finding(finding);
  }
}

void JsonReport::write_finding(const Finding& finding) {
  json_.begin_object();
  json_.field("type", "finding");
  write_finding_members(json_, finding);
  json_.end_object();
  if (form_ == Form::kLines) json_.end_line();
}

JsonWriter& JsonReport::begin_summary() {
  open();
  end_list();
  if (form_ == Form::kDocument) {
    json_.key("findings");
    json_.begin_array();
    for (const Finding& finding : held_) write_finding(finding);
    json_.end_array();
    json_.key("summary");
  }
  json_.begin_object();
  if (form_ == Form::kLines) json_.field("type", "summary");
  return json_;
}

void JsonReport::end_summary(ExitCode code) {
  json_.key("findings");
  json_.begin_object();
  json_.field("info", counts_[0]);
  json_.field("warning", counts_[1]);
  json_.field("damage", counts_[2]);
  json_.end_object();
  json_.field("exit_code", static_cast<int>(code));
  json_.end_object();
  if (form_ == Form::kDocument) json_.end_object();
  json_.end_line();
}

}  // namespace saranga::cli
