#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/hdf5_file.hpp"

namespace spcart::io {

/// A sparse matrix of an HDF5 file: a group with the datasets data, indices and indptr.
struct Hdf5Sparse {
  std::uint64_t rows = 0, cols = 0;
  bool by_column = false;
};

/// The matrix that is to be read, and where its names are.
struct Hdf5Layout {
  std::string path;
  bool sparse = false;
  bool transposed = false;         ///< its rows are variables
  std::string variables, samples;  ///< paths of their names; empty: none
};

/// Finds the matrix `part`, or that which the file is about: X of AnnData, the counts of 10x, the
/// matrix of loom, or the only one. Throws Error that lists the matrices of the file otherwise.
Hdf5Layout find_matrix(const Hdf5File& file, std::string_view part);

bool is_sparse_group(const Hdf5File& file, const std::string& path);

/// Size and order of a sparse matrix; throws Error if the group does not say them.
Hdf5Sparse sparse_header(const Hdf5File& file, const std::string& path);

/// `count` names at a path of `Hdf5Layout`; empty if they are no texts.
std::vector<std::string> names_at(const Hdf5File& file, const std::string& path,
                                  std::uint64_t count);

}  // namespace spcart::io
