#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "spcart/export.hpp"
#include "spcart/pca.hpp"

namespace SPCART_EXPORT spcart {

/// A principal basis as the bytes of a file, to be used again without another PCA. With it goes
/// what tells whether data is the same and was prepared alike: the shape, the preparation, and each
/// variable's mean, scale and sum of squares. docs/files.md describes the bytes.
std::string basis_bytes(const DataMatrix& a, const Basis& basis);

/// The basis in such a file. Throws Error with the difference named where it is one of other data
/// than `a`, or of data that was prepared otherwise. Messages call variables by their names, where
/// there are any.
Basis read_basis(const std::filesystem::path& path, const DataMatrix& a,
                 std::span<const std::string> names = {});

}  // namespace spcart
