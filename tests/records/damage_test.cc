// Every truncation and every single flipped bit of a body of each type: whatever comes of it, the
// printers end, and what they write is JSON.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/records/printed.h"

using namespace saranga;
using namespace saranga::test;

namespace {

// Prints from a copy of the exact size, so that a sanitizer sees any read beyond the end.
bool prints(Journal journal, int type, bool is_update, Bytes body) {
  const std::vector<std::byte> copy(body.begin(), body.end());
  const auto record = body_of(type, copy, is_update);
  (void)text_of(journal, record);
  const auto json = nlohmann::json::parse(json_of(journal, record), nullptr, false);
  return json.is_object() && json.contains("record_name");
}

struct Case {
  Journal journal;
  int type;
  bool is_update;
  std::vector<std::byte> body;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Sample& sample : kSamples) {
    all.push_back({sample.journal, sample.type, sample.is_update, from_hex(sample.hex)});
  }
  for (const std::string_view hex : {kSettings210, kSettings26, kSettings20, kSettings14,
                                     kSettings13, kSettings10, kSettingsHornetq}) {
    all.push_back({Journal::kBindings, 25, false, from_hex(hex)});
  }
  all.push_back({Journal::kBindings, 27, false, from_hex(kDivertWithoutFlag)});
  all.push_back({Journal::kBindings, 28, false, from_hex(kBridgeWithoutFlag)});
  all.push_back({Journal::kBindings, 28, false, from_hex(kBridgeOf228)});
  return all;
}

}  // namespace

TEST_CASE("truncated bodies", "[records]") {
  for (const Case& c : cases()) {
    CAPTURE(c.type);
    bool good = true;
    for (std::size_t length = 0; length <= c.body.size(); ++length) {
      good = prints(c.journal, c.type, c.is_update, Bytes(c.body).first(length)) && good;
    }
    CHECK(good);
  }
}

TEST_CASE("bodies with a flipped bit", "[records]") {
  for (const Case& c : cases()) {
    CAPTURE(c.type);
    bool good = true;
    auto body = c.body;
    for (std::size_t bit = 0; bit < body.size() * 8; ++bit) {
      const auto mask = static_cast<std::byte>(1U << bit % 8);
      body[bit / 8] ^= mask;
      good = prints(c.journal, c.type, c.is_update, body) && good;
      body[bit / 8] ^= mask;
    }
    CHECK(good);
  }
}

TEST_CASE("every type number with every sample", "[records]") {
  for (const Case& c : cases()) {
    bool good = true;
    for (int type = -128; type < 128; ++type) {
      for (const Journal journal : {Journal::kMessages, Journal::kBindings, Journal::kJms}) {
        good = prints(journal, type, c.is_update, c.body) && good;
      }
    }
    CHECK(good);
  }
}

TEST_CASE("counts that promise more than the body has", "[records]") {
  for (const char* hex : {"000000027200"
                          "7fffffff"
                          "0001",
                          "000000027200"
                          "ffffffff"
                          "00"}) {
    CHECK(prints(Journal::kBindings, 44, false, from_hex(hex)));
    CHECK(prints(Journal::kBindings, 48, false, from_hex(hex)));
  }
}
