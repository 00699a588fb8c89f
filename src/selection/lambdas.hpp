#pragma once

#include <set>
#include <vector>

#include "spcart/truncation.hpp"

namespace spcart {

/// Lambdas of a truncation type, by what they leave of a rotated basis z.
class Lambdas {
 public:
  Lambdas(const Matrix& z, TruncationType type);

  /// The one that leaves so many entries of each column, in the mean.
  double leaving(double nonzeros);

  /// So many from none that zeroes anything to `most`, such that about the same factor of nonzeros
  /// lies between any two of them.
  std::vector<double> along(double most, Index points);

 private:
  double size_at(Index place);

  TruncationType type_;
  Index p_, r_;
  Vector sizes_;            ///< of all entries; with larger ones before, and smaller ones after,
  std::set<Index> sorted_;  ///< each of these places
  Vector below_;            ///< mean energy of the smallest 0, 1, ..., p entries of a column
};

}  // namespace spcart
