#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "methods/elastic_net.hpp"
#include "real_data.hpp"
#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallRidge = 1e-6;

/// The matrix itself, without centring.
std::unique_ptr<DataMatrix> as_it_is(Matrix m) {
  return make_dense(std::move(m), {.center = false});
}

/// A problem min |y - A z|^2 + ridge |z|^2 + 2 t |z|_1 with y = A x, evaluated from A alone.
struct Regression {
  Matrix a;
  Vector x;
  double ridge;

  Vector h() const { return a.transpose() * (a * x); }
  double largest() const { return h().cwiseAbs().maxCoeff(); }

  ElasticNet::Solution follow(const ElasticNet::End& end) const {
    const auto data = as_it_is(a);
    const Gram gram(*data);
    // In units of the Gram matrix the objective, and with it its weights, is divided by them.
    const double unit = gram.unit();
    const ElasticNet::End scaled{
        .penalty = end.penalty / unit, .length = end.length, .nonzeros = end.nonzeros};
    ElasticNet::Solution solution = ElasticNet(gram, ridge / unit).follow(h() / unit, scaled);
    solution.penalty *= unit;
    return solution;
  }

  double objective(const Vector& z, double t) const {
    return (a * (x - z)).squaredNorm() + ridge * z.squaredNorm() + 2 * t * z.cwiseAbs().sum();
  }

  /// How far z is from the optimality conditions at penalty t, which are sufficient because
  /// the problem is convex: relative to the largest |h|.
  double violation(const Vector& z, double t) const {
    const Vector c = a.transpose() * (a * (x - z)) - ridge * z;
    double worst = 0;
    for (Index j = 0; j < z.size(); ++j)
      worst =
          std::max(worst, z[j] == 0 ? std::abs(c[j]) - t : std::abs(c[j] - std::copysign(t, z[j])));
    return worst / largest();
  }
};

/// Problems that are generic, wide, of low rank, full of ties or of equal variables.
std::vector<Regression> problems(double ridge) {
  std::vector<Matrix> all{verify::decaying(40, 15, 1), verify::random_matrix(30, 30, 2),
                          verify::random_matrix(12, 50, 3),
                          verify::random_matrix(30, 4, 4) * verify::random_matrix(4, 20, 5)};
  all.push_back(
      verify::random_matrix(25, 12, 6).unaryExpr([](double v) { return v > 0 ? 1.0 : -1.0; }));
  all.push_back(verify::random_matrix(20, 6, 7).replicate(1, 3));
  all.push_back(Matrix::Identity(10, 10));
  std::vector<Regression> regressions;
  for (Matrix& a : all) {
    const Index p = a.cols();
    regressions.push_back({a, verify::random_orthonormal(p, 1, 8), ridge});
    regressions.push_back({a, Vector::Constant(p, 1 / std::sqrt(static_cast<double>(p))), ridge});
  }
  return regressions;
}

TEST(ElasticNet, MeetsTheConditionsOfOptimality) {
  for (const double ridge : {0.0, 1e-6, 0.1, 100.0})
    for (const Regression& problem : problems(ridge)) {
      SCOPED_TRACE(::testing::Message()
                   << problem.a.rows() << " x " << problem.a.cols() << ", ridge " << ridge);
      for (const double part : {0.99, 0.5, 0.1, 0.01, 1e-4}) {
        const double t = part * problem.largest();
        const ElasticNet::Solution solution = problem.follow({.penalty = t});
        EXPECT_NEAR(solution.penalty, t, 1e-10 * t);
        EXPECT_LE(problem.violation(solution.z, t), 1e-8) << part;
      }
    }
}

TEST(ElasticNet, EndsAtTheGivenLimit) {
  for (const double ridge : {1e-6, 0.1})
    for (const Regression& problem : problems(ridge)) {
      SCOPED_TRACE(::testing::Message()
                   << problem.a.rows() << " x " << problem.a.cols() << ", ridge " << ridge);
      const double full = problem.follow({}).z.cwiseAbs().sum();
      for (const double part : {0.1, 0.5, 0.9}) {
        const ElasticNet::Solution by_length = problem.follow({.length = part * full});
        EXPECT_NEAR(by_length.z.cwiseAbs().sum(), part * full, 1e-8 * full);
        EXPECT_LE(problem.violation(by_length.z, by_length.penalty), 1e-8);
      }
    }
  const Regression generic = problems(1e-6).front();
  for (const Index nonzeros : {1, 2, 5, 9, 14}) {
    const ElasticNet::Solution solution = generic.follow({.nonzeros = nonzeros});
    EXPECT_EQ((solution.z.array() != 0).count(), nonzeros);
    EXPECT_LE(generic.violation(solution.z, solution.penalty), 1e-8);
  }
}

TEST(ElasticNet, TakesEqualVariablesTogether) {
  const Matrix a = verify::random_matrix(20, 3, 9).replicate(1, 2);
  const Regression problem{a, (Vector(6) << 3, 1, 0.1, 3, 1, 0.1).finished(), 1e-3};
  for (const Index nonzeros : {2, 3, 4, 5, 6}) {
    const Vector z = problem.follow({.nonzeros = nonzeros}).z;
    EXPECT_EQ((z.array() != 0).count(), nonzeros / 2 * 2);
    EXPECT_LE((z.head(3) - z.tail(3)).norm(), 1e-8 * z.norm());
  }
  EXPECT_EQ((problem.follow({.nonzeros = 1}).z.array() != 0).count(), 1);
}

TEST(ElasticNet, IsZeroIfThePenaltyIsLarge) {
  for (const Regression& problem : problems(0.1)) {
    EXPECT_TRUE(problem.follow({.penalty = problem.largest()}).z.isZero(0));
    EXPECT_TRUE(problem.follow({.penalty = kInfinity}).z.isZero(0));
  }
  const Regression nothing{Matrix::Zero(5, 4), Vector::Ones(4), 0};
  EXPECT_TRUE(nothing.follow({}).z.isZero(0));
}

/// Objectives that scikit-learn 1.9.1 reaches on the same problems, by coordinate descent
/// (ElasticNet, tol = 1e-14) and by its path (lars_path): both print these digits.
TEST(ElasticNet, IsNoWorseThanScikitLearn) {
  struct Row {
    Index n, p;
    double ridge, part, objective;
    Index nonzeros;
  };
  for (const Row& row :
       {Row{30, 12, 1e-3, 0.5, 9.365379046390, 4}, Row{30, 12, 1, 0.1, 3.784427101908, 9},
        Row{30, 12, 1e-3, 0.01, 0.495649366102, 10}, Row{12, 40, 1e-2, 0.2, 5.707179461329, 7},
        Row{12, 40, 1, 0.02, 1.084287675219, 31}, Row{60, 60, 0.1, 0.05, 6.742704184672, 30}}) {
    Matrix a(row.n, row.p);
    Vector x(row.p);
    for (Index j = 0; j < row.p; ++j) {
      const auto v = static_cast<double>(j);
      x[j] = std::cos(1.3 * v);
      for (Index i = 0; i < row.n; ++i) {
        const auto u = static_cast<double>(i);
        a(i, j) = std::cos(0.7 * (u + 1) * (v + 1)) + 0.3 * std::sin(u + v * v);
      }
    }
    const Regression problem{a, x.normalized(), row.ridge};
    const double t = row.part * problem.largest();
    const Vector z = problem.follow({.penalty = t}).z;
    EXPECT_LE(problem.objective(z, t), row.objective + 1e-11);
    EXPECT_GE(problem.objective(z, t), row.objective - 1e-11);
    EXPECT_EQ((z.array() != 0).count(), row.nonzeros);
  }
}

Result fit_spca_to(const DataMatrix& a, Options options) {
  options.method = Method::spca;
  options.effort = Effort{Effort::Level::none};
  return fit(a, options);
}

using Supports = std::vector<std::vector<Index>>;

TEST(Spca, PaperTables) {
  const Result synthetic =
      fit_spca_to(*make_matrix(load_dataset("synthetic")),
                  {.truncation = TruncationType::count, .lambda = 4, .ridge = kSmallRidge});
  EXPECT_EQ(verify::supports(synthetic.loadings), (Supports{{4, 5, 6, 7, 8, 9}, {0, 1, 2, 3}}));
  EXPECT_NEAR(synthetic.criteria.cpev, 0.9848, 2e-4);

  const Result pitprops = fit_spca_to(
      *make_matrix(load_dataset("pitprops")),
      {.components = 6, .truncation = TruncationType::count, .lambda = 10, .ridge = kSmallRidge});
  EXPECT_EQ(pitprops.criteria.nonzeros, std::vector<Index>(6, 3));
  EXPECT_NEAR(pitprops.criteria.nonorthogonality, 0.0095, 0.5e-4);
  EXPECT_NEAR(pitprops.criteria.cpev, 0.7727, 0.5e-4);
}

/// The paper's row "l1, 2.2": a bound on |z|_1 instead of a penalty, iterated to convergence.
TEST(Spca, PaperTableOfTheBound) {
  const auto a = make_matrix(load_dataset("synthetic"));
  const Result result = fit_spca_to(*a, {.components = 2,
                                         .truncation = TruncationType::soft,
                                         .lambda = 0,
                                         .bound = 2.2,
                                         .tolerance = 1e-6,
                                         .order = Order::none});
  EXPECT_EQ(verify::supports(result.loadings), (Supports{{4, 5, 6, 7}, {0, 1, 2, 3, 8, 9}}));
  EXPECT_NEAR(result.criteria.cpev, 0.8286, 0.5e-4);
}

using SpcaOnRealData = testing::RealData;

/// What R's elasticnet finds on the image patches with 25 nonzeros: CPEV .9045, NOR .0087.
TEST_F(SpcaOnRealData, AgreesWithElasticnet) {
  const auto a = patches();
  const Result result =
      fit_spca_to(*a, {.components = 70, .nonzeros = 25, .ridge = kSmallRidge, .tolerance = 1e-4});
  EXPECT_NEAR(result.criteria.cpev, 0.9045, 1e-4);
  EXPECT_NEAR(result.criteria.nonorthogonality, 0.0087, 1e-4);
}

Matrix polar_factor(const Matrix& b) {
  const Eigen::JacobiSVD<Matrix> svd(b, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixU() * svd.matrixV().transpose();
}

/// The penalised regression by plain coordinate descent.
Vector descend(const Matrix& g, const Vector& h, double ridge, double t) {
  Vector z = Vector::Zero(h.size());
  for (int sweep = 0; sweep < 20000; ++sweep)
    for (Index j = 0; j < z.size(); ++j) {
      const double c = h[j] - g.row(j).dot(z) + g(j, j) * z[j];
      z[j] = std::copysign(std::max(std::abs(c) - t, 0.0), c) / (g(j, j) + ridge);
    }
  return z;
}

TEST(Spca, IsTheAlternationThatItSays) {
  const Matrix m = verify::prepared(verify::decaying(60, 10, 21), {});
  const Matrix g = m.transpose() * m;
  const Index r = 3, iterations = 4;
  const double lambda = 0.05, ridge = 0.2 * g.trace() / 10;
  const auto a = make_dense(m);
  Matrix x = principal_basis(*a, r).vectors, z(10, r);
  const Vector scales = (g * x).colwise().norm().transpose();
  for (Index iteration = 0; iteration < iterations; ++iteration) {
    if (iteration > 0) x = polar_factor(g * z);
    for (Index i = 0; i < r; ++i) z.col(i) = descend(g, g * x.col(i), ridge, lambda * scales[i]);
  }
  const Result result = fit_spca_to(*a, {.components = r,
                                         .truncation = TruncationType::soft,
                                         .lambda = lambda,
                                         .ridge = 0.2,
                                         .tolerance = 0,
                                         .max_iterations = iterations,
                                         .order = Order::none});
  const double total = g.trace();
  const double objective = ((m - m * z * x.transpose()).squaredNorm() + ridge * z.squaredNorm() +
                            2 * lambda * z.cwiseAbs().colwise().sum().dot(scales)) /
                           total;
  EXPECT_NEAR(result.history.back().objective, objective, 1e-10);
  for (Index i = 0; i < r; ++i) {
    const Vector expected = z.col(i).normalized(), found = Matrix(result.loadings).col(i);
    EXPECT_NEAR(std::abs(found.dot(expected)), 1, 1e-12);
    EXPECT_EQ((found.array() != 0).count(), (expected.array() != 0).count());
  }
}

TEST(Spca, LowersItsObjective) {
  const auto a = make_dense(verify::decaying(60, 20, 22));
  for (const double ridge : {0.0, kSmallRidge, 1.0, kInfinity})
    for (const double lambda : {0.01, 0.1, 0.3}) {
      const Result result = fit_spca_to(*a, {.components = 4,
                                             .truncation = TruncationType::soft,
                                             .lambda = lambda,
                                             .ridge = ridge,
                                             .tolerance = 1e-8});
      for (std::size_t k = 1; k < result.history.size(); ++k)
        EXPECT_LE(result.history[k].objective, result.history[k - 1].objective + 1e-13)
            << "ridge " << ridge << ", lambda " << lambda << ", iteration " << k;
    }
}

TEST(Spca, WithoutPenaltyIsPca) {
  const auto a = make_dense(verify::decaying(60, 20, 23));
  const Matrix v = principal_basis(*a, 4).vectors;
  for (const double ridge : {0.0, kSmallRidge, 1.0, kInfinity})
    for (const TruncationType type : {TruncationType::soft, TruncationType::count}) {
      const Result result =
          fit_spca_to(*a, {.components = 4, .truncation = type, .lambda = 0, .ridge = ridge});
      EXPECT_LE((Matrix(result.loadings) - v).norm(), 1e-6) << ridge;
    }
}

TEST(Spca, StartsFromAnyRotation) {
  const auto a = make_dense(verify::decaying(60, 20, 26));
  const Matrix v = principal_basis(*a, 4).vectors;
  const Result result = fit_spca_to(*a, {.components = 4,
                                         .truncation = TruncationType::soft,
                                         .lambda = 0,
                                         .start = Start::varimax,
                                         .tolerance = 1e-6,
                                         .order = Order::none});
  Matrix expected = v * varimax_rotation(v).transpose();
  for (auto column : expected.colwise())
    column *= sign_of_largest({column.data(), static_cast<std::size_t>(column.size())});
  EXPECT_LE((Matrix(result.loadings) - expected).norm(), 1e-5);
}

TEST(Spca, ManyVariablesNeedNoGramMatrix) {
  const Matrix m = verify::prepared(verify::decaying(15, 40, 24), {});
  const auto wide = make_dense(m), covariance = make_covariance(m.transpose() * m);
  for (const double ridge : {kSmallRidge, 1.0, kInfinity})
    for (const Options& options : {Options{.components = 3, .nonzeros = 8, .ridge = ridge},
                                   Options{.components = 3,
                                   .truncation = TruncationType::soft,
                                   .lambda = 0.05,
                                   .ridge = ridge}}) {
      const Matrix x(fit_spca_to(*wide, options).loadings);
      EXPECT_LE((Matrix(fit_spca_to(*covariance, options).loadings) - x).norm(), 1e-6) << ridge;
      for (Index i = 0; i < 3; ++i)
        EXPECT_TRUE(!options.nonzeros || (x.col(i).array() != 0).count() == 8);
    }
}

TEST(Spca, LargePenaltiesLeaveNothing) {
  const auto a = make_dense(verify::decaying(30, 12, 25));
  for (const double ridge : {0.0, kSmallRidge, 1.0, kInfinity})
    for (const double lambda : {0.5, 0.8, 0.999}) {
      const Result result = fit_spca_to(
          *a,
          {.components = 3, .truncation = TruncationType::soft, .lambda = lambda, .ridge = ridge});
      const Matrix x(result.loadings);
      EXPECT_TRUE(x.allFinite());
      EXPECT_TRUE(lambda < 0.9 || x.isZero(0));
    }
}

}  // namespace
}  // namespace spcart
