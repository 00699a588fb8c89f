#include "linalg/thin_products.hpp"

#include <gtest/gtest.h>

#include "data/stored/gram_product.hpp"
#include "every_simd.hpp"

namespace spcart {
namespace {

template <class Real>
class SkinnyTest : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(SkinnyTest, Reals);

template <class Real>
constexpr double kRounding = sizeof(Real) == sizeof(double) ? 1e-13 : 1e-4;

/// Part of a larger matrix, so that samples are not contiguous.
template <class Real>
struct Sample {
  Eigen::MatrixX<Real> whole;
  Index variables;
  auto panel() const { return whole.topRows(variables); }
  SkinnyPanel<Real> view() const { return {whole.data(), whole.rows(), variables, whole.cols()}; }
};
template <class Real>
Sample<Real> sample(Index variables, Index samples) {
  return {Eigen::MatrixX<Real>::Random(variables + 5, samples), variables};
}

TYPED_TEST(SkinnyTest, EqualsPlainProductsForEveryWidthAndShape) {
  using Real = TypeParam;
  for (const Simd simd : every_simd())
    for (const Index vectors : {1, 4, 5, 8, 9, 16, 17, 31, 50})
      for (const auto& [variables, samples] :
           {std::pair<Index, Index>{1, 1}, {3, 7}, {512, 8}, {513, 9}, {1300, 13}}) {
        const Index width = skinny_width<Real>(vectors);
        const Sample<Real> s = sample<Real>(variables, samples);
        Eigen::MatrixX<Real> x = Eigen::MatrixX<Real>::Random(width, variables),
                             t = Eigen::MatrixX<Real>::Zero(width, samples), y = x;
        skinny_add_adjoint(s.view(), x.data(), width, t.data(), simd);
        const Matrix panel = s.panel().template cast<double>();
        const Matrix expected_t = x.template cast<double>() * panel;
        EXPECT_LT((t.template cast<double>() - expected_t).norm(),
                  kRounding<Real> * (1 + expected_t.norm()));
        const Matrix expected_y =
            x.template cast<double>() + t.template cast<double>() * panel.transpose();
        skinny_add_times(s.view(), t.data(), width, y.data(), simd);
        EXPECT_LT((y.template cast<double>() - expected_y).norm(),
                  kRounding<Real> * expected_y.norm());
      }
}

TYPED_TEST(SkinnyTest, GramProductSumsPanelsWithTheirCorrections) {
  using Real = TypeParam;
  constexpr Index kVariables = 700, kVectors = 6;
  const Eigen::MatrixX<Real> x = Eigen::MatrixX<Real>::Random(kVariables, kVectors);
  for (const Index threads : {1, 3}) {
    const ThreadScope scope(threads);
    GramProduct<Real> product(x, threads);
    Matrix expected = Matrix::Zero(kVariables, kVectors);
    for (const auto& [samples, by_sample] :
         {std::pair<Index, bool>{3000, true}, {65, true}, {2000, false}, {1, false}}) {
      const Sample<Real> s =
          by_sample ? sample<Real>(kVariables, samples) : sample<Real>(samples, kVariables);
      const Vector ramp = Vector::LinSpaced(samples, -1, 1);
      const auto& t = product.add(s.view(), by_sample, [&](Index first, auto&& part) {
        part.row(0) += ramp.segment(first, part.cols()).transpose().template cast<Real>();
      });
      Matrix panel = s.panel().template cast<double>();
      if (!by_sample) panel.transposeInPlace();
      Matrix products = panel.transpose() * x.template cast<double>();
      products.col(0) += ramp;
      EXPECT_LT((t.topRows(kVectors).transpose().template cast<double>() - products).norm(),
                kRounding<Real> * products.norm());
      expected += panel * products;
    }
    Matrix y(kVariables, kVectors);
    product.finish(y);
    EXPECT_LT((y - expected).norm(), kRounding<Real> * expected.norm());
  }
}

}  // namespace
}  // namespace spcart
