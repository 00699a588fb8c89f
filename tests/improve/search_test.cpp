#include "spcart/search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "improve/components.hpp"
#include "improve/quotient.hpp"
#include "improve/small_pencil.hpp"
#include "real_data.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/loadings.hpp"
#include "spcart/threads.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

std::vector<Index> each(Index r, Index k) {
  return std::vector<Index>(static_cast<std::size_t>(r), k);
}

/// A few variables in each column, of random values and unit length.
Loadings random_loadings(Index p, Index r, Index k, std::uint64_t seed) {
  const Matrix values = verify::random_matrix(p, r, seed);
  Loadings x(p, r);
  for (Index t = 0; t < r; ++t)
    for (Index i = 0; i < k; ++i) {
      const Index j = (static_cast<Index>(seed) * 7 + t * 5 + i * 3) % p;
      x.coeffRef(j, t) = values(j, t);
    }
  return normalized(x);
}

SparseVector column(const Loadings& x, Index t) {
  SparseVector v;
  std::vector<double> values;
  for (Loadings::InnerIterator e(x, t); e; ++e) {
    v.support.push_back(e.row());
    values.push_back(e.value());
  }
  v.values = Vector::Map(values.data(), static_cast<Index>(values.size()));
  return v;
}

Vector dense(const SparseVector& x, Index p) {
  Vector v = Vector::Zero(p);
  for (Index i = 0; i < x.size(); ++i) v[x.support[static_cast<std::size_t>(i)]] = x.values[i];
  return v;
}

Matrix projection(const Matrix& x) {
  const Matrix q =
      Eigen::HouseholderQR<Matrix>(x).householderQ() * Matrix::Identity(x.rows(), x.cols());
  return q * q.transpose();
}

double cpev(const Matrix& a, const Loadings& x) { return verify::figures(a, Matrix(x)).cpev; }

double overlap(const Matrix& a, const Loadings& x) {
  return verify::figures(a, Matrix(x)).nonorthogonality;
}

TEST(SmallPencil, FindsTheLeadingPairFromAnyGuess) {
  for (Index k = 1; k <= kMostSmall; ++k)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Matrix f = verify::random_matrix(k + 2, k, seed),
                   g = verify::random_matrix(k + 2, k, seed + 99);
      const Matrix m = f.transpose() * f, b = g.transpose() * g;
      const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> exact(m, b);
      const double largest = exact.eigenvalues()[k - 1];
      // Nothing, anything, and the eigenvector of another value.
      for (Vector x : {Vector(Vector::Zero(k)), Vector(verify::random_matrix(k, 1, seed)),
                       Vector(exact.eigenvectors().col(0))}) {
        const double value = leading_pair(m, b, x);
        EXPECT_NEAR(value, largest, 1e-9 * largest);
        EXPECT_NEAR(x.norm(), 1, 1e-12);
        EXPECT_NEAR(x.dot(m * x) / x.dot(b * x), largest, 1e-9 * largest);
      }
    }
}

TEST(Components, KnowWhatTheirSpanExplainsAfterAnyChanges) {
  const Matrix a = verify::prepared(verify::decaying(40, 12, 1), {});
  const auto data = make_dense(a, {.center = false});
  const SecondMoments s(*data, Vector::Ones(12), {}, {});
  const Loadings x = random_loadings(12, 5, 4, 3), y = random_loadings(12, 5, 3, 8);
  Components all(s, 5);
  for (Index t = 0; t < 5; ++t) all.put_in(t, column(x, t));
  Matrix now = Matrix(x);
  for (int round = 0; round < 3; ++round)
    for (const Index t : {3, 0, 4, 1}) {
      all.take_out(t);
      const Loadings& from = (round + t) % 2 == 0 ? y : x;
      all.put_in(t, column(from, t));
      now.col(t) = Matrix(from).col(t);
      const verify::Figures expected = verify::figures(a, now);
      EXPECT_NEAR(all.explained() / s.total(), expected.cpev, 1e-10);
      EXPECT_NEAR(all.overlap(), expected.nonorthogonality, 1e-12);
    }
  all.refresh();
  EXPECT_NEAR(all.explained() / s.total(), verify::figures(a, now).cpev, 1e-12);
}

TEST(Components, OneThatRepeatsTheOthersAddsNothing) {
  const auto data = make_dense(verify::decaying(40, 9, 2));
  const SecondMoments s(*data, Vector::Ones(9), {}, {});
  const Loadings x = random_loadings(9, 2, 3, 4);
  Components all(s, 3);
  all.put_in(0, column(x, 0));
  all.put_in(1, column(x, 1));
  const double before = all.explained();
  all.put_in(2, column(x, 0));
  EXPECT_NEAR(all.explained(), before, 1e-12);
  all.take_out(0);
  EXPECT_TRUE(std::isfinite(all.explained()));
}

/// f by its formula, with M and B in full.
double quotient(const Matrix& s, const Matrix& others, double price, const Vector& x) {
  const Matrix q = projection(others), n = Matrix::Identity(s.rows(), s.rows()) - q;
  const double above = (n * x).dot(s * (n * x));
  return above / (x.squaredNorm() + (price - 1) * x.dot(q * x));
}

TEST(Quotient, IsWhatItsFormulaSaysAndNeverFalls) {
  for (const Index n : {60, 6}) {  // by S, and by a factor of it
    const Matrix a = verify::prepared(verify::decaying(n, 30, 5), {});
    const auto data = make_dense(a, {.center = false});
    const SecondMoments moments(*data, Vector::Ones(30), {}, {});
    const Matrix s = a.transpose() * a / moments.unit();
    const Loadings x = random_loadings(30, 4, 5, 6);
    for (const double price : {0.0, 0.05, 1.0, 50.0}) {
      Components others(moments, 4);
      for (Index t = 0; t < 4; ++t) others.put_in(t, column(x, t));
      others.take_out(2);
      const Matrix rest = Matrix(x)(Eigen::all, std::vector<Index>{0, 1, 3});
      Quotient f(others, price);
      const auto exact = [&](const SparseVector& v) {
        return quotient(s, rest, price, dense(v, 30));
      };
      EXPECT_NEAR(f.value_of(column(x, 2)), exact(column(x, 2)), 1e-10);
      const Vector alone = f.values_of_variables();
      for (const Index j : {0, 7, 20}) EXPECT_NEAR(alone[j], exact({{j}, Vector::Ones(1)}), 1e-10);
      Quotient::Point at = f.solve(column(x, 2).support, column(x, 2));
      EXPECT_NEAR(at.value, exact(at.x), 1e-10);
      EXPECT_GE(at.value, f.value_of(column(x, 2)) - 1e-12);
      const double before = at.value;
      at = f.exchange(at, 1e9);
      EXPECT_GE(at.value, before);
      EXPECT_EQ(at.x.size(), 5);
      EXPECT_NEAR(at.value, exact(at.x), 1e-10);
      const Quotient::Point more = f.grow(at, 26), fewer = f.shrink(more, 3);
      EXPECT_EQ(more.x.size(), 26);
      EXPECT_EQ(fewer.x.size(), 3);
      EXPECT_GE(more.value, at.value);
      EXPECT_NEAR(more.value, exact(more.x), 1e-10);
      EXPECT_NEAR(fewer.value, exact(fewer.x), 1e-10);
    }
  }
}

/// The best k variables of one component, by trying all.
double best_component(const Matrix& s, Index k) {
  const Index p = s.rows();
  double best = 0;
  std::vector<bool> mask(static_cast<std::size_t>(p), false);
  std::fill_n(mask.begin(), k, true);
  do {
    std::vector<Index> support;
    for (Index j = 0; j < p; ++j)
      if (mask[static_cast<std::size_t>(j)]) support.push_back(j);
    const Eigen::SelfAdjointEigenSolver<Matrix> e(Matrix(s(support, support)));
    best = std::max(best, e.eigenvalues()[k - 1]);
  } while (std::prev_permutation(mask.begin(), mask.end()));
  return best;
}

TEST(Search, FindsTheBestComponentOfSmallTables) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const Index k : {1, 2, 4}) {
      const Matrix a = verify::prepared(verify::random_matrix(15, 10, seed), {});
      const auto data = make_dense(a, {.center = false});
      const Loadings found = fit(*data, {.components = 1, .nonzeros = k}).loadings;
      EXPECT_NEAR(cpev(a, found) * a.squaredNorm(), best_component(a.transpose() * a, k), 1e-9);
    }
}

TEST(Search, FindsTheBestVariablesIfEachComponentHasOne) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Matrix a = verify::prepared(verify::decaying(30, 9, seed), {});
    const auto data = make_dense(a, {.center = false});
    const Matrix s = a.transpose() * a;
    // Unit vectors are orthogonal: those of the largest variances explain most.
    std::vector<double> variances(s.diagonal().begin(), s.diagonal().end());
    std::ranges::sort(variances, std::ranges::greater{});
    const Loadings found = fit(*data, {.components = 3, .nonzeros = 1}).loadings;
    EXPECT_NEAR(cpev(a, found) * s.trace(), variances[0] + variances[1] + variances[2], 1e-9);
  }
}

TEST(Search, NeverExplainsLessNorUsesMoreNorOverlapsMore) {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    for (const Counts counts : {Counts::each, Counts::total})
      for (const double allowed : {0.02, 0.1, 1.0}) {
        const Matrix a = verify::prepared(verify::decaying(50, 20, seed), {});
        const auto data = make_dense(a, {.center = false});
        const std::vector<Loadings> start = {
            fit(*data, {.components = 4, .nonzeros = 3, .effort = Effort{Effort::Level::none}})
                .loadings};
        const Loadings found =
            search(*data, start, Vector::Ones(20),
                   {.nonzeros = each(4, 3), .counts = counts, .overlap = allowed, .scale = 0.1});
        const double before = overlap(a, start.front());
        if (before <= allowed) {
          EXPECT_GE(cpev(a, found), cpev(a, start.front()) - 1e-12);
        }
        EXPECT_LE(overlap(a, found), std::max(allowed, before) + 1e-8);
        EXPECT_LE(found.nonZeros(), 12);
        for (Index t = 0; t < 4; ++t) {
          EXPECT_NEAR(found.col(t).norm(), 1, 1e-12);
          if (counts == Counts::each) {
            EXPECT_LE(found.col(t).nonZeros(), 3);
          }
        }
      }
}

TEST(Search, NumbersOfNonzerosMayDiffer) {
  const auto data = make_matrix(load_dataset("pitprops"));
  const std::vector<Loadings> start = {random_loadings(13, 3, 1, 1)};
  const Loadings found =
      search(*data, start, Vector::Ones(13), {.nonzeros = {7, 1, 3}, .scale = 0.1});
  EXPECT_EQ(found.col(0).nonZeros(), 7);
  EXPECT_EQ(found.col(1).nonZeros(), 1);
  EXPECT_EQ(found.col(2).nonZeros(), 3);
}

TEST(Search, TotalMovesNonzerosToWhereTheyExplainMore) {
  const auto data = make_matrix(load_dataset("pitprops"));
  const auto run = [&](TruncationType type) {
    return fit(*data, {.components = 6, .truncation = type, .nonzeros = 3});
  };
  const Result counted = run(TruncationType::count), total = run(TruncationType::hard);
  EXPECT_EQ(counted.loadings.nonZeros(), 18);
  EXPECT_EQ(total.loadings.nonZeros(), 18);
  EXPECT_GT(total.criteria.cpev, counted.criteria.cpev);
  EXPECT_GT(total.criteria.sparsity.std, 0);
}

/// Share of the target rows of Pitprops (13 variables, correlations) that a normal search reaches.
TEST(Search, ReachesTheBestThatIsKnownOfPitprops) {
  const auto data = make_matrix(load_dataset("pitprops"));
  const Result two = fit(*data, {.components = 2, .nonzeros = 3});
  EXPECT_GE(two.criteria.cpev, 0.3598);
  const Result six = fit(*data, {.components = 6, .nonzeros = 3});
  EXPECT_GE(six.criteria.cpev, 0.8235);
  EXPECT_LE(six.criteria.nonorthogonality, 0.1);
  EXPECT_NEAR(six.search->cpev_before, 0.7671, 5e-5);
  constexpr double kOptima[] = {1,     1.954, 2.475, 2.937, 3.406, 3.771, 3.996,
                                4.069, 4.139, 4.173, 4.208, 4.218, 4.219};
  for (Index k = 1; k <= 13; ++k)
    EXPECT_NEAR(13 * fit(*data, {.components = 1, .nonzeros = k}).criteria.cpev, kOptima[k - 1],
                6e-4);
}

TEST(Search, OverlapIsADial) {
  const auto data = make_matrix(load_dataset("pitprops"));
  double before = 0;
  for (const double allowed : {0.0, 0.02, 0.05, 0.1, 1.0}) {
    const Result found = fit(*data, {.components = 6, .nonzeros = 3, .overlap = allowed});
    EXPECT_LE(found.criteria.nonorthogonality, allowed + 1e-6);
    EXPECT_GE(found.criteria.cpev, before - 1e-9) << allowed;
    before = found.criteria.cpev;
  }
}

/// The best disjoint supports of three variables explain .7920 (every one of them was tried), so
/// orthogonal components explain no less.
TEST(Search, OrthogonalComponentsAreFoundToo) {
  const auto data = make_matrix(load_dataset("pitprops"));
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Result found = fit(*data, {.components = 6, .nonzeros = 3, .overlap = 0, .seed = seed});
    EXPECT_GE(found.criteria.cpev, 0.79) << seed;
    EXPECT_LE(found.criteria.nonorthogonality, 1e-6);
  }
}

/// By variance, of which less overlap is worth a little.
TEST(Search, MoreEffortNeverEndsWithAWorseAnswer) {
  const auto data = prepare(load_dataset("pitprops"));
  for (const Index k : {2, 5, 10}) {
    const auto worth = [&](Effort effort) {
      const Criteria c = fit(*data, {.components = 4, .nonzeros = k, .effort = effort}).criteria;
      return c.cpev * (1 - 0.01 * c.nonorthogonality);
    };
    EXPECT_GE(worth({Effort::Level::thorough}), worth({Effort::Level::normal}) - 1e-9) << k;
  }
}

/// A component has at least one variable, however little is to be kept.
TEST(Search, EveryComponentHasAVariable) {
  for (const char* dataset : {"pitprops", "spiked:n=100,p=20,r=2,k=4", "random:n=50,p=10"}) {
    const auto data = prepare(load_dataset(dataset));
    for (const TruncationType type : {TruncationType::hard, TruncationType::count}) {
      const Result found = fit(*data, {.components = 6, .truncation = type, .keep = 0.5});
      EXPECT_GT(std::ranges::min(found.criteria.nonzeros), 0) << dataset;
      EXPECT_GE(found.criteria.share_of_pca(), 0.5) << dataset;
    }
  }
}

TEST(Search, SameSeedSameBitsForAnyNumberOfThreads) {
  const auto data = make_dense(verify::decaying(60, 25, 3));
  const std::vector<Loadings> starts = {random_loadings(25, 4, 4, 1), random_loadings(25, 4, 4, 2)};
  std::vector<Loadings> found;
  for (const Index count : {1, 2, 3}) {
    const ThreadScope scope(count);
    found.push_back(
        search(*data, starts, Vector::Ones(25), {.nonzeros = each(4, 4), .scale = 0.2, .seed = 7}));
  }
  EXPECT_EQ(Matrix(found[0]), Matrix(found[1]));
  EXPECT_EQ(Matrix(found[0]), Matrix(found[2]));
}

TEST(Search, EveryKindOfDataLeadsToTheSame) {
  const Matrix a = verify::prepared(verify::decaying(60, 15, 4), {});
  Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t> sparse = a.sparseView();
  sparse.makeCompressed();
  const SparseView view{.rows = 60,
                        .cols = 15,
                        .values = sparse.valuePtr(),
                        .inner = sparse.innerIndexPtr(),
                        .outer = sparse.outerIndexPtr()};
  const std::vector<Loadings> start = {random_loadings(15, 3, 3, 1)};
  const auto run = [&](const DataMatrix& data) {
    return search(data, start, Vector::Ones(15), {.nonzeros = each(3, 3), .scale = 0.2});
  };
  const Loadings expected = run(*make_dense(a));
  for (const auto& data : {make_sparse(view), make_covariance(a.transpose() * a)}) {
    const Loadings found = run(*data);
    EXPECT_EQ(verify::supports(found), verify::supports(expected));
    EXPECT_LT((Matrix(found) - Matrix(expected)).cwiseAbs().maxCoeff(), 1e-9);
  }
}

/// More samples and variables than S is formed for: only promising variables are used.
TEST(Search, ManyVariablesAreNoObstacle) {
  constexpr Index kVariables = 5000, kSamples = 3000;
  Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t> table(kSamples, kVariables);
  const Matrix factors = verify::random_matrix(kSamples, 2, 1);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < kSamples; ++i) {
    for (Index k = 0; k < 6; ++k) {
      entries.emplace_back(i, 100 * k + 7, 2 * factors(i, 0));
      entries.emplace_back(i, 100 * k + 4007, 1.5 * factors(i, 1));
    }
    entries.emplace_back(i, (i * 31) % 4000 + 600, 1.0);
  }
  table.setFromTriplets(entries.begin(), entries.end());
  table.makeCompressed();
  const auto data = make_sparse({.rows = kSamples,
                                 .cols = kVariables,
                                 .values = table.valuePtr(),
                                 .inner = table.innerIndexPtr(),
                                 .outer = table.outerIndexPtr()});
  const Result found = fit(*data, {.components = 2, .nonzeros = 6});
  const auto supports = verify::supports(found.loadings);
  EXPECT_EQ(supports[0], (std::vector<Index>{7, 107, 207, 307, 407, 507}));
  EXPECT_EQ(supports[1], (std::vector<Index>{4007, 4107, 4207, 4307, 4407, 4507}));
}

TEST(Search, IsLeftOutIfComponentsUseTooManyVariables) {
  constexpr Index kVariables = 5000, kSamples = 3000;
  Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t> table(kSamples, kVariables);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < kSamples; ++i)
    for (Index k = 0; k < 5; ++k)
      entries.emplace_back(i, (i * 7 + k * 977) % kVariables, 1.0 + static_cast<double>(i % 3));
  table.setFromTriplets(entries.begin(), entries.end(), [](double a, double) { return a; });
  table.makeCompressed();
  const auto data = make_sparse({.rows = kSamples,
                                 .cols = kVariables,
                                 .values = table.valuePtr(),
                                 .inner = table.innerIndexPtr(),
                                 .outer = table.outerIndexPtr()});
  const Result found = fit(*data, {.components = 2, .nonzeros = 4500});
  EXPECT_FALSE(found.search);
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings.back().find("more than 4096 variables"), std::string::npos);
}

TEST(Search, TiesCopiesAndConstantsDoNoHarm) {
  Matrix a = verify::decaying(20, 6, 1);
  Matrix table(20, 14);
  table << a, a, Matrix::Zero(20, 2);
  table.col(12).setConstant(3);
  for (const bool scale : {false, true})
    for (const Index r : {1, 3, 6, 9}) {  // there are six dimensions
      const auto data = make_dense(table, {.scale = scale});
      const Result found = fit(*data, {.components = r, .nonzeros = 2});
      EXPECT_TRUE(Matrix(found.loadings).allFinite());
      EXPECT_LE(found.loadings.nonZeros(), 2 * r);
      EXPECT_TRUE(std::isfinite(found.criteria.cpev));
    }
  const auto same = make_covariance(Matrix::Constant(8, 8, 0.5) + 0.5 * Matrix::Identity(8, 8));
  EXPECT_EQ(fit(*same, {.components = 3, .nonzeros = 2}).loadings.nonZeros(), 6);
}

TEST(Search, KeepsWhatIsAskedForWithFewer) {
  const auto data = make_matrix(load_dataset("pitprops"));
  for (const TruncationType type : {TruncationType::hard, TruncationType::count}) {
    const auto run = [&](Effort::Level level) {
      return fit(*data,
                 {.components = 5, .truncation = type, .keep = 0.95, .effort = Effort{level}});
    };
    const Result plain = run(Effort::Level::none), found = run(Effort::Level::normal);
    EXPECT_GE(found.criteria.share_of_pca(), 0.95 - 1e-9);
    EXPECT_LE(found.loadings.nonZeros(), plain.loadings.nonZeros());
    EXPECT_TRUE(found.target->exact);
  }
}

TEST(Search, RunsByDefaultIfATargetIsGiven) {
  EXPECT_EQ(effort_of({}).level, Effort::Level::none);
  EXPECT_EQ(effort_of({.lambda = 0.1}).level, Effort::Level::none);
  EXPECT_EQ(effort_of({.nonzeros = 3}).level, Effort::Level::normal);
  EXPECT_EQ(effort_of({.sparsity = 0.5}).level, Effort::Level::normal);
  EXPECT_EQ(effort_of({.keep = 0.9}).level, Effort::Level::normal);
  const auto data = make_matrix(load_dataset("pitprops"));
  EXPECT_FALSE(fit(*data, {.components = 3}).search);
  EXPECT_TRUE(fit(*data, {.components = 3, .effort = Effort{}}).search);
}

TEST(Search, EffortMayBeATime) {
  const auto data = make_matrix(load_dataset("pitprops"));
  const Result found =
      fit(*data, {.components = 6, .nonzeros = 3, .effort = Effort{Effort::Level::seconds, 0.02}});
  EXPECT_GE(found.criteria.cpev, found.search->cpev_before);
}

TEST(Search, EffortHasNames) {
  for (const char* text : {"none", "normal", "thorough", "2.5"})
    EXPECT_EQ(name(parse_effort(text)), text);
  for (const char* text : {"", "much", "1 s", "-"}) EXPECT_THROW(parse_effort(text), Error);
}

TEST(Search, CanBeCancelled) {
  const auto data = make_matrix(load_dataset("pitprops"));
  EXPECT_THROW(fit(*data, {.components = 6, .nonzeros = 3},
                   [](const Progress& progress) {
                     return progress.stage != "search" || progress.fraction < 0.5;
                   }),
               Cancelled);
}

TEST(Search, RejectsWhatMakesNoSense) {
  const auto data = make_matrix(load_dataset("pitprops"));
  const auto with = [](Effort effort, double allowed) {
    return Options{.components = 2, .nonzeros = 3, .effort = effort, .overlap = allowed};
  };
  EXPECT_THROW(fit(*data, with({Effort::Level::seconds, 0}, 0.1)), Error);
  EXPECT_THROW(fit(*data, with({Effort::Level::seconds, -1}, 0.1)), Error);
  EXPECT_THROW(fit(*data, with({Effort::Level::seconds, std::nan("")}, 0.1)), Error);
  EXPECT_THROW(fit(*data, with({}, -0.1)), Error);
  EXPECT_THROW(fit(*data, with({}, 1.1)), Error);
  EXPECT_THROW(fit(*data, with({}, std::nan(""))), Error);
  EXPECT_THROW(fit(*data, {.components = 2, .nonzeros = 14}), Error);
  EXPECT_THROW(fit(*data, {.method = Method::pca, .components = 2, .effort = Effort{}}), Error);
  const std::vector<Loadings> start = {random_loadings(13, 2, 2, 1)};
  EXPECT_THROW(search(*data, start, Vector::Ones(13), {.nonzeros = {2}}), Error);
  EXPECT_THROW(search(*data, start, Vector::Ones(13), {.nonzeros = {2, 0}}), Error);
  EXPECT_THROW(search(*data, {}, Vector::Ones(13), {.nonzeros = {2, 2}}), Error);
}

TEST(CommandSearch, SaysWhatItGainedAndRejectsWithStatusTwo) {
  const auto outcome = testing::run({"fit", "@pitprops", "-r", "6", "--nonzeros", "3"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("Search (effort normal, overlap at most 0.1): CPEV was 76.71 %"),
            std::string::npos)
      << outcome.out;
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--effort", "0"},
                                             {"--effort", "-1"},
                                             {"--effort", "much"},
                                             {"--overlap", "1.5"},
                                             {"--overlap", "-0.1"},
                                             {"--nonzeros", "14"}}) {
    std::vector<std::string> call = {"fit", "@pitprops", "-r", "2"};
    if (wrong.front() != "--nonzeros") call.insert(call.end(), {"--nonzeros", "3"});
    call.insert(call.end(), wrong.begin(), wrong.end());
    const auto rejected = testing::run(call);
    EXPECT_EQ(rejected.status, 2) << wrong.front() << ' ' << wrong.back();
    EXPECT_NE(rejected.err.find(wrong.back()), std::string::npos) << rejected.err;
  }
}

class SearchOnRealData : public testing::RealData {};

TEST_F(SearchOnRealData, FindsTheProvedOptimaOfOneComponent) {
  struct Row {
    const char* file;
    double five, ten;
  };
  constexpr Row kRows[] = {
      {"wine_13", 3.439779, 4.594293},         {"miniboone_50", 4.999999, 9.999995},
      {"communities_101", 4.860548, 8.823616}, {"arrhythmia_274", 4.233204, 7.539385},
      {"ionosphere_34", 3.754006, 6.138309},   {"lung_54", 3.335571, 4.812312},
      {"voice_310", 4.998087, 9.966994},       {"gait_320", 4.890344, 9.079657},
      {"gastro_466", 4.999536, 9.996731}};
  for (const Row& row : kRows) {
    Table table = read(fmt::format("covariances/{}.npy", row.file).c_str());
    table.covariance = true;
    const auto data = make_matrix(table);
    for (const auto& [k, optimum] : {std::pair{5, row.five}, {10, row.ten}}) {
      const Result found = fit(*data, {.components = 1, .nonzeros = k});
      EXPECT_NEAR(found.criteria.cpev * data->squared_norm(), optimum, 2e-6)
          << row.file << ' ' << k;
    }
  }
}

TEST_F(SearchOnRealData, ExplainsMoreOfImagePatchesThanRefining) {
  const auto data = patches();
  const Basis basis = principal_basis(*data, 70);
  const std::pair<Index, double> refined[] = {{7, 0.9196}, {15, 0.9295}, {25, 0.9325}};
  for (const auto& [k, cpev_refined] : refined) {
    const Result before =
        fit(*data, basis,
            {.components = 70, .nonzeros = k, .refine = 20, .effort = Effort{Effort::Level::none}});
    const Result found = fit(*data, basis, {.components = 70, .nonzeros = k});
    EXPECT_GT(found.criteria.cpev, before.criteria.cpev) << k;
    EXPECT_GT(found.criteria.cpev, cpev_refined) << k;
    EXPECT_LE(found.criteria.nonorthogonality, before.criteria.nonorthogonality + 0.002);
  }
}

TEST_F(SearchOnRealData, ExplainsAsMuchOfGenesAsRefining) {
  const auto data = make_matrix(read("leukemia_72x7129.npy"));
  for (const auto& [sparsity, refined] : {std::pair{0.9, 0.5054}, {0.97, 0.4687}})
    EXPECT_GE(fit(*data, {.components = 6, .sparsity = sparsity}).criteria.cpev, refined);
}

}  // namespace
}  // namespace spcart
