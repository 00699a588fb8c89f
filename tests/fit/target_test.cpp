#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "spcart/names.hpp"

namespace spcart {
namespace {

constexpr Index kComponents = 6, kVariables = 13;

struct Scanned {
  Index nonzeros;
  double share;
};

/// The results at every lambda of a fine grid.
std::vector<Scanned> scan(const DataMatrix& a, const Basis& basis, TruncationType type) {
  std::vector<Scanned> all;
  const bool count = type == TruncationType::count;
  const int steps = count ? static_cast<int>(kVariables) : 1000;
  for (int k = 0; k < steps; ++k) {
    const double lambda = count ? k : static_cast<double>(k) / steps;
    const Result result =
        fit(a, basis, {.components = kComponents, .truncation = type, .lambda = lambda});
    all.push_back({result.loadings.nonZeros(), result.criteria.share_of_pca()});
  }
  return all;
}

class TargetTest : public ::testing::TestWithParam<TruncationType> {
 protected:
  const std::unique_ptr<DataMatrix> a = make_matrix(load_dataset("pitprops"));
  const Basis basis = principal_basis(*a, kComponents);
  const std::vector<Scanned> all = scan(*a, basis, GetParam());
};

TEST_P(TargetTest, NonzerosAreAsNearAsAnyLambdaBrings) {
  for (Index k = 1; k <= kVariables; ++k) {
    const Result result = fit(*a, basis,
                              {.components = kComponents,
                               .truncation = GetParam(),
                               .nonzeros = k,
                               .effort = Effort{Effort::Level::none}});
    const auto distance = [&](Index nonzeros) { return std::abs(nonzeros - k * kComponents); };
    const Index nearest = distance(
        std::ranges::min(all, {}, [&](const Scanned& s) { return distance(s.nonzeros); }).nonzeros);
    EXPECT_LE(distance(result.loadings.nonZeros()), nearest) << k;
    ASSERT_TRUE(result.target);
    EXPECT_EQ(result.target->option, "nonzeros");
    EXPECT_EQ(result.target->exact, distance(result.loadings.nonZeros()) == 0);
    const bool warned = std::ranges::any_of(
        result.warnings, [](const std::string& text) { return text.starts_with("nonzeros"); });
    EXPECT_EQ(warned, !result.target->exact) << k;
    EXPECT_DOUBLE_EQ(result.target->found, static_cast<double>(result.loadings.nonZeros()) / 6);
  }
}

TEST_P(TargetTest, SparsityIsAsNearAsAnyLambdaBrings) {
  for (const double sparsity : {0.0, 0.3, 0.5, 0.7, 0.77, 0.85, 0.9, 0.95}) {
    const Result result = fit(*a, basis,
                              {.components = kComponents,
                               .truncation = GetParam(),
                               .sparsity = sparsity,
                               .effort = Effort{Effort::Level::none}});
    const auto distance = [&](Index nonzeros) {
      return std::abs(1 - static_cast<double>(nonzeros) / (kComponents * kVariables) - sparsity);
    };
    const double nearest = distance(
        std::ranges::min(all, {}, [&](const Scanned& s) { return distance(s.nonzeros); }).nonzeros);
    EXPECT_LE(distance(result.loadings.nonZeros()), nearest + 1e-12) << sparsity;
    EXPECT_DOUBLE_EQ(result.target->found, result.criteria.sparsity.mean);
  }
}

TEST_P(TargetTest, KeepsWithAsFewNonzerosAsAnyLambda) {
  for (const double keep : {0.5, 0.8, 0.9, 0.95, 0.99, 1.0}) {
    const Result result = fit(*a, basis,
                              {.components = kComponents,
                               .truncation = GetParam(),
                               .keep = keep,
                               .effort = Effort{Effort::Level::none}});
    Index fewest = kComponents * kVariables;
    for (const Scanned& s : all)
      if (s.share >= keep - 1e-12) fewest = std::min(fewest, s.nonzeros);
    EXPECT_GE(result.criteria.share_of_pca(), keep - 1e-9) << keep;
    EXPECT_LE(result.loadings.nonZeros(), fewest) << keep;
    EXPECT_TRUE(result.target->exact);
  }
}

std::string type_name(const ::testing::TestParamInfo<TruncationType>& info) {
  return std::string(name(info.param));
}

INSTANTIATE_TEST_SUITE_P(Types, TargetTest,
                         ::testing::Values(TruncationType::hard, TruncationType::soft,
                                           TruncationType::count, TruncationType::energy),
                         type_name);

TEST(Target, KeepCountsWhatRefitGains) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Options plain{
      .components = kComponents, .keep = 0.93, .effort = Effort{Effort::Level::none}};
  Options refitted = plain;
  refitted.refit = 5;
  const Result one = fit(*a, plain), other = fit(*a, refitted);
  EXPECT_GE(other.criteria.share_of_pca(), 0.93 - 1e-9);
  EXPECT_LE(other.loadings.nonZeros(), one.loadings.nonZeros());
}

TEST(Target, WorksForOtherMethods) {
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const Method method : {Method::st, Method::rsvd_gp, Method::gpower, Method::spca}) {
    const Result result = fit(*a, {.method = method,
                                   .components = 3,
                                   .sparsity = 0.7,
                                   .effort = Effort{Effort::Level::none}});
    EXPECT_NEAR(result.criteria.sparsity.mean, 0.7, 0.06) << name(method);
  }
}

TEST(Target, VarianceTakesTheFewestComponents) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Basis basis = principal_basis(*a, kVariables);
  double explained = 0;
  for (Index r = 1; r <= kVariables; ++r) {
    explained += std::pow(basis.singular_values[r - 1], 2) / basis.total_variance;
    const Result enough = fit(*a, {.variance = explained - 1e-6});
    EXPECT_EQ(enough.loadings.cols(), r);
    EXPECT_EQ(enough.options.components, r);
    EXPECT_EQ(fit(*a, basis, {.variance = explained - 1e-6}).loadings.cols(), r);
  }
  EXPECT_EQ(fit(*a, {.variance = 1.0}).loadings.cols(), kVariables);
}

TEST(Restarts, KeepTheBestOfAllStarts) {
  const auto a = make_matrix(load_dataset("pitprops"));
  Options options{.components = kComponents, .restarts = 10, .seed = 3};
  const Result by_objective = fit(*a, options);
  ASSERT_TRUE(by_objective.restarts);
  const Restarts& restarts = *by_objective.restarts;
  ASSERT_EQ(restarts.objectives.size(), 11);
  EXPECT_EQ(restarts.objectives[static_cast<std::size_t>(restarts.best)],
            std::ranges::min(restarts.objectives));
  EXPECT_EQ(by_objective.history.back().objective, std::ranges::min(restarts.objectives));
  EXPECT_NEAR(by_objective.criteria.cpev, restarts.cpev[static_cast<std::size_t>(restarts.best)],
              1e-12);
  EXPECT_EQ(restarts.objectives.front(),
            fit(*a, {.components = kComponents}).history.back().objective);

  options.best_by = BestBy::cpev;
  const Result by_cpev = fit(*a, options);
  EXPECT_NEAR(by_cpev.criteria.cpev, std::ranges::max(restarts.cpev), 1e-12);
}

TEST(Restarts, DependOnTheSeedButNotOnTheThreads) {
  const auto a = make_matrix(load_dataset("synthetic"));
  Options options{.components = 2, .restarts = 5, .seed = 7, .threads = 1};
  const Result one = fit(*a, options);
  options.threads = 3;
  const Result three = fit(*a, options);
  EXPECT_EQ(one.restarts->best, three.restarts->best);
  for (std::size_t k = 0; k < one.restarts->objectives.size(); ++k)
    EXPECT_NEAR(one.restarts->objectives[k], three.restarts->objectives[k], 1e-9);
  options.seed = 8;
  EXPECT_NE(fit(*a, options).restarts->objectives[1], one.restarts->objectives[1]);
}

}  // namespace
}  // namespace spcart
