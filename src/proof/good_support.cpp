#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/indices.hpp"
#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "linalg/leading_eigenvector.hpp"
#include "proof/branch_and_bound.hpp"
#include "spcart/threads.hpp"

namespace spcart {
namespace {

SparseMaximum maximum_on(const Matrix& s, Indices support) {
  constexpr std::size_t kFew = 512;
  constexpr double kTolerance = 1e-10;
  const Matrix block = s(support, support);
  if (support.size() > kFew) {
    const auto product = [&](const Vector& x) -> Vector { return block * x; };
    const Vector start = product(Random(0).normal(block.rows(), 1));
    Vector x = leading_eigenvector(product, start, kTolerance);
    const double value = x.dot(product(x));
    return {.support = std::move(support), .values = std::move(x), .value = value};
  }
  SymmetricEigen eigen = symmetric_eigen(block, 1);
  return {.support = std::move(support), .values = eigen.vectors.col(0), .value = eigen.values[0]};
}

/// S x.
Vector product(const Matrix& s, const SparseMaximum& x) {
  Vector y = Vector::Zero(s.rows());
  for (std::size_t i = 0; i < x.support.size(); ++i)
    y += x.values[static_cast<Index>(i)] * s.col(x.support[i]);
  return y;
}

/// Variable i and the largest |S_ij| of its row.
Indices row_support(const Matrix& s, Index k, Index i) {
  Vector row = s.col(i).cwiseAbs();
  row[i] = std::numeric_limits<double>::infinity();
  return indices_of_largest(row, k);
}

/// Makes every product of power iterations grow, if a diagonal entry is negative.
double shift_of(const Matrix& s) { return std::max(0.0, -s.diagonal().minCoeff()); }

/// Truncated power iterations on S + shift I, as long as they gain.
SparseMaximum by_power(const Matrix& s, SparseMaximum x, double shift, const Stop& stop) {
  const auto k = static_cast<Index>(x.support.size());
  for (int i = 0; i < 50 && !stop(); ++i) {
    Vector y = product(s, x);
    for (std::size_t f = 0; f < x.support.size(); ++f)
      y[x.support[f]] += shift * x.values[static_cast<Index>(f)];
    SparseMaximum next = maximum_on(s, indices_of_largest(y.cwiseAbs(), k));
    if (next.value <= x.value * (1 + 1e-14) || next.support == x.support) break;
    x = std::move(next);
  }
  return x;
}

/// Without one variable of the support, the best few others by what they add to x.
Indices best_additions(const Matrix& s, const Indices& support, const Indices& rest) {
  constexpr std::size_t kTried = 4;
  Vector gain = s.diagonal();
  if (!rest.empty()) {
    const SparseMaximum y = maximum_on(s, rest);
    const Vector sy = product(s, y);
    // The larger eigenvalue of [value, sy_j; sy_j, s_jj].
    for (Index j = 0; j < s.rows(); ++j)
      gain[j] = (y.value + s(j, j) + std::hypot(y.value - s(j, j), 2 * sy[j])) / 2;
  }
  for (const Index j : support) gain[j] = -std::numeric_limits<double>::infinity();
  return indices_of_largest(gain,
                            static_cast<Index>(std::min(kTried, at(s.rows()) - support.size())));
}

/// Exchanges one variable for another as long as that gains.
SparseMaximum by_exchange(const Matrix& s, SparseMaximum x, const Stop& stop) {
  constexpr std::size_t kMostVariables = 256;  // a sweep takes as many eigenvectors
  if (at(s.rows()) == x.support.size() || x.support.size() > kMostVariables) return x;
  for (bool gained = true; gained;) {
    gained = false;
    for (std::size_t out = 0; out < x.support.size() && !gained; ++out) {
      if (stop()) return x;
      Indices rest = x.support;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(out));
      for (const Index j : best_additions(s, x.support, rest)) {
        Indices support = rest;
        support.insert(std::ranges::lower_bound(support, j), j);
        SparseMaximum next = maximum_on(s, std::move(support));
        if (next.value > x.value + 1e-12 * std::abs(x.value)) {
          x = std::move(next);
          gained = true;
          break;
        }
      }
    }
  }
  return x;
}

}  // namespace

SparseMaximum good_support_with(const Matrix& s, Index k, Index i) {
  return by_power(s, maximum_on(s, row_support(s, k, i)), shift_of(s), [] { return false; });
}

SparseMaximum good_support(const Matrix& s, Index k, std::span<const Index> start,
                           const Stop& stop) {
  constexpr Index kStarts = 16;
  const ThreadScope scope(1);  // blocks are small
  if (!start.empty()) {
    SparseMaximum x = maximum_on(s, {start.begin(), start.end()});
    return by_exchange(s, by_power(s, std::move(x), shift_of(s), stop), stop);
  }
  Vector sums(s.rows());
  for (Index i = 0; i < s.rows(); ++i) {
    sums[i] = s(i, i);
    for (const Index j : row_support(s, k, i))
      if (j != i) sums[i] += std::abs(s(j, i));
  }
  SparseMaximum best;
  best.value = -std::numeric_limits<double>::infinity();
  for (const Index i : indices_of_largest(sums, kStarts)) {
    if (!best.support.empty() && stop()) return best;
    SparseMaximum x = by_power(s, maximum_on(s, row_support(s, k, i)), shift_of(s), stop);
    if (x.value > best.value) best = std::move(x);
  }
  return by_exchange(s, std::move(best), stop);
}

}  // namespace spcart
