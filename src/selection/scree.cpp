#include "selection/scree.hpp"

#include <algorithm>
#include <cmath>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "data/execution.hpp"
#include "data/resample.hpp"

namespace spcart {
namespace {

/// Maximum size of all permuted copies of the table together, in numbers.
constexpr double kMostCopied = 1 << 27;

/// The quantiles that a component of data without structure exceeds in at most one case of twenty:
/// the data and its B permutations are then exchangeable, and the one of rank 0.95 (B + 1) is
/// taken.
Vector quantiles(Matrix draws) {
  constexpr double kLevel = 0.95;
  const Index most = draws.cols();
  const Index rank =
      std::min(most, static_cast<Index>(std::ceil(kLevel * static_cast<double>(most + 1))));
  Vector result(draws.rows());
  for (Index k = 0; k < draws.rows(); ++k) {
    Vector values = draws.row(k);
    std::nth_element(values.begin(), values.begin() + rank - 1, values.end());
    result[k] = values[rank - 1];
  }
  return result;
}

/// How many of the first variances are above their thresholds.
Index count_above(const Vector& variances, const Vector& thresholds) {
  Index count = 0;
  while (count < variances.size() && variances[count] > thresholds[count]) ++count;
  return count;
}

}  // namespace

Vector broken_stick(Index pieces, Index count) {
  Vector lengths = Vector::Zero(count);
  double sum = 0;
  for (Index k = pieces; k >= 1; --k) {
    sum += 1 / static_cast<double>(k);
    if (k <= count) lengths[k - 1] = sum / static_cast<double>(pieces);
  }
  return lengths;
}

Scree scree(const DataMatrix& a, const Basis& basis, const ChooseOptions& options,
            const Observer& observer) {
  // A threshold needs no more digits than are shown, and the solver converges slowly on noise.
  const PcaOptions rough{.solver = options.solver, .tolerance = 1e-5, .seed = options.seed};
  const Index count = basis.singular_values.size();
  Scree scree;
  scree.variances = basis.singular_values.cwiseAbs2() / a.squared_norm();
  Matrix draws(count, options.permutations);
  const bool apart =
      a.execution().is_concurrent() && a.entries() * static_cast<double>(threads()) <= kMostCopied;
  for_all(
      options.permutations, apart, tick_of(observer, "permute"), [&](Index b, const Tick& tick) {
        const auto permuted = permute_columns(a, seed_of(options.seed, b), tick);
        draws.col(b) = principal_basis(*permuted, count, rough, tick).singular_values.cwiseAbs2() /
                       permuted->squared_norm();
      });
  scree.parallel = quantiles(std::move(draws));
  scree.broken_stick = broken_stick(std::min(a.rows() - 1, a.cols()), count);
  scree.by_parallel = count_above(scree.variances, scree.parallel);
  scree.by_broken_stick = count_above(scree.variances, scree.broken_stick);
  return scree;
}

}  // namespace spcart
