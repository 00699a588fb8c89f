#include "rendering/error_text.hpp"

#include <fmt/format.h>

namespace spcart::command {

std::string error_text(const Error& error) {
  if (error.arguments().empty()) return error.what();
  std::string flags;
  for (const auto& [option, value] : error.arguments()) {
    flags += fmt::format("{}--{}", flags.empty() ? "" : " and ", option);
    if (!value.empty()) flags += ' ' + value;
  }
  return fmt::format("{}: {}", flags, error.rule());
}

}  // namespace spcart::command
