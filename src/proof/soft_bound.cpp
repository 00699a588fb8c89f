#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "proof/certified.hpp"
#include "proof/upper_bounds.hpp"

namespace spcart {
namespace {

/// S_rho, without the rows and columns that vanish.
Matrix soft_thresholded(const Matrix& s, const Vector& largest, double rho) {
  std::vector<Index> rows;
  for (Index i = 0; i < s.rows(); ++i)
    if (largest[i] > rho) rows.push_back(i);
  const Matrix part = s(rows, rows);
  return part.array().sign() * (part.cwiseAbs().array() - rho).cwiseMax(0.0);
}

/// Minimum of a convex function between two points, roughly; less so if time is up.
template <class Function, class TimeIsUp>
double golden_section(Function function, double low, double high, int steps, TimeIsUp time_is_up) {
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kLeast = 10;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = function(left), at_right = function(right);
  for (int step = 0; step < steps && (step < kLeast || !time_is_up()); ++step) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = function(left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = function(right);
    }
  }
  return at_left < at_right ? left : right;
}

}  // namespace

double soft_weight(const std::vector<Index>& nonzeros, ComponentClass components) {
  const auto sum = static_cast<double>(std::accumulate(nonzeros.begin(), nonzeros.end(), Index{0}));
  // A projection of rank r on K variables has sum |P_ij| <= K |P|_F = K sqrt(r).
  return components == ComponentClass::any
             ? sum * std::sqrt(static_cast<double>(nonzeros.size())) * (1 + 1e-15)
             : sum;
}

SoftBound soft_bound(const Matrix& s, Index r, double weight, const SoftOptions& options) {
  constexpr int kSteps = 24;
  const auto begin = Clock::now();
  const double least = options.outside;
  // Threads gain little with eigenvalues of this size, and on a busy machine they lose much.
  const ThreadScope alone(1);
  const Vector largest = s.cwiseAbs().colwise().maxCoeff();
  const double most = std::max(largest.maxCoeff(), least);
  const auto estimate = [&](double rho) {
    if (options.tick) options.tick(0);
    const Matrix soft = soft_thresholded(s, largest, rho);
    const Index count = std::min(r, soft.rows());
    const double sum = count > 0 ? symmetric_eigen(soft, count).values.cwiseMax(0.0).sum() : 0.0;
    return sum + rho * weight;
  };
  const auto certified = [&](double rho) {
    const Matrix soft = soft_thresholded(s, largest, rho);
    const bool padded = soft.rows() < s.rows() || options.others > 0;  // by rows that vanish
    const double sum =
        padded ? sum_of_largest_positive_eigenvalues(soft, r) : sum_of_largest_eigenvalues(soft, r);
    const double rounding = 2 * kUnit * most * weight;
    return sum + rounded_up(rho * weight, 2) + rounding;
  };
  const auto time_is_up = [&] { return seconds_since(begin) > options.seconds; };
  const double rho = golden_section(estimate, least, most, kSteps, time_is_up);
  SoftBound best{certified(least), least};
  if (const double value = certified(rho); value < best.value) best = {value, rho};
  return best;
}

}  // namespace spcart
