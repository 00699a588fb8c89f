#pragma once

#include <string>

#include "arguments/data_source.hpp"
#include "commands/commands.hpp"
#include "workers.hpp"

namespace spcart::command {

/// DATA whose rows are spread over the ranks. It must outlive the commands that use it.
class DataOnRanks final : public DataSource {
 public:
  explicit DataOnRanks(Workers& workers) : workers_(workers) {}

  /// Adds --checkpoint and --resume to a command that computes principal components.
  Command with_checkpoint(Command command);

 private:
  void do_read(const std::string& source, const ReadOptions& options, const Tick& tick,
               Data& data) override;
  std::unique_ptr<DataMatrix> do_prepare(const Table& table, const PrepareOptions& options,
                                         const Tick& tick) override;

  Workers& workers_;
  std::string checkpoint_;
  bool resume_ = false;
};

}  // namespace spcart::command
