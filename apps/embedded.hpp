#pragma once

#include <span>
#include <string_view>

namespace spcart::command {

/// A file of the project that is embedded in the program: cmake/embed.cmake writes the functions
/// below.
struct EmbeddedText {
  std::string_view name;  ///< of the file, without its ending
  std::string_view text;
};

std::span<const EmbeddedText> report_pages();  ///< the report page; none if it was not built
std::span<const EmbeddedText> experiments();   ///< the paper's experiments, as declared

}  // namespace spcart::command
