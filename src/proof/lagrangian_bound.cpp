#include <algorithm>
#include <cmath>
#include <set>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "proof/branch_and_bound.hpp"
#include "proof/certified.hpp"
#include "proof/lbfgs.hpp"
#include "proof/upper_bounds.hpp"

namespace spcart {
namespace {

/// Components with the same number of nonzeros, and the supports that were seen for them.
struct Group {
  Index k = 1;
  double components = 1;
  std::set<std::vector<Index>> supports = {};
};

std::vector<Group> groups_of(std::vector<Index> nonzeros) {
  std::ranges::sort(nonzeros);
  std::vector<Group> groups;
  for (const Index k : nonzeros) {
    if (!groups.empty() && groups.back().k == k)
      ++groups.back().components;
    else
      groups.push_back({.k = k});
  }
  return groups;
}

class Lagrangian {
 public:
  Lagrangian(const Matrix& s, const std::vector<Index>& nonzeros)
      : s_(s), n_(s.rows()), groups_(groups_of(nonzeros)) {}

  /// PCA's own bound: M = sum of (l_i - l_r) v_i v_i'; a little more, so that no direction is lost.
  Vector start(Index r) const {
    constexpr double kLittle = 0.03;
    const SymmetricEigen eigen = symmetric_eigen(s_, n_);
    const Vector above = (eigen.values.array() - eigen.values[r - 1]).cwiseMax(0.0);
    const Matrix root =
        eigen.vectors * (above.array() + kLittle * eigen.values[0] / static_cast<double>(n_))
                            .sqrt()
                            .matrix()
                            .asDiagonal();
    return Vector::Map(root.data(), root.size());
  }

  /// M + (trace / n) I: without it a direction that M has lost would never come back.
  Vector inflated(const Vector& at, double trace) const {
    const Eigen::Map<const Matrix> root(at.data(), n_, n_);
    const SymmetricEigen eigen = symmetric_eigen(root * root.transpose(), n_);
    const Vector values = eigen.values.array().cwiseMax(0.0) + trace / static_cast<double>(n_);
    const Matrix next = eigen.vectors * values.cwiseSqrt().asDiagonal();
    return Vector::Map(next.data(), next.size());
  }

  /// The bound over the supports that were seen, smoothed by mu, with M = L L'.
  double value(const Vector& at, double mu, Vector& gradient) const {
    const ThreadScope alone(1);
    const Eigen::Map<const Matrix> root(at.data(), n_, n_);
    const Matrix shifted = s_ - root * root.transpose();
    Matrix slope = Matrix::Identity(n_, n_);
    double sum = root.squaredNorm();
    for (const Group& group : groups_) {
      std::vector<SymmetricEigen> all;
      double largest = -std::numeric_limits<double>::infinity();
      for (const std::vector<Index>& support : group.supports) {
        all.push_back(symmetric_eigen(shifted(support, support), group.k));
        largest = std::max(largest, all.back().values[0]);
      }
      double weights = 0;
      for (const SymmetricEigen& eigen : all)
        weights += ((eigen.values.array() - largest) / mu).exp().sum();
      sum += group.components * (largest + mu * std::log(weights));
      auto eigen = all.begin();
      for (const std::vector<Index>& support : group.supports) {
        const Vector weight = ((eigen->values.array() - largest) / mu).exp() / weights;
        if (weight[0] > 1e-12)
          slope(support, support) -=
              group.components * eigen->vectors * weight.asDiagonal() * eigen->vectors.transpose();
        ++eigen;
      }
    }
    gradient.resize(at.size());
    Eigen::Map<Matrix>(gradient.data(), n_, n_).noalias() = 2 * slope * root;
    return sum;
  }

  /// Adds supports that exceed those seen at M, and returns the bound, proved by branch and bound.
  double certified(const Vector& at, const LagrangianOptions& options, double seconds) {
    const Eigen::Map<const Matrix> root(at.data(), n_, n_);
    Matrix m = root * root.transpose();
    m = ((m + m.transpose()) / 2).eval();
    // L L' as computed is semidefinite but for rounding, which the diagonal takes.
    const double trace = root.squaredNorm();
    const double rounding =
        4 * static_cast<double>(n_ + 4) * kUnit * (trace + s_.cwiseAbs().maxCoeff());
    m.diagonal().array() += rounding;
    const Matrix shifted = s_ - m;
    double sum = m.trace() + 4 * static_cast<double>(n_) * kUnit * m.trace();
    const auto begin = Clock::now();
    auto groups_left = static_cast<double>(groups_.size());
    for (Group& group : groups_) {
      BranchOptions branch{.seconds = (seconds - seconds_since(begin)) / groups_left--};
      if (options.tick) branch.tick = [&](const BranchProgress&) { options.tick(0); };
      const SparseMaximum best = sparse_maximum(shifted, group.k, branch);
      sum += group.components * (best.bound + rounding);
      group.supports.insert(best.support);
      add_good_supports(shifted, group, [&] {
        if (options.tick) options.tick(0);
        return seconds_since(begin) > seconds;
      });
    }
    return sum;
  }

 private:
  /// A good support from each variable.
  void add_good_supports(const Matrix& shifted, Group& group, const Stop& stop) const {
    for (Index i = 0; i < n_ && !stop(); ++i)
      group.supports.insert(good_support_with(shifted, group.k, i).support);
  }

  const Matrix& s_;
  Index n_;
  std::vector<Group> groups_;
};

}  // namespace

double lagrangian_bound(const Matrix& s, const std::vector<Index>& nonzeros,
                        const LagrangianOptions& options) {
  const auto begin = Clock::now();
  const auto r = static_cast<Index>(nonzeros.size());
  double best = std::min(options.known_bound, sum_of_largest_eigenvalues(s, std::min(r, s.rows())));
  if (r >= s.rows()) return best;
  Lagrangian lagrangian(s, nonzeros);
  const double unit = best / static_cast<double>(r);
  Vector x = lagrangian.start(r);
  constexpr double kInflation = 0.01;
  Index stale = 0;
  for (Index round = 0; round < options.rounds; ++round) {
    const double left = options.seconds - seconds_since(begin);
    if (left <= 0) break;
    const double bound = lagrangian.certified(x, options, left);
    stale = bound < best - 1e-5 * std::abs(best) ? 0 : stale + 1;
    best = std::min(best, bound);
    if (options.tick) options.tick(best);
    if (stale > 6) break;
    const double mu = unit * std::max(0.02 * std::pow(0.7, static_cast<double>(round)), 1e-4);
    x = lagrangian.inflated(x, kInflation * unit * std::pow(0.7, static_cast<double>(round)));
    const auto value = [&](const Vector& at, Vector& gradient) {
      if (options.tick) options.tick(best);
      return lagrangian.value(at, mu, gradient);
    };
    x = minimize(x, value, 60, [&] { return seconds_since(begin) > options.seconds; });
  }
  return best;
}

}  // namespace spcart
