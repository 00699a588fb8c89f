#include "criteria/moments.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "data/rounding.hpp"

namespace spcart {
namespace {

/// The part of the variables with these indices within it, of which `largest` has the largest
/// entries of S.
PartOfMoments chosen(const PartOfMoments& part, const Indices& kept, const Vector& largest) {
  PartOfMoments smaller{.s = part.s(kept, kept)};
  for (const Index j : kept) smaller.variables.push_back(part.variables[at(j)]);
  Vector others = largest;
  others(kept).setZero();
  smaller.outside = std::max(part.outside, others.maxCoeff());
  smaller.others = part.others + part.s.rows() - smaller.s.rows();
  return smaller;
}

}  // namespace

PartOfMoments part_of_moments(const DataMatrix& a, const Tick& tick) {
  constexpr Index kAll = 512, kMeasured = 2048;
  const double total = a.squared_norm();
  const Vector variances = a.column_squared_norms() / total;
  PartOfMoments part{.variables = indices_of_largest(variances, kMeasured)};
  part.others = a.cols() - static_cast<Index>(part.variables.size());
  if (part.others > 0) {  // |S_ij| <= sqrt(S_ii S_jj)
    Vector others = variances;
    others(part.variables).setZero();
    part.outside = std::sqrt(others.maxCoeff() * variances.maxCoeff()) * (1 + moments_rounding(a)) *
                   (1 + 1e-12);
  }
  part.s = a.gram_of(part.variables, tick) / total;
  part.s = ((part.s + part.s.transpose()) / 2).eval();
  return reduced(part, -1, kAll);
}

PartOfMoments reduced(const PartOfMoments& part, double level, Index most) {
  const Vector largest = part.s.cwiseAbs().colwise().maxCoeff();
  const Index above = (largest.array() > level).count();
  const Index count = std::max<Index>(std::min(above, most), 1);
  if (count >= part.s.rows()) return part;
  return chosen(part, indices_of_largest(largest, count), largest);
}

}  // namespace spcart
