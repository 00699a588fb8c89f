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
  for (const OptionRecord& record : option_records()) add(app, record, "Fit");
}

void OptionArguments::add_to(CLI::App& app, std::initializer_list<std::string_view> names,
                             const std::string& group) {
  for (const OptionRecord& record : option_records())
    if (std::ranges::find(names, record.name) != names.end()) add(app, record, group);
}

void OptionArguments::add(CLI::App& app, const OptionRecord& record, const std::string& group) {
  std::string name = fmt::format("--{}", record.name);
  if (!record.shorthand.empty()) name = fmt::format("-{},{}", record.shorthand, name);
  Argument& argument = arguments_.emplace_back();
  argument.record = &record;
  // A value that may be left out must follow an equals sign: --certify=30.
  argument.given = record.implied.empty()
                       ? app.add_option(name, argument.text, help(record))
                       : app.add_flag(fmt::format("{}{{{}}}", name, record.implied), argument.text,
                                      help(record));
  argument.given->type_name(std::string(record.value))->group(group);
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
