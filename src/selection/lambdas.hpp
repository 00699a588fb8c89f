#pragma once

#include <set>
#include <vector>

#include "spcart/truncation.hpp"

namespace spcart {

/// Lambdas of a truncation type, by the number of entries of a rotated basis z that they leave.
class Lambdas {
 public:
  Lambdas(const Matrix& z, TruncationType type);

  /// The one that leaves this many entries of each column, on average.
  double leaving(double nonzeros);

  /// This many lambdas from 0, which zeroes nothing, to `most`, at about equal factors of nonzeros.
  std::vector<double> along(double most, Index points);

 private:
  double size_at(Index index);

  TruncationType type_;
  Index p_, r_;
  Vector sizes_;            ///< of all entries; larger ones before, and smaller ones after,
  std::set<Index> sorted_;  ///< each of these indices
  Vector below_;            ///< mean energy of the smallest 0, 1, ..., p entries of a column
};

}  // namespace spcart
