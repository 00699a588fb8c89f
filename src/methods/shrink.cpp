#include "methods/shrink.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "linalg/lapack.hpp"

namespace spcart {
namespace {

std::span<double> as_span(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

double explained(const Vector& z, const Vector& x) {
  const double length = x.norm();
  return length > 0 ? std::pow(z.dot(x) / length, 2) : 0;
}

/// Entries this near to the largest, relative to it, count as equal.
constexpr double kSameSize = 1e-9;

constexpr double kRatioRounding = 1e-12;

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
    if (count < room * (1 - kRatioRounding)) continue;  // the ratio is at most sqrt(k)
    const double gap = gaps / count;
    const double variance = std::max(squares / count - gap * gap, 0.0);
    const double u = gap_at(k) - gap;
    if (count * u * u < room * (variance + u * u) * (1 - kRatioRounding)) continue;
    const double best = count > room ? std::sqrt(room * variance / (count - room)) : u;
    return (1 - gap - best) * top;
  }
  return 0;  // z itself is within the bound
}

/// More equal entries than the bound allows: takes the first ones, all except one with the same
/// value.
void take_equals(double bound, const Vector& z, std::span<const Index> equals, Vector& x) {
  const double m = std::floor(bound * bound * (1 + kSameSize));
  const double rest = std::max(m + 1 - bound * bound, 0.0);
  const double alike = (m * bound + std::sqrt(m * rest)) / (m * (m + 1));
  for (std::size_t k = 0; k < static_cast<std::size_t>(m); ++k)
    x[equals[k]] = std::copysign(alike, z[equals[k]]);
  const double last = bound - m * alike;
  const auto next = static_cast<std::size_t>(m);
  if (next < equals.size() && last > kSameSize)
    x[equals[next]] = std::copysign(last, z[equals[next]]);
}

/// max z'x over |x| = 1, |x|_1 <= bound, Q'x = 0. Its dual is min |S(z - Q v, t)| + bound t over v
/// and t >= 0, where S is the soft threshold, and x is S(z - Q v, t) divided by its length. For a
/// given t, v is found by Newton's method. The ratio of norms |x|_1 / |x|_2 then falls as t grows,
/// because it is minus the derivative of a convex function: t is found by bisection.
class OrthogonalBound {
 public:
  OrthogonalBound(double bound, const Matrix& q) : bound_(bound) {
    for (Index j = 0; j < q.rows(); ++j)
      if ((q.row(j).array() != 0).any()) rows_.push_back(j);
    q_ = q(rows_, Eigen::all);
  }

  Vector solve(const Vector& z) const {
    constexpr int kMost = 60;
    constexpr double kEmpty = 1e-6;  // of the largest |z|
    const double top = z.cwiseAbs().maxCoeff();
    Vector v = Vector::Zero(q_.cols()), best = thresholded(z, 0, top, v);
    // The excess of the ratio over the bound at both ends; unknown where nothing is left. One that
    // stays is halved, so that the other end moves too (Illinois).
    double low = 0, high = top, above = excess(best), below = 0;
    int stayed = 0;
    for (int step = 0; step < kMost && above > kRatioRounding; ++step) {
      const double part = below < 0 ? above / (above - below) : 0.5;
      const double middle = low + part * (high - low);
      if (high - low <= kEmpty * top && below == 0) break;  // nothing is within the bound
      if (middle <= low || middle >= high) break;
      const Vector x = thresholded(z, middle, top, v);
      const double now = x.norm() > kEmpty * top ? excess(x) : 0;
      if (now > kRatioRounding) {
        low = middle;
        above = now;
        best = x;
        if (stayed > 0) below /= 2;
        stayed = std::max(stayed, 0) + 1;
      } else if (now < -kRatioRounding || x.norm() <= kEmpty * top) {
        high = middle;
        below = now;
        if (stayed < 0) above /= 2;
        stayed = std::min(stayed, 0) - 1;
      } else {
        best = x;
        break;
      }
    }
    return best.norm() > 0 ? projected(best.normalized()) : best;
  }

 private:
  double excess(const Vector& x) const {
    const double length = x.norm();
    return length > 0 ? x.lpNorm<1>() / length - bound_ : 0;
  }

  /// Without the rounding that is left of Q in x, at the same nonzeros.
  Vector projected(Vector x) const {
    if (rows_.empty()) return x;
    const Vector there = x(rows_);
    const Matrix active = (there.array() != 0).cast<double>().matrix().asDiagonal() * q_;
    const Vector v = solve_semidefinite(active.transpose() * active, active.transpose() * there);
    x(rows_) = there - active * v;
    return x.normalized();
  }

  static Vector soft(const Vector& z, double t) {
    return z.array().sign() * (z.array().abs() - t).max(0.0);
  }

  /// S(z - Q v, t) with the v that makes it orthogonal to Q: |S|^2 is convex in v, and quadratic as
  /// long as no entry becomes zero or nonzero.
  Vector thresholded(const Vector& z, double t, double top, Vector& v) const {
    constexpr int kMost = 50;
    constexpr double kOrthogonal = 1e-14, kShortest = 1e-9;
    if (rows_.empty()) return soft(z, t);
    const Vector there = z(rows_);
    Vector y = soft(there - q_ * v, t);
    for (int step = 0; step < kMost; ++step) {
      const Vector gradient = q_.transpose() * y;
      if (gradient.norm() <= kOrthogonal * top) break;
      const Matrix active = (y.array() != 0).cast<double>().matrix().asDiagonal() * q_;
      const Vector direction = solve_semidefinite(active.transpose() * active, gradient);
      const double slope = gradient.dot(direction), before = y.squaredNorm();
      double length = 1;
      Vector next = soft(there - q_ * (v + direction), t);
      while (next.squaredNorm() > before - 1e-4 * length * slope && length > kShortest) {
        length /= 2;
        next = soft(there - q_ * (v + length * direction), t);
      }
      if (!(next.squaredNorm() < before)) break;
      v += length * direction;
      y = next;
    }
    Vector x = soft(z, t);
    x(rows_) = y;
    return x;
  }

  double bound_;
  std::vector<Index> rows_;  ///< of Q that are not zero
  Matrix q_;                 ///< these rows
};

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
    const auto equals = std::ranges::count_if(
        order, [&](Index j) { return std::abs(z[j]) >= top * (1 - kSameSize); });
    if (static_cast<double>(equals) > bound * bound * (1 + kSameSize)) {
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

Shrink orthogonal_l1_bound(double bound, const Matrix& q) {
  return [solver = OrthogonalBound(bound, q)](Index, const Vector& z, Vector& x) {
    x = solver.solve(z);
    return explained(z, x);
  };
}

}  // namespace spcart
