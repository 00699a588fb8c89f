#pragma once

#include "arguments/data_arguments.hpp"
#include "process/progress.hpp"

namespace spcart::command {

/// How a program reads and prepares DATA: on this machine, or on the ranks of MPI. Commands get it
/// from their program.
class DataSource {
 public:
  virtual ~DataSource() = default;
  DataSource(const DataSource&) = delete;
  DataSource& operator=(const DataSource&) = delete;

  /// Reads DATA, with memory reserved for what is planned.
  Data read(const DataArguments& arguments, const PrepareOptions& planned,
            const Activity& activity);

  /// Makes the matrix of the data, planned according to the options.
  void prepare(Data& data, const PrepareOptions& options, const Activity& activity);

 protected:
  DataSource() = default;

 private:
  /// Sets the table, and hints if there are any.
  virtual void do_read(const std::string& source, const ReadOptions& options, const Tick& tick,
                       Data& data) = 0;
  virtual std::unique_ptr<DataMatrix> do_prepare(const Table& table, const PrepareOptions& options,
                                                 const Tick& tick) = 0;
};

/// DATA on this machine.
class LocalData final : public DataSource {
  void do_read(const std::string& source, const ReadOptions& options, const Tick& tick,
               Data& data) override;
  std::unique_ptr<DataMatrix> do_prepare(const Table& table, const PrepareOptions& options,
                                         const Tick& tick) override;
};

}  // namespace spcart::command
