#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

constexpr TruncationType kTypes[] = {TruncationType::hard, TruncationType::soft,
                                     TruncationType::count, TruncationType::energy};

Result fit_itspca_to(const DataMatrix& a, Options options) {
  options.effort = Effort{Effort::Level::none};
  options.method = Method::itspca;
  return fit(a, options);
}

Matrix orthonormal_basis(const Matrix& x) {
  const Eigen::HouseholderQR<Matrix> qr(x);
  return qr.householderQ() * Matrix::Identity(x.rows(), x.cols());
}

/// The paper's iteration by Householder's QR. Its signs differ, which does not affect truncation.
TEST(Itspca, IsTheIterationThatItSays) {
  const Matrix m = verify::prepared(verify::decaying(60, 14, 31), {});
  const auto a = make_dense(m);
  const Index r = 3, iterations = 5;
  for (const TruncationType type : kTypes) {
    const Result result = fit_itspca_to(*a, {.components = r,
                                             .truncation = type,
                                             .tolerance = 0,
                                             .max_iterations = iterations,
                                             .order = Order::none});
    Truncator truncate(*result.truncation, 14);
    Matrix q = principal_basis(*a, r).vectors, x(14, r);
    for (Index iteration = 0; iteration < iterations; ++iteration) {
      x = (m.transpose() * (m * q)).colwise().normalized();
      for (Index i = 0; i < r; ++i) truncate({x.col(i).data(), 14}, {x.col(i).data(), 14});
      q = orthonormal_basis(x);
    }
    for (Index i = 0; i < r; ++i) {
      const Vector found = Matrix(result.loadings).col(i);
      EXPECT_NEAR(std::abs(found.dot(x.col(i).normalized())), 1, 1e-12);
      EXPECT_EQ((found.array() != 0).count(), (x.col(i).array() != 0).count());
    }
    EXPECT_NEAR(result.history.back().objective, 1 - result.criteria.cpev, 1e-12);
  }
}

TEST(Itspca, WithoutTruncationIsPca) {
  const auto a = make_dense(verify::decaying(60, 20, 32));
  const Matrix v = principal_basis(*a, 4).vectors;
  for (const TruncationType type : kTypes) {
    const Result result = fit_itspca_to(*a, {.components = 4, .truncation = type, .lambda = 0});
    EXPECT_LE((Matrix(result.loadings) - v).norm(), 1e-6);
  }
}

TEST(Itspca, KeepsCounts) {
  const auto a = make_dense(verify::decaying(60, 20, 33));
  const Result result = fit_itspca_to(*a, {.components = 4, .nonzeros = 5});
  EXPECT_EQ(result.criteria.nonzeros, std::vector<Index>(4, 5));
}

/// If supports are disjoint, the loadings are the orthonormal basis itself.
TEST(Itspca, FindsPlantedSubspaces) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Spiked spiked = make_spiked({.seed = seed});
    const Index r = spiked.truth.cols();
    const Result result = fit_itspca_to(
        *make_matrix(spiked.table), {.components = r, .nonzeros = spiked.truth.col(0).nonZeros()});
    auto truth = verify::supports(spiked.truth), found = verify::supports(result.loadings);
    std::ranges::sort(truth);
    std::ranges::sort(found);
    EXPECT_EQ(found, truth);
    const Matrix x(result.loadings);
    EXPECT_LE((x.transpose() * x - Matrix::Identity(r, r)).norm(), 1e-12);
    EXPECT_LE(verify::subspace_distance(Matrix(spiked.truth), x), 0.2);
  }
}

TEST(Itspca, TakesManyVariables) {
  const Matrix m = verify::prepared(verify::decaying(15, 40, 34), {});
  const auto wide = make_dense(m), covariance = make_covariance(m.transpose() * m);
  for (const TruncationType type : kTypes) {
    const Options options{.components = 3, .truncation = type};
    EXPECT_LE((Matrix(fit_itspca_to(*wide, options).loadings) -
               Matrix(fit_itspca_to(*covariance, options).loadings))
                  .norm(),
              1e-6);
  }
}

TEST(Itspca, LargeThresholdsLeaveNothing) {
  const auto a = make_dense(verify::decaying(30, 12, 35));
  for (const double lambda : {0.5, 0.8, 0.999})
    for (const TruncationType type : {TruncationType::hard, TruncationType::soft}) {
      const Matrix x(
          fit_itspca_to(*a, {.components = 3, .truncation = type, .lambda = lambda}).loadings);
      EXPECT_TRUE(x.allFinite());
      EXPECT_TRUE(lambda < 0.9 || x.isZero(0));
    }
}

/// The first two components have their largest entry in the same variable: with one variable each
/// they are the same, and the second is dropped.
TEST(Itspca, DropsWhatAddsNothing) {
  Matrix v(3, 3);
  v << std::sqrt(0.5), std::sqrt(0.5), 0, 0.5, -0.5, std::sqrt(0.5), 0.5, -0.5, -std::sqrt(0.5);
  const Matrix c = v * Eigen::Vector3d(3, 2, 1).asDiagonal() * v.transpose();
  const Result result = fit_itspca_to(*make_covariance(c), {.components = 3, .nonzeros = 1});
  EXPECT_EQ(result.criteria.nonzeros, (std::vector<Index>{1, 1, 0}));
  EXPECT_EQ(result.criteria.nonorthogonality, 0);
}

}  // namespace
}  // namespace spcart
