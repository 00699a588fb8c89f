#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "enumeration.hpp"
#include "methods/method.hpp"
#include "real_data.hpp"
#include "rejection.hpp"
#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "spcart/memory.hpp"
#include "spcart/threads.hpp"
#include "verify.hpp"
#include "watched.hpp"

namespace spcart {
namespace {

Result fit_greedy_to(const DataMatrix& a, Index components, Index nonzeros,
                     std::optional<Direction> direction = {}) {
  return fit(a, {.method = Method::greedy,
                 .components = components,
                 .nonzeros = nonzeros,
                 .direction = direction,
                 .effort = Effort{Effort::Level::none},
                 .order = Order::none});
}

double variance_of(const Matrix& c, const Result& result) {
  const Vector x = Matrix(result.loadings).col(0);
  return x.dot(c * x);
}

/// The definition, the slow way.
std::vector<Index> forward_by_definition(const Matrix& c, Index k) {
  std::vector<Index> support;
  while (static_cast<Index>(support.size()) < k) {
    double most = -1;
    Index best = 0;
    for (Index j = 0; j < c.rows(); ++j) {
      if (std::ranges::count(support, j) > 0) continue;
      std::vector<Index> with = support;
      with.push_back(j);
      const double value = enumeration::largest_eigenvalue(c, with);
      if (value > most) {
        most = value;
        best = j;
      }
    }
    support.push_back(best);
  }
  std::ranges::sort(support);
  return support;
}

std::vector<Index> backward_by_definition(const Matrix& c, Index k) {
  std::vector<Index> support;
  for (Index j = 0; j < c.rows(); ++j) support.push_back(j);
  while (static_cast<Index>(support.size()) > k) {
    double most = -1;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < support.size(); ++i) {
      std::vector<Index> without = support;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      const double value = enumeration::largest_eigenvalue(c, without);
      if (value > most) {
        most = value;
        worst = i;
      }
    }
    support.erase(support.begin() + static_cast<std::ptrdiff_t>(worst));
  }
  return support;
}

TEST(Greedy, IsWhatItsDefinitionSays) {
  const ThreadScope scope(1);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Matrix m = verify::prepared(verify::decaying(30, 12, seed), {});
    const Matrix c = m.transpose() * m;
    const auto a = make_covariance(c);
    for (const Index k : {1, 2, 3, 5, 8, 11, 12}) {
      EXPECT_EQ(verify::supports(fit_greedy_to(*a, 1, k, Direction::forward).loadings)[0],
                forward_by_definition(c, k))
          << seed << " " << k;
      EXPECT_EQ(verify::supports(fit_greedy_to(*a, 1, k, Direction::backward).loadings)[0],
                backward_by_definition(c, k))
          << seed << " " << k;
    }
  }
}

/// Beyond 64 variables only the leading eigenvectors are used.
TEST(Greedy, IsAsGoodWithTheLeadingEigenvectorsAlone) {
  const ThreadScope scope(1);
  const Matrix m = verify::prepared(verify::decaying(120, 74, 3), {});
  const Matrix c = m.transpose() * m;
  const auto a = make_covariance(c);
  const Index k = 69;
  EXPECT_NEAR(variance_of(c, fit_greedy_to(*a, 1, k, Direction::forward)),
              enumeration::largest_eigenvalue(c, forward_by_definition(c, k)), 1e-6 * c.trace());
  EXPECT_NEAR(variance_of(c, fit_greedy_to(*a, 1, k, Direction::backward)),
              enumeration::largest_eigenvalue(c, backward_by_definition(c, k)), 1e-6 * c.trace());
}

TEST(Greedy, BothIsTheBetterAndAtMostTheOptimum) {
  const ThreadScope scope(1);
  int optimal = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix m = verify::prepared(verify::decaying(20, 9, seed), {});
    const Matrix c = m.transpose() * m;
    const auto a = make_covariance(c);
    for (int k = 1; k <= 9; ++k) {
      const double forward = variance_of(c, fit_greedy_to(*a, 1, k, Direction::forward));
      const double backward = variance_of(c, fit_greedy_to(*a, 1, k, Direction::backward));
      const double both = variance_of(c, fit_greedy_to(*a, 1, k));
      const double most = enumeration::best_block(c, k);
      EXPECT_NEAR(both, std::max(forward, backward), 1e-12 * most);
      EXPECT_LE(both, most * (1 + 1e-12));
      optimal += both > most * (1 - 1e-9) ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GE(optimal, 9 * all / 10);
}

TEST(Greedy, OptimalOnPitprops) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Matrix c = a->gram();
  const std::vector<double> optima = {1,     1.954, 2.475, 2.937, 3.406, 3.771, 3.996,
                                      4.069, 4.139, 4.173, 4.208, 4.218, 4.219};
  for (int k = 1; k <= 13; ++k)
    EXPECT_NEAR(variance_of(c, fit_greedy_to(*a, 1, k)), optima[static_cast<std::size_t>(k - 1)],
                1e-3)
        << k;
}

TEST(Greedy, DirectionsDifferInHistory) {
  const auto a = make_dense(verify::decaying(40, 12, 4));
  const Result forward = fit_greedy_to(*a, 2, 7, Direction::forward);
  const Result backward = fit_greedy_to(*a, 2, 7, Direction::backward);
  ASSERT_EQ(forward.history.size(), 14U);
  ASSERT_EQ(backward.history.size(), 12U);
  for (std::size_t i = 1; i < 7; ++i)
    EXPECT_LE(forward.history[i].objective, forward.history[i - 1].objective + 1e-12);
  for (std::size_t i = 1; i < 6; ++i)
    EXPECT_GE(backward.history[i].objective, backward.history[i - 1].objective - 1e-12);
  EXPECT_NEAR(backward.history[0].sparsity, 0, 1e-12);
  EXPECT_NEAR(backward.history[0].truncated_energy, 0, 1e-12);
}

TEST(Greedy, DuplicatedAndEqualVariables) {
  const ThreadScope scope(1);
  const Matrix half = verify::prepared(verify::decaying(30, 5, 6), {.scale = true});
  Matrix m(30, 10);
  m << half, half;
  const Matrix c = m.transpose() * m;
  const Result result = fit_greedy_to(*make_covariance(c), 2, 4);
  EXPECT_NEAR(variance_of(c, result), enumeration::best_block(c, 4), 1e-9 * c.trace());
  EXPECT_TRUE(Matrix(result.loadings).allFinite());
  const Result identity = fit_greedy_to(*make_covariance(Matrix::Identity(6, 6)), 3, 2);
  EXPECT_NEAR(identity.criteria.cpev, 0.5, 1e-12);
}

TEST(Greedy, BackwardFromManyVariablesStartsFromSome) {
  const auto a = make_dense(verify::decaying(15, 700, 7));
  const testing::Watched wide(*a);
  EXPECT_TRUE(fit_greedy_to(wide, 1, 5).warnings.empty()) << "forward is the default";
  const Result result = fit_greedy_to(wide, 1, 5, Direction::backward);
  EXPECT_EQ(std::ranges::count(result.warnings,
                               "backward elimination starts from 500 of 700 variables, those with "
                               "the largest entries in the leading principal component"),
            1);
  EXPECT_EQ(wide.grams, 0);
  EXPECT_LE(wide.widest, 64);
}

/// Beyond 256 variables several are added at a time, by the leading eigenpairs.
TEST(Greedy, ManyVariablesInAComponent) {
  const ThreadScope scope(1);
  const Matrix m = verify::prepared(verify::decaying(40, 600, 8), {});
  const Matrix c = m.transpose() * m;
  const auto a = make_dense(m);
  const testing::Watched wide(*a);
  double before = 0;
  for (const Index k : {256, 400, 590, 600}) {
    const Result result = fit_greedy_to(wide, 1, k);
    EXPECT_EQ(result.loadings.nonZeros(), k);
    const double variance = variance_of(c, result);
    EXPECT_NEAR(variance, enumeration::largest_eigenvalue(c, verify::supports(result.loadings)[0]),
                1e-8 * c.trace())
        << k;
    EXPECT_GE(variance, before);
    // The largest entries of the principal component are a good choice of many variables.
    EXPECT_GE(variance, (1 - 1e-3) * variance_of(c, fit_greedy_to(wide, 1, k, Direction::backward)))
        << k;
    before = variance;
  }
  EXPECT_NEAR(before, Eigen::SelfAdjointEigenSolver<Matrix>(c).eigenvalues().maxCoeff(),
              1e-8 * c.trace());
  EXPECT_EQ(wide.grams, 0);
  EXPECT_LE(wide.widest, 64);
}

/// Work that ends at the first report after some time has passed.
TEST(Greedy, CanBeStoppedWithinAStep) {
  const auto a = make_dense(verify::decaying(20, 900, 9));
  for (const Index k : {300, 800, 900}) {
    int reports = 0;
    const Options options = {.method = Method::greedy,
                             .components = 1,
                             .nonzeros = k,
                             .effort = Effort{Effort::Level::none}};
    const Observer all = [&](const Progress& progress) {
      reports += progress.stage == "rotate" ? 1 : 0;
      return true;
    };
    fit(*a, options, all);
    const int half = reports / 2;
    reports = 0;
    const Observer stop = [&](const Progress& progress) {
      reports += progress.stage == "rotate" ? 1 : 0;
      return reports < half;
    };
    EXPECT_GT(half, 3) << k;
    EXPECT_THROW(fit(*a, options, stop), Cancelled) << k;
    EXPECT_EQ(reports, half);
  }
}

/// Variables of equal variance, of which nothing else is known.
class Unknown final : public DataMatrix {
 public:
  explicit Unknown(Index p) : DataMatrix(2, p, 2, 2 * static_cast<double>(p)) {
    set_statistics({}, Vector::Ones(p), {});
  }

 private:
  void do_times(ConstBlock, Block, const Tick&) const override { ADD_FAILURE(); }
  void do_adjoint_times(ConstBlock, Block, const Tick&) const override { ADD_FAILURE(); }
  void do_gram_times(ConstBlock, Block, const Tick&) const override { ADD_FAILURE(); }
  void do_gram(Block, const Tick&) const override { ADD_FAILURE(); }
  void do_outer_gram(Block, const Tick&) const override { ADD_FAILURE(); }
};

TEST(Greedy, RejectsWhatDoesNotFitInMemory) {
  const auto p = static_cast<Index>(available_memory() / sizeof(double) / 250);
  if (p > Index{1} << 24) GTEST_SKIP() << "there is too much memory";
  const Unknown a(p);
  const Basis none;
  const Tick tick;
  const Task task{.a = a,
                  .basis = none,
                  .truncation = {TruncationType::count, static_cast<double>(p - 1000)},
                  .tick = tick};
  const testing::Rejection said =
      testing::rejection_of([&] { record_of(Method::greedy).run(task); });
  EXPECT_EQ(said.option, "method");
  EXPECT_EQ(said.value, "greedy");
  EXPECT_TRUE(said.rule.starts_with("products of ")) << said;
}

using GreedyOnRealData = testing::RealData;

TEST_F(GreedyOnRealData, OptimumOfArrhythmia) {
  Table table = read("covariances/arrhythmia_274.npy");
  table.covariance = true;
  const auto a = make_matrix(table);
  EXPECT_NEAR(variance_of(a->gram(), fit_greedy_to(*a, 1, 10)), 7.539385, 1e-6);
}

}  // namespace
}  // namespace spcart
