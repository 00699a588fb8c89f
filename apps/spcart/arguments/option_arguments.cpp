#include "arguments/option_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spcart/error.hpp"

namespace spcart::command {
namespace {

std::string help(const OptionRecord& record) {
  const std::string value = record.get(Options{});
  return value.empty() ? std::string(record.help)
                       : fmt::format("{} (default: {})", record.help, value);
}

}  // namespace

void OptionArguments::add_to(CLI::App& app) {
  for (const OptionRecord& record : option_records()) add(app, record);
}

void OptionArguments::add_to(CLI::App& app, std::initializer_list<std::string_view> names) {
  for (const OptionRecord& record : option_records())
    if (std::ranges::find(names, record.name) != names.end()) add(app, record);
}

void OptionArguments::add(CLI::App& app, const OptionRecord& record) {
  std::string name = fmt::format("--{}", record.name);
  if (!record.shorthand.empty()) name = fmt::format("-{},{}", record.shorthand, name);
  Argument& argument = arguments_.emplace_back();
  argument.record = &record;
  argument.given = app.add_option(name, argument.text, help(record))
                       ->type_name(std::string(record.value))
                       ->group("Fit");
}

Options OptionArguments::options() const {
  Options options;
  for (const Argument& argument : arguments_)
    if (argument.given->count() > 0) argument.record->set(options, argument.text);
  const auto given = [&](std::string_view name) {
    const auto found = std::ranges::find(
        arguments_, name, [](const Argument& argument) { return argument.record->name; });
    return found != arguments_.end() && found->given->count() > 0;
  };
  if (given("components") && given("variance"))
    throw Error({{"components", fmt::format("{}", options.components)},
                 {"variance", fmt::format("{}", *options.variance)}},
                "give one of them");
  return options;
}

}  // namespace spcart::command
