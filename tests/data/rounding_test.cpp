#include "data/rounding.hpp"

#include <gtest/gtest.h>

#include "verify.hpp"

namespace spcart {
namespace {

/// tr(P E) <= |P|_F |E|_F: what is claimed of E, the error of A'A, for projections of rank one.
void expect_within(const Matrix& data, const DataMatrix& a) {
  const Matrix exact = verify::prepared(data, a.preparation());
  const double error = (a.gram() - exact.transpose() * exact).norm() / a.squared_norm();
  EXPECT_LE(error, moments_rounding(a));
}

TEST(MomentsRounding, IsNotExceeded) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Matrix data = verify::decaying(400, 15, seed);
    expect_within(data, *make_dense(data));
    expect_within(data, *make_dense(data, {.scale = true}));
    const auto single = make_dense(data, {.precision = Precision::single});
    expect_within(data, *single);
    EXPECT_GT(moments_rounding(*single), 1e-7);
  }
}

TEST(MomentsRounding, OfACovarianceMatrixIsNone) {
  EXPECT_EQ(moments_rounding(*make_covariance(Matrix::Identity(3, 3))), 0);
}

/// Centring subtracts, and what is lost grows with the means.
TEST(MomentsRounding, OfASparseTableGrowsWithItsMeans) {
  Matrix data = verify::random_matrix(200, 8, 3);
  data = (data.array() > 0.5).select(data, 0.0);
  const auto rounding = [&](double mean) {
    Matrix shifted = data;
    shifted.col(0).array() += mean;
    const Eigen::SparseMatrix<double> sparse = shifted.sparseView();
    return moments_rounding(*make_sparse(view_of(sparse)));
  };
  EXPECT_GT(rounding(1e6), 1e6 * rounding(1));
}

}  // namespace
}  // namespace spcart
