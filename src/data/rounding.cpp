#include "data/rounding.hpp"

#include <limits>

namespace spcart {

double moments_rounding(const DataMatrix& a) {
  if (!a.samples()) return 0;
  const auto n = static_cast<double>(*a.samples());
  if (a.preparation().precision == Precision::single)  // of each entry; sums are in double
    return 8 * static_cast<double>(std::numeric_limits<float>::epsilon());
  double size = 1;
  // What is subtracted is as large as the moments about zero.
  if (a.subtracts_products())
    size += n * a.means().cwiseQuotient(a.scales()).squaredNorm() / a.squared_norm();
  return 2 * (n + 8) * std::numeric_limits<double>::epsilon() * size;
}

}  // namespace spcart
