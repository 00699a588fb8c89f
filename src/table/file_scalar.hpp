#pragma once

#include <cstddef>

#include "base/export_to_mpi.hpp"
#include "spcart/file.hpp"

namespace spcart {

std::size_t size_of(Scalar scalar);

/// Whether numbers come to memory as they lie in the file.
SPCART_EXPORT_TO_MPI bool is_kept(FileScalar scalar);

/// `count` numbers as they lie in a file, anywhere, to what `widened` says, aligned.
SPCART_EXPORT_TO_MPI void widen(FileScalar scalar, const char* from, std::size_t count, char* to);

}  // namespace spcart
