#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "proof/certified.hpp"
#include "proof/lbfgs.hpp"
#include "proof/upper_bounds.hpp"

namespace spcart {
namespace {

/// Room for the rounding of a few products.
constexpr double kUp = 1 + 1e-12;

/// max <q, values> over 0 <= q_i <= 1 with sum m, smoothed: less mu times the negative entropy of
/// q.
struct SmoothTop {
  double value = 0;
  Vector q;
};
SmoothTop smooth_top(const Vector& values, Index m, double mu) {
  SmoothTop top{.q = Vector(values.size())};
  const auto target = static_cast<double>(m);
  const auto fill = [&](double t) {
    top.q = (1 + ((t - values.array()) / mu).min(700.0).exp()).inverse();
    return top.q.sum();
  };
  double low = values.minCoeff() - 50 * mu, high = values.maxCoeff() + 50 * mu;
  for (int step = 0; step < 100 && high - low > 1e-15 * (std::abs(low) + std::abs(high)); ++step) {
    const double t = (low + high) / 2;
    (fill(t) > target ? low : high) = t;
  }
  // min over t of m t + mu sum log(1 + exp((v - t) / mu)) is the same by duality, and stable.
  const double t = (low + high) / 2;
  fill(t);
  top.value = target * t;
  for (Index i = 0; i < values.size(); ++i) {
    const double z = (values[i] - t) / mu;
    top.value += mu * (z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z)));
  }
  return top;
}

/// The dual problem in units in which the largest |S_ij| is 1. A point has E, G and log(alpha).
class Dual {
 public:
  Dual(const Matrix& s, const std::vector<Index>& nonzeros, const DualOptions& options)
      : s_(s), n_(s.rows()), r_(static_cast<Index>(nonzeros.size())) {
    const Index sum = std::accumulate(nonzeros.begin(), nonzeros.end(), Index{0});
    const Index most = std::ranges::max(nonzeros);
    switch (options.components) {
      case ComponentClass::orthogonal:
      case ComponentClass::oblique:  // the same, with its factor
        counts_ = nonzeros;
        reach_ = std::sqrt(static_cast<double>(most));
        break;
      case ComponentClass::disjoint:
        counts_ = {sum};
        reach_ = std::sqrt(static_cast<double>(most));
        break;
      case ComponentClass::any:
        counts_ = {sum};
        reach_ = std::sqrt(static_cast<double>(std::min(sum, n_ + options.others)));
        break;
    }
    for (Index& count : counts_) count = std::min(count, n_ + options.others);
    std::ranges::sort(counts_);
    oblique_ = options.obliqueness;
    outside_ = options.outside;
    others_ = options.others;
  }

  Vector soft_point(double rho) const {
    Vector x = Vector::Zero(2 * n_ * n_ + n_);
    e(x) = s_.cwiseMax(-rho).cwiseMin(rho);
    const double c = oblique_ * reach_ * std::max(rho, outside_);
    const auto sum = static_cast<double>(std::accumulate(counts_.begin(), counts_.end(), Index{0}));
    const double alpha = c / 2 * std::sqrt(sum / static_cast<double>(r_));
    x.tail(n_).setConstant(std::log(std::max(alpha, 1e-8)));
    return x;
  }

  /// Smoothed by mu.
  double value(const Vector& x, double mu, Vector& gradient) const {
    const double tau = mu / 4, delta = mu;
    const Vector alpha = x.tail(n_).array().exp();
    Matrix m = s_ - (e(x) + g(x) + e(x).transpose() + g(x).transpose()) / 2;
    m.diagonal() += alpha;
    const SymmetricEigen eigen = symmetric_eigen(std::move(m), n_);
    const SmoothTop spectrum = smooth_top(eigen.values, r_, mu);
    const Matrix y = eigen.vectors * spectrum.q.asDiagonal() * eigen.vectors.transpose();

    // Largest |E_ij| of a row by log-sum-exp, and the length of a row of G away from zero.
    const Vector peak = e(x).cwiseAbs().rowwise().maxCoeff().cwiseMax(outside_);
    const Matrix raised =
        ((e(x).cwiseAbs().colwise() - peak).array() / tau).exp();  // weights within each row
    Vector sums = raised.rowwise().sum();
    if (others_ > 0) sums.array() += ((outside_ - peak.array()) / tau).exp();
    const Vector largest = peak.array() + tau * sums.array().log();
    const Vector lengths = (g(x).rowwise().squaredNorm().array() + delta * delta).sqrt();
    const Vector c = oblique_ * (reach_ * largest + lengths);
    const Vector beta = c.array().square() / (4 * alpha.array());
    double sum = spectrum.value;
    Vector q = Vector::Zero(n_);
    for_counts([&](Index count, double times) {
      const SmoothTop top = smooth_top(beta, std::min(count, n_), mu / 4);
      sum += times * top.value;
      q += times * top.q;
    });
    const Vector slope = q.array() * c.array() / (2 * alpha.array()) * oblique_;  // by c / oblique
    gradient.resize(x.size());
    e(gradient) = -y;
    e(gradient).array() +=
        (raised.array().colwise() * (reach_ * slope.array() / sums.array())) * e(x).array().sign();
    g(gradient) = -y;
    g(gradient).array() += g(x).array().colwise() * (slope.array() / lengths.array());
    gradient.tail(n_) = alpha.array() * y.diagonal().array() - q.array() * beta.array();
    return sum;
  }

  /// As it is, without smoothing, and proved.
  DualPoint certified(const Vector& x) const {
    const Vector alpha = x.tail(n_).array().exp();
    DualPoint point{.m = s_ - (e(x) + g(x) + e(x).transpose() + g(x).transpose()) / 2};
    point.m.diagonal() += alpha;
    // What M lacks of S + diag(alpha) - sym(W), by rounding, goes to G.
    const double rounding = 8 * kUnit *
                            (s_.cwiseAbs().maxCoeff() + e(x).cwiseAbs().maxCoeff() +
                             g(x).cwiseAbs().maxCoeff() + alpha.maxCoeff()) *
                            static_cast<double>(n_);
    const Vector largest = e(x).cwiseAbs().rowwise().maxCoeff().cwiseMax(outside_);
    const Vector c =
        oblique_ * (reach_ * largest + g(x).rowwise().norm() + Vector::Constant(n_, rounding));
    point.beta = kUp * c.array().square() / (4 * alpha.array());
    // Other variables have a diagonal M of their own. At the r-th eigenvalue it changes nothing.
    Matrix m = point.m;
    Vector beta = point.beta;
    if (others_ > 0) {
      const Index more = std::min(r_, others_), counted = std::min(counts_.back(), others_);
      const Index top = std::min(r_, n_);
      const double level = std::max(symmetric_eigen(m, top).values[top - 1], 1e-8);
      m.conservativeResizeLike(Matrix::Zero(n_ + more, n_ + more));
      m.diagonal().tail(more).setConstant(level);
      beta.conservativeResize(n_ + counted);
      const double c_outside = oblique_ * (reach_ * outside_ + rounding);
      beta.tail(counted).setConstant(kUp * c_outside * c_outside / (4 * level));
    }
    double sum = 0;
    for_counts([&](Index count, double times) {
      Vector numbers = beta;
      sum +=
          times * sum_of_largest({numbers.data(), static_cast<std::size_t>(numbers.size())}, count);
    });
    point.value =
        sum_of_largest_eigenvalues(m, std::min(r_, m.rows())) + rounded_up(sum, 4 * n_ + 64);
    return point;
  }

 private:
  using Map = Eigen::Map<Matrix>;
  using ConstMap = Eigen::Map<const Matrix>;
  Map e(Vector& x) const { return {x.data(), n_, n_}; }
  ConstMap e(const Vector& x) const { return {x.data(), n_, n_}; }
  Map g(Vector& x) const { return {x.data() + n_ * n_, n_, n_}; }
  ConstMap g(const Vector& x) const { return {x.data() + n_ * n_, n_, n_}; }

  /// Each different count once, with how often it occurs.
  template <class Body>
  void for_counts(Body body) const {
    for (auto first = counts_.begin(); first != counts_.end();) {
      const auto last = std::upper_bound(first, counts_.end(), *first);
      body(*first, static_cast<double>(last - first));
      first = last;
    }
  }

  const Matrix& s_;
  Index n_, r_;
  std::vector<Index> counts_;  ///< ascending
  double reach_ = 1, oblique_ = 1, outside_ = 0;
  Index others_ = 0;
};

}  // namespace

DualPoint dual_point(const Matrix& s, const std::vector<Index>& nonzeros,
                     const DualOptions& options) {
  constexpr double kLeastRho = 0.02;  // of a point to start from, if the soft bound is PCA's own
  constexpr std::array kSmoothing = {0.1, 0.03, 0.01, 0.003, 0.001, 0.0003};
  const auto begin = Clock::now();
  // Threads gain little with eigenvalues of this size, and on a busy machine they lose much.
  const ThreadScope alone(1);
  const auto r = static_cast<Index>(nonzeros.size());
  const double weight = options.obliqueness * soft_weight(nonzeros, options.components);
  const SoftBound soft = options.start ? *options.start
                                       : soft_bound(s, r, weight,
                                                    {.others = options.others,
                                                     .outside = options.outside,
                                                     .seconds = options.seconds / 2});
  DualPoint best{.value = soft.value};
  const double unit = s.cwiseAbs().maxCoeff();
  if (unit == 0) return best;
  const Matrix scaled = s / unit;
  DualOptions within = options;
  within.outside *= (1 + 1e-15) / unit;
  const Dual dual(scaled, nonzeros, within);
  const double rounding =
      kUnit * unit * soft_weight(nonzeros, ComponentClass::any) * options.obliqueness;
  Vector x = dual.soft_point(std::max(soft.rho / unit, kLeastRho));
  // An eigenvalue as large as those that matter, also if the bound itself is near zero.
  const double level = std::max(std::abs(soft.value) / unit / static_cast<double>(r), 0.1) / 3;
  const auto time_is_up = [&] { return seconds_since(begin) > options.seconds; };
  for (const double smoothing : kSmoothing) {
    const double mu = smoothing * level;
    const auto value = [&](const Vector& at, Vector& gradient) {
      if (options.tick) options.tick(0);
      return dual.value(at, mu, gradient);
    };
    x = minimize(x, value, options.iterations / static_cast<Index>(kSmoothing.size()), time_is_up);
    DualPoint point = dual.certified(x);
    point.value = rounded_up(point.value * unit + rounding, 4);
    if (point.value < best.value) {
      best = std::move(point);
      best.m *= unit;
      best.beta = rounded_up(1, 4) * unit * best.beta.array() + rounding;
    }
    if (best.value <= options.enough || time_is_up()) break;
  }
  return best;
}

double dual_bound(const Matrix& s, const std::vector<Index>& nonzeros, const DualOptions& options) {
  return dual_point(s, nonzeros, options).value;
}

}  // namespace spcart
