// AMQP messages as JSON: lossless where the text of Artemis is not.
//
// Every value of a message carries its type, as {"type":"uint","value":7}:
//
//   boolean, the integers                  "value", exact
//   float, double                          "value", and "bits" of a NaN
//   string, symbol, char, uuid             "value" as text; text that is not valid UTF-8 also has
//                                          "value_b64", a char that is no character only that
//   timestamp                              "value_ms", since 1970
//   binary                                 "value_b64"
//   decimal32, decimal64, decimal128       "value_hex", the bits
//   list, array                            "value": [values]; arrays also have "element_type", and
//                                          "element_constructor_b64" when that is described
//   array of elements without content      "count" and "element", the one value they all are
//   map                                    "value": [{"key":value,"value":value}, …]
//   described                              "descriptor" and "value", both typed
//   nested deeper than 64 levels           "encoded_b64", constructor included
//
// A list, map or array whose bytes end early has what was read, and "problem".
#pragma once

#include "saranga/message/amqp_message.h"
#include "tools/cli/json_writer.h"
#include "tools/print/body_detail.h"

namespace saranga::print {

/// Writes the message as members of an object that is open: "protocol":"amqp", what the broker
/// takes it for ("large", "durable", "priority"), the fields of its record ("message_format",
/// "expiration_ms", "extra_properties", "file_layout" and "reencoded" of a large one), its sizes
/// ("body_bytes", "encoded_bytes"), its sections ("header", "delivery_annotations",
/// "message_annotations", "properties", "application_properties", "body", "footer"), and "problem"
/// with "problem_offset" when its bytes are damaged. Sections and fields that the message does not
/// have are left out. "durable" is that of the header, false without one.
///
/// Annotations, application properties and footer are objects, {"name":value}; entries whose key is
/// not of the type that AMQP asks for follow in an array, as in a map, under the section's name and
/// "_other". A field of another type than AMQP asks for is written as a typed value.
void write_amqp_json(cli::JsonWriter& json, const message::amqp::Stored& stored, BodyDetail detail);

/// Writes the member "body", unless the detail is none. That of a large message is in its file.
void write_amqp_body_json(cli::JsonWriter& json, const message::amqp::Message& message,
                          BodyDetail detail);

/// Writes one value as a typed object.
void write_amqp_value_json(cli::JsonWriter& json, const message::amqp::Value& value);

}  // namespace saranga::print
