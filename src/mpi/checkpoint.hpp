#pragma once

#include <filesystem>
#include <optional>

#include "mpi/slepc.hpp"
#include "spcart/data.hpp"

namespace spcart::mpi {

/// The state of a solver of the principal components of one matrix, kept in a file.
class Checkpoint {
 public:
  /// Creates the folder if there is none. Throws Error if that fails.
  Checkpoint(const std::filesystem::path& folder, const DataMatrix& a, Index components,
             std::uint64_t seed);

  /// The state that was written last; none if nothing was. Throws Error if it belongs to other data
  /// or options, naming the difference, or if the file is broken.
  std::optional<SolverState> read() const;

  /// The file always has either the old content or the new. Throws std::runtime_error if the system
  /// fails (disk full).
  void write(const SolverState& state) const;

 private:
  std::filesystem::path file_;
  std::string described_;  ///< of data and options, as JSON
};

}  // namespace spcart::mpi
