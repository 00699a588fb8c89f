#pragma once

#include <functional>

#include "base/indices.hpp"
#include "proof/branch_and_bound.hpp"

namespace spcart {

/// A symmetric matrix S that may be too large to be formed, known by parts of it.
struct LargeMatrix {
  Vector diagonal;
  std::function<Matrix(const Indices&)> columns;  ///< some columns
  std::function<Matrix(const Indices&)> block;    ///< the rows and columns of some variables

  /// |S_ij| <= size_i size_j, unless both i and j are `irregular`.
  Vector size;
  Indices irregular = {};

  /// A semidefinite S that is not changed: sizes are the roots of the diagonal.
  static LargeMatrix semidefinite(Vector diagonal, std::function<Matrix(const Indices&)> columns,
                                  std::function<Matrix(const Indices&)> block);
};

/// A sparse maximum of a large matrix.
struct LargeMaximum {
  SparseMaximum best = {};
  Index candidates = 0;          ///< variables that could not be ruled out
  bool memory_ended_it = false;  ///< and not time
};

/// As sparse_maximum. Variables that no support better than a known one can have are ruled out, by
/// what they could add to any support of fewer variables, so that the search is among few. If many
/// are left, a core of them is searched, what others could add is bounded, and the core grows until
/// that is too little. Up to `few` variables are searched at once; with more of them,
/// `options.start` has no effect.
LargeMaximum sparse_maximum_of_large(const LargeMatrix& s, Index k,
                                     const BranchOptions& options = {}, Index few = 1024);

}  // namespace spcart
