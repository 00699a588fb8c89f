#include "methods/optimality.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/indices.hpp"
#include "enumeration.hpp"
#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "spcart/threads.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

/// Variables whose standard deviations fall by this factor.
std::unique_ptr<DataMatrix> falling(Index n, Index p, double factor, std::uint64_t seed) {
  Matrix m = verify::random_matrix(n, p, seed);
  for (Index j = 0; j < p; ++j) m.col(j) *= std::pow(factor, static_cast<double>(j));
  return make_dense(m);
}

/// Every support of every size: whatever is proved is right.
TEST(Optimality, NeverClaimsWhatBruteForceRefutes) {
  const ThreadScope scope(1);
  int proved = 0, optimal = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Index p = 5 + static_cast<Index>(seed % 3);
    const auto a = falling(6 + static_cast<Index>(seed % 7), p, seed % 2 == 0 ? 1 : 0.8, seed);
    const Gram gram(*a);
    const Matrix s = gram.columns(indices_of_largest(gram.diagonal(), p));
    std::vector<double> best(static_cast<std::size_t>(p) + 1, 0);
    for (int k = 1; k <= p; ++k) best[static_cast<std::size_t>(k)] = enumeration::best_block(s, k);
    for (unsigned set = 1; set < 1U << p; ++set) {
      const Variables support = enumeration::variables_of(set);
      const Matrix part = s(support, support);
      const Eigen::SelfAdjointEigenSolver<Matrix> e(part);
      const double variance = e.eigenvalues().maxCoeff(),
                   most = best[static_cast<std::size_t>(std::popcount(set))];
      const Vector reach = s(Eigen::all, support) * e.eigenvectors().rightCols(1);
      const bool is_best = variance >= most * (1 - 1e-7);
      const bool claimed = is_proved_optimal(gram, support, reach, variance);
      EXPECT_FALSE(claimed && !is_best) << seed << " " << set;
      proved += claimed ? 1 : 0;
      optimal += is_best ? 1 : 0;
    }
  }
  EXPECT_GT(proved, optimal / 3);
  EXPECT_LE(proved, optimal);
}

Result fit_and_prove(const DataMatrix& a, Method method, Index components, Index nonzeros,
                     Effort::Level effort = Effort::Level::none) {
  return fit(
      a,
      {.method = method, .components = components, .nonzeros = nonzeros, .effort = Effort{effort}});
}

TEST(Optimality, IsReportedForComponentsAsTheyAreOrdered) {
  const auto a = falling(200, 30, 0.6, 1);
  for (const Method method : {Method::pathspca, Method::greedy}) {
    EXPECT_EQ(fit_and_prove(*a, method, 1, 3).optimal, std::vector<Index>{0});
    const Result ordered = fit_and_prove(*a, method, 6, 3);
    const Result own = fit(*a, {.method = method,
                                .components = 6,
                                .nonzeros = 3,
                                .effort = Effort{Effort::Level::none},
                                .order = Order::none});
    const Matrix x(ordered.loadings), y(own.loadings);
    EXPECT_GE(own.optimal.size(), 3U);
    ASSERT_EQ(ordered.optimal.size(), own.optimal.size());
    for (const Index i : ordered.optimal)
      EXPECT_NEAR((y(Eigen::all, own.optimal).transpose() * x.col(i)).cwiseAbs().maxCoeff(), 1,
                  1e-9);
  }
  EXPECT_TRUE(fit_and_prove(*a, Method::tpower, 1, 3).optimal.empty());
}

TEST(Optimality, IsNotClaimedForWhatChangedLater) {
  const auto a = make_dense(verify::decaying(60, 20, 2));
  const Result before = fit_and_prove(*a, Method::pathspca, 4, 5);
  const Result after = fit_and_prove(*a, Method::pathspca, 4, 5, Effort::Level::normal);
  const Matrix x(before.loadings), y(after.loadings);
  for (const Index i : after.optimal)
    EXPECT_NEAR((x.transpose() * y.col(i)).cwiseAbs().maxCoeff(), 1, 1e-9);
}

TEST(Optimality, OnPitpropsForManyVariablesOnly) {
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const Index k : {11, 12, 13})
    EXPECT_EQ(fit_and_prove(*a, Method::pathspca, 1, k).optimal, std::vector<Index>{0}) << k;
  for (const Index k : {3, 5, 8})
    EXPECT_TRUE(fit_and_prove(*a, Method::pathspca, 1, k).optimal.empty()) << k;
}

TEST(Optimality, OfAWideTableFormsOnlyWhatMatters) {
  const auto a = falling(20, 150, 0.9, 3);
  EXPECT_EQ(fit_and_prove(*a, Method::pathspca, 1, 3).optimal, std::vector<Index>{0});
}

}  // namespace
}  // namespace spcart
