// Every rule by which the folders of a store are found, each on a small tree of its own.
#include "saranga/store/location.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace fs = std::filesystem;
using saranga::ErrorCode;
using saranga::store::lies_in_store;
using saranga::store::locate;
using saranga::store::Location;
using saranga::store::LocationRequest;

namespace {

/// A folder that is there for one test.
class Tree {
 public:
  Tree() {
    std::string name = (fs::temp_directory_path() / "saranga-location-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  [[nodiscard]] std::string operator/(const std::string& path) const {
    return path.empty() ? root_ : root_ + "/" + path;
  }
  Tree& file(const std::string& path, const std::string& content = "") {
    fs::create_directories(fs::path(*this / path).parent_path());
    std::ofstream(*this / path, std::ios::binary) << content;
    return *this;
  }
  Tree& folder(const std::string& path) {
    fs::create_directories(*this / path);
    return *this;
  }
  /// A broker.xml with these lines in its core element.
  Tree& broker(const std::string& core, const std::string& path = "inst/etc/broker.xml") {
    return file(path,
                "<?xml version='1.0'?>\n<configuration xmlns=\"urn:activemq\" "
                "xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n"
                "<core xmlns=\"urn:activemq:core\">" +
                    core + "</core></configuration>\n");
  }
  [[nodiscard]] Location locate_in(const std::string& store, LocationRequest request = {}) const {
    request.store = *this / store;
    if (request.current_folder.empty()) request.current_folder = *this / "";
    auto location = locate(request);
    INFO((location ? std::string() : location.error().message()));
    REQUIRE(location);
    return *location;
  }

 private:
  std::string root_;
};

std::string all_notes(const Location& location) {
  std::string text;
  for (const std::string& note : location.notes) text += note + "\n";
  return text;
}

bool mentions(const Location& location, const std::string& words) {
  return all_notes(location).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a data folder names its parts by their names") {
  Tree tree;
  tree.folder("data/bindings").folder("data/journal").folder("data/large-messages");
  const Location found = tree.locate_in("data");
  CHECK(found.bindings.path == tree / "data/bindings");
  CHECK(found.journal.path == tree / "data/journal");
  CHECK(found.journal.source == "data folder");
  CHECK(found.paging.path == tree / "data/paging");  // missing counts as empty
  CHECK(found.large_messages.path == tree / "data/large-messages");
  CHECK_FALSE(found.retention);
  CHECK(found.notes.empty());
}

TEST_CASE("both spellings of the large-messages folder are known") {
  Tree tree;
  tree.folder("data/journal").folder("data/largemessages");
  CHECK(tree.locate_in("data").large_messages.path == tree / "data/largemessages");
  SECTION("both: the hyphen, and a note") {
    tree.folder("data/large-messages");
    const Location found = tree.locate_in("data");
    CHECK(found.large_messages.path == tree / "data/large-messages");
    CHECK(mentions(found, "the first was taken"));
  }
  SECTION("both: the one that holds bodies") {
    tree.folder("data/large-messages").file("data/largemessages/17.msg");
    const Location found = tree.locate_in("data");
    CHECK(found.large_messages.path == tree / "data/largemessages");
    CHECK(mentions(found, "the second was taken"));
  }
}

TEST_CASE("a retention folder beside the others is found") {
  Tree tree;
  tree.folder("data/journal").folder("data/retention");
  const Location found = tree.locate_in("data");
  REQUIRE(found.retention);
  CHECK(found.retention->path == tree / "data/retention");
}

TEST_CASE("a folder that is one part sets only that part") {
  Tree tree;
  tree.file("j/activemq-data-1.amq").file("b/activemq-bindings-1.bindings");
  tree.file("old/hornetq-data-1.hq").file("left/activemq-data-2.amq.bkp");
  tree.file("p/0b1e/address.txt", "orders").file("l/12.msg");
  tree.file("both/activemq-data-1.amq").file("both/activemq-bindings-1.bindings");

  const Location journal = tree.locate_in("j");
  CHECK(journal.journal.path == tree / "j");
  CHECK(journal.bindings.path.empty());
  CHECK(journal.paging.path.empty());
  CHECK(journal.large_messages.path.empty());
  CHECK(tree.locate_in("old").journal.path == tree / "old");
  CHECK(tree.locate_in("left").journal.path == tree / "left");
  CHECK(tree.locate_in("b").bindings.source == "bindings folder");
  CHECK(tree.locate_in("b").journal.path.empty());
  CHECK(tree.locate_in("p").paging.path == tree / "p");
  CHECK(tree.locate_in("l").large_messages.path == tree / "l");
  CHECK(tree.locate_in("both").journal.path == tree.locate_in("both").bindings.path);
}

TEST_CASE("what is no store is an error, not an empty store") {
  Tree tree;
  tree.file("else/readme.txt").folder("empty");
  LocationRequest request{.store = tree / "missing"};
  REQUIRE_FALSE(locate(request));
  CHECK(locate(request).error().code == ErrorCode::kNotFound);
  request.store = tree / "else";
  CHECK(locate(request).error().message().find("is no store") != std::string::npos);
  request.store = tree / "empty";
  CHECK(locate(request).error().code == ErrorCode::kNotFound);
  request.store = tree / "else/readme.txt";
  CHECK(locate(request).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("a path among the files of a store is known") {
  Tree tree;
  tree.file("data/journal/activemq-data-1.amq").folder("data/bindings").folder("data/paging");
  tree.file("split/0b1e/address.txt").file("bodies/12.msg").folder("data/new");
  CHECK(lies_in_store(tree / "data/journal/new"));
  CHECK(lies_in_store(tree / "data/bindings/new"));
  CHECK(lies_in_store(tree / "data/paging/new"));
  CHECK(lies_in_store(tree / "data/large-messages/new"));  // missing counts as empty
  CHECK(lies_in_store(tree / "split/new"));
  CHECK(lies_in_store(tree / "split/0b1e/new"));
  CHECK(lies_in_store(tree / "bodies/new"));
  CHECK_FALSE(lies_in_store(tree / "data/new/new"));
  CHECK_FALSE(lies_in_store(tree / "new"));
  SECTION("names alone make no store") {
    tree.file("copies/journal/readme.txt").folder("copies/paging").file("copies/bindings/a.csv");
    CHECK_FALSE(lies_in_store(tree / "copies/journal/new"));
    CHECK_FALSE(lies_in_store(tree / "copies/paging/new"));
  }
}

TEST_CASE("an instance without a configuration still has its data folder") {
  Tree tree;
  tree.folder("inst/data/journal");
  const Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/data/journal");
  CHECK(mentions(found, "holds no etc/broker.xml"));
}

TEST_CASE("broker.xml names the folders, relative ones seen from the instance") {
  Tree tree;
  tree.broker(
      "<bindings-directory>state/b</bindings-directory>"
      "<journal-directory> /elsewhere/j </journal-directory>"
      "<large-messages-directory>../lm/./x/..</large-messages-directory>"
      "<node-manager-lock-directory>locks</node-manager-lock-directory>"
      "<journal-retention-directory unit=\"DAYS\" period=\"3\" storage-limit=\"10G\">r"
      "</journal-retention-directory>");
  for (const char* store : {"inst", "inst/etc", "inst/etc/broker.xml"}) {
    const Location found = tree.locate_in(store);
    CHECK(found.bindings.path == tree / "inst/state/b");
    CHECK(found.bindings.source == "etc/broker.xml: bindings-directory");
    CHECK(found.journal.path == "/elsewhere/j");
    CHECK(found.paging.path == tree / "inst/data/paging");
    CHECK(found.paging.source == "default");
    CHECK(found.large_messages.path == tree / "lm");
    REQUIRE(found.node_manager_lock);
    CHECK(found.node_manager_lock->path == tree / "inst/locks");
    REQUIRE(found.retention);
    CHECK(found.retention->path == tree / "inst/r");
    CHECK(found.settings.retention_unit == "DAYS");
    CHECK(found.settings.retention_period == "3");
    CHECK(found.settings.retention_storage_limit == "10G");
    CHECK(found.instance == tree / "inst");
    CHECK(found.configuration == tree / "inst/etc/broker.xml");
    CHECK_FALSE(found.jdbc);
  }
}

TEST_CASE("the default large-messages folder takes the spelling that exists") {
  Tree tree;
  tree.broker("");
  CHECK(tree.locate_in("inst").large_messages.path == tree / "inst/data/largemessages");
  tree.folder("inst/data/large-messages");
  const Location found = tree.locate_in("inst");
  CHECK(found.large_messages.path == tree / "inst/data/large-messages");
  CHECK(found.large_messages.source == "default");
}

TEST_CASE("values are taken from the first element of a name, at any depth below core") {
  Tree tree;
  tree.broker(
      "<!-- <journal-directory>commented</journal-directory> -->"
      "<x><journal-directory><![CDATA[deep]]></journal-directory></x>"
      "<journal-directory>later</journal-directory><paging-directory>  </paging-directory>");
  const Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/deep");
  CHECK(found.paging.path == tree / "inst/data/paging");
  CHECK(mentions(found, "paging-directory is empty"));
}

TEST_CASE("journal settings are read as Artemis spells sizes") {
  Tree tree;
  const auto size_of = [&](const std::string& text) {
    tree.broker("<journal-file-size>" + text + "</journal-file-size>");
    return tree.locate_in("inst").settings.file_size_bytes;
  };
  CHECK(size_of("102400") == 102400u);
  CHECK(size_of(" 100K ") == 102400u);
  CHECK(size_of("10MB") == 10u << 20);
  CHECK(size_of("10 mib") == 10u << 20);
  CHECK(size_of("1G") == 1u << 30);
  CHECK_FALSE(size_of("99999999999999999999"));
  CHECK_FALSE(size_of("17179869184G"));
  CHECK_FALSE(size_of("ten"));
  CHECK_FALSE(size_of("10X"));
  CHECK_FALSE(size_of("10KG"));

  tree.broker(
      "<journal-min-files>4</journal-min-files><journal-pool-files>-1</journal-pool-files>"
      "<journal-type>NIO</journal-type>");
  const Location found = tree.locate_in("inst");
  CHECK(found.settings.min_files == 4);
  CHECK(found.settings.pool_files == -1);
  CHECK(found.settings.type == "NIO");
  CHECK_FALSE(found.settings.file_size_bytes);
}

TEST_CASE("a database store is named as what it is") {
  Tree tree;
  tree.broker(
      "<store><database-store><jdbc-connection-url>x</jdbc-connection-url></database-store>"
      "</store>");
  const Location found = tree.locate_in("inst");
  CHECK(found.jdbc);
  CHECK(mentions(found, "JDBC stores are not supported"));
}

TEST_CASE("options win over everything and count from the current folder") {
  Tree tree;
  tree.broker("<journal-directory>j</journal-directory>");
  LocationRequest request;
  request.journal = "mine";
  request.bindings = "/abs/b";
  request.current_folder = tree / "cwd";
  const Location found = tree.locate_in("inst", request);
  CHECK(found.journal.path == tree / "cwd/mine");
  CHECK(found.journal.source == "option --journal");
  CHECK(found.bindings.path == "/abs/b");
  CHECK(found.bindings.source == "option --bindings");
  CHECK(found.paging.source == "default");
  request.paging = "p";
  request.large_messages = "l";
  CHECK(tree.locate_in("inst", request).paging.source == "option --paging");
  CHECK(tree.locate_in("inst", request).large_messages.source == "option --large-messages");
}

TEST_CASE("--broker names another broker.xml") {
  Tree tree;
  tree.broker("<journal-directory>j1</journal-directory>");
  tree.broker("<journal-directory>j2</journal-directory>", "other/etc/broker.xml");
  LocationRequest request{.store = tree / "inst",
                          .broker = "file:" + (tree / "other/etc/broker.xml")};
  auto found = locate(request);
  REQUIRE(found);
  CHECK(found->journal.path == tree / "inst/j2");
  CHECK(found->instance == tree / "inst");
  SECTION("without STORE its own folder is the etc folder") {
    request.store.clear();
    found = locate(request);
    REQUIRE(found);
    CHECK(found->journal.path == tree / "other/j2");
  }
  SECTION("it wins over a data folder, and says so") {
    tree.folder("copy/journal");
    request.store = tree / "copy";
    found = locate(request);
    REQUIRE(found);
    CHECK(found->journal.path == tree / "other/j2");
    CHECK(mentions(*found, "was not used"));
  }
  SECTION("a missing one is an error, unless every folder is named anyway") {
    request.broker = tree / "none.xml";
    CHECK_FALSE(locate(request));
    request.journal = request.bindings = request.paging = request.large_messages = tree / "x";
    CHECK(locate(request));
  }
}

TEST_CASE("without a store the defaults of Artemis apply") {
  Tree tree;
  LocationRequest request{.store = "", .current_folder = tree / ""};
  CHECK_FALSE(locate(request));
  request.journal = "j";
  auto found = locate(request);
  REQUIRE(found);
  CHECK(found->journal.path == tree / "j");
  CHECK(found->bindings.path.empty());

  tree.folder("data/journal");
  request.journal.reset();
  found = locate(request);
  REQUIRE(found);
  CHECK(found->journal.path == tree / "data/journal");
  CHECK(found->journal.source == "default");

  tree.broker("<journal-directory>j1</journal-directory>");
  request.environment["ARTEMIS_INSTANCE"] = tree / "inst";
  found = locate(request);
  REQUIRE(found);
  CHECK(found->journal.path == tree / "inst/j1");

  tree.broker("<journal-directory>j3</journal-directory>", "conf/broker.xml");
  request.environment["ARTEMIS_INSTANCE_ETC"] = tree / "conf";
  found = locate(request);
  REQUIRE(found);
  CHECK(found->journal.path == tree / "inst/j3");
}

TEST_CASE("relative stores give relative paths when no current folder is named") {
  const auto found = locate({.store = SARANGA_SOURCE_DIR "/fixtures/orders/./store/"});
  REQUIRE(found);
  CHECK(found->journal.path == SARANGA_SOURCE_DIR "/fixtures/orders/store/journal");
}

TEST_CASE("bootstrap.xml names broker.xml") {
  Tree tree;
  tree.broker("<journal-directory>j</journal-directory>", "inst/etc/other name.xml");
  const auto bootstrap = [&](const std::string& configuration) {
    tree.file("inst/etc/bootstrap.xml",
              "<broker xmlns=\"http://activemq.apache.org/schema\">\n"
              "<jaas-security domain=\"activemq\"/>\n<server "
              "configuration=\"" +
                  configuration + "\"/></broker>");
    return tree.locate_in("inst");
  };
  CHECK(bootstrap("file:" + (tree / "inst/etc//other%20name.xml")).journal.path == tree / "inst/j");
  CHECK(bootstrap("file:///" + (tree / "inst/etc/other name.xml").substr(1)).journal.path ==
        tree / "inst/j");
  CHECK(bootstrap("${artemis.instance}/etc/other name.xml").journal.path == tree / "inst/j");
  CHECK(bootstrap("${artemis.URI.instance}/etc/other%20name.xml").journal.path == tree / "inst/j");
  CHECK(bootstrap("other name.xml").journal.path == tree / "inst/j");
  CHECK(tree.locate_in("inst/etc/bootstrap.xml").journal.path == tree / "inst/j");

  SECTION("a file that is not there gives way to etc/broker.xml") {
    tree.broker("<journal-directory>j2</journal-directory>");
    const Location found = bootstrap("file:/gone/etc/broker.xml");
    CHECK(found.journal.path == tree / "inst/j2");
    CHECK(mentions(found, "file:/gone/etc/broker.xml, which is not there"));
    CHECK(bootstrap("${unknown}/b.xml").journal.path == tree / "inst/j2");
  }
  SECTION("no broker.xml at all leaves the defaults") {
    const Location found = bootstrap("http://example.com/broker.xml");
    CHECK(found.journal.path == tree / "inst/data/journal");
    CHECK(found.configuration.empty());
    CHECK(mentions(found, "holds no broker.xml"));
  }
}

TEST_CASE("placeholders come from the profile, then the environment, then their default") {
  Tree tree;
  tree.file("inst/etc/artemis.profile",
            "# comment ARTEMIS_DATA_DIR='/no'\n"
            "ARTEMIS_HOME='/opt/artemis'\n"
            "ARTEMIS_DATA_DIR='/srv/data dir'\n"
            "export BASE=\"${ARTEMIS_HOME}/base\"\n"
            "if [ -z \"$JAVA_ARGS\" ]; then\n"
            "   JAVA_ARGS=\"-Xmx2G -Dj=$BASE/j \\\n     -Dswitch -Dpart=x\"\n"
            "fi\n"
            "JAVA_ARGS=\"$JAVA_ARGS -Dlate=`rm -rf /` -Dc=$(date)d\"\n"
            "ARTEMIS_CLUSTER_PROPS='-Dcluster=c -Dboth=profile'\n");
  tree.broker(
      "<bindings-directory>${data.dir}/b</bindings-directory>"
      "<journal-directory>${ j }/${part}</journal-directory>"
      "<paging-directory>${ENV}/${both}/${nothing}${fall: back:${nothing}}</paging-directory>"
      "<large-messages-directory>${artemis.home}${switch}/${c}${late}</large-messages-directory>");
  LocationRequest request;
  request.environment["ENV"] = "/env";
  request.environment["both"] = "environment";
  const Location found = tree.locate_in("inst", request);
  CHECK(found.bindings.path == "/srv/data dir/b");
  CHECK(found.journal.path == "/opt/artemis/base/j/x");
  CHECK(found.paging.path == "/env/profile/back:");  // the default may hold further colons
  CHECK(found.large_messages.path == "/opt/artemis/d");
}

TEST_CASE("the environment may be switched off, and fills in what a profile asks for") {
  Tree tree;
  LocationRequest request;
  request.environment["ENV"] = "/env";
  request.environment["JAVA_ARGS"] = "-Dfrom=/environment";
  tree.broker(
      "<journal-directory>${ENV:/default}</journal-directory>"
      "<paging-directory>${from}</paging-directory>");
  tree.file("inst/etc/artemis.profile",
            "if [ -z \"$JAVA_ARGS\" ]; then\n JAVA_ARGS='-Dfrom=/profile'\nfi\n");
  Location found = tree.locate_in("inst", request);
  CHECK(found.journal.path == "/env");
  CHECK(found.paging.path == "/environment");
  tree.file("inst/etc/artemis.profile",
            "JAVA_ARGS=-Dorg.apache.activemq.artemis.utils.considerOsEnv=false");
  found = tree.locate_in("inst", request);
  CHECK(found.journal.path == "/default");
}

TEST_CASE("the broker's profile wins over the one of the tools") {
  Tree tree;
  tree.file("inst/etc/artemis-utility.profile", "JAVA_ARGS='-Dj=utility'\nX='-D'\n");
  tree.broker("<journal-directory>${j}</journal-directory>");
  CHECK(tree.locate_in("inst").journal.path == tree / "inst/utility");
  tree.file("inst/etc/artemis.profile", "JAVA_ARGS='-Dj=broker'\n");
  CHECK(tree.locate_in("inst").journal.path == tree / "inst/broker");
}

TEST_CASE("placeholders that contain themselves end") {
  Tree tree;
  tree.file("inst/etc/artemis.profile",
            "JAVA_ARGS='-Da=${a} -Db=x${b}y -Dp=${q}${q} -Dq=${p}${p}'\n");
  tree.broker("<journal-directory>j${a}</journal-directory>");
  Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/j");
  CHECK(mentions(found, "contain themselves"));
  tree.broker("<journal-directory>${p}</journal-directory>");
  CHECK(mentions(tree.locate_in("inst"), "contain themselves"));
  tree.broker("<journal-directory>j</journal-directory><!-- ${b} -->");
  CHECK(tree.locate_in("inst").journal.path == tree / "inst/j");
  tree.broker("<journal-directory>j</journal-directory><!-- ${open -->");
  CHECK(tree.locate_in("inst").journal.path == tree / "inst/j");
}

TEST_CASE("a profile that doubles its variables stays small") {
  Tree tree;
  std::string script = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 60; ++i) script += "A=\"$A$A\"\n";
  tree.file("inst/etc/artemis.profile", script + "JAVA_ARGS=\"-Dj=ok");  // and never ends
  tree.broker("<journal-directory>${j}</journal-directory>");
  CHECK(tree.locate_in("inst").journal.path == tree / "inst/ok");
}

TEST_CASE("the instance of an etc folder that stands elsewhere is in its profile") {
  Tree tree;
  tree.folder("var/inst/data");
  tree.broker("<journal-directory>j</journal-directory>", "conf/broker.xml");
  tree.file("conf/artemis.profile", "ARTEMIS_INSTANCE='" + (tree / "var/inst") + "'\n");
  CHECK(tree.locate_in("conf").journal.path == tree / "var/inst/j");
}

TEST_CASE("a copied instance is read where it stands, not where it came from") {
  Tree tree;
  tree.folder("live/data/journal").folder("inst/data/journal").folder("live/only");
  tree.file("inst/etc/artemis.profile", "ARTEMIS_INSTANCE='" + (tree / "live") + "'\n" +
                                            "ARTEMIS_DATA_DIR='" + (tree / "live/data") + "'\n");
  tree.broker(
      "<journal-directory>${data.dir}/journal</journal-directory>"
      "<paging-directory>" +
      (tree / "live/only") + "</paging-directory>");
  const Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/data/journal");
  CHECK(mentions(found, "is part of another copy"));
  CHECK(found.paging.path == tree / "live/only");  // there is no other
  CHECK(tree.locate_in("inst/etc").journal.path == tree / "inst/data/journal");
}

TEST_CASE("included fragments are read") {
  Tree tree;
  const std::string head = "<core xmlns=\"urn:activemq:core\">";
  tree.broker(
      "<xi:include href=\"more.xml\"><xi:fallback><paging-directory>no</paging-directory>"
      "</xi:fallback></xi:include><journal-directory>later</journal-directory>");
  tree.file("inst/etc/more.xml",
            head + "<journal-directory>${place:inc}</journal-directory></core>");
  Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/inc");
  CHECK(found.paging.source == "default");
  CHECK(found.notes.empty());

  SECTION("from the current folder first, with a note when both exist") {
    tree.file("more.xml", head + "<journal-directory>cwd</journal-directory></core>");
    found = tree.locate_in("inst");
    CHECK(found.journal.path == tree / "inst/cwd");
    CHECK(mentions(found, "exists in the current folder and beside"));
  }
  SECTION("a fallback counts when the file is missing") {
    fs::remove(tree / "inst/etc/more.xml");
    found = tree.locate_in("inst");
    CHECK(found.journal.path == tree / "inst/later");
    CHECK(found.paging.path == tree / "inst/no");
    CHECK(mentions(found, "an include was left out"));
  }
  SECTION("from within fragments, beside them") {
    tree.file("inst/etc/more.xml",
              "<a xmlns:xi=\"http://www.w3.org/2001/XInclude\">"
              "<xi:include href=\"sub/x.xml\"/></a>");
    tree.file("inst/etc/sub/x.xml", "<journal-directory>nested</journal-directory>");
    CHECK(tree.locate_in("inst").journal.path == tree / "inst/nested");
  }
  SECTION("not when the broker has them switched off") {
    tree.file("inst/etc/artemis.profile", "JAVA_ARGS='-Dartemis.disableXxe=true'\n");
    CHECK(tree.locate_in("inst").journal.path == tree / "inst/later");
  }
}

TEST_CASE("includes are bounded and stay on this machine") {
  Tree tree;
  const std::string open = "<a xmlns:xi=\"http://www.w3.org/2001/XInclude\">";
  tree.broker(
      "<xi:include href=\"http://example.com/x.xml\"/><xi:include href=\"loop.xml\"/>"
      "<xi:include href=\"broken.xml\"/><xi:include href=\"f0.xml\"/>"
      "<journal-directory>j</journal-directory>");
  tree.file("inst/etc/loop.xml", open + "<xi:include href=\"loop.xml\"/></a>");
  tree.file("inst/etc/broken.xml", "<a><b></a>");
  for (int i = 0; i < 20; ++i) {
    const std::string next = "f" + std::to_string(i + 1) + ".xml\"/>";
    tree.file("inst/etc/f" + std::to_string(i) + ".xml",
              open + "<xi:include href=\"" + next + "<xi:include href=\"" + next + "</a>");
  }
  const Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/j");
  CHECK(mentions(found, "http://example.com/x.xml is not on this machine"));
  CHECK(mentions(found, "contains itself"));
  CHECK(mentions(found, "too many, or too deep"));
  CHECK(mentions(found, "is not well-formed XML"));
}

TEST_CASE("document types do no harm") {
  Tree tree;
  tree.file("inst/etc/broker.xml",
            "<!DOCTYPE c [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\"><!ENTITY f SYSTEM "
            "\"file:///etc/passwd\">]>\n<c><core><journal-directory>j&b;&f;</journal-directory>"
            "</core></c>");
  CHECK(tree.locate_in("inst").journal.path == tree / "inst/j&b;&f;");
}

TEST_CASE("a broker.xml that cannot be used is an error with its place") {
  Tree tree;
  tree.file("inst/etc/broker.xml", "<configuration><core>");
  auto found = locate({.store = tree / "inst"});
  REQUIRE_FALSE(found);
  CHECK(found.error().code == ErrorCode::kDamaged);
  CHECK(found.error().file == tree / "inst/etc/broker.xml");
  tree.file("inst/etc/broker.xml", "<configuration/>");
  found = locate({.store = tree / "inst"});
  REQUIRE_FALSE(found);
  CHECK(found.error().text == "has no core element");
  tree.file("inst/etc/broker.xml", std::string((4 << 20) + 1, ' '));
  CHECK_FALSE(locate({.store = tree / "inst"}));

  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<a>";
  tree.file("inst/etc/broker.xml", "<core>" + deep);
  CHECK_FALSE(locate({.store = tree / "inst"}));
  std::string closed;
  for (int i = 0; i < 200'000; ++i) closed += "</a>";
  tree.file("inst/etc/broker.xml",
            "<core>" + deep + closed + "<journal-directory>j</journal-directory></core>");
  CHECK(tree.locate_in("inst").journal.path == tree / "inst/j");
}

TEST_CASE("broker.properties overrides broker.xml") {
  Tree tree;
  tree.broker(
      "<journal-directory>j</journal-directory><paging-directory>p</paging-directory>"
      "<bindings-directory>b</bindings-directory>");
  tree.file("inst/etc/broker.properties",
            "# journalDirectory=comment\n! more\n\n"
            "journalDirectory = from\\u0041\\\n   properties\r\n"
            "pagingDirectory:/p\\ q\nlargeMessagesDirectory ${data.dir:lm}\n"
            "journalFileSize=20K\nbindingsDirectory=\nlast=\\");
  const Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/fromAproperties");
  CHECK(found.journal.source == "etc/broker.properties: journalDirectory");
  CHECK(found.paging.path == "/p q");
  CHECK(found.large_messages.path == tree / "inst/lm");
  CHECK(found.bindings.path == tree / "inst/b");
  CHECK(found.settings.file_size_bytes == 20480u);
}

TEST_CASE("system properties override broker.properties") {
  Tree tree;
  tree.broker("");
  tree.file("inst/etc/broker.properties", "journalDirectory=file\npagingDirectory=file\n");
  tree.file("inst/etc/artemis.profile", "JAVA_ARGS='-Dbrokerconfig.journalDirectory=property'\n");
  Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/property");
  CHECK(found.journal.source == "profile: -Dbrokerconfig.journalDirectory");
  CHECK(found.paging.path == tree / "inst/file");
  tree.broker("<system-property-prefix>mine.</system-property-prefix>");
  CHECK(tree.locate_in("inst").journal.path == tree / "inst/file");
}

TEST_CASE("the profile may name other properties files and folders of them") {
  Tree tree;
  tree.broker("");
  tree.file("inst/etc/broker.properties", "journalDirectory=unused\n");
  tree.file("conf.d/a.properties", "journalDirectory=first\npagingDirectory=first\n");
  tree.file("conf.d/b.properties", "pagingDirectory=second\n").file("conf.d/c.json", "{}");
  tree.file("inst/one.properties", "bindingsDirectory=one\n");
  tree.file("inst/etc/artemis.profile", "JAVA_ARGS='-Dbroker.properties=" + (tree / "conf.d/") +
                                            ",one.properties,,gone.properties'\n");
  const Location found = tree.locate_in("inst");
  CHECK(found.journal.path == tree / "inst/first");
  CHECK(found.paging.path == tree / "inst/second");
  CHECK(found.bindings.path == tree / "inst/one");
  CHECK(mentions(found, "c.json was not read"));
  CHECK(mentions(found, "gone.properties"));
}
