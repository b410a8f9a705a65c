// The parts of the texts of configuration records that are more than the value of one field.
#pragma once

#include <span>

#include "saranga/bytes/fields.h"
#include "saranga/bytes/text_buffer.h"
#include "tools/print/template_text.h"

namespace saranga::print {

/// "AddressSettings{addressFullMessagePolicy=…, …}", from the fields of a binary record or the
/// values of a JSON text.
void append_settings_text(TextBuffer& out, const FieldValues& values);

/// Special places of the templates of the bindings journal.
[[nodiscard]] std::span<const SpecialPlace> configuration_places();

}  // namespace saranga::print
