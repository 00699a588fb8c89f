#pragma once

#include <vector>

#include "spcart/certificate.hpp"

namespace spcart {

/// Components of which a bound is wanted.
struct ComponentCounts {
  std::vector<Index> nonzeros;  ///< of each component
  double cpev_pca = 1;          ///< the fraction that as many principal components explain
};

/// What no orthogonal components with these numbers of nonzeros explain, as fractions of all
/// variance, for several of them at once; less sharp than a certificate. The time is for all.
std::vector<double> orthogonal_bounds(const DataMatrix& a,
                                      const std::vector<ComponentCounts>& counts,
                                      const CertifyOptions& options = {}, const Tick& tick = {});

}  // namespace spcart
