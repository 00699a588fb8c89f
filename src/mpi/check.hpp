#pragma once

namespace spcart::mpi {

/// Throws std::runtime_error if an MPI function has failed.
void check(int code, const char* what);

}  // namespace spcart::mpi
