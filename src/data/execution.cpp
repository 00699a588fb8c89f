#include "data/execution.hpp"

#include "spcart/error.hpp"

namespace spcart {

Eigenpairs Execution::spread_eigenpairs(Index, const EigenOptions&, const Tick&,
                                        std::vector<std::string>&) const {
  throw Error("solver", "slepc", "it is for tables that are spread over ranks, as by spcart-mpi");
}

bool Execution::spreads(Index, Index) const { return false; }

std::vector<RotationResult> Execution::rotate(ConstBlock v, std::span<const RotateOptions> settings,
                                              const Tick& tick) const {
  return rotate_and_truncate_all(v, settings, tick);
}

const Execution& local_execution() {
  static const Execution local;
  return local;
}

}  // namespace spcart
