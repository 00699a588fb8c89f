#pragma once

#include "commands/commands.hpp"
#include "spcart/mpi.hpp"

namespace spcart::command {

// The commands that find principal components, with --checkpoint and --resume.
Command add_fit_with_checkpoint(CLI::App& program);
Command add_path_with_checkpoint(CLI::App& program);
Command add_evaluate_with_checkpoint(CLI::App& program);

/// What was given for them. Throws Error for --resume without --checkpoint.
mpi::CheckpointOptions checkpoint_options();

}  // namespace spcart::command
