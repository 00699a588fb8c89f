#include "spcart/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace spcart {

struct Error::Parts {
  std::string source = {};
  std::vector<Argument> arguments = {};
  std::string rule;

  std::string message() const {
    std::string text;
    for (const Argument& argument : arguments) {
      text += fmt::format("{}{}", text.empty() ? "" : " and ", argument.option);
      if (!argument.value.empty()) text += fmt::format(" = {}", argument.value);
    }
    if (!source.empty()) text = source;
    return text.empty() ? rule : fmt::format("{}: {}", text, rule);
  }
};

Error::Error(std::shared_ptr<const Parts> parts)
    : std::invalid_argument(parts->message()), parts_(std::move(parts)) {}

Error::Error(std::string_view rule)
    : Error(std::make_shared<const Parts>(Parts{.rule = std::string(rule)})) {}

Error::Error(std::string_view option, std::string_view value, std::string_view rule)
    : Error({{std::string(option), std::string(value)}}, rule) {}

Error::Error(std::vector<Argument> arguments, std::string_view rule)
    : Error(std::make_shared<const Parts>(
          Parts{.arguments = std::move(arguments), .rule = std::string(rule)})) {}

Error Error::in(std::string_view source) const {
  if (!parts_->source.empty() || !parts_->arguments.empty()) return *this;
  return Error(
      std::make_shared<const Parts>(Parts{.source = std::string(source), .rule = parts_->rule}));
}

const std::string& Error::option() const {
  static const std::string none;
  return parts_->arguments.empty() ? none : parts_->arguments.front().option;
}

const std::string& Error::value() const {
  static const std::string none;
  return parts_->arguments.empty() ? none : parts_->arguments.front().value;
}

const std::vector<Error::Argument>& Error::arguments() const { return parts_->arguments; }
const std::string& Error::source() const { return parts_->source; }
const std::string& Error::rule() const { return parts_->rule; }

}  // namespace spcart
