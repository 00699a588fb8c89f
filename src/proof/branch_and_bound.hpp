#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "spcart/types.hpp"

namespace spcart {

/// A sparse maximum, and what is proved of it: max x'Sx over unit x with at most k nonzeros.
struct SparseMaximum {
  std::vector<Index> support;  ///< ascending
  Vector values;               ///< of x on the support
  double value = 0;            ///< x'Sx
  double bound = 0;            ///< no unit vector with as few nonzeros has more
  Index nodes = 0;             ///< that were visited

  /// Whether the bound leaves nothing but the tolerance.
  bool proved = false;
};

/// The state of a search in progress.
struct BranchProgress {
  double value = 0, bound = 0;  ///< of the best support so far, and what none can exceed
  Index nodes = 0;
};

struct BranchOptions {
  /// A support to begin with; none: the search finds its own.
  std::vector<Index> start = {};
  bool heuristics = true;  ///< improve the start, and look for one if there is none

  /// A bound that is already proved; what is found cannot exceed it.
  double known_bound = std::numeric_limits<double>::infinity();

  /// Supports within this of each other, as a fraction of the largest |S_ij|, count as equal.
  double tolerance = 1e-9;

  /// Once the bound is below this, the search ends.
  double enough = -std::numeric_limits<double>::infinity();

  double seconds = std::numeric_limits<double>::infinity();
  Index max_nodes = std::numeric_limits<Index>::max();

  /// Called now and then. It may throw, which ends the search.
  std::function<void(const BranchProgress&)> tick = {};
};

/// The k variables whose block of a symmetric S has the largest eigenvalue, by branch and bound. S
/// may be indefinite. The same S and options give the same answer for any number of threads, unless
/// time ends the search.
SparseMaximum sparse_maximum(const Matrix& s, Index k, const BranchOptions& options = {});

/// The same for a part S of a larger matrix, of which no |S_ij| with i or j outside exceeds
/// `outside`. The support is the best of those within; the bound holds for all of the matrix.
SparseMaximum sparse_maximum_of_part(const Matrix& s, Index k, double outside,
                                     const BranchOptions& options = {});

/// Upper bound of x'Sx over unit x with k nonzeros of which at least one is outside of a part of
/// the variables, if k - 1 nonzeros within have at most `within`, and no |S_ij| with i or j outside
/// exceeds `outside`.
double bound_with_others(double within, double outside, Index k);

/// Whether to end with what was found so far. May throw.
using Stop = std::function<bool()>;

/// A support of k variables to begin with: from the one given or, if there is none, from the rows
/// with the largest sums, by truncated power iterations and exchanges of variables.
SparseMaximum good_support(
    const Matrix& s, Index k, std::span<const Index> start = {},
    const Stop& stop = [] { return false; });

/// The same from the largest |S_ij| of row i, by truncated power iterations alone.
SparseMaximum good_support_with(const Matrix& s, Index k, Index i);

}  // namespace spcart
