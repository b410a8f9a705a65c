// What of a store is neither a message nor carried by a format that is made for messages.
#pragma once

#include <span>
#include <string_view>

#include "saranga/message/amqp_message.h"
#include "tools/export/export_target.h"

namespace saranga::exporting {

/// What a format has a place for.
struct Carried {
  std::string_view format;                           ///< as texts name it: "XML"
  std::span<const std::string_view> queue_settings;  ///< as the fields of a queue binding, "user"
                                                     ///< and "paused"
  bool address_settings = false;                     ///< how an address came to be, and its pause
};

/// Counts the settings of the queues and addresses that are exported, and, of an export of
/// everything, the other records of both journals.
void count_scope_losses(const store::LoadedStore& store, const ExportScope& scope,
                        const Carried& carried, Losses& losses);

/// Counts what an AMQP message has and tables of headers, properties and bodies have not.
void count_amqp_losses(const message::amqp::Message& message, Losses& losses);

}  // namespace saranga::exporting
