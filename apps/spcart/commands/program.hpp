#pragma once

#include <span>

#include "commands/commands.hpp"
#include "rendering/help.hpp"

namespace spcart::command {

using AddCommand = Command (*)(CLI::App& program);

/// Parses the arguments of a program that has these words and commands, runs the command that they
/// name, and says on standard error what went wrong. Returns the exit status.
int run_program(const CommandText& text, std::span<const AddCommand> commands, int argc,
                char** argv);

/// What every program does first: standard descriptors that the caller has closed are occupied, and
/// a reader of its output that has seen enough ends it quietly.
void arrange_process();

}  // namespace spcart::command
