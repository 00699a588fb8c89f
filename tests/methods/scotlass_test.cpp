#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "enumeration.hpp"
#include "methods/shrink.hpp"
#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

Result fit_scotlass_to(const DataMatrix& a, Index components, double bound) {
  return fit(a, {.method = Method::scotlass,
                 .components = components,
                 .lambda = bound,
                 .tolerance = 1e-7,
                 .max_iterations = 2000,
                 .order = Order::none});
}

Vector shrunk(const Shrink& shrink, const Vector& z) {
  Vector x;
  shrink(0, z, x);
  return x;
}

/// |S(z - Q v, t)| + bound t is at least z'x for every feasible x: where they meet, both are best.
TEST(Scotlass, OrthogonalBoundIsBest) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Index p = 8 + static_cast<Index>(seed % 5), r = 1 + static_cast<Index>(seed % 3);
    const Vector z = verify::random_matrix(p, 1, seed);
    const Matrix q = verify::random_orthonormal(p, r, seed + 100);
    for (const double bound : {1.8, 2.2, 2.6}) {
      const Vector x = shrunk(orthogonal_l1_bound(bound, q), z);
      EXPECT_NEAR(x.norm(), 1, 1e-12);
      EXPECT_LE((q.transpose() * x).norm(), 1e-9);
      if (x.lpNorm<1>() > bound * (1 + 1e-9)) continue;  // nothing is within the bound
      for (std::uint64_t other = 0; other < 200; ++other) {
        Vector y = verify::random_matrix(p, 1, 1000 * seed + other) + 3 * x;
        y -= q * (q.transpose() * y);
        y.normalize();
        const double shorter = bound / y.lpNorm<1>();
        y *= std::min(shorter, 1.0);
        EXPECT_LE(z.dot(y), z.dot(x) + 1e-9);
      }
    }
  }
}

TEST(Scotlass, WithoutOthersItIsTheBoundOfSpc) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Vector z = verify::random_matrix(15, 1, seed);
    for (const double bound : {1.0, 1.3, 2.0, 3.0, 3.8})
      EXPECT_LE((shrunk(orthogonal_l1_bound(bound, Matrix(15, 0)), z) - shrunk(l1_bound(bound), z))
                    .norm(),
                1e-8);
  }
}

TEST(Scotlass, LoadingsAreOrthogonalAndWithinTheBound) {
  const auto a = make_dense(verify::decaying(60, 20, 5));
  for (const double bound : {1.5, 2.0, 3.0}) {
    const Result result = fit_scotlass_to(*a, 4, bound);
    const Matrix x(result.loadings);
    EXPECT_LE((x.transpose() * x - Matrix::Identity(4, 4)).norm(), 1e-8);
    for (Index i = 0; i < 4; ++i) EXPECT_LE(x.col(i).lpNorm<1>(), bound * (1 + 1e-6));
  }
}

TEST(Scotlass, AtTheLargestBoundItIsPca) {
  const auto a = make_dense(verify::decaying(60, 12, 6));
  const Basis basis = principal_basis(*a, 3);
  const Matrix x(fit_scotlass_to(*a, 3, std::sqrt(12)).loadings);
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(std::abs(x.col(i).dot(basis.vectors.col(i))), 1, 1e-6);
}

TEST(Scotlass, AtTheSmallestBoundItIsTheVariableOfLargestVariance) {
  const auto a = make_dense(verify::decaying(60, 12, 7));
  const Matrix x(fit_scotlass_to(*a, 3, 1).loadings);
  Index j = 0;
  a->column_squared_norms().maxCoeff(&j);
  EXPECT_NEAR(std::abs(x(j, 0)), 1, 1e-9);
  EXPECT_EQ(fit_scotlass_to(*a, 3, 1).criteria.nonzeros, std::vector<Index>(3, 1));
}

/// The principal component of what is left lies between variables: it is not within the bound.
TEST(Scotlass, AtTheSmallestBoundEveryComponentIsAVariable) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Result result = fit_scotlass_to(*a, 13, 1);
  EXPECT_EQ(result.criteria.nonzeros, std::vector<Index>(13, 1));
  EXPECT_EQ(result.warnings, std::vector<std::string>{});
}

/// A bound with hardly any room: what exceeds it by rounding is not worth a warning.
TEST(Scotlass, DoesNotWarnOfRounding) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Result result = fit(*a, {.method = Method::scotlass, .components = 3, .lambda = 1.00001});
  for (const std::string& warning : result.warnings)
    EXPECT_EQ(warning.find("l1 norm"), std::string::npos) << warning;
}

/// Three variables: the sphere in small steps.
TEST(Scotlass, FirstComponentIsGlobal) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix m = verify::prepared(verify::decaying(20, 3, seed), {});
    const Matrix c = m.transpose() * m;
    for (const double bound : {1.1, 1.3, 1.5}) {
      const Vector x = Matrix(fit_scotlass_to(*make_covariance(c), 1, bound).loadings).col(0);
      double most = 0;
      for (double u = 0; u < M_PI; u += 0.01)
        for (double v = -M_PI; v < M_PI; v += 0.01) {
          const Eigen::Vector3d y(std::cos(u), std::sin(u) * std::cos(v),
                                  std::sin(u) * std::sin(v));
          if (y.lpNorm<1>() <= bound) most = std::max(most, y.dot(c * y));
        }
      EXPECT_GE(x.dot(c * x), most * (1 - 1e-9));
    }
  }
}

/// A unit vector of k nonzeros has an l1 norm of at most sqrt(k): the best of them is within the
/// bound.
TEST(Scotlass, ReachesTheOptimaOfPitprops) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Matrix c = a->gram();
  const std::vector<double> optima = {1,     1.954, 2.475, 2.937, 3.406, 3.771, 3.996,
                                      4.069, 4.139, 4.173, 4.208, 4.218, 4.219};
  for (int k = 1; k <= 13; ++k) {
    const Vector x = Matrix(fit_scotlass_to(*a, 1, std::sqrt(k)).loadings).col(0);
    EXPECT_GE(x.dot(c * x), optima[static_cast<std::size_t>(k - 1)] - 0.5e-3) << k;
  }
}

/// The loadings of SCoTLASS in Table 2 of Zou, Hastie and Tibshirani (2006): their variances are
/// those printed there, and their first one is within the bound 2.277.
TEST(PaperTables, ScotlassOnPitpropsIsAtLeastAsGood) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Matrix c = a->gram();
  Matrix published(13, 6);
  published << .546, .047, -.087, .066, -.046, 0,  //
      .568, 0, -.076, .117, -.081, 0,              //
      0, .641, -.187, -.127, .009, .017,           //
      0, .641, 0, -.139, 0, 0,                     //
      0, 0, .457, 0, -.614, -.562,                 //
      0, .356, .348, 0, 0, -.045,                  //
      .279, 0, .325, 0, 0, 0,                      //
      .132, -.007, 0, -.589, 0, 0,                 //
      .376, 0, 0, 0, 0, .065,                      //
      .376, -.065, 0, -.067, .189, -.065,          //
      0, 0, 0, 0, -.659, .725,                     //
      0, .206, 0, .771, .040, .003,                //
      0, 0, -.718, .013, -.379, -.384;
  const std::vector<double> printed = {27.2, 16.4, 14.8, 9.4, 7.1, 7.9};
  for (Index i = 0; i < 6; ++i) {
    const Vector x = published.col(i).normalized();
    EXPECT_NEAR(100 * x.dot(c * x) / 13, printed[static_cast<std::size_t>(i)], 0.05);
  }
  const double bound = published.col(0).lpNorm<1>() / published.col(0).norm();
  EXPECT_NEAR(bound, 2.278, 1e-3);
  const Vector x = Matrix(fit_scotlass_to(*a, 1, bound).loadings).col(0);
  const Vector theirs = published.col(0).normalized();
  EXPECT_GE(x.dot(c * x), theirs.dot(c * theirs));
  EXPECT_NEAR(std::abs(x.dot(theirs)), 1, 0.01);
  EXPECT_EQ((x.array() != 0).count(), 6);

  const double longest = published.cwiseAbs().colwise().sum().maxCoeff();
  EXPECT_GE(
      fit_scotlass_to(*a, 6, longest).criteria.cpev,
      verify::figures(Eigen::SelfAdjointEigenSolver<Matrix>(c).operatorSqrt(), published).cpev);
}

TEST(Scotlass, TakesTargets) {
  const auto a = make_dense(verify::decaying(80, 25, 8));
  const Result result = fit(*a, {.method = Method::scotlass,
                                 .components = 3,
                                 .nonzeros = 6,
                                 .effort = Effort{Effort::Level::none}});
  ASSERT_TRUE(result.target);
  EXPECT_NEAR(result.target->found, 6, 1);
  const Result kept = fit(*a, {.method = Method::scotlass,
                               .components = 3,
                               .keep = 0.8,
                               .effort = Effort{Effort::Level::none}});
  EXPECT_GE(kept.criteria.share_of_pca(), 0.8 - 1e-9);
}

TEST(Scotlass, SaysSoIfNothingIsWithinTheBound) {
  const Matrix m = verify::random_matrix(40, 3, 9);
  Matrix dense = m * verify::random_orthonormal(3, 3, 10);
  const Result result = fit_scotlass_to(*make_dense(dense), 3, 1.05);
  const Matrix x(result.loadings);
  EXPECT_LE((x.transpose() * x - Matrix::Identity(3, 3)).cwiseAbs().maxCoeff(), 1e-6);
  for (Index i = 0; i < 3; ++i)
    if (x.col(i).lpNorm<1>() > 1.05 * (1 + 1e-6)) {
      EXPECT_FALSE(result.warnings.empty());
    }
}

}  // namespace
}  // namespace spcart
