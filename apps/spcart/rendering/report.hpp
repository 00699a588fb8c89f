#pragma once

#include <string>
#include <string_view>

namespace spcart::command {

/// Whether the report page is embedded in the program.
bool has_report_page();

/// Throws Error, with instructions, if it is not.
void require_report_page();

/// The page with a document in it, as one self-contained HTML text. The document is gzipped and in
/// base64, so that no part of it can act as HTML or script. Throws Error if the program has no
/// page.
std::string report_page(std::string_view json);

/// The document with what only a report shows, a JSON object, as its last field "report".
std::string with_report_fields(std::string json, std::string_view fields);

}  // namespace spcart::command
