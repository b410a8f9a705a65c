// The document of `artemis data exp`, element for element (docs/format/export-xml.md).
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "saranga/message/core_conversion.h"
#include "tools/cli/output.h"
#include "tools/export/export_target.h"
#include "tools/export/xml_writer.h"

namespace saranga::exporting {

/// Writes one document. What it refers to must outlive it. One thread.
class XmlExport final : public ExportTarget {
 public:
  struct Options {
    std::string undefined_prefix;  ///< in front of the id of a queue without a binding
  };

  XmlExport(const store::LoadedStore& store, cli::Output& output, Options options, Losses& losses,
            FindingSink& sink)
      : store_(store),
        output_(output),
        options_(std::move(options)),
        losses_(losses),
        sink_(sink),
        xml_(output) {}

  [[nodiscard]] bool takes_prepared() const override { return false; }
  [[nodiscard]] Result<void> begin(const ExportScope& scope) override;
  void message(const store::LiveMessage& message, std::span<const store::MessageOnQueue> queues,
               bool more) override;
  [[nodiscard]] Result<void> end(const ExportCounts& counts) override;

 private:
  /// Headers and properties, of a Core message or of a converted one.
  struct Head {
    message::CoreType type = message::CoreType::kDefault;
    std::int64_t expiration_ms = 0;
    std::int64_t timestamp_ms = 0;
    std::uint8_t priority = 4;
    Bytes user_id{};
  };

  void address(const bindings::Address& address);
  void queue(const bindings::Queue& queue);
  void core(const store::LiveMessage& message, std::span<const store::MessageOnQueue> queues);
  void amqp(const store::LiveMessage& message, std::span<const store::MessageOnQueue> queues);
  void head(std::int64_t id, const Head& head);
  void property(const Text& key, const message::PropertyValue& value);
  void property_value(const message::PropertyValue& value);
  void queue_names(std::span<const store::MessageOnQueue> queues);
  void large_body(const store::LiveMessage& message);
  void count_losses(const store::LiveMessage& message,
                    std::span<const store::MessageOnQueue> queues);
  void report_body(const store::LiveMessage& message, std::string_view code, std::string text);
  void text_attribute(std::string_view name, std::string_view value);

  const store::LoadedStore& store_;
  cli::Output& output_;
  Options options_;
  Losses& losses_;
  FindingSink& sink_;
  XmlWriter xml_;
  std::vector<std::byte> piece_;
  TextBuffer scratch_;
};

}  // namespace saranga::exporting
