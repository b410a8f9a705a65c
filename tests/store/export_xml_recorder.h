// What a reader of exports hands on, written down as text.
#pragma once

#include <zlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saranga/bytes/base64.h"
#include "saranga/bytes/text_buffer.h"
#include "saranga/store/export_xml_reader.h"

namespace saranga::store {

inline std::string hex(Bytes bytes) {
  TextBuffer out;
  append_hex(out, bytes);
  return out.str();
}

inline std::string describe(const Routing& routing) {
  return std::string(routing.anycast ? "A" : "") + (routing.multicast ? "M" : "");
}

/// Writes down what it is told, a line a call; pieces of a body become one.
class Recorder : public ImportTarget {
 public:
  Result<void> address(const ImportedAddress& address) override {
    lines.push_back("address " + address.name + " " + describe(address.routing));
    return {};
  }
  Result<void> queue(const ImportedQueue& queue) override {
    lines.push_back("queue " + queue.name + " at " + queue.address + " " + describe(queue.routing) +
                    (queue.filter ? " if " + *queue.filter : ""));
    return {};
  }
  Result<void> begin_message(std::optional<std::int64_t> id) override {
    begun = id;
    body.clear();
    return {};
  }
  Result<void> append_body(Bytes piece) override {
    most_bytes = std::max(most_bytes, piece.size());
    body_bytes += piece.size();
    if (keep_bodies) body.insert(body.end(), piece.begin(), piece.end());
    if (failing) return fail(ErrorCode::kIo, "the disk is full");
    return {};
  }
  Result<void> end_message(const ImportedCoreMessage& imported) override {
    const message::NewCoreMessage& message = imported.message;
    if (message.id == refused) return fail(ErrorCode::kInvalidArgument, "not this one");
    std::string line = "message " + (begun ? std::to_string(*begun) : std::string("?"));
    line += " type " + std::to_string(static_cast<int>(message.type));
    line += " priority " + std::to_string(message.priority);
    line += " expires " + std::to_string(message.expiration_ms);
    line += " at " + std::to_string(message.timestamp_ms);
    if (message.user_id) line += " user " + hex(*message.user_id);
    for (const message::NewProperty& property : message.properties) {
      line += " [" + property.key.str() + "=";
      line += std::string(property_type_name(property.value.type)) + ":";
      if (property.value.type == message::PropertyType::kString) {
        line += property.value.text.str();
      } else if (property.value.type == message::PropertyType::kBytes) {
        line += hex(property.value.bytes);
      } else {
        line += std::to_string(property.value.number);
      }
      line += "]";
    }
    for (const std::string& queue : imported.queues) line += " ->" + queue;
    line += imported.large ? " large " + hex(body) : " body " + hex(message.body);
    lines.push_back(line);
    return {};
  }

  std::vector<std::string> lines;
  std::optional<std::int64_t> begun;
  std::vector<std::byte> body;
  std::int64_t refused = -12345;
  bool failing = false;
  bool keep_bodies = true;
  std::size_t most_bytes = 0;
  std::uint64_t body_bytes = 0;
};

class Findings : public FindingSink {
 public:
  void finding(Finding finding) override { all.push_back(std::move(finding)); }
  std::vector<Finding> all;
};

/// What became of a document.
struct Outcome {
  Result<ExportXmlSummary> summary{};
  std::vector<std::string> lines{};
  std::vector<Finding> findings{};
};

/// Reads a document in pieces of this size. The target refuses message 666.
inline Outcome read(std::string_view document, ExportXmlOptions options = {},
                    std::size_t piece = std::size_t{1} << 16) {
  Recorder target;
  target.refused = 666;
  Findings sink;
  ExportXmlReader reader(target, std::move(options), sink);
  Outcome outcome;
  for (std::size_t at = 0; at < document.size(); at += piece) {
    if (auto fed = reader.feed(document.substr(at, piece)); !fed) {
      outcome.summary = std::unexpected(fed.error());
      CHECK_FALSE(reader.finish());
      break;
    }
  }
  if (outcome.summary) outcome.summary = reader.finish();
  outcome.lines = std::move(target.lines);
  outcome.findings = std::move(sink.all);
  return outcome;
}

/// What a .gz file holds.
inline std::string unpacked(const std::filesystem::path& path) {
  std::string content;
  gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  std::vector<char> piece(1 << 16);
  int count = 0;
  while ((count = gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0) {
    content.append(piece.data(), static_cast<std::size_t>(count));
  }
  gzclose(file);
  return content;
}

}  // namespace saranga::store
