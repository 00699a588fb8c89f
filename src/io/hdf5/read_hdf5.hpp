#pragma once

#include <string_view>

#include "io/cache.hpp"
#include "spcart/io.hpp"

namespace spcart::io {

inline constexpr std::string_view kHdf5Magic{"\x89HDF\r\n\x1a\n", 8};

/// Reads a matrix of an HDF5 file with its names: of AnnData (.h5ad), 10x (.h5), loom, or any
/// dataset of two dimensions. `part` is its path in the file, "raw" or "layers/counts" of AnnData;
/// empty: the matrix that the file is about. Sparse matrices stay sparse. Every chunk is read once.
/// A program that was built without libhdf5 throws Error.
Table read_hdf5(ByteSource& source, std::string_view part, const ReadOptions& options, Cache& cache,
                const Tick& tick);

}  // namespace spcart::io
