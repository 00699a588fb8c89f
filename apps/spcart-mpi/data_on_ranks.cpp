#include "data_on_ranks.hpp"

#include "spcart/error.hpp"

namespace spcart::command {
namespace {

/// A table of which only the shape is known here: its numbers are on the ranks.
Table outline_of(const mpi::Share& share) {
  Table table;
  if (share.covariance)
    table.values = share.parts.front().values;
  else if (share.in_file)
    table.values = FileView{.file = {}, .rows = share.rows, .cols = share.cols};
  else
    table.values = DenseView{.rows = share.rows, .cols = share.cols};
  table.covariance = share.covariance;
  table.variables = share.variables;
  table.samples = share.samples;
  table.notes = share.notes;
  table.seconds = share.seconds;
  return table;
}

}  // namespace

Command DataOnRanks::with_checkpoint(Command command) {
  command.app
      ->add_option(
          "--checkpoint", checkpoint_,
          "keep the state of the solver slepc in this folder, so that a run that was ended "
          "can be resumed")
      ->type_name("DIR")
      ->group("Fit");
  command.app
      ->add_flag("--resume", resume_, "go on from the state in --checkpoint, if there is one")
      ->group("Fit");
  return command;
}

void DataOnRanks::do_read(const std::string& source, const ReadOptions& options, const Tick& tick,
                          Data& data) {
  if (resume_ && checkpoint_.empty()) throw Error("resume", "", "it needs --checkpoint");
  data.table = outline_of(workers_.read(source, options, tick));
}

std::unique_ptr<DataMatrix> DataOnRanks::do_prepare(const Table&, const PrepareOptions& options,
                                                    const Tick& tick) {
  return workers_.prepare(options, {.folder = checkpoint_, .resume = resume_}, tick);
}

}  // namespace spcart::command
