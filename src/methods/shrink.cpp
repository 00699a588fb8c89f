#include "methods/shrink.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace spcart {
namespace {

std::span<double> as_span(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

double explained(const Vector& z, const Vector& x) {
  const double length = x.norm();
  return length > 0 ? std::pow(z.dot(x) / length, 2) : 0;
}

/// Entries this near to the largest, relative to it, count as equal.
constexpr double kTie = 1e-9;

constexpr double kRounding = 1e-12;

/// Variables by descending |z|, the first among equals first.
std::vector<Index> by_size(const Vector& z) {
  std::vector<Index> order(static_cast<std::size_t>(z.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater{}, [&](Index j) { return std::abs(z[j]); });
  return order;
}

/// The soft threshold after which |x|_1 = bound |x|_2. With the k largest entries left, of mean m
/// and variance v, |x|_1 / |x|_2 is sqrt(k) u / sqrt(v + u^2) for u = m - threshold. It falls as
/// the threshold grows, so the right k is the first whose ratio at the next entry is large enough.
double threshold_for(double bound, const Vector& z, const std::vector<Index>& order) {
  const double top = std::abs(z[order[0]]), room = bound * bound;
  const auto gap_at = [&](std::size_t k) {  // below the largest, relative to it
    return k < order.size() ? (top - std::abs(z[order[k]])) / top : 1;
  };
  double gaps = 0, squares = 0;
  for (std::size_t k = 1; k <= order.size(); ++k) {
    gaps += gap_at(k - 1);
    squares += gap_at(k - 1) * gap_at(k - 1);
    const auto count = static_cast<double>(k);
    if (count < room * (1 - kRounding)) continue;  // the ratio is at most sqrt(k)
    const double gap = gaps / count;
    const double variance = std::max(squares / count - gap * gap, 0.0);
    const double u = gap_at(k) - gap;
    if (count * u * u < room * (variance + u * u) * (1 - kRounding)) continue;
    const double best = count > room ? std::sqrt(room * variance / (count - room)) : u;
    return (1 - gap - best) * top;
  }
  return 0;  // z itself is within the bound
}

/// More equal entries than the bound allows: takes the first ones, all except one with the same
/// value.
void take_equals(double bound, const Vector& z, std::span<const Index> equals, Vector& x) {
  const double m = std::floor(bound * bound * (1 + kTie));
  const double rest = std::max(m + 1 - bound * bound, 0.0);
  const double alike = (m * bound + std::sqrt(m * rest)) / (m * (m + 1));
  for (std::size_t k = 0; k < static_cast<std::size_t>(m); ++k)
    x[equals[k]] = std::copysign(alike, z[equals[k]]);
  const double last = bound - m * alike;
  const auto next = static_cast<std::size_t>(m);
  if (next < equals.size() && last > kTie) x[equals[next]] = std::copysign(last, z[equals[next]]);
}

}  // namespace

Shrink relative_truncation(const Truncation& truncation, Index p) {
  return [truncator = Truncator(truncation, p)](Index, const Vector& z, Vector& x) mutable {
    const double length = z.norm();
    x.setZero(z.size());
    if (!(length > 0)) return 0.0;
    x = z / length;
    truncator(as_span(x), as_span(x));
    x *= length;
    return explained(z, x);
  };
}

Shrink penalty(const Truncation& truncation, double largest) {
  if (truncation.type == TruncationType::soft)
    return [threshold = truncation.lambda * std::sqrt(largest)](Index, const Vector& z, Vector& x) {
      x = z.array().sign() * (z.array().abs() - threshold).max(0.0);
      return x.squaredNorm();
    };
  return [price = truncation.lambda * largest](Index, const Vector& z, Vector& x) {
    x = (z.array().square() > price).select(z, 0.0);
    return x.squaredNorm() - price * static_cast<double>((x.array() != 0).count());
  };
}

Shrink l1_bound(double bound) {
  return [bound](Index, const Vector& z, Vector& x) {
    x.setZero(z.size());
    const double top = z.cwiseAbs().maxCoeff();
    if (!(top > 0)) return 0.0;
    const std::vector<Index> order = by_size(z);
    const auto equals =
        std::ranges::count_if(order, [&](Index j) { return std::abs(z[j]) >= top * (1 - kTie); });
    if (static_cast<double>(equals) > bound * bound * (1 + kTie)) {
      std::vector<Index> first(order.begin(), order.begin() + equals);
      std::ranges::sort(first);
      take_equals(bound, z, first, x);
    } else {
      const double threshold = threshold_for(bound, z, order);
      x = z.array().sign() * (z.array().abs() - threshold).max(0.0);
      x.normalize();
    }
    return explained(z, x);
  };
}

}  // namespace spcart
