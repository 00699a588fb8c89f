#include "proof/upper_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "enumeration.hpp"
#include "proof/certified.hpp"
#include "real_data.hpp"

namespace spcart {
namespace {

using enumeration::best_block;
using enumeration::best_disjoint;
using enumeration::largest;
using enumeration::random_symmetric;

constexpr double kRounding = 1e-12;

std::vector<Index> each(Index r, Index k) {
  return std::vector<Index>(static_cast<std::size_t>(r), k);
}

/// Correlations of a data set.
Matrix pitprops() { return make_matrix(load_dataset("@pitprops"))->gram(); }

/// tr(P S) for the projection on the span of X.
double explained(const Matrix& s, const Matrix& x) {
  const Matrix q =
      Eigen::HouseholderQR<Matrix>(x).householderQ() * Matrix::Identity(x.rows(), x.cols());
  return (q.transpose() * s * q).trace();
}

TEST(UpperBounds, NoComponentExceedsThoseForOne) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Index p = 2 + static_cast<Index>(seed % 8),
                k = 1 + static_cast<Index>(seed % std::min<Index>(p, 5));
    const Matrix s = random_symmetric(p, seed);
    const double best = best_block(s, k), room = kRounding * s.norm();
    EXPECT_GE(leader_bound(s, k), best - room) << seed;
    EXPECT_GE(trace_frobenius_bound(s, k), best - room) << seed;
    const double soft = soft_bound(s, 1, static_cast<double>(k)).value;
    EXPECT_GE(soft, best - room) << seed;
    EXPECT_LE(soft, largest(s, 1) + 1e-9 * s.norm()) << "never above PCA's, seed " << seed;
    const double dual = dual_bound(s, {k}, {.iterations = 120});
    EXPECT_GE(dual, best - room) << seed;
    EXPECT_LE(dual, soft) << seed;
  }
}

TEST(UpperBounds, OneVariableAndAllVariables) {
  const Matrix s = pitprops();
  EXPECT_NEAR(leader_bound(s, 1), 1, 1e-12);
  EXPECT_NEAR(trace_frobenius_bound(s, 1), 1, 1e-6);
  EXPECT_NEAR(dual_bound(s, {13}), largest(s, 1), 1e-8);
}

TEST(UpperBounds, NoDisjointComponentsExceedTheirs) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Index p = 6 + static_cast<Index>(seed % 3), k = 1 + static_cast<Index>(seed % 3);
    const Index r = k == 3 ? 2 : 3;
    Matrix s = random_symmetric(p, seed);
    if (seed % 3 == 2) s += 4 * Matrix::Identity(p, p);
    const double best = best_disjoint(s, r, k), room = kRounding * s.norm();
    const auto nonzeros = each(r, k);
    for (const auto components : {ComponentClass::disjoint, ComponentClass::orthogonal}) {
      EXPECT_GE(dual_bound(s, nonzeros, {.components = components, .iterations = 120}), best - room)
          << seed;
      EXPECT_GE(soft_bound(s, r, soft_weight(nonzeros, components)).value, best - room) << seed;
    }
    EXPECT_GE(lagrangian_bound(s, nonzeros, {.rounds = 6}), best - room) << seed;
  }
}

/// Sparse components that are as oblique as it happens.
Matrix random_components(Index p, Index r, Index k, std::uint64_t seed) {
  Matrix x = Matrix::Zero(p, r);
  for (Index t = 0; t < r; ++t) {
    const std::vector<Index> order =
        Random(seed * 31 + static_cast<std::uint64_t>(t)).permutation(p);
    const Vector values = verify::random_matrix(k, 1, seed * 17 + static_cast<std::uint64_t>(t));
    for (Index i = 0; i < k; ++i) x(order[static_cast<std::size_t>(i)], t) = values[i];
    x.col(t).normalize();
  }
  return x;
}

TEST(UpperBounds, NoUnionOfSupportsExceedsItsBound) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Index p = 8, k = 1 + static_cast<Index>(seed % 3), r = 2;
    Matrix s = random_symmetric(p, seed);
    if (seed % 3 == 2) s += 4 * Matrix::Identity(p, p);
    const auto nonzeros = each(r, k);
    const double best = best_block(s, r * k, r), room = kRounding * s.norm();
    const double weight = soft_weight(nonzeros, ComponentClass::any);
    EXPECT_GE(soft_bound(s, r, weight).value, best - room) << seed;
    EXPECT_GE(dual_bound(s, nonzeros, {.components = ComponentClass::any, .iterations = 120}),
              best - room)
        << seed;
  }
}

TEST(UpperBounds, NoObliqueComponentsExceedTheirs) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Index p = 9, r = 2 + static_cast<Index>(seed % 2), k = 2 + static_cast<Index>(seed % 2);
    const Matrix a = verify::random_matrix(6, p, seed);
    const Matrix s = a.transpose() * a;
    const Matrix x = random_components(p, r, k, seed);
    const Obliqueness oblique = obliqueness_of(x.sparseView()).value();
    const double here = explained(s, x), room = kRounding * s.norm();
    EXPECT_GE(oblique.soft_weight, static_cast<double>(r * k) * (1 - 1e-12));
    EXPECT_GE(oblique.factor, 1 - 1e-12);
    EXPECT_GE(soft_bound(s, r, oblique.soft_weight).value, here - room) << seed;
    EXPECT_GE(dual_bound(s, each(r, k), {.obliqueness = oblique.factor, .iterations = 60}),
              here - room)
        << seed;
  }
}

TEST(UpperBounds, PartOfALargerMatrixHoldsForAllOfIt) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Index p = 9, part = 4, k = 2, r = 2;
    Matrix a = verify::random_matrix(7, p, seed);
    a.rightCols(p - part) *= 0.4;
    const Matrix s = a.transpose() * a;
    const double outside = s.rightCols(p - part).cwiseAbs().maxCoeff();
    const Matrix inside = s.topLeftCorner(part, part);
    const double best = best_disjoint(s, r, k), room = kRounding * s.norm();
    EXPECT_GE(
        soft_bound(inside, r, static_cast<double>(r * k), {.others = p - part, .outside = outside})
            .value,
        best - room);
    for (const auto components : {ComponentClass::orthogonal, ComponentClass::disjoint})
      EXPECT_GE(dual_bound(inside, each(r, k),
                           {.components = components,
                            .others = p - part,
                            .outside = outside,
                            .iterations = 120}),
                best - room)
          << seed;
  }
}

struct Known {
  Index r, k;
  double lagrangian, orthogonal, disjoint, soft;
};

void expect_as_low(const Matrix& s, const Known& known) {
  const double total = s.trace(), room = 1e-3;
  const auto nonzeros = each(known.r, known.k);
  EXPECT_LE(soft_bound(s, known.r, soft_weight(nonzeros, ComponentClass::orthogonal)).value / total,
            known.soft + room);
  EXPECT_LE(dual_bound(s, nonzeros) / total, known.orthogonal + room);
  EXPECT_LE(dual_bound(s, nonzeros, {.components = ComponentClass::disjoint}) / total,
            known.disjoint + room);
  EXPECT_LE(lagrangian_bound(s, nonzeros) / total, known.lagrangian + room);
}

TEST(UpperBounds, AreAsLowAsKnownOnPitprops) {
  for (const Known& known : {Known{2, 5, .4513, .4621, .4446, .4788},
                             {3, 5, .6114, .6274, .5979, .6432},
                             {6, 3, .8415, .8487, .8089, .8700}})
    expect_as_low(pitprops(), known);
}

class UpperBoundsOnRealData : public testing::RealData {};

TEST_F(UpperBoundsOnRealData, AreAsLowAsKnownOnWine) {
  const Matrix s =
      make_matrix(read_table(path_of("covariances/wine_13.npy"), {.covariance = true}))->gram();
  for (const Known& known :
       {Known{2, 5, .4612, .4719, .4565, .4883}, {3, 5, .6271, .6402, .6125, .6537}})
    expect_as_low(s, known);
}

}  // namespace
}  // namespace spcart
