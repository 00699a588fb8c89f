#include "checkpoint_arguments.hpp"

#include <string>

#include "spcart/error.hpp"

namespace spcart::command {
namespace {

std::string folder;
bool resume = false;

Command with_checkpoint(Command command) {
  command.app
      ->add_option(
          "--checkpoint", folder,
          "keep the state of the solver slepc in this folder, so that a run that was ended "
          "can be resumed")
      ->type_name("DIR")
      ->group("Fit");
  command.app->add_flag("--resume", resume, "go on from the state in --checkpoint, if there is one")
      ->group("Fit");
  return command;
}

}  // namespace

Command add_fit_with_checkpoint(CLI::App& program) { return with_checkpoint(add_fit(program)); }
Command add_path_with_checkpoint(CLI::App& program) { return with_checkpoint(add_path(program)); }
Command add_evaluate_with_checkpoint(CLI::App& program) {
  return with_checkpoint(add_evaluate(program));
}

mpi::CheckpointOptions checkpoint_options() {
  if (resume && folder.empty()) throw Error("--resume needs --checkpoint: from where?");
  return {.folder = folder, .resume = resume};
}

}  // namespace spcart::command
