#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "proof/certified.hpp"
#include "proof/upper_bounds.hpp"

namespace spcart {

double leader_bound(const Matrix& s, Index k) {
  double most = -std::numeric_limits<double>::infinity();
  std::vector<double> row(static_cast<std::size_t>(s.rows()));
  for (Index i = 0; i < s.rows(); ++i) {
    for (Index j = 0; j < s.rows(); ++j)
      row[static_cast<std::size_t>(j)] = j == i ? 0 : std::abs(s(j, i));
    const double sum = sum_of_largest(row, k - 1);
    const double rounding = 4 * static_cast<double>(k) * kUnit * (std::abs(s(i, i)) + sum);
    most = std::max(most, s(i, i) + sum + rounding);
  }
  return most;
}

double trace_frobenius(Index k, double least_trace, double most_trace, double squares) {
  // It grows with the trace up to the norm, at which it is the norm itself, and falls from there.
  const auto size = static_cast<double>(k);
  const double trace = std::clamp(std::sqrt(squares), least_trace, most_trace);
  const double rest = squares - trace * trace / size + 1e-13 * squares;
  return rounded_up(trace / size + std::sqrt(std::max((size - 1) / size * rest, 0.0)), 8) +
         1e-15 * std::sqrt(squares);
}

double trace_frobenius_bound(const Matrix& s, Index k) {
  const Index p = s.rows();
  std::vector<double> weights, row;
  for (Index j = 0; j < p; ++j) {
    row.clear();
    for (Index i = 0; i < p; ++i)
      if (i != j) row.push_back(s(i, j) * s(i, j));
    weights.push_back(s(j, j) * s(j, j) + sum_of_largest(row, k - 1));
  }
  Vector diagonal = s.diagonal();
  std::ranges::sort(diagonal);
  const double rounding = 1e-14 * static_cast<double>(k) * diagonal.cwiseAbs().maxCoeff();
  return trace_frobenius(k, diagonal.head(k).sum() - rounding, diagonal.tail(k).sum() + rounding,
                         rounded_up(sum_of_largest(weights, k), k * k));
}

}  // namespace spcart
