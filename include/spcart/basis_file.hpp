#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "spcart/export.hpp"
#include "spcart/pca.hpp"

namespace SPCART_EXPORT spcart {

/// A principal basis as the bytes of a file, to be used again without another PCA. The file also
/// identifies the data: its shape, its preparation, and the mean, scale and sum of squares of each
/// variable. docs/files.md describes the bytes.
std::string basis_bytes(const DataMatrix& a, const Basis& basis);

/// Reads such a file. Throws Error, with the difference named, if the basis belongs to other data
/// than `a` or to data that was prepared differently. Messages use the names of the variables if
/// there are any.
Basis read_basis(const std::filesystem::path& path, const DataMatrix& a,
                 std::span<const std::string> names = {});

}  // namespace spcart
