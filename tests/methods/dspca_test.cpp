#include "methods/dspca.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "enumeration.hpp"
#include "methods/elimination.hpp"
#include "real_data.hpp"
#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "spcart/threads.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

constexpr RelaxationOptions kAccurate = {.tolerance = 1e-7, .max_iterations = 5000};

Matrix random_covariance(Index n, Index p, std::uint64_t seed) {
  const Matrix m = verify::prepared(verify::decaying(n, p, seed), {});
  return m.transpose() * m / static_cast<double>(n);
}

/// min over rho of the penalised value + k rho, which is convex, by golden section: the value of
/// max tr(SX), tr X = 1, |X|_1 <= k, X >= 0.
double value_at_cardinality(const Matrix& s, int k) {
  const auto value = [&](double rho) {
    return solve_relaxation(s, rho, kAccurate).bound + k * rho;
  };
  const double ratio = (std::sqrt(5) - 1) / 2;
  double low = 0, high = s.diagonal().maxCoeff();
  double left = high - ratio * (high - low), right = low + ratio * (high - low);
  double at_left = value(left), at_right = value(right);
  while (high - low > 1e-5) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = value(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = value(right);
    }
  }
  return std::min(at_left, at_right);
}

/// The gaps of this relaxation that are published for Pitprops, in percent of the optimum.
TEST(PaperTables, DspcaRelaxationOnPitprops) {
  const ThreadScope scope(1);
  const Matrix s = make_matrix(load_dataset("pitprops"))->gram();
  const std::vector<double> published = {2.71, 1.53, 1.13, .89, 1.87, 1.63, 1.10};
  for (int k = 4; k <= 10; ++k) {
    const double gap = 100 * (value_at_cardinality(s, k) / enumeration::best_block(s, k) - 1);
    EXPECT_NEAR(gap, published[static_cast<std::size_t>(k - 4)], 0.006) << k;
  }
}

TEST(Dspca, RelaxationIsSolved) {
  const ThreadScope scope(1);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix s = random_covariance(20, 9, seed);
    const double top = s.diagonal().maxCoeff(),
                 first = Eigen::SelfAdjointEigenSolver<Matrix>(s).eigenvalues().maxCoeff();
    for (const double part : {0.0, 0.01, 0.1, 0.3, 0.7, 1.0}) {
      const double rho = part * top;
      const Relaxation found = solve_relaxation(s, rho, kAccurate);
      EXPECT_TRUE(found.converged) << seed << " " << part;
      EXPECT_LE(found.value, found.bound + 1e-12 * top);
      EXPECT_LE(found.bound - found.value, 1e-7 * first);
      EXPECT_LE(found.bound, first * (1 + 1e-12));
      EXPECT_GE(found.value, top - rho - 1e-12);
      for (int k = 1; k <= 9; ++k)
        EXPECT_GE(found.bound, enumeration::best_block(s, k) - k * rho - 1e-9 * top);
    }
    EXPECT_NEAR(solve_relaxation(s, 0, kAccurate).value, first, 1e-6 * first);
    EXPECT_NEAR(solve_relaxation(s, top, kAccurate).value, 0, 1e-6 * top);
  }
}

/// What is left out cannot matter: the relaxation on the rest has the same value.
TEST(Elimination, LosesNothingOfTheRelaxation) {
  const ThreadScope scope(1);
  int eliminated = 0, in_groups = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto a = make_covariance(random_covariance(15, 10, seed));
    const Gram gram(*a);
    const Matrix s = *gram.matrix();
    const double top = s.diagonal().maxCoeff();
    for (const double part : {0.1, 0.3, 0.6}) {
      const double rho = part * top;
      const Relaxation whole = solve_relaxation(s, rho, kAccurate);
      const Variables strong = survivors_of_count_penalty(s.diagonal(), rho);
      const Variables kept =
          survivors_of_l1_penalty(s.diagonal(), largest_off_diagonal(gram, strong), rho);
      const Matrix rest = s(kept, kept);
      const double slack = 2e-7 * whole.bound;
      EXPECT_NEAR(solve_relaxation(rest, rho, kAccurate).value, whole.value, slack);
      double best = 0;
      for (const Variables& group : connected_groups(rest, rho)) {
        const Matrix some = rest(group, group);
        best = std::max(best, solve_relaxation(some, rho, kAccurate).value);
        in_groups += group.size() < kept.size() ? 1 : 0;
      }
      EXPECT_NEAR(best, whole.value, slack);
      eliminated += kept.size() < 10 ? 1 : 0;
    }
  }
  EXPECT_GT(eliminated, 30);
  EXPECT_GT(in_groups, 0);
}

/// Of max x'Sx - rho |x|_0, by all supports.
TEST(Elimination, NeverRemovesAVariableOfTheOptimum) {
  const ThreadScope scope(1);
  int removed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Index p = 6 + static_cast<Index>(seed % 3);
    const Matrix s = random_covariance(12, p, seed);
    for (const double part : {0.05, 0.2, 0.5, 0.9}) {
      const double rho = part * s.diagonal().maxCoeff();
      double best = 0;
      unsigned support = 0;
      for (unsigned set = 1; set < 1U << p; ++set) {
        const double value = enumeration::largest_eigenvalue(s, enumeration::variables_of(set)) -
                             rho * std::popcount(set);
        if (value > best) {
          best = value;
          support = set;
        }
      }
      const Variables kept = survivors_of_count_penalty(s.diagonal(), rho);
      for (const Index j : enumeration::variables_of(support))
        EXPECT_TRUE(std::ranges::binary_search(kept, j)) << seed << " " << part << " " << j;
      removed += static_cast<Index>(kept.size()) < p ? 1 : 0;
    }
  }
  EXPECT_GT(removed, 200);
}

/// A variable of less variance than rho that the l1 penalty needs: only the penalty on the number
/// of nonzeros may remove it.
TEST(Elimination, TheTwoPenaltiesDiffer) {
  Matrix s(2, 2);
  s << 1, 0.5, 0.5, 0.25;
  const double rho = 0.3;
  EXPECT_EQ(survivors_of_count_penalty(s.diagonal(), rho), (Variables{0}));
  EXPECT_EQ(survivors_of_l1_penalty(s.diagonal(), Vector::Constant(2, 0.5), rho),
            (Variables{0, 1}));
  EXPECT_NEAR(solve_relaxation(s, rho, kAccurate).value, 0.75, 1e-6);
}

Result fit_dspca_to(const DataMatrix& a, Options options) {
  options.method = Method::dspca;
  options.effort = Effort{Effort::Level::none};
  options.order = Order::none;
  return fit(a, options);
}

TEST(Dspca, LargerPenaltiesLeaveFewerVariables) {
  const auto a = make_dense(verify::decaying(60, 20, 4));
  Index before = 21;
  for (const double lambda : {0.0, 0.02, 0.1, 0.3, 0.9}) {
    const Index now = fit_dspca_to(*a, {.components = 1, .lambda = lambda}).loadings.nonZeros();
    EXPECT_LE(now, before) << lambda;
    before = now;
  }
  EXPECT_LE(before, 2);
}

TEST(Dspca, NearTheOptimum) {
  const ThreadScope scope(1);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix s = random_covariance(20, 9, seed);
    const auto a = make_covariance(s);
    for (int k = 1; k <= 9; ++k) {
      const Result result = fit_dspca_to(*a, {.components = 1, .nonzeros = k, .refit = 20});
      EXPECT_LE(result.loadings.nonZeros(), k);
      const Vector x = Matrix(result.loadings).col(0);
      EXPECT_GE(x.dot(s * x), 0.9 * enumeration::best_block(s, k)) << seed << " " << k;
    }
  }
}

TEST(Dspca, NotConvergingIsAStatus) {
  const auto a = make_matrix(load_dataset("pitprops"));
  EXPECT_EQ(fit_dspca_to(*a, {.components = 1, .lambda = 0.2}).status, Status::converged);
  const Result result = fit_dspca_to(*a, {.components = 1, .lambda = 0.2, .max_iterations = 2});
  EXPECT_EQ(result.status, Status::iteration_limit);
}

/// Fewer independent variables than components: what deflation leaves of the others is rounding.
TEST(Dspca, DuplicatedAndConstantVariables) {
  const Matrix independent = verify::random_matrix(30, 3, 7);
  Matrix m(30, 6);
  m << independent.col(0), independent.col(0), independent.col(1), Vector::Ones(30),
      -independent.col(1), Vector::Zero(30);
  for (const Preparation& preparation : {Preparation{}, Preparation{.scale = true}}) {
    const auto a = make_dense(m, preparation);
    for (Index k = 1; k <= 6; ++k) {
      const Result result = fit_dspca_to(*a, {.components = 4, .nonzeros = k});
      const Matrix x(result.loadings);
      ASSERT_TRUE(x.allFinite());
      EXPECT_EQ(x(3, 0), 0) << "the constant variable";
      for (Index i = 0; i < 4; ++i)
        EXPECT_LE((x.col(i).array() != 0).count(), std::min(k, Index{4}));
      if (k > 1) {
        EXPECT_NEAR(result.criteria.cpev, 1, 1e-9) << k;
      }
      if (k != 2) continue;  // the two pairs; other counts share variables
      EXPECT_TRUE(x.col(3).isZero(0)) << k;
      EXPECT_TRUE(std::ranges::any_of(result.warnings, [](const std::string& warning) {
        return warning.find("of 4 components explain all variance") != std::string::npos;
      })) << k;
    }
  }
}

/// Two variables are asked for where one is left: the others are rounding, however small the
/// penalty.
TEST(Dspca, FewerVariablesAreLeftThanAreAskedFor) {
  Matrix m(12, 4);
  m << verify::random_matrix(12, 2, 1), Matrix::Zero(12, 2);
  m.col(2) = m.col(0);
  m.col(3).setOnes();
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Result result =
        fit_dspca_to(*make_dense(m), {.components = 3, .nonzeros = 2, .seed = seed});
    EXPECT_EQ(result.criteria.nonzeros, (std::vector<Index>{2, 1, 0}));
    EXPECT_NEAR(result.criteria.cpev, 1, 1e-12);
  }
}

TEST(Dspca, SaysWhyVariablesAreLeftOut) {
  const ThreadScope scope(1);
  const auto a = make_dense(verify::random_matrix(30, 2100, 8));
  const Result result = fit_dspca_to(*a, {.components = 1, .lambda = 1e-3, .max_iterations = 1});
  const std::string beginning = "component 1: ",
                    left_out = " variables that could not be eliminated were left out, because ";
  for (const std::string& warning :
       {beginning + "100" + left_out + "a matrix is formed of at most 2000",
        beginning + "1500" + left_out + "a relaxation is solved for at most 500"})
    EXPECT_EQ(std::ranges::count(result.warnings, warning), 1) << warning;
}

using DspcaOnRealData = testing::RealData;

/// Thousands of variables, of which a matrix of few is formed.
TEST_F(DspcaOnRealData, TenVariablesOfThousands) {
  for (const char* name : {"ap_2246x10473.mtx.gz", "pbmc1k_v3_906x14688.mtx.gz"}) {
    const auto a = make_matrix(read(name));
    const Result result = fit_dspca_to(*a, {.components = 1, .nonzeros = 10});
    EXPECT_EQ(result.loadings.nonZeros(), 10) << name;
    EXPECT_TRUE(result.warnings.empty()) << name;
    EXPECT_EQ(result.status, Status::converged);
  }
}

}  // namespace
}  // namespace spcart
