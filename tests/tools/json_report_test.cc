// The frame of JSON: lines and documents hold the same objects.
#include "tools/cli/json_report.h"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tools/cli/filter_options.h"

namespace {

using namespace saranga;
using cli::JsonReport;
using nlohmann::json;

std::string report(JsonReport::Form form) {
  cli::Output output(-1);
  JsonReport report(output, form, {.schema = "saranga.test/1", .store = "a \"store\""});
  report.finding({.code = "early", .severity = Severity::kInfo, .text = "before any list"});
  report.begin_list("things");
  report.begin_object("thing").field("id", 1);
  report.finding({.code = "inside", .severity = Severity::kDamage, .id = 7, .text = "of thing 1"});
  report.end_object();
  report.begin_object("thing").field("id", 2);
  report.end_object();
  report.begin_list("others");
  report.begin_summary().field("thing_count", 2);
  report.end_summary(cli::ExitCode::kDamage);
  return output.buffer().str();
}

}  // namespace

TEST_CASE("JSON Lines: one object a line, findings never inside of another") {
  std::vector<json> lines;
  std::istringstream text(report(JsonReport::Form::kLines));
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  std::vector<std::string> types;
  for (const json& line : lines) types.push_back(line["type"]);
  CHECK(types ==
        std::vector<std::string>{"header", "finding", "thing", "finding", "thing", "summary"});
  CHECK(lines[0]["schema"] == "saranga.test/1");
  CHECK(lines[0]["store"] == "a \"store\"");
  CHECK(lines[3]["code"] == "inside");
  CHECK(lines[3]["id"] == 7);
  CHECK(lines[3]["file"].is_null());
  CHECK(lines[5]["findings"] == json({{"info", 1}, {"warning", 0}, {"damage", 1}}));
  CHECK(lines[5]["exit_code"] == 2);
}

TEST_CASE("JSON: one document with lists") {
  const std::string text = report(JsonReport::Form::kDocument);
  CHECK(std::ranges::count(text, '\n') == 1);
  const json document = json::parse(text);
  CHECK(document["schema"] == "saranga.test/1");
  CHECK(document["things"].size() == 2);
  CHECK(document["things"][1]["id"] == 2);
  CHECK(document["others"].empty());
  CHECK(document["findings"].size() == 2);
  CHECK(document["summary"]["thing_count"] == 2);
  CHECK_FALSE(document["summary"].contains("type"));
}

TEST_CASE("a window leaves out and limits") {
  const auto taken = [](cli::FilterOptions options, int count) {
    cli::Window window(options);
    std::string result;
    for (int i = 0; i < count; ++i) result += window.takes() ? 'x' : '.';
    return result;
  };
  CHECK(taken({}, 3) == "xxx");
  CHECK(taken({.limit = 2}, 4) == "xx..");
  CHECK(taken({.offset = 1}, 3) == ".xx");
  CHECK(taken({.limit = 1, .offset = 2}, 5) == "..x..");
  CHECK_FALSE(cli::Window({.limit = 0}).full());
}
