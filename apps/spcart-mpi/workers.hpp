#pragma once

#include <memory>
#include <string>

#include "spcart/mpi.hpp"

namespace spcart::command {

/// The ranks of the program. The root runs the command as the serial program does; the others read
/// and prepare their rows when it does, and serve its products.
class Workers {
 public:
  Workers() = default;

  /// At the root: dismisses the others.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  const mpi::Ranks& ranks() const { return ranks_; }
  const mpi::Share& share() const { return share_; }

  /// What every rank except the root does, until the root dismisses it.
  void serve();

  // At the root: reading and preparing, in which all ranks take part.
  const mpi::Share& read(const std::string& source, const ReadOptions& options, const Tick& tick);
  std::unique_ptr<DataMatrix> prepare(const PrepareOptions& options,
                                      const mpi::CheckpointOptions& checkpoint, const Tick& tick);

 private:
  enum class Task : int { read, prepare, dismiss };

  mpi::Ranks ranks_;
  mpi::Share share_;
};

}  // namespace spcart::command
