#include "spcart/fit.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "rejection.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "temporary.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::Rejection;
using testing::rejection_of;

constexpr TruncationType kTypes[] = {TruncationType::hard, TruncationType::soft,
                                     TruncationType::count, TruncationType::energy};

Result fit_dataset(std::string_view dataset, const Options& options) {
  return fit(*make_matrix(load_dataset(dataset)), options);
}

using Supports = std::vector<std::vector<Index>>;
const std::vector<Index> kFirstFour{0, 1, 2, 3}, kLastSix{4, 5, 6, 7, 8, 9},
    kFirstFourLastTwo{0, 1, 2, 3, 8, 9};

TEST(PaperTables, Synthetic) {
  struct Row {
    TruncationType type;
    std::optional<double> lambda;
    Supports pattern;
    double cpev;
  };
  for (const Row& row : {Row{TruncationType::hard, {}, {kLastSix, kFirstFour}, 0.9848},
                         Row{TruncationType::soft, {}, {kLastSix, kFirstFour}, 0.9728},
                         Row{TruncationType::count, 4, {kLastSix, kFirstFourLastTwo}, 0.9968},
                         Row{TruncationType::energy, 0.1, {kLastSix, kFirstFour}, 0.9848}}) {
    SCOPED_TRACE(name(row.type));
    const Result result = fit_dataset(
        "synthetic",
        {.components = 2, .truncation = row.type, .lambda = row.lambda, .start = Start::identity});
    EXPECT_EQ(verify::supports(result.loadings), row.pattern);
    EXPECT_NEAR(result.criteria.cpev, row.cpev, 0.5e-4);
    EXPECT_NEAR(result.criteria.cpev_pca, 0.9973, 0.5e-4);
  }
}

TEST(PaperTables, Pitprops) {
  struct Row {
    TruncationType type;
    std::optional<double> lambda;
    std::vector<Index> pattern;
    double std, nonorthogonality, cpev;
    Index iterations;
  };
  for (const Row& row :
       {Row{TruncationType::hard, {}, {4, 2, 4, 3, 3, 2}, 0.0688, 0.0181, 0.8013, 18},
        Row{TruncationType::count, 10, {3, 3, 3, 3, 3, 3}, 0, 0.0428, 0.7514, 5}}) {
    SCOPED_TRACE(name(row.type));
    const Result result = fit_dataset("pitprops", {.components = 6,
                                                   .truncation = row.type,
                                                   .lambda = row.lambda,
                                                   .start = Start::identity,
                                                   .order = Order::none});
    const Criteria& c = result.criteria;
    EXPECT_EQ(c.nonzeros, row.pattern);
    EXPECT_EQ(result.loadings.nonZeros(), 18);
    EXPECT_NEAR(c.sparsity.std, row.std, 0.5e-4);
    EXPECT_NEAR(c.nonorthogonality, row.nonorthogonality, 0.5e-4);
    EXPECT_NEAR(c.cpev, row.cpev, 0.5e-4);
    EXPECT_NEAR(c.cpev_pca, 0.8700, 0.5e-4);
    EXPECT_EQ(result.iterations(), row.iterations);
  }
}

TEST(Fit, RecoversPlantedSupports) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Spiked spiked = make_spiked({.seed = seed});
    Supports truth = verify::supports(spiked.truth);
    std::ranges::sort(truth);
    const auto a = make_matrix(spiked.table);
    Options options{.components = spiked.truth.cols(), .nonzeros = spiked.truth.col(0).nonZeros()};
    Supports found = verify::supports(fit(*a, options).loadings);
    std::ranges::sort(found);
    EXPECT_EQ(found, truth) << "seed " << seed;
  }
}

TEST(Fit, WithoutTruncationThePcaSubspaceComesBack) {
  const auto a = make_dense(verify::decaying(60, 15, 1));
  const Basis b = principal_basis(*a, 4);
  for (const auto type : kTypes) {
    const Result result = fit(*a, {.components = 4, .truncation = type, .lambda = 0});
    EXPECT_LE(verify::subspace_distance(b.vectors, Matrix(result.loadings)), 1e-10);
    EXPECT_NEAR(result.criteria.share_of_pca(), 1, 1e-10);
  }
}

TEST(Fit, PermutingFlippingAndScalingAreFollowed) {
  const Matrix m = verify::decaying(60, 15, 2);
  Matrix changed = 1e4 * m.rowwise().reverse();
  changed.col(3) *= -1;
  for (const auto type : kTypes) {
    const Options options{.components = 4, .truncation = type};
    const Result before = fit(*make_dense(m), options), after = fit(*make_dense(changed), options);
    Matrix expected = Matrix(before.loadings).colwise().reverse();
    expected.row(3) *= -1;
    for (Index i = 0; i < 4; ++i) {  // the sign rule follows the largest entry
      Index j = 0;
      expected.col(i).cwiseAbs().maxCoeff(&j);
      if (expected(j, i) < 0) expected.col(i) *= -1;
    }
    EXPECT_LE((Matrix(after.loadings) - expected).norm(), 1e-8) << name(type);
    EXPECT_NEAR(before.criteria.cpev, after.criteria.cpev, 1e-10);
  }
}

TEST(Fit, EveryKindOfDataGivesTheSameLoadings) {
  const Matrix m = verify::decaying(60, 15, 3);
  const Matrix centred = verify::prepared(m, {});
  const auto dense = make_dense(m);
  const auto covariance = make_covariance(centred.transpose() * centred / 59);
  for (const auto type : kTypes) {
    const Options options{.components = 4, .truncation = type, .refit = 2};
    const Result a = fit(*dense, options), b = fit(*covariance, options);
    EXPECT_LE((Matrix(a.loadings) - Matrix(b.loadings)).norm(), 1e-8);
    EXPECT_NEAR(a.criteria.cpev, b.criteria.cpev, 1e-10);
    EXPECT_EQ(a.samples, 60);
    EXPECT_FALSE(b.samples.has_value());
  }
}

TEST(Fit, EverySolverGivesTheSameLoadings) {
  const auto a = make_dense(verify::decaying(80, 60, 4));
  const Result reference = fit(*a, {.components = 5, .solver = Solver::gram});
  for (const Solver solver : {Solver::outer, Solver::krylov}) {
    const Result result = fit(*a, {.components = 5, .solver = solver});
    EXPECT_EQ(verify::supports(result.loadings), verify::supports(reference.loadings));
    EXPECT_LE((Matrix(result.loadings) - Matrix(reference.loadings)).norm(), 1e-5);
  }
}

TEST(Fit, ResultKeepsItsPromises) {
  const Matrix m = verify::decaying(60, 15, 5);
  const Matrix dense = verify::prepared(m, {});
  for (const auto type : kTypes)
    for (const Order order : {Order::variance, Order::none}) {
      const Result result =
          fit(*make_dense(m), {.components = 5, .truncation = type, .refit = 3, .order = order});
      const Matrix x(result.loadings);
      const verify::Figures f = verify::figures(dense, x);
      EXPECT_NEAR(result.criteria.cpev, f.cpev, 1e-10);
      EXPECT_LE((result.criteria.adjusted_variance - f.adjusted).norm(), 1e-10);
      EXPECT_LE(result.criteria.cpev, result.criteria.cpev_pca + 1e-12);
      for (Index i = 0; i < 5; ++i) {
        EXPECT_NEAR(x.col(i).norm(), 1, 1e-12);
        EXPECT_GT(x.col(i).maxCoeff(), -x.col(i).minCoeff());
        const double before = order == Order::variance && i > 0 ? f.adjusted[i - 1] : 1;
        EXPECT_LE(f.adjusted[i], before + 1e-12);
      }
      EXPECT_LE((result.rotation * result.rotation.transpose() - Matrix::Identity(5, 5)).norm(),
                1e-12);
      EXPECT_EQ(result.status, Status::converged);
      EXPECT_EQ(result.iterations(), static_cast<Index>(result.history.size()));
    }
}

TEST(Fit, RotationRowsFollowTheComponents) {
  const auto a = make_dense(verify::decaying(60, 15, 5));
  const Result result =
      fit(*a, {.components = 5, .truncation = TruncationType::energy, .lambda = 0.05});
  const Basis b = principal_basis(*a, 5);
  const Matrix z = b.vectors * result.rotation.transpose();
  for (Index i = 0; i < 5; ++i) EXPECT_GT(z.col(i).dot(Matrix(result.loadings).col(i)), 0.9);
}

TEST(Fit, SameInputSameBitsAndAcrossThreadsSameSupports) {
  // Large enough that threads share every stage.
  const auto a = make_matrix(make_spiked({.n = 600, .p = 2500, .r = 50, .k = 20}).table);
  for (const auto type : kTypes) {
    Options options{
        .components = 50, .truncation = type, .start = Start::random, .refit = 2, .seed = 7};
    options.threads = 2;
    const Result first = fit(*a, options), second = fit(*a, options);
    EXPECT_EQ(Matrix(first.loadings), Matrix(second.loadings));
    EXPECT_EQ(first.history, second.history);
    EXPECT_EQ(first.criteria.cpev, second.criteria.cpev);
    options.threads = 1;
    const Result single = fit(*a, options);
    EXPECT_EQ(verify::supports(single.loadings), verify::supports(first.loadings));
    EXPECT_LE((Matrix(single.loadings) - Matrix(first.loadings)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_EQ(single.threads, 1);
  }
}

TEST(Fit, AGivenBasisGivesTheSameResult) {
  const auto a = make_dense(verify::decaying(60, 15, 7));
  const Basis basis = principal_basis(*a, 8);
  const Options options{.components = 5};
  const Result whole = fit(*a, options), from_basis = fit(*a, basis, options);
  EXPECT_LE((Matrix(whole.loadings) - Matrix(from_basis.loadings)).norm(), 1e-9);
  EXPECT_NEAR(whole.criteria.cpev_pca, from_basis.criteria.cpev_pca, 1e-12);
  EXPECT_THROW(fit(*a, basis, {.components = 9}), Error);
}

TEST(Fit, AConstantColumnUnderScalingGetsZeroLoadingsAndAWarning) {
  Matrix m = verify::decaying(40, 6, 8);
  m.col(2).setConstant(5);
  const Result result = fit(*make_dense(m, {.scale = true}), {.components = 5, .lambda = 0});
  EXPECT_EQ(Matrix(result.loadings).row(2).norm(), 0);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_NE(result.warnings[0].find("does not vary"), std::string::npos);
  EXPECT_TRUE(Matrix(result.loadings).allFinite());
}

TEST(Fit, AConstantColumnHasNoLoadingEvenBeyondTheRank) {
  Matrix m = verify::decaying(40, 4, 8);
  m.col(2).setConstant(5);
  const Result result = fit(*make_dense(m, {.scale = true}), {.components = 4, .lambda = 0});
  EXPECT_EQ(Matrix(result.loadings).row(2).norm(), 0);
  EXPECT_TRUE(Matrix(result.loadings).allFinite());
}

TEST(Fit, OneVariableWorks) {
  const Result result = fit(*make_dense(verify::random_matrix(20, 1, 1)), {.components = 1});
  EXPECT_EQ(result.loadings.coeff(0, 0), 1);
  EXPECT_NEAR(result.criteria.cpev, 1, 1e-12);
}

TEST(Fit, SignsOfEqualEntriesAreDecidedByTheFirst) {
  Matrix m = verify::random_matrix(30, 2, 1);
  m.col(1) = -m.col(0) + 0.1 * m.col(1);
  const Matrix x(fit(*make_dense(m, {.scale = true}), {.components = 1, .lambda = 0}).loadings);
  EXPECT_GT(x(0, 0), 0);
  EXPECT_LT(x(1, 0), 0);
}

TEST(Fit, ALambdaThatEmptiesLoadingsGivesZerosAndAWarning) {
  const auto a = make_matrix(load_dataset("random:n=50,p=40,seed=1"));
  for (const auto type : {TruncationType::hard, TruncationType::soft}) {
    const Result result = fit(*a, {.components = 4, .truncation = type, .lambda = 0.9, .refit = 2});
    EXPECT_EQ(result.loadings.nonZeros(), 0);
    EXPECT_EQ(result.criteria.cpev, 0);
    EXPECT_EQ(result.criteria.sparsity.mean, 1);
    EXPECT_TRUE(result.rotation.allFinite());
    ASSERT_FALSE(result.warnings.empty());
    EXPECT_NE(result.warnings[0].find("nothing is left of 4 components"), std::string::npos);
  }
}

TEST(Fit, NotConvergingIsAStatus) {
  const Result result =
      fit_dataset("pitprops", {.components = 6, .start = Start::identity, .max_iterations = 3});
  EXPECT_EQ(result.status, Status::iteration_limit);
  EXPECT_EQ(result.iterations(), 3);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0], "not converged within 3 iterations");
  EXPECT_EQ(Result{}.status, Status::not_run);
}

TEST(Fit, TheObserverSeesTheStagesAndCanStop) {
  const auto a = make_dense(verify::decaying(60, 15, 7));
  std::vector<std::string> stages;
  fit(*a, {}, [&](const Progress& progress) {
    EXPECT_GE(progress.fraction, 0);
    EXPECT_LE(progress.fraction, 1);
    if (stages.empty() || stages.back() != progress.stage) stages.emplace_back(progress.stage);
    return true;
  });
  EXPECT_EQ(stages, (std::vector<std::string>{"pca", "rotate", "refit", "score"}));
  for (const auto& stage : stages)
    EXPECT_THROW(fit(*a, {}, [&](const Progress& progress) { return progress.stage != stage; }),
                 Cancelled);
}

TEST(Fit, ScoresAreTheProjectedSamples) {
  const Matrix m = verify::decaying(60, 15, 7);
  const auto a = make_dense(m, {.scale = true});
  const Result result = fit(*a, {.components = 3});
  const Matrix expected = verify::prepared(m, {.scale = true}) * Matrix(result.loadings);
  EXPECT_LE((scores(*a, result.loadings) - expected).norm(), 1e-10);
}

Rejection rejection(const DataMatrix& a, const Options& options) {
  return rejection_of([&] { fit(a, options); });
}

TEST(Options, ValidationNamesFieldValueAndRule) {
  const auto a = make_dense(verify::decaying(30, 10, 1));
  EXPECT_EQ(rejection(*a, {.components = 0}),
            (Rejection{"components", "0",
                       "it must be from 1 to 10, the smaller of 30 samples and 10 variables"}));
  EXPECT_EQ(rejection(*a, {.components = -3}).value, "-3");
  EXPECT_EQ(rejection(*a, {.components = 11}).value, "11");
  EXPECT_EQ(rejection(*a, {.lambda = 1.5}),
            (Rejection{"lambda", "1.5", "with truncation hard it must be at least 0 and below 1"}));
  EXPECT_EQ(rejection(*a, {.lambda = std::nan("")}).value, "nan");
  EXPECT_HAS(rejection(*a, {.truncation = TruncationType::count, .lambda = 2.5}).rule,
             "whole number");
  EXPECT_EQ(rejection(*a, {.nonzeros = 11}),
            (Rejection{"nonzeros", "11", "it must be from 1 to 10, the number of variables"}));
  EXPECT_EQ(rejection(*a, {.lambda = 0.1, .nonzeros = 3}),
            (Rejection{"lambda", "0.1", "give one of them"}));
  EXPECT_EQ(rejection(*a, {.nonzeros = 3, .keep = 0.9}),
            (Rejection{"nonzeros", "3", "give one of them"}));
  EXPECT_EQ(rejection(*a, {.sparsity = 1.0}),
            (Rejection{"sparsity", "1", "it must be at least 0 and below 1"}));
  EXPECT_EQ(rejection(*a, {.keep = 0.0}),
            (Rejection{"keep", "0", "it must be above 0 and at most 1"}));
  EXPECT_EQ(rejection(*a, {.variance = 1.5}),
            (Rejection{"variance", "1.5", "it must be above 0 and at most 1"}));
  EXPECT_EQ(rejection(*a, {.restarts = -1}),
            (Rejection{"restarts", "-1", "it must be at least 0"}));
  EXPECT_EQ(rejection(*a, {.refit = -1}), (Rejection{"refit", "-1", "it must be at least 0"}));
  EXPECT_EQ(rejection(*a, {.tolerance = -1}),
            (Rejection{"tolerance", "-1", "it must be a number of at least 0"}));
  EXPECT_EQ(rejection(*a, {.max_iterations = 0}),
            (Rejection{"max-iterations", "0", "it must be at least 1"}));
  EXPECT_EQ(rejection(*a, {.threads = -1}),
            (Rejection{"threads", "-1", "it must be from 0 to 1024"}));
  EXPECT_EQ(rejection(*make_dense(Matrix::Ones(1, 3)), {.components = 1}).rule,
            "the table has one sample: variance needs at least two");
  EXPECT_EQ(rejection(*make_dense(Matrix::Ones(5, 3)), {.components = 1}).rule,
            "the data has no variance");
}

TEST(Options, RecordsSetAndShowEveryField) {
  Options options;
  for (const auto& [option, text] : std::vector<std::pair<std::string_view, std::string>>{
           {"certify", "3"},       {"deflation", "schur"},  {"time-limit", "9"},
           {"components", "3"},    {"method", "rsvd-gp"},   {"truncation", "soft"},
           {"lambda", "0.25"},     {"nonzeros", "7"},       {"variance", "0.9"},
           {"sparsity", "0.5"},    {"keep", "0.75"},        {"restarts", "5"},
           {"best-by", "cpev"},    {"start", "random"},     {"refit", "2"},
           {"tolerance", "0.001"}, {"max-iterations", "9"}, {"post-fit", "yes"},
           {"ridge", "inf"},       {"bound", "2.2"},        {"orthogonality", "0.2"},
           {"correlation", "0.3"}, {"refine", "4"},         {"order", "none"},
           {"solver", "krylov"},   {"seed", "42"},          {"threads", "2"},
           {"effort", "thorough"}, {"overlap", "0.3"},      {"direction", "backward"}}) {
    const auto records = option_records();
    const auto record = std::ranges::find(records, option, &OptionRecord::name);
    ASSERT_NE(record, records.end()) << option;
    record->set(options, text);
    EXPECT_EQ(record->get(options), text) << option;
  }
  const Options expected{.method = Method::rsvd_gp,
                         .components = 3,
                         .variance = 0.9,
                         .truncation = TruncationType::soft,
                         .lambda = 0.25,
                         .nonzeros = 7,
                         .sparsity = 0.5,
                         .keep = 0.75,
                         .start = Start::random,
                         .post_fit = true,
                         .ridge = std::numeric_limits<double>::infinity(),
                         .bound = 2.2,
                         .orthogonality = 0.2,
                         .correlation = 0.3,
                         .direction = Direction::backward,
                         .deflation = Deflation::schur,
                         .time_limit = 9,
                         .restarts = 5,
                         .best_by = BestBy::cpev,
                         .refit = 2,
                         .refine = 4,
                         .effort = Effort{Effort::Level::thorough},
                         .overlap = 0.3,
                         .tolerance = 1e-3,
                         .max_iterations = 9,
                         .certify = 3,
                         .order = Order::none,
                         .solver = Solver::krylov,
                         .seed = 42,
                         .threads = 2};
  EXPECT_EQ(options, expected);
  EXPECT_EQ(option_records().size(), 30U);
}

TEST(Options, RecordsRejectInvalidValues) {
  for (const OptionRecord& record : option_records()) {
    Options options;
    for (const char* text : {"", "abc", "1x", " "})
      EXPECT_THROW(record.set(options, text), Error) << record.name << " '" << text << "'";
    EXPECT_FALSE(record.help.empty());
  }
  Options options;
  EXPECT_THROW(option_records()[0].set(options, "2.5"), Error);
  EXPECT_THROW(option_records()[0].set(options, "99999999999999999999"), Error);
}

TEST(Names, PapersNamesAreKnownToo) {
  EXPECT_EQ(parse<TruncationType>("l0"), TruncationType::hard);
  EXPECT_EQ(parse<TruncationType>("l1"), TruncationType::soft);
  EXPECT_EQ(parse<TruncationType>("sp"), TruncationType::count);
  EXPECT_EQ(parse<TruncationType>("en"), TruncationType::energy);
  EXPECT_EQ(rejection_of([] { parse<TruncationType>("hrad"); }),
            (Rejection{"truncation", "hrad", "it must be one of hard, soft, count, energy"}));
}

}  // namespace
}  // namespace spcart
