// The records that are not messages as JSON, from the names of their fields (docs/json.md).
#pragma once

#include "tools/cli/json_writer.h"
#include "tools/print/record_body.h"

namespace saranga::print {

/// Writes the members "record_name" and "body" of a record of the message journal into the object
/// that is open. A body that does not decode gives "problem" and "data_b64" instead, and so do the
/// types 30, 31 and 45, whose bodies are messages; an unknown type has no name and "data_b64".
/// Passwords are never written, nor bytes that they may be among. False when there is a "problem".
bool write_message_record_json(cli::JsonWriter& json, const RecordBody& record);

/// The same for a record of the bindings journal.
bool write_bindings_record_json(cli::JsonWriter& json, const RecordBody& record);

/// The same for a record of the JMS journal of releases before 2.0.
bool write_jms_record_json(cli::JsonWriter& json, const RecordBody& record);

/// Writes an XID as a value; null when the bytes are none.
void write_xid_json(cli::JsonWriter& json, Bytes encoded);

}  // namespace saranga::print
