#include "spcart/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/names.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "spcart/error.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

constexpr auto kBoundKindNames =
    std::to_array<Name<BoundKind>>({{BoundKind::absolute, "absolute"},
                                    {BoundKind::relative, "relative"},
                                    {BoundKind::estimate, "estimate"}});

/// Tolerance by which a measure may exceed its bound because of rounding, and because the basis is
/// orthonormal and principal only to the tolerance of its solver: for sines, and for variances as a
/// fraction of what PCA explains.
constexpr double kAngleRounding = 1e-8;
constexpr double kVarianceRounding = 1e-6;

/// The same for the squares of thresholds, so that lambda = 1 / sqrt(p) counts as exact.
constexpr double kThresholdRounding = 1e-9;

/// Sums over millions of entries accumulate rounding: a truncation by energy may then be a few
/// entries off.
constexpr double kSparsityRounding = 1e-6;

/// Three of ten equal entries are within the energy 0.3. The truncation itself has a larger
/// tolerance.
constexpr double kEnergyRounding = 1e-13;

/// As for the criteria: directions of X with less than this fraction of the largest span nothing.
constexpr double kDependent = 1e-12;

/// X beside the orthonormal Z from which it was truncated, by component.
struct Geometry {
  Vector nonzeros;
  Vector sines;   ///< of the angle between x and z, 1 if x is zero
  Vector zeroed;  ///< |z| over the entries where x is zero
  Matrix gram;    ///< X'X
};

Geometry measure(const Loadings& x, Matrix z) {
  const Index r = x.cols();
  Geometry g{Vector(r), Vector(r), Vector(r), Matrix(x.transpose() * x)};
  for (Index i = 0; i < r; ++i) {
    auto column = z.col(i);
    column.normalize();
    g.nonzeros[i] = static_cast<double>(x.col(i).nonZeros());
    const double cosine = x.col(i).dot(column);
    // |x - z cos| is exact for small angles, where 1 - cos^2 is not.
    g.sines[i] = g.nonzeros[i] > 0 ? std::min((x.col(i) - cosine * column).norm(), 1.0) : 1;
    for (Loadings::InnerIterator it(x, i); it; ++it) column[it.row()] = 0;
    g.zeroed[i] = column.norm();
  }
  return g;
}

struct Interval {
  double lower = 0, upper = 1;
};

/// Whether all p entries of a unit vector can be at most lambda.
bool may_empty(double lambda, double p) { return p * lambda * lambda >= 1 - kThresholdRounding; }

/// Propositions 7, 8, 10 and 11. A whole number of entries is above lambda, so at most 1 / lambda^2
/// of them rounded down.
Interval sparsity_of(const Truncation& truncation, double p) {
  const double lambda = truncation.lambda, kept = 1 - 1 / p;
  switch (truncation.type) {
    case TruncationType::hard:
    case TruncationType::soft: {
      const double most = std::floor((1 + kThresholdRounding) / (lambda * lambda));
      return {1 - std::min(most / p, 1.0), may_empty(lambda, p) ? 1 : kept};
    }
    case TruncationType::count:
      return {lambda / p, kept};
    case TruncationType::energy:
      return {std::min(std::floor(lambda * p * (1 + kEnergyRounding)) / p, kept), kept};
  }
  return {};
}

/// The largest deviation of a loading. If hard and soft leave something, at least one entry is
/// above lambda, which bounds both the others (each at most lambda) and the loss.
double deviation_of(const Truncation& truncation, double p, bool emptied) {
  const double lambda = truncation.lambda, square = lambda * lambda;
  switch (truncation.type) {
    case TruncationType::hard:
    case TruncationType::soft:
      if (emptied && may_empty(lambda, p)) return 1;
      return std::sqrt(std::min((p - 1) * square, 1 - square));
    case TruncationType::count:
      return std::sqrt(lambda / p);
    case TruncationType::energy:
      return std::sqrt(lambda);
  }
  return 1;
}

/// Proposition 6: sin(a + b) from the sines of two deviations, and 1 from a right angle on.
double nonorthogonality_of(double a, double b) {
  return a * a + b * b < 1 ? a * std::sqrt(1 - b * b) + b * std::sqrt(1 - a * a) : 1;
}

/// The least eigenvalue of CC' for C = Z'X, from the deviations. C is its diagonal plus a hollow
/// matrix H whose columns are no longer than the sines, so |H'u|^2 <= sum of sin_j^2 (1 - u_j^2)
/// for every unit vector u.
double kept_variance(const Vector& sines) {
  const double least = sines.minCoeff(), most = std::min(sines.maxCoeff(), 1.0);
  const double hollow = std::sqrt(std::max(sines.squaredNorm() - least * least, 0.0));
  const double d = std::max(std::sqrt(1 - most * most) - hollow, 0.0);
  return d * d;
}

/// The guarantees of the truncation for each loading; trivial ones if it guarantees nothing.
struct Guarantees {
  Interval sparsity;
  Vector deviation;              // at most, from lambda
  Vector least_lost, most_lost;  // deviation from the entries that were set to zero
};

Guarantees guarantees_of(const BoundsInput& input, const Geometry& g) {
  const auto p = static_cast<double>(input.x.rows());
  const Index r = input.x.cols();
  Guarantees guarantees{{}, Vector::Ones(r), Vector::Zero(r), Vector::Ones(r)};
  if (input.origin != Origin::other) guarantees.sparsity = sparsity_of(input.truncation, p);
  if (input.origin == Origin::support) guarantees.sparsity.upper = 1;
  if (input.origin != Origin::rotated_basis) return guarantees;

  for (Index i = 0; i < r; ++i)
    guarantees.deviation[i] = deviation_of(input.truncation, p, g.nonzeros[i] == 0);
  guarantees.least_lost = guarantees.most_lost = g.zeroed;
  if (input.truncation.type == TruncationType::soft) {
    const Eigen::ArrayXd shrunk =
        (g.nonzeros.array() - 1).max(0) * std::pow(input.truncation.lambda, 2);
    guarantees.most_lost = (g.zeroed.array().square() + shrunk).sqrt();
  }
  return guarantees;
}

/// The ratio of a measure to its bound.
double tightness_of(bool at_least, double value, double lower, double upper) {
  if (at_least) return lower > 0 && value > 0 ? std::min(lower / value, value / lower) : 0;
  return upper > 0 ? std::min(value / upper, 1.0) : 1;
}

/// Fills in the interval and the measured values: one value per component (or pair), each with its
/// own bounds.
Bound compared(Bound bound, const Vector& value, const Vector& lower, const Vector& upper,
               double rounding) {
  bound.applies = bound.reason.empty();
  bound.lower = lower.minCoeff();
  bound.upper = upper.maxCoeff();
  bound.least = value.minCoeff();
  bound.most = value.maxCoeff();
  for (Index i = 0; i < value.size(); ++i) {
    bound.holds &= value[i] >= lower[i] - rounding && value[i] <= upper[i] + rounding;
    bound.tightness =
        std::max(bound.tightness, tightness_of(bound.at_least, value[i], lower[i], upper[i]));
  }
  if (!bound.applies) bound.tightness = 0;
  return bound;
}

Bound compared(const Bound& bound, double value, double lower, double upper, double rounding) {
  const auto single = [](double v) -> Vector { return Vector::Constant(1, v); };
  return compared(bound, single(value), single(lower), single(upper), rounding);
}

std::string reason_of(Origin origin) {
  switch (origin) {
    case Origin::rotated_basis:
      return "";
    case Origin::unit_vectors:
      return "the vectors that were truncated are no rotated principal basis";
    case Origin::support:
      return "the loadings were changed after the truncation";
    case Origin::other:
      return "the loadings are no truncation of a rotated principal basis";
  }
  return "";
}

/// For each truncation type, and for none.
using Sources = std::array<std::string_view, 5>;
constexpr Sources kOfLoadings = {"Proposition 7", "Proposition 8", "Proposition 10",
                                 "Proposition 11", "Propositions 7 to 11"};
constexpr Sources kOfZeroed = {"Proposition 7", "Proposition 8", "Proposition 7", "Proposition 7",
                               "Propositions 7 to 11"};
constexpr Sources kOfPairs = {"Propositions 6 and 7", "Propositions 6 and 8",
                              "Propositions 6 and 10", "Propositions 6 and 11", "Proposition 6"};
constexpr Sources kOfVariance = {"Theorem 13 and Proposition 7", "Theorem 13 and Proposition 8",
                                 "Theorem 13 and Proposition 10", "Theorem 13 and Proposition 11",
                                 "Theorem 13"};

std::string_view source_of(const BoundsInput& input, const Sources& sources) {
  const bool truncated = input.origin != Origin::other;
  return truncated ? sources[static_cast<std::size_t>(input.truncation.type)] : sources.back();
}

void add_loadings(const BoundsInput& input, const Geometry& g, const Guarantees& guarantees,
                  std::vector<Bound>& list) {
  const auto p = static_cast<double>(input.x.rows());
  const std::string reason = reason_of(input.origin);
  const Vector sparsity = 1 - g.nonzeros.array() / p;
  const auto all = [&](double value) -> Vector { return Vector::Constant(sparsity.size(), value); };
  list.push_back(compared({.name = "sparsity",
                           .source = source_of(input, kOfLoadings),
                           .at_least = true,
                           .reason = input.origin == Origin::other ? reason : ""},
                          sparsity, all(guarantees.sparsity.lower), all(guarantees.sparsity.upper),
                          std::max(0.5 / p, kSparsityRounding)));
  list.push_back(
      compared({.name = "deviation", .source = source_of(input, kOfLoadings), .reason = reason},
               g.sines, all(0), guarantees.deviation, kAngleRounding));
  list.push_back(compared({.name = "deviation_relative",
                           .source = source_of(input, kOfZeroed),
                           .kind = BoundKind::relative,
                           .reason = reason},
                          g.sines, guarantees.least_lost, guarantees.most_lost, kAngleRounding));
}

void add_pairs(const BoundsInput& input, const Geometry& g, const Guarantees& guarantees,
               std::vector<Bound>& list) {
  const Index r = input.x.cols(), pairs = r * (r - 1) / 2;
  const std::string alone = r == 1 ? "there is only one component" : "";
  const std::string reason = reason_of(input.origin);
  // If there is no pair, an orthogonal one is used.
  Vector overlap = Vector::Zero(std::max(pairs, Index{1})), absolute = overlap, relative = overlap;
  for (Index i = 0, k = 0; i < r; ++i)
    for (Index j = 0; j < i; ++j, ++k) {
      overlap[k] = std::abs(g.gram(i, j));
      absolute[k] = nonorthogonality_of(guarantees.deviation[i], guarantees.deviation[j]);
      relative[k] = nonorthogonality_of(g.sines[i], g.sines[j]);
    }
  const Vector none = Vector::Zero(overlap.size());
  list.push_back(compared({.name = "nonorthogonality",
                           .source = source_of(input, kOfPairs),
                           .reason = reason.empty() ? alone : reason},
                          overlap, none, absolute, kAngleRounding));
  list.push_back(compared({.name = "nonorthogonality_relative",
                           .source = "Proposition 6",
                           .kind = BoundKind::relative,
                           .reason = alone},
                          overlap, none, relative, kAngleRounding));
}

/// Shares of the total variance. B = X'V.
struct Variances {
  double pca = 0;             ///< of V
  double least_kept = 0;      ///< d_min^2: the least that B leaves of any direction of V
  double projected = 0;       ///< of X within the span of V
  double span_projected = 0;  ///< of an orthonormal basis of the span of X, within that of V
  double most = 0;            ///< of any X with as many nonzero columns and the same |X|_2
};

Variances variances_of(const BoundsInput& input, const Geometry& g, const Matrix& b) {
  const Index r = b.rows();
  Variances s;
  if (!(input.total_variance > 0)) return s;
  const Vector shares = input.singular_values.head(r).array().square() / input.total_variance;
  s.pca = shares.sum();
  s.least_kept = std::max(symmetric_eigen(b * b.transpose(), r).values.minCoeff(), 0.0);
  s.projected = b.colwise().squaredNorm() * shares;
  const SymmetricEigen e = symmetric_eigen(g.gram, r);
  const auto columns = static_cast<double>((g.nonzeros.array() > 0).count());
  s.most = std::min(columns * shares[0], e.values[0] * s.pca);
  for (Index i = 0; i < r && e.values[i] > kDependent * e.values[0]; ++i)
    s.span_projected +=
        (e.vectors.col(i).transpose() * b).array().square().matrix().dot(shares) / e.values[i];
  return s;
}

void add_variances(const BoundsInput& input, const Geometry& g, const Guarantees& guarantees,
                   const Variances& s, std::vector<Bound>& list) {
  const auto add = [&](Bound bound, double lower) {
    bound.at_least = true;
    list.push_back(compared(bound, input.ev, lower, s.most, kVarianceRounding * s.pca));
  };
  const Vector worst = Vector::Constant(g.sines.size(), guarantees.deviation.maxCoeff());
  const BoundKind relative = BoundKind::relative;
  add({.name = "explained_variance",
       .source = source_of(input, kOfVariance),
       .reason = reason_of(input.origin)},
      kept_variance(worst) * s.pca);
  add({.name = "explained_variance_dmin", .source = "Theorem 12", .kind = relative},
      s.least_kept * s.pca);
  add({.name = "explained_variance_cos", .source = "Theorem 13", .kind = relative},
      kept_variance(g.sines) * s.pca);
  add({.name = "explained_variance_projected", .source = "Theorem 12 (proof)", .kind = relative},
      s.projected);
  add({.name = "explained_variance_estimate", .source = "Theorem 13", .kind = BoundKind::estimate},
      (1 - g.sines.array().square().mean()) * s.pca);
  list.push_back(
      compared({.name = "cpev", .source = "Theorem 12 (proof)", .kind = relative, .at_least = true},
               input.cpev, s.span_projected, s.pca, kVarianceRounding * s.pca));
}

void check(const BoundsInput& input) {
  const Index p = input.x.rows(), r = input.x.cols();
  if (r < 1) throw Error("loadings: there is no component");
  if (input.v.rows() != p || input.v.cols() != r)
    throw Error(fmt::format("basis: it is {} x {}, but the loadings are {} x {}", input.v.rows(),
                            input.v.cols(), p, r));
  if (input.singular_values.size() < r)
    throw Error(
        fmt::format("singular values: {} for {} components", input.singular_values.size(), r));
  const Matrix& rotation = input.truncated_from;
  if (input.origin == Origin::rotated_basis && (rotation.rows() != r || rotation.cols() != r))
    throw Error(fmt::format("rotation: it is {} x {} for {} components", rotation.rows(),
                            rotation.cols(), r));
  if (input.origin != Origin::other) spcart::check(input.truncation, p);
}

}  // namespace

std::string_view name(BoundKind value) { return name_in(kBoundKindNames, value); }

bool is_violated(const Bound& bound) {
  return bound.kind != BoundKind::estimate && bound.applies && !bound.holds;
}

std::vector<Bound> bounds(const BoundsInput& input) {
  check(input);
  const ThreadScope scope(threads_for(input.v.rows(), input.v.cols(), input.v.cols()));
  const Loadings x = normalized(input.x);
  const Matrix b = x.transpose() * input.v;
  const Matrix rotation =
      input.origin == Origin::rotated_basis ? input.truncated_from : polar(b).factor;
  const Geometry g = measure(x, input.v * rotation.transpose());
  const Guarantees guarantees = guarantees_of(input, g);
  std::vector<Bound> list;
  add_loadings(input, g, guarantees, list);
  add_pairs(input, g, guarantees, list);
  add_variances(input, g, guarantees, variances_of(input, g, b), list);
  return list;
}

}  // namespace spcart
