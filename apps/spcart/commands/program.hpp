#pragma once

#include <span>

#include "commands/commands.hpp"
#include "rendering/help.hpp"

namespace spcart::command {

using AddCommand = std::function<Command(CLI::App& program)>;

/// Parses the arguments of a program with this description and these commands, runs the command,
/// and reports errors on standard error. Returns the exit status.
int run_program(const CommandText& text, std::span<const AddCommand> commands, int argc,
                char** argv);

/// What every program does first: standard descriptors that the caller has closed are occupied, and
/// a closed pipe of its output ends it quietly.
void arrange_process();

}  // namespace spcart::command
