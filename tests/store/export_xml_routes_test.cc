// Messages of an export that look as almost all do go past the XML parser. Nobody may be able to
// tell: neither from what is handed on, nor from what is said of damage, nor from its place.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "tests/store/export_xml_recorder.h"

using namespace saranga;
using namespace saranga::store;

namespace {

// The same document to the last line and column, whose messages all go through the parser: that a
// blank is a tab makes them look unusual.
std::string for_parser(std::string document) {
  constexpr std::string_view kBegin = "<message ";
  for (std::size_t at = document.find(kBegin); at != std::string::npos;
       at = document.find(kBegin, at)) {
    document[at + kBegin.size() - 1] = '\t';
  }
  return document;
}

// Everything that anybody can see of it.
std::string told(const Outcome& outcome) {
  std::string all;
  for (const std::string& line : outcome.lines) all += line + '\n';
  for (const Finding& finding : outcome.findings) {
    all += std::string(finding.code) + " of " + std::to_string(finding.id.value_or(-1)) + " at " +
           std::to_string(finding.offset.value_or(0)) + ": " + finding.text + '\n';
  }
  if (!outcome.summary) {
    const Error& error = outcome.summary.error();
    return all + "error at " + std::to_string(error.offset.value_or(0)) + ": " + error.text;
  }
  const ExportXmlSummary& sum = *outcome.summary;
  for (const std::uint64_t count : {sum.addresses, sum.queues, sum.messages, sum.large_messages,
                                    sum.skipped_bindings, sum.skipped_messages}) {
    all += std::to_string(count) + ' ';
  }
  return all + (sum.complete ? "complete" : "cut");
}

constexpr std::size_t kSmallBytes = 200000;
constexpr std::size_t kPieces[] = {1, 50, 300, 701, 4096, std::size_t{1} << 20};

const ExportXmlOptions kNarrow{.max_body_bytes = 40, .max_head_bytes = 600};

// Reads it both ways, and again with everything that cannot be taken left out.
void compare(const std::string& document, std::size_t piece = std::size_t{1} << 20) {
  const std::string parsed = for_parser(document);
  for (ExportXmlOptions options : {ExportXmlOptions{}, kNarrow}) {
    for (const bool keep_going : {false, true}) {
      options.keep_going = keep_going;
      const std::string quick = told(read(document, options, piece));
      const std::string slow = told(read(parsed, options, piece));
      if (quick != slow) UNSCOPED_INFO(document.substr(0, 4000));
      CHECK(quick == slow);
    }
  }
}

constexpr std::string_view kBegin = "<activemq-journal>\n<bindings/>\n <messages>\n";
constexpr std::string_view kEnd = " </messages>\n</activemq-journal>\n";

// Messages of the usual shape, with everything that it allows.
constexpr std::string_view kUsual[] = {
    R"(  <message id="22" priority="7" expiration="5" timestamp="1700000000000" type="text")"
    R"( user-id="d19b0d30-ecd3-11f1-bdab-02fc00000001">
    <properties>
      <property name="k" value="a > 'b'" type="simple-string"/>
      <property name="n" value="_AMQ_NULL" type="bytes"/>
      <property name="c" value="x" x-type="char"/>
      <property type="string" value="x" name="k" x-value-utf16="AGEAYg=="/>
      <property name="é€😀" value="&lt;&gt;&amp;&quot;&apos;&#9;&#10;&#13;ü" type="string"/>
    </properties>
    <queues>
      <queue name="q"/>
      <queue name="r"/>
    </queues>
    <body>
      <![CDATA[AQAAAAhmAGkAbgBlAA==]]>
    </body>
  </message>
)",
    R"(<message id="23"><queues></queues></message>)", R"(<message></message>
)",
    R"(
  <message id="666" type="map"><body><![CDATA[AQ
    ID BA]]></body></message>)",
    R"(<message id="-1" timestamp="9" priority="0"><properties></properties><body isLarge="FALSE">)"
    R"(<![CDATA[]]></body></message>
)"};

std::string usual() {
  std::string document(kBegin);
  for (const std::string_view message : kUsual) document += message;
  return document + std::string(kEnd);
}

}  // namespace

TEST_CASE("messages of the usual shape are handed on, whoever reads them") {
  const Outcome outcome = read(usual(), {.keep_going = true});
  REQUIRE(outcome.summary);
  CHECK(outcome.summary->complete);
  REQUIRE(outcome.lines.size() == 4);
  CHECK(outcome.lines[0] ==
        "message 22 type 3 priority 7 expires 5 at 1700000000000 user "
        "d19b0d30ecd311f1bdab02fc00000001 [k=string:ab] [n=null:0] [c=char:120] "
        "[é€😀=string:<>&\"'\t\n\rü] ->q ->r body "
        "01000000086600690"
        "06e006500");
  CHECK(outcome.lines[1] == "message 23 type 0 priority 0 expires 0 at 0 body ");
  CHECK(outcome.lines[2] == "message ? type 0 priority 0 expires 0 at 0 body ");
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings[0].id == 666);
  CHECK(outcome.findings[0].text.starts_with("line 23, column 20: the message cannot be taken"));
  for (const std::size_t piece : kPieces) compare(usual(), piece);
}

TEST_CASE("any byte of usual messages may be another one") {
  std::string document = usual();
  for (std::size_t at = kBegin.size() - 15; at < document.size(); ++at) {
    for (const char c : std::string_view("\0 \t\r\n<>\"'&=]/-x9\x7F\xC3\xFF", 19)) {
      const char before = std::exchange(document[at], c);
      compare(document);
      document[at] = before;
    }
  }
}

TEST_CASE("usual messages may be cut, doubled or out of order anywhere") {
  const std::string document = usual();
  for (std::size_t at = 0; at < document.size(); ++at) {
    compare(document.substr(0, at));
    compare(document.substr(0, at) + document.substr(std::min(at + 7, document.size())));
    compare(document.substr(0, at) + document.substr(at < 30 ? 0 : at - 30));
  }
}

TEST_CASE("line ends of two characters are lines, too") {
  std::string document;
  for (const char c : usual()) document += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(told(read(document)).find("line 23, column 20: the message cannot") != std::string::npos);
  for (std::size_t at = kBegin.size(); at < document.size(); ++at) {
    if (document[at] != '\n' && document[at] != '\r') continue;
    for (const char c : {'\r', '\n', ' ', 'x'}) {
      const char before = std::exchange(document[at], c);
      compare(document);
      document[at] = before;
    }
  }
}

TEST_CASE("values of every character are the same to both") {
  const auto compare_value = [](const std::string& value) {
    compare(std::string(kBegin) + "<message><properties><property name=\"" + value +
            "\" value=\"v\" type=\"string\"/></properties></message><message id=\"x\"/>" +
            std::string(kEnd));
  };
  for (unsigned first = 0; first < 256; ++first) {
    for (const std::string_view rest : {"", "\x80", "\x9F\xBF", "\xA0\x80", "\xBF\xBE", "\xBF\xBD",
                                        "\x8F\xBF\xBF", "\x90\x80\x80"}) {
      compare_value("a" + std::string(1, static_cast<char>(first)) + std::string(rest));
    }
  }
  for (const std::string_view reference :
       {"&", "&;", "&lt", "&LT;", "&nbsp;", "&#x41;", "&#65;", "&#0;", "&#1;", "&#010;", "&#xD;",
        "&#9;&#10;&#13;", "&amp;amp;", "&apos;&quot;", "&#xFFFF;", "&#55357;"}) {
    compare_value(std::string(reference));
  }
}

TEST_CASE("something between usual messages is read by the parser") {
  for (const std::string_view between :
       {"<!-- </message> -->",
        "<!-- <message></message> -->",
        "<?x </message>?>",
        "<other><message id=\"1\"></message></other>",
        "<other><![CDATA[</message>]]></other>",
        "<![CDATA[</message>]]>",
        "<![CDATA[",
        "text",
        "]]>",
        "&#32;",
        "&amp;",
        "</messages>",
        "</messages><messages>",
        "<messages>",
        "<bindings/>",
        "<message/>",
        "\r\n",
        "\r",
        "<message\nid=\"7\"></message>",
        "<message id='7'></message>",
        "<message id=\"7\" />",
        "<message id=\"7\" id=\"8\"></message>",
        "<message id=\"7\" x=\"8\"></message>",
        "<message id=\"7\"><body></body></message>",
        "<message><x/></message>",
        "<message><body><![CDATA[AQ]]><![CDATA[ID]]></body></message>",
        "<message><body isLarge=\"true\"><![CDATA[AQ]]></body></message>",
        "<message><body><![CDATA[****]]></body></message>",
        "<message><body><![CDATA[AQ]]</body></message>",
        "<message><body></body><body></body></message>",
        "<message priority=\"10\"></message>",
        "<message><queues><queue/></queues></message>",
        "<message><properties><property name=\"\xC3\xA9\" value=\"&lt;\" type=\"string\"/>"
        "</properties></message>",
        "<message><properties><property name=\"&#233;\" value=\"&euro;\" type=\"string\"/>"
        "</properties></message>",
        "<message><properties><property name=\"a\" value=\"1\" type=\"long\" />"
        "</properties></message>",
        "<message><properties><property name=\"a\" value=\"x\" type=\"long\"/>"
        "</properties></message>"}) {
    for (const std::size_t piece : kPieces) {
      std::string document(kBegin);
      for (int i = 0; i < 3; ++i) {
        for (const std::string_view message : kUsual) document += message;
        document += between;
      }
      compare(document + std::string(kEnd), piece);
    }
  }
}

TEST_CASE("encodings make no difference to usual messages") {
  for (const std::string_view declared :
       {"\xEF\xBB\xBF", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n",
        "<?xml version='1.0' encoding='US-ASCII'?>", "<?xml version='1.0' encoding='utf-8'?>",
        "<?xml version='1.0' encoding='Utf-8'?>", "<?xml version='1.0'?>",
        "<?xml version='1.0' encoding='EBCDIC'?>"}) {
    compare(std::string(declared) + usual());
  }
}

TEST_CASE("the exports that brokers have written are the same to both") {
  std::mt19937 random(20);
  const auto below = [&](std::size_t most) { return random() % most; };
  std::size_t documents = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SARANGA_SOURCE_DIR "/fixtures")) {
    const std::filesystem::path path = entry.path() / "golden" / "exp.xml.gz";
    if (!std::filesystem::exists(path)) continue;
    INFO(path);
    const std::string document = unpacked(path);
    ++documents;
    for (const std::size_t piece : {kPieces[2], kPieces[5]}) compare(document, piece);
    const std::size_t rounds = document.size() < kSmallBytes ? 40 : 2;
    for (std::size_t round = 0; round < rounds && !document.empty(); ++round) {
      std::string changed = document;
      for (std::size_t i = below(3); i < 4; ++i) {
        const std::size_t at = below(changed.size());
        switch (below(3)) {
          case 0: changed[at] = static_cast<char>(below(256)); break;
          case 1: changed.erase(at, below(40)); break;
          default: changed.insert(at, changed.substr(below(changed.size()), below(40))); break;
        }
        if (changed.empty()) break;
      }
      compare(changed);
    }
  }
  CHECK(documents >= 20);
}
