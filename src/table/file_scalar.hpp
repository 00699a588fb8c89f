#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/export_to_mpi.hpp"
#include "spcart/file.hpp"

namespace spcart {

SPCART_EXPORT_TO_MPI std::size_t size_of(Scalar scalar);

/// Whether numbers have the same type in memory as in the file.
SPCART_EXPORT_TO_MPI bool is_kept(FileScalar scalar);

/// Bytes of a row, or a column, of this many numbers, which are contiguous in the file.
SPCART_EXPORT_TO_MPI std::uint64_t line_bytes(FileScalar scalar, Index count);

/// Converts `count` numbers as stored in a file, at any address, to the type `widened`, aligned.
SPCART_EXPORT_TO_MPI void widen(FileScalar scalar, const char* from, std::size_t count, char* to);

/// Decodes `count` genotypes, after the first `skipped` from the address on. `numbers` are those
/// for the four codes: two copies of the allele, missing, one copy, none.
template <class Real>
void decode_genotypes(const char* from, Index skipped, Index count,
                      const std::array<Real, 4>& numbers, Real* to);

}  // namespace spcart
