#pragma once

namespace spcart::mpi {

/// Throws std::runtime_error if a function of MPI has failed to do what it should.
void check(int code, const char* what);

}  // namespace spcart::mpi
