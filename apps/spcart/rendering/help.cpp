#include "rendering/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "rendering/print.hpp"
#include "rendering/text.hpp"

namespace spcart::command {
namespace {

constexpr int kNameColumn = 2, kHelpColumn = 30;

int help_width() { return std::min(terminal().width, 100); }

std::string entry(std::string_view name, std::string_view help) {
  std::string text = fmt::format("{:{}}{}", "", kNameColumn, name);
  const int used = display_width(text);
  if (used + 2 > kHelpColumn)
    text += fmt::format("\n{:{}}", "", kHelpColumn);
  else
    text += std::string(static_cast<std::size_t>(kHelpColumn - used), ' ');
  return text + wrapped(help, help_width() - kHelpColumn, kHelpColumn) + '\n';
}

std::string entry(const CLI::Option& option) {
  if (option.get_positional()) return entry(option.get_name(true), option.get_description());
  std::string name;
  for (const std::string& letter : option.get_snames()) name += fmt::format("-{}, ", letter);
  for (const std::string& word : option.get_lnames()) name += fmt::format("--{}", word);
  if (takes_optional_value(option))
    name += fmt::format("[={}]", option.get_type_name());
  else if (option.get_expected_max() != 0)
    name += ' ' + option.get_type_name();
  return entry(name, option.get_description());
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(CommandText text) : text_(std::move(text)) {}

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string help = wrapped(text_.summary + '.', help_width()) + "\n\n";
    help += fmt::format("Usage: {} {}", full_name(*app), text_.usage);
    if (!text_.detail.empty()) help += "\n\n" + wrapped(text_.detail, help_width());
    help += '\n' + commands(*app);
    for (const std::string& group : app->get_groups()) help += options(*app, group);
    help += '\n' + bold(text_.examples.size() == 1 ? "Example:" : "Examples:") + '\n';
    for (const std::string& example : text_.examples) help += "  " + example + '\n';
    return help;
  }

 private:
  static std::string full_name(const CLI::App& app) {
    return app.get_parent() ? full_name(*app.get_parent()) + ' ' + app.get_name() : app.get_name();
  }

  static std::string commands(const CLI::App& app) {
    std::string lines;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      lines += entry(command->get_name(), command->get_description());
    return lines.empty() ? "" : '\n' + bold("Commands:") + '\n' + lines;
  }

  static std::string options(const CLI::App& app, const std::string& group) {
    std::string lines;
    for (const CLI::Option* option : app.get_options())
      if (option->get_group() == group) lines += entry(*option);
    return group.empty() ? "" : '\n' + bold(group + ':') + '\n' + lines;
  }

  CommandText text_;
};

}  // namespace

bool takes_optional_value(const CLI::Option& option) {
  return option.get_expected_max() == 0 && !option.get_type_name().empty();
}

void describe(CLI::App& app, const CommandText& text) {
  app.name(text.name);
  app.description(text.summary);
  app.formatter(std::make_shared<HelpFormatter>(text));
  app.set_help_flag("-h,--help", "show this help and exit")
      ->group(app.get_parent() ? "" : "Options");
}

CLI::App& add_command(CLI::App& program, const CommandText& text) {
  CLI::App& app = *program.add_subcommand(text.name);
  describe(app, text);
  return app;
}

}  // namespace spcart::command
