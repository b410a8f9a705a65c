// Exports as XML: every form that is accepted, what is refused and where, and the documents that
// real brokers of many releases have written.
#include "saranga/store/export_xml_reader.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>

#include "saranga/bytes/base64.h"
#include "tests/store/export_xml_recorder.h"

using namespace saranga;
using namespace saranga::store;

namespace {

std::string in_root(std::string_view content) {
  return "<activemq-journal>" + std::string(content) + "</activemq-journal>";
}

std::string in_messages(std::string_view content) {
  return in_root("<messages>" + std::string(content) + "</messages>");
}

std::string with_property(std::string_view attributes) {
  return in_messages("<message id='1'><properties><property " + std::string(attributes) +
                     "/></properties></message>");
}

// The one line of a message that has but a property, or a body.
std::string line_of(const Outcome& outcome) {
  if (!outcome.summary) return "error: " + outcome.summary.error().text;
  REQUIRE(outcome.lines.size() == 1);
  const std::string start = "message 1 type 0 priority 0 expires 0 at 0 ";
  REQUIRE(outcome.lines[0].starts_with(start));
  return outcome.lines[0].substr(start.size());
}

std::string property_of(std::string_view attributes) {
  std::string line = line_of(read(with_property(attributes)));
  if (line.ends_with(" body ")) line.resize(line.size() - 6);
  return line;
}

std::string body_of(std::string_view content, std::string_view attributes = "") {
  return line_of(read(in_messages("<message id='1'><body " + std::string(attributes) + ">" +
                                  std::string(content) + "</body></message>")));
}

std::string error_of(std::string_view document, ExportXmlOptions options = {}) {
  const Outcome outcome = read(document, std::move(options));
  REQUIRE_FALSE(outcome.summary);
  CHECK(outcome.summary.error().code == ErrorCode::kDamaged);
  return outcome.summary.error().text;
}

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

constexpr std::string_view kSmall = R"(
<activemq-journal>
   <bindings>
      <address-binding routing-types="ANYCAST,MULTICAST" name="a&amp;b" id="2"/>
      <queue-binding address="a&amp;b" filter-string="x &gt; 3" name="q" id="3")"
                                    R"( routing-type="ANYCAST"/>
      <queue-binding address="a&amp;b" filter-string="" name="r" id="4" routing-type="MULTICAST"/>
   </bindings>
   <messages>
      <message id="22" priority="7" expiration="5" timestamp="1700000000000" type="text")"
                                    R"( user-id="d19b0d30-ecd3-11f1-bdab-02fc00000001">
         <properties>
            <property name="k" value="v" type="simple-string"/>
         </properties>
         <queues>
            <queue name="q"/>
            <queue name="r"/>
         </queues>
         <body>
            <![CDATA[AQAAAAhmAGkAbgBlAA==]]>
         </body>
      </message>
      <message id="23" priority="4" expiration="0" timestamp="0" type="bytes">
         <properties>
         </properties>
         <queues>
            <queue name="q"/>
         </queues>
         <body isLarge="true">
            <![CDATA[AQIDBA==]]>
            <![CDATA[BQY=]]>
         </body>
      </message>
   </messages>
</activemq-journal>)";

const std::vector<std::string> kSmallLines = {
    "address a&b AM", "queue q at a&b A if x > 3", "queue r at a&b M",
    "message 22 type 3 priority 7 expires 5 at 1700000000000 user "
    "d19b0d30ecd311f1bdab02fc00000001 [k=string:v] ->q ->r body 01000000086600690"
    "06e006500",
    "message 23 type 4 priority 4 expires 0 at 0 ->q large 010203040506"};

}  // namespace

TEST_CASE("a document is handed on in its order, whatever its pieces") {
  std::string packed;  // without the blanks between tags
  for (std::size_t at = 0; at < kSmall.size(); ++at) {
    if (kSmall[at] == '\n') {
      while (at + 1 < kSmall.size() && kSmall[at + 1] == ' ') ++at;
    } else {
      packed += kSmall[at];
    }
  }
  for (const std::string_view document : {kSmall, std::string_view(packed)}) {
    for (const std::size_t piece : std::initializer_list<std::size_t>{1, 7, 100, 65536}) {
      const Outcome outcome = read(document, {}, piece);
      REQUIRE(outcome.summary);
      CHECK(outcome.lines == kSmallLines);
      CHECK(outcome.findings.empty());
      CHECK(outcome.summary->complete);
      CHECK(outcome.summary->addresses == 1);
      CHECK(outcome.summary->queues == 2);
      CHECK(outcome.summary->messages == 2);
      CHECK(outcome.summary->large_messages == 1);
      CHECK(outcome.summary->skipped_messages == 0);
    }
  }
}

TEST_CASE("a document that is cut anywhere is told from a whole one") {
  for (std::size_t size = 0; size < kSmall.size(); ++size) {
    const Outcome cut = read(kSmall.substr(0, size));
    REQUIRE_FALSE(cut.summary);
    CHECK(cut.summary.error().code == ErrorCode::kDamaged);
    CHECK(cut.summary.error().text.starts_with("line "));
    const Outcome kept = read(kSmall.substr(0, size), {.keep_going = true});
    if (!kept.summary) continue;  // the root has not begun
    CHECK_FALSE(kept.summary->complete);
    REQUIRE(kept.findings.size() == 1);
    CHECK(kept.findings[0].code == "export-cut");
    CHECK(kept.lines.size() <= kSmallLines.size());
    CHECK(std::equal(kept.lines.begin(), kept.lines.end(), kSmallLines.begin()));
  }
}

TEST_CASE("any byte of a document may be another one") {
  std::string document(kSmall);
  for (std::size_t at = 0; at < document.size(); ++at) {
    for (const char c : {'\0', '<', '>', '"', '&', '\xFF', '\xED', '=', ']'}) {
      const char before = std::exchange(document[at], c);
      (void)read(document, {.keep_going = true}, 64);
      const Outcome strict = read(document, {}, 64);
      if (!strict.summary) CHECK_FALSE(strict.summary.error().text.empty());
      document[at] = before;
    }
  }
}

TEST_CASE("the exports that brokers have written are read") {
  std::size_t documents = 0;
  std::map<std::string, std::uint64_t> messages;
  for (const auto& entry : std::filesystem::directory_iterator(SARANGA_SOURCE_DIR "/fixtures")) {
    const std::filesystem::path path = entry.path() / "golden" / "exp.xml.gz";
    if (!std::filesystem::exists(path)) continue;
    const std::string name = entry.path().filename();
    const std::string document = unpacked(path);
    INFO(path);
    ++documents;
    const Outcome whole = read(document, {.label = "exp.xml"});
    // Characters that XML does not allow; and an export that failed before it wrote anything.
    if (name == "badchars" || document.empty()) {
      CHECK_FALSE(whole.summary);
      continue;
    }
    // Artemis stopped in the middle of it, at a record of the bindings.
    if (name == "bindings-2.28") {
      CHECK(whole.summary.error().text ==
            "line 23, column 1: the document is cut: it ends before its root does");
      const Outcome kept = read(document, {.keep_going = true});
      REQUIRE(kept.summary);
      CHECK(kept.summary->addresses == count_of(document, "<address-binding "));
      continue;
    }
    REQUIRE(whole.summary);
    CHECK(whole.summary->complete);
    CHECK(whole.summary->messages == count_of(document, "<message "));
    CHECK(whole.summary->large_messages == count_of(document, " isLarge=\"true\""));
    CHECK(whole.summary->addresses ==
          count_of(document, "<address-binding ") + count_of(document, "<binding "));
    CHECK(whole.summary->queues ==
          count_of(document, "<queue-binding ") + count_of(document, "<binding ") -
              count_of(document, "__AMQX=-1") - count_of(document, "__HQX=-1"));
    for (const Finding& finding : whole.findings) CHECK(finding.code == "export-part-skipped");
    CHECK(whole.findings.size() == (document.find("<jms-dest") == std::string::npos ? 0 : 2));
    messages[name] = whole.summary->messages;
    for (const std::size_t piece : std::initializer_list<std::size_t>{1, 7})
      CHECK(read(document, {}, piece).lines == whole.lines);
  }
  CHECK(documents >= 20);
  CHECK(messages["artemis-1.5"] == 179);
  CHECK(messages["hornetq-2.4"] == 179);
  CHECK(messages["artemis-2.0"] == 179);
}

TEST_CASE("an export of a store with odd characters gives them back") {
  const std::string own =
      "<property name='a&#xFFFD;' x-name-utf16='AGEAAQ' value='x' "
      "x-value-utf16='2D0AYQ==' type='simple-string'/>";
  const Outcome outcome =
      read(in_messages("<message id='1'><properties>" + own + "</properties></message>"));
  CHECK(line_of(outcome) ==
        "[a\x01=string:\xED\xA0\xBD"
        "a] body ");
  // A whole pair is one character; U+0000 is one, too.
  CHECK(property_of("name='k' value='' x-value-utf16='2D3egAAA' type='string'") ==
        std::string("[k=string:\xF0\x9F\x9A\x80\0]", 16));
  CHECK(property_of("name='k' value='_AMQ_NULL' x-value-utf16='AF8AQQBNAFEAXwBOAFUATABM' "
                    "type='simple-string'") == "[k=string:_AMQ_NULL]");
  CHECK(property_of("name='k' value='a&#9;&#10;&#13;b' type='simple-string'") ==
        "[k=string:a\t\n\rb]");
  CHECK(error_of(with_property("name='k' value='' x-value-utf16='AGEA' type='string'"))
            .ends_with("the attribute x-value-utf16 is no UTF-16 in Base64"));
  const Outcome names = read(in_root(
      "<bindings><address-binding name='?' x-name-utf16='AAE=' routing-types='ANYCAST'/>"
      "<queue-binding name='?' x-name-utf16='AAI=' address='?' x-address-utf16='AAE=' "
      "filter-string='?' x-filter-string-utf16='AAM=' routing-type='ANYCAST'/></bindings>"));
  CHECK(names.lines == std::vector<std::string>{"address \x01 A", "queue \x02 at \x01 A if \x03"});
}

TEST_CASE("properties of every type") {
  const auto typed = [](std::string_view type, std::string_view value) {
    return property_of("name='k' value='" + std::string(value) + "' type='" + std::string(type) +
                       "'");
  };
  CHECK(typed("boolean", "true") == "[k=boolean:1]");
  CHECK(typed("boolean", "FALSE") == "[k=boolean:0]");
  CHECK(typed("byte", "-128") == "[k=byte:-128]");
  CHECK(typed("short", "32767") == "[k=short:32767]");
  CHECK(typed("integer", "-2147483648") == "[k=int:-2147483648]");
  CHECK(typed("integer", "+5") == "[k=int:5]");
  CHECK(typed("long", "9223372036854775807") == "[k=long:9223372036854775807]");
  CHECK(typed("bytes", "-_8=") == "[k=bytes:fbff]");
  CHECK(typed("bytes", "+/8") == "[k=bytes:fbff]");
  CHECK(typed("bytes", "") == "[k=bytes:]");
  CHECK(typed("bytes", "_AMQ_NULL") == "[k=null:0]");
  CHECK(typed("string", "_AMQ_NULL") == "[k=null:0]");
  CHECK(property_of("name='k' value='_AMQ_NULL'") == "[k=null:0]");
  CHECK(property_of("name='k' value='_HQ_NULL'") == "[k=null:0]");
  CHECK(typed("string", "_HQ_NULL") == "[k=string:_HQ_NULL]");
  CHECK(typed("simple-string", "") == "[k=string:]");
  const auto bits = [](auto value) {
    if constexpr (sizeof(value) == 4) return std::to_string(std::bit_cast<std::uint32_t>(value));
    return std::to_string(std::bit_cast<std::int64_t>(static_cast<double>(value)));
  };
  CHECK(typed("double", "1.0E10") == "[k=double:" + bits(1e10) + "]");
  CHECK(typed("double", "4.9E-324") == "[k=double:1]");
  CHECK(typed("double", "-Infinity") == "[k=double:" + bits(-HUGE_VAL) + "]");
  CHECK(typed("double", "NaN") == "[k=double:" + std::to_string(0x7FF8000000000000) + "]");
  CHECK(typed("float", "1.5") == "[k=float:" + bits(1.5F) + "]");
  CHECK(typed("float", "1.4E-45") == "[k=float:1]");
  CHECK(property_of("name='k' value='x' x-type='char'") == "[k=char:120]");
  CHECK(property_of("name='k' value='&lt;'") == "[k=char:60]");
  CHECK(property_of("name='k' value='' x-value-utf16='3AA' x-type='char'") == "[k=char:56320]");
}

TEST_CASE("values that their type does not have") {
  for (const auto& [type, value] :
       std::vector<std::pair<std::string, std::string>>{{"boolean", "yes"},
                                                        {"byte", "128"},
                                                        {"byte", ""},
                                                        {"short", "-32769"},
                                                        {"short", "1.0"},
                                                        {"integer", "2147483648"},
                                                        {"long", "9223372036854775808"},
                                                        {"long", "1x"},
                                                        {"integer", "+-5"},
                                                        {"float", "1e99"},
                                                        {"float", "nan"},
                                                        {"double", "inf"},
                                                        {"double", "1.0 "},
                                                        {"bytes", "A"},
                                                        {"bytes", "AA=A"},
                                                        {"bytes", "AA="},
                                                        {"bytes", "AB=="},
                                                        {"bytes", "=="},
                                                        {"integer", "_AMQ_NULL"},
                                                        {"colour", "red"},
                                                        {"", "xy"}}) {
    INFO(type << " " << value);
    const std::string text =
        error_of(with_property("name='k' value='" + value + "' type='" + type + "'"));
    CHECK(text.starts_with("line 1, column "));
  }
  CHECK(error_of(with_property("name='k' value='300' type='byte'")) ==
        "line 1, column 57: the attribute value of <property> is \"300\" and should be a value of "
        "type byte");
  CHECK(error_of(with_property("name='k' value='xy'"))
            .ends_with("a property without a type, whose value is not one character"));
  CHECK(error_of(with_property("name='k' type='byte'"))
            .ends_with("<property> has no attribute value"));
  CHECK(error_of(with_property("value='k' type='byte'"))
            .ends_with("<property> has no attribute name"));
}

TEST_CASE("of a property that is there twice the last value counts") {
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += "<property name='k" + std::to_string(i % 100) + "' value='" + std::to_string(i) +
            "' type='integer'/>";
  }
  const std::string line =
      line_of(read(in_messages("<message id='1'><properties>" + many + "</properties></message>")));
  CHECK(count_of(line, "[") == 100);
  CHECK(line.find("[k7=int:107]") != std::string::npos);
  CHECK(line.find("[k99=int:199]") != std::string::npos);
}

TEST_CASE("headers of messages") {
  const auto head = [](std::string_view attributes) {
    return in_messages("<message " + std::string(attributes) + "/>");
  };
  const std::vector<std::string> types = {"default", "object", "text", "bytes", "map", "stream"};
  const std::vector<std::string> numbers = {"0", "2", "3", "4", "5", "6"};
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Outcome outcome = read(head("id='1' type='" + types[i] + "'"));
    REQUIRE(outcome.lines.size() == 1);
    CHECK(outcome.lines[0].starts_with("message 1 type " + numbers[i] + " "));
  }
  CHECK(read(head("")).lines.at(0).starts_with("message ? type 0 priority 0"));
  for (const std::string_view id :
       {"ID:d19b0d30-ecd3-11f1-bdab-02fc00000001", "D19B0D30-ecd3-11f1-bdab-02fc00000001",
        "0ZsNMOzTEfG9qwL8AAAAAQ==", "0ZsNMOzTEfG9qwL8AAAAAQ"}) {
    CHECK(read(head("user-id='" + std::string(id) + "'"))
              .lines.at(0)
              .find("user d19b0d30ecd311f1bdab02fc00000001") != std::string::npos);
  }
  CHECK(error_of(head("priority='10'")).ends_with("should be a number from 0 to 9"));
  CHECK(error_of(head("priority='-1'")).ends_with("should be a number from 0 to 9"));
  CHECK(error_of(head("id='x'")).find("attribute id of <message>") != std::string::npos);
  CHECK(error_of(head("timestamp=''")).find("timestamp") != std::string::npos);
  CHECK(error_of(head("type='blob'")).find("type") != std::string::npos);
  for (const std::string_view id :
       {"d19b0d30-ecd3-11f1-bdab-02fc0000000", "x", "d19b0d30-ecd3-11f1-bdab-02fc0000000g",
        "d19b0d30+ecd3-11f1-bdab-02fc00000001"}) {
    CHECK(error_of(head("user-id='" + std::string(id) + "'")).ends_with("should be a UUID"));
  }
}

TEST_CASE("bodies in every form") {
  CHECK(body_of("") == "body ");
  CHECK(body_of("<![CDATA[AQIDBA==]]>") == "body 01020304");
  CHECK(body_of("AQIDBA==") == "body 01020304");
  CHECK(body_of("\n  AQID\n  BA==  \n") == "body 01020304");
  CHECK(body_of("<![CDATA[\n AQ ID\r\n BA = =\n]]>") == "body 01020304");
  CHECK(body_of("<![CDATA[AQIDBA]]>") == "body 01020304");
  CHECK(body_of("<![CDATA[AQ]]><![CDATA[AgM]]>") == "body 010203");
  CHECK(body_of("AQ==\n AgM=\n") == "body 010203");
  CHECK(body_of("AQ<![CDATA[Ag==]]>Aw==") == "body 010203");
  CHECK(body_of("<![CDATA[]]><![CDATA[AQ==]]>") == "body 01");
  CHECK(body_of("AQ<!-- a comment --><?and more?>ID") == "body 010203");
  CHECK(body_of("&#x2B;/8=") == "body fbff");
  CHECK(body_of("-_8=") == "body fbff");
  CHECK(body_of("<![CDATA[AQ==]]> <![CDATA[Ag==]]>", "isLarge='true'") == "large 0102");
  CHECK(body_of("AQID\nBAU=", "isLarge='true'") == "large 0102030405");
  CHECK(body_of("AQ==", "isLarge='false'") == "body 01");
  CHECK(body_of("", "isLarge='true'") == "large ");
  for (const std::string_view wrong :
       {"A", "<![CDATA[AQIDB]]>", "AQ=", "AQ==Ag==", "AQ===", "A===", "=",
        "AQ= ", "AB==", "AAB=", "A.==", "<![CDATA[A]]><![CDATA[QID]]>", "\xC3\xA9", "AQI=="}) {
    INFO(wrong);
    CHECK(body_of(wrong).starts_with("error: line 1, column "));
  }
  CHECK(body_of("AQ==", "isLarge='maybe'").starts_with("error: "));
  CHECK(error_of(in_messages("<message><body/><body/></message>"))
            .ends_with("a message with two bodies"));
}

TEST_CASE("exports of 1.x and of HornetQ") {
  const std::string content =
      "<bindings>"
      "<binding address='jms.queue.orders' filter-string='' queue-name='jms.queue.orders' id='1'/>"
      "<binding address='jms.topic.events' filter-string='__AMQX=-1' "
      "queue-name='jms.topic.events' id='2'/>"
      "<binding address='jms.topic.other' filter-string='__HQX=-1' queue-name='jms.topic.other'/>"
      "<binding address='jms.topic.events' filter-string='n &lt; 3' queue-name='c.all' id='3'/>"
      "<binding address='core' filter-string='' queue-name='core.q' id='4'/>"
      "</bindings>"
      "<jms-connection-factories><jms-connection-factory><name>cf</name>"
      "</jms-connection-factory></jms-connection-factories><jms-destinations/>"
      "<messages><message id='1'><queues><queue name='jms.queue.orders'/><queue name='c.all'/>"
      "<queue name='jms.queue.unknown'/></queues></message></messages>";
  const Outcome outcome =
      read("<?xml version=\"1.0\"?><hornetq-journal>" + content + "</hornetq-journal>");
  REQUIRE(outcome.summary);
  CHECK(outcome.lines ==
        std::vector<std::string>{
            "address orders A", "queue orders at orders A", "address events M", "address other M",
            "address events M", "queue c.all at events M if n < 3", "address core M",
            "queue core.q at core M",
            "message 1 type 0 priority 0 expires 0 at 0 ->orders ->c.all ->jms.queue.unknown "
            "body "});
  REQUIRE(outcome.findings.size() == 2);
  CHECK(outcome.findings[0].code == "export-part-skipped");
  CHECK(outcome.findings[0].severity == Severity::kInfo);

  const Outcome old = read(in_root(content), {.legacy_prefixes = true});
  CHECK(old.lines.at(1) == "queue jms.queue.orders at jms.queue.orders A");
  CHECK(old.lines.at(5) == "queue c.all at jms.topic.events M if n < 3");
  CHECK(old.lines.back().find("->jms.queue.orders ") != std::string::npos);
}

TEST_CASE("encodings that a document may have") {
  const std::string plain =
      in_root("<bindings><address-binding name='\xC3\xA9\xF0\x9F\x9A\x80'/></bindings>");
  CHECK(read("\xEF\xBB\xBF" + plain).lines.at(0) == "address \xC3\xA9\xF0\x9F\x9A\x80 ");
  CHECK(read("<?xml version='1.0' encoding='UTF-8'?>" + plain).summary);
  CHECK(read("<?xml version='1.0' encoding='ISO-8859-1'?>" +
             in_root("<bindings><address-binding name='\xE9'/></bindings>"))
            .lines.at(0) == "address \xC3\xA9 ");
  for (const bool little : {false, true}) {
    std::string wide = little ? "\xFF\xFE" : "\xFE\xFF";
    const std::string letters =
        in_messages("<message id='1'><body><![CDATA[AQID]]></body></message>");
    for (const char c : letters) {
      wide += little ? c : '\0';
      wide += little ? '\0' : c;
    }
    for (const std::size_t piece : std::initializer_list<std::size_t>{1, 1000})
      CHECK(line_of(read(wide, {}, piece)) == "body 010203");
  }
  CHECK(error_of("<?xml version='1.0' encoding='EBCDIC-CP-US'?>" + plain).find("encoding") !=
        std::string::npos);
}

TEST_CASE("documents that are none, and say so with their place") {
  CHECK(error_of("") == "line 1, column 1: the document is cut: it ends before its root does");
  CHECK(error_of("   \n ") ==
        "line 2, column 2: the document is cut: it ends before its root does");
  CHECK(error_of("<html><body/></html>") ==
        "line 1, column 1: this is no export of Artemis: its root is <html>");
  CHECK(error_of("<messages/>").ends_with("its root is <messages>"));
  CHECK(error_of("hello").find("not well-formed") != std::string::npos);
  CHECK(error_of(in_root("") + "<more/>")
            .ends_with("something stands behind the end of the document"));
  CHECK(error_of(in_root("") + "text").starts_with("line 1, column "));
  CHECK(read(in_root("") + "\n<!-- the end -->\n").summary);
  CHECK(error_of("<activemq-journal>\n <bindings>\n </messages>")
            .starts_with("line 3, column 4: an end tag"));
  CHECK(error_of(in_root("\n words")).ends_with("text where none belongs: \" words\""));
  CHECK(error_of(in_root("<messages><![CDATA[x]]></messages>")).find("text") != std::string::npos);
  CHECK(error_of(in_root("<message/>")).ends_with("<message> stands outside of <messages>"));
  CHECK(error_of(in_messages("<queue name='q'/>")).ends_with("stands outside of <queues>"));
  CHECK(error_of(in_root("<activemq-journal/>")).ends_with("its place, the root"));
  CHECK(error_of(in_root("<bindings><address-binding name='a' name='b'/></bindings>"))
            .ends_with("an attribute is there twice"));
  CHECK(error_of(in_root("&amp;")).find("text") != std::string::npos);
  CHECK(error_of(in_root("&other;")).ends_with("an entity that XML does not know"));
  CHECK(error_of(in_root(std::string_view("\0", 1))).find("not well-formed") != std::string::npos);
  CHECK(error_of(in_root("<!-- \xC3 -->")).find("not well-formed") != std::string::npos);
  CHECK(error_of(in_root("&#1;")).find("not well-formed") != std::string::npos);
  for (const std::string_view wrong :
       {"<queue-binding address='a' routing-type='ANYCAST'/>", "<queue-binding name='a'/>",
        "<queue-binding name='a' address='a' routing-type='BOTH'/>",
        "<queue-binding name='a' address='a' routing-type='ANYCAST,MULTICAST'/>",
        "<address-binding routing-types='ANYCAST'/>",
        "<address-binding name='a' routing-types='x'/>", "<binding address='a'/>",
        "<binding queue-name='a'/>"}) {
    INFO(wrong);
    CHECK(error_of(in_root("<bindings>" + std::string(wrong) + "</bindings>")) != "");
  }
}

TEST_CASE("document types are refused before they can define anything") {
  const std::string laughs =
      "<!DOCTYPE lolz [<!ENTITY lol 'lol'><!ENTITY lol2 '&lol;&lol;&lol;&lol;'>]>"
      "<activemq-journal>&lol2;</activemq-journal>";
  for (const std::string& document :
       {laughs, std::string("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><activemq-journal/>"),
        std::string("<?xml version='1.0'?>\n<!DOCTYPE activemq-journal><activemq-journal/>")}) {
    CHECK(error_of(document).find("a document type") != std::string::npos);
    CHECK(error_of(document, {.keep_going = true}).find("a document type") != std::string::npos);
  }
}

TEST_CASE("what is not known is passed over, and told once a name") {
  const Outcome outcome =
      read(in_root("<bindings><divert-binding name='d'><deep><message/>text</deep></divert-binding>"
                   "<divert-binding name='e'/><address-binding name='a' flavour='x'/>"
                   "<address-binding name='b' flavour='y' x-odd-utf16='' xmlns:xsi='z'/></bindings>"
                   "<messages><message id='1' colour='red'/></messages>"));
  REQUIRE(outcome.summary);
  CHECK(outcome.lines.size() == 3);
  REQUIRE(outcome.findings.size() == 4);
  for (const Finding& finding : outcome.findings) {
    CHECK(finding.code == "export-name-unknown");
    CHECK(finding.severity == Severity::kWarning);
    CHECK(finding.text.starts_with("line 1, column "));
  }
  CHECK(outcome.findings[0].text.find("<divert-binding>") != std::string::npos);
  CHECK(outcome.findings[1].text.find("flavour") != std::string::npos);
}

TEST_CASE("hostile documents cost no memory") {
  std::string deep = "<activemq-journal>";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  CHECK(error_of(deep).find("deeper than 64") != std::string::npos);

  std::string names = "<activemq-journal>";
  for (int i = 0; i < 2000; ++i) names += "<a" + std::to_string(i) + "/>";
  CHECK(error_of(names).find("different names") != std::string::npos);
  names = "<activemq-journal><x>";
  for (int i = 0; i < 2000; ++i) names += "<b a" + std::to_string(i) + "=''/>";
  CHECK(error_of(names).find("different names") != std::string::npos);

  // More of a tag than may be, in pieces of any size.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  for (const std::string_view begin :
       {"<activemq-journal><bindings><address-binding name='", "<activemq-journal><!-- ",
        "<activemq-journal><?p ", "<activemq-journal><", "<activemq-journal a='"}) {
    for (const std::size_t piece : std::initializer_list<std::size_t>{4096, 1 << 20}) {
      const Outcome outcome =
          read(std::string(begin) + std::string(3 * kMost, 'x'), {.max_head_bytes = kMost}, piece);
      REQUIRE_FALSE(outcome.summary);
      CHECK(outcome.summary.error().text.find("a tag of more than 1048576 bytes") !=
            std::string::npos);
    }
  }
  std::string attributes = "<activemq-journal><messages><message ";
  for (int i = 0; i < 1000000; ++i) attributes += "a" + std::to_string(i) + "='' ";
  CHECK(read(attributes).summary.error().text.find("attributes") != std::string::npos);

  std::string properties = "<message><properties>";
  for (int i = 0; i < 20000; ++i) {
    properties += "<property name='" + std::to_string(i) + "' value='1' type='byte'/>";
  }
  const std::string message = in_messages(properties + "</properties></message>");
  CHECK(read(message).summary);
  CHECK(error_of(message, {.max_head_bytes = 100000}).find("properties and queues of more than") !=
        std::string::npos);
  CHECK(error_of(in_messages("<message><body>" + std::string(4000, 'A') + "</body></message>"),
                 {.max_body_bytes = 2999})
            .find("a body of more than 2999 bytes") != std::string::npos);
}

TEST_CASE("a large body goes to the target piece by piece") {
  Recorder target;
  target.keep_bodies = false;
  Findings sink;
  ExportXmlReader reader(target, {.max_body_bytes = 10}, sink);
  REQUIRE(reader.feed("<activemq-journal><messages><message><body isLarge='true'>"));
  std::string section = "<![CDATA[" + std::string(1332, 'A') + "AA==]]>\n";
  for (int i = 0; i < 20000; ++i) REQUIRE(reader.feed(section));
  const std::string text(100000, 'A');
  for (int i = 0; i < 100; ++i) REQUIRE(reader.feed(text));
  REQUIRE(reader.feed("</body></message></messages></activemq-journal>"));
  const auto summary = reader.finish();
  REQUIRE(summary);
  CHECK(summary->large_messages == 1);
  CHECK(target.body_bytes == 20000 * 1000 + 100 * 75000);
  CHECK(target.most_bytes < std::size_t{1} << 20);
}

TEST_CASE("errors of the target end the import") {
  Recorder target;
  target.failing = true;
  Findings sink;
  ExportXmlReader reader(target, {.keep_going = true}, sink);
  const auto fed = reader.feed(in_messages("<message><body isLarge='true'>AQID</body></message>"));
  REQUIRE_FALSE(fed);
  CHECK(fed.error().code == ErrorCode::kIo);
  CHECK(reader.feed("more").error().text == "the disk is full");
  CHECK(reader.finish().error().text == "the disk is full");
  const Outcome refused = read(in_messages("<message id='666'/><message id='7'/>"));
  REQUIRE_FALSE(refused.summary);
  CHECK(refused.summary.error().text.find("the message cannot be taken: not this one") !=
        std::string::npos);
}

TEST_CASE("what cannot be taken is left out when that is wanted") {
  const std::string document =
      "<activemq-journal>\n<bindings><address-binding name='a' routing-types='x'/>"
      "<address-binding name='b'/></bindings>\n<messages>"
      "<message id='1' priority='99'><properties><property/></properties></message>\n"
      "<message id='2'><properties><property name='k' value='x' type='long'/>"
      "<property name='k' value='y' type='long'/></properties><body>****</body></message>"
      "<message id='3'><body isLarge='true'>AQIDB</body></message>"
      "<message id='666'/>"
      "<message id='4'><body>AQ==</body></message>"
      "<message id='5'><body>AQ";
  const std::string rest = "==</body></message></messages></activemq-journal>";
  for (const std::size_t piece : std::initializer_list<std::size_t>{1, 65536}) {
    const Outcome outcome = read(document + rest, {.label = "in.xml", .keep_going = true}, piece);
    REQUIRE(outcome.summary);
    CHECK(outcome.summary->complete);
    CHECK(outcome.summary->messages == 2);
    CHECK(outcome.summary->skipped_messages == 4);
    CHECK(outcome.summary->skipped_bindings == 1);
    REQUIRE(outcome.lines.size() == 3);
    CHECK(outcome.lines[1] == "message 4 type 0 priority 0 expires 0 at 0 body 01");
    REQUIRE(outcome.findings.size() == 5);
    CHECK(outcome.findings[0].code == "export-binding-skipped");
    for (std::size_t i = 1; i < 5; ++i) {
      CHECK(outcome.findings[i].code == "export-message-skipped");
      CHECK(outcome.findings[i].severity == Severity::kDamage);
      CHECK(outcome.findings[i].file == "in.xml");
      CHECK(
          outcome.findings[i].text.starts_with(i == 1 ? "line 3, column 11: " : "line 4, column "));
    }
    CHECK(outcome.findings[4].id == 666);
  }
  const Outcome cut = read(document, {.keep_going = true});
  REQUIRE(cut.summary);
  CHECK_FALSE(cut.summary->complete);
  CHECK(cut.summary->messages == 1);
  CHECK(cut.summary->skipped_messages == 5);
  CHECK(cut.findings.back().code == "export-cut");
  // Whatever comes behind is not looked at.
  const Outcome junk = read(document + "</nonsense>" + rest, {.keep_going = true}, 1);
  REQUIRE(junk.summary);
  CHECK_FALSE(junk.summary->complete);
  CHECK(junk.lines == cut.lines);
}

TEST_CASE("sections have their place in the document, and may hold anything") {
  const std::string begin = "<activemq-journal><messages>\n<message id='1'><body><![CDATA[";
  const std::string end = "]]></body><x/></message></messages></activemq-journal>";
  const std::string lines = "AQID\r\nBAUG\n  ";
  for (const std::size_t piece : std::initializer_list<std::size_t>{1, 5, 64, 65536}) {
    const auto told = [&](const std::string& content) {
      const Outcome outcome = read(begin + content + end, {.keep_going = true}, piece);
      REQUIRE(outcome.summary);
      REQUIRE_FALSE(outcome.findings.empty());
      return outcome.findings[0].text.substr(0, outcome.findings[0].text.find(':')) + " " +
             std::string(outcome.findings[0].code);
    };
    CHECK(told("AQID") == "line 2, column 46 export-name-unknown");
    CHECK(told(lines) == "line 4, column 13 export-name-unknown");
    CHECK(
        told(lines + std::string(300, ' ') + "]]><![CDATA[AQID").starts_with("line 4, column 329"));
    // Not well-formed ends the document; what is no Base64 ends the message.
    CHECK(told("AQ\x01").ends_with("export-cut"));
    CHECK(told("AQ\xFF").ends_with("export-cut"));
    CHECK(told("AQ]ID").ends_with("export-message-skipped"));
    CHECK(told("AQ]]ID").ends_with("export-message-skipped"));
    CHECK(told("AQ<![CDATA[ID").ends_with("export-message-skipped"));
    CHECK(told("AQ\xC3\xA9").ends_with("export-message-skipped"));
    CHECK(told("*").ends_with("export-message-skipped"));
  }
  CHECK(body_of("<!-- <![CDATA[ --><![CDATA[AQID]]><?x <![CDATA[?>") == "body 010203");
}
