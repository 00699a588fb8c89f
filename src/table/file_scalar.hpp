#pragma once

#include <cstddef>

#include "base/export_to_mpi.hpp"
#include "spcart/file.hpp"

namespace spcart {

SPCART_EXPORT_TO_MPI std::size_t size_of(Scalar scalar);

/// Whether numbers have the same type in memory as in the file.
SPCART_EXPORT_TO_MPI bool is_kept(FileScalar scalar);

/// Converts `count` numbers as stored in a file, at any address, to the type `widened`, aligned.
SPCART_EXPORT_TO_MPI void widen(FileScalar scalar, const char* from, std::size_t count, char* to);

}  // namespace spcart
