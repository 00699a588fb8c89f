#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace spcart::command {

/// The text of --help for a command, besides its options.
struct CommandText {
  std::string name;
  std::string summary;                ///< one sentence without its full stop
  std::string usage;                  ///< what follows the name: "DATA -r N [options]"
  std::string detail;                 ///< a paragraph after the usage; may be empty
  std::vector<std::string> examples;  ///< whole command lines
};

/// Whether an option is a flag whose value may follow an equals sign: --certify or --certify=30.
bool takes_optional_value(const CLI::Option& option);

/// Sets the texts of the program or of one of its commands, and the layout of its --help.
void describe(CLI::App& app, const CommandText& text);
CLI::App& add_command(CLI::App& program, const CommandText& text);

}  // namespace spcart::command
