#include "spcart/choose.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <map>

#include "base/random.hpp"
#include "command.hpp"
#include "selection/choice_to_read.hpp"
#include "selection/cross_validation.hpp"
#include "selection/scree.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using Json = nlohmann::json;
using testing::run;

Choice choose_in(const std::string& dataset, const ChooseOptions& options = {}) {
  return choose(*make_matrix(load_dataset(dataset)), options);
}

TEST(Choose, FindsFivePlantedComponents) {
  int right = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const Choice choice =
        choose_in(fmt::format("spiked:n=200,p=60,r=5,k=8,strength=6,seed={}", seed),
                  {.nonzeros = {2, 4, 8, 16, 60}});
    right += choice.components == 5;
    EXPECT_EQ(choice.nonzeros, 8) << seed;
  }
  EXPECT_GE(right, 18);
}

TEST(Choose, SeesNoStructureInNoise) {
  int right = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const Choice choice =
        choose_in(fmt::format("random:n=200,p=60,seed={}", seed), {.nonzeros = {2, 4, 8, 16, 60}});
    right += choice.components == 0;
  }
  EXPECT_GE(right, 18);
}

/// The error itself, not only the recommendation, is least at the truth.
TEST(Choose, HeldOutErrorIsLeastAtWhatWasPlanted) {
  struct Planted {
    Index r, k, p;
  };
  for (const auto& [r, k, p] : {Planted{5, 8, 100}, Planted{3, 12, 80}, Planted{2, 5, 40}})
    for (int seed = 0; seed < 3; ++seed) {
      const Choice choice =
          choose_in(fmt::format("spiked:n=300,p={},r={},k={},seed={}", p, r, k, seed));
      const ValidationPoint& least = choice.held_out[static_cast<std::size_t>(choice.least)];
      EXPECT_EQ(least.components, r) << seed;
      EXPECT_LE(static_cast<double>(least.nonzeros), 1.5 * static_cast<double>(k)) << seed;
      EXPECT_GE(static_cast<double>(least.nonzeros), static_cast<double>(k) / 1.5) << seed;
      EXPECT_EQ(choice.components, r) << seed;
    }
}

TEST(Choose, BrokenStickIsWhatItsFormulaSays) {
  const Vector stick = broken_stick(4, 4);
  EXPECT_NEAR(stick.sum(), 1, 1e-15);
  EXPECT_NEAR(stick[0], (1 + 0.5 + 1.0 / 3 + 0.25) / 4, 1e-15);
  EXPECT_NEAR(stick[3], 0.25 / 4, 1e-15);
  EXPECT_EQ(broken_stick(9, 3), broken_stick(9, 9).head(3));
}

TEST(Choose, ScreeHasTheVariancesOfPca) {
  const Matrix s = verify::decaying(40, 10, 2);
  const auto a = make_dense(view_of(s));
  const Choice choice = choose(*a, {.most = 6, .permutations = 3});
  const Vector squares = verify::singular_values(verify::prepared(s, {})).cwiseAbs2();
  EXPECT_LT((choice.scree.variances - squares.head(6) / squares.sum()).norm(), 1e-8);
  EXPECT_EQ(choice.scree.parallel.size(), 6);
  EXPECT_EQ(choice.scree.broken_stick.size(), 6);
}

/// Errors of PCA's components done entry by entry: for each held-out part of a sample, the normal
/// equations of the model for the part that is seen.
TEST(Choose, HeldOutErrorsAreThoseOfPredictingBlocks) {
  const Index n = 30, p = 9, r = 2, folds = 3;
  const Matrix s = verify::decaying(n, p, 1).array() + 5;
  const auto a = make_dense(view_of(s));
  CrossValidation validation(*a, r, {.folds = folds, .repeats = 1, .seed = 8}, {});
  validation.add({r}, {p}, {});
  const std::vector<Index> row_order = Random(seed_of(8, -2)).permutation(n);
  const std::vector<Index> column_order = Random(seed_of(8, -1)).permutation(p);
  for (Index f = 0; f < folds; ++f) {
    std::vector<Index> train, test;
    for (Index i = 0; i < n; ++i) (i % folds == f ? test : train).push_back(row_order[i]);
    const Eigen::RowVectorXd means = s(train, Eigen::all).colwise().mean();
    const Matrix seen = s(train, Eigen::all).rowwise() - means;
    const Matrix held = s(test, Eigen::all).rowwise() - means;
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(seen.transpose() * seen /
                                                      static_cast<double>(seen.rows() - 1));
    const Matrix v = eigen.eigenvectors().rightCols(r);
    const double left = eigen.eigenvalues().head(p - r).mean();
    const Vector signal = eigen.eigenvalues().tail(r).array() - left;
    double error = 0;
    for (Index l = 0; l < folds; ++l) {
      std::vector<Index> in, out;
      for (Index j = 0; j < p; ++j) (j % folds == l ? out : in).push_back(column_order[j]);
      const Matrix v_in = v(in, Eigen::all), v_out = v(out, Eigen::all);
      Matrix precision = v_in.transpose() * v_in / left;
      precision.diagonal() += signal.cwiseInverse();
      const Matrix scores =
          (precision.inverse() * v_in.transpose() / left) * held(Eigen::all, in).transpose();
      error += (held(Eigen::all, out).transpose() - v_out * scores).squaredNorm();
    }
    EXPECT_NEAR(validation.errors().at({r, p})[f], error, 1e-8 * held.squaredNorm());
    EXPECT_NEAR(validation.errors().at({0, 0})[f], held.squaredNorm(), 1e-10 * held.squaredNorm());
  }
}

TEST(Choose, TheSimplestWithinOneStandardErrorIsChosen) {
  Choice choice;
  evaluate_errors({{{0, 0}, Eigen::Vector3d(10, 20, 30)},
                   {{1, 2}, Eigen::Vector3d(6, 15, 20)},
                   {{1, 5}, Eigen::Vector3d(5, 12, 14)},
                   {{2, 2}, Eigen::Vector3d(5, 9, 15)},
                   {{2, 5}, Eigen::Vector3d(4, 10, 14)}},
                  choice);
  EXPECT_EQ(choice.least, 4);
  EXPECT_NEAR(choice.held_out[4].error, 28.0 / 60, 1e-15);
  EXPECT_EQ(choice.held_out[4].excess_deviation, 0);
  // Differences 1, 2, 0: their sum 3 has standard error sqrt(3), less than 3.
  EXPECT_NEAR(choice.held_out[2].excess_deviation, std::sqrt(3.0) / 60, 1e-15);
  // Differences 1, -1, 1: their sum 1 has standard error sqrt(3 * 4 / 3) = 2.
  EXPECT_NEAR(choice.held_out[3].excess_deviation, 2.0 / 60, 1e-15);
  EXPECT_EQ(choice.chosen, 3);
  EXPECT_EQ(choice.held_out[3].components, 2);
  EXPECT_EQ(choice.held_out[3].nonzeros, 2);
}

/// Variables that add nearly nothing are left out, even if that little is significant; but not
/// components.
TEST(Choose, VariablesThatHardlyHelpAreLeftOut) {
  Choice choice;
  evaluate_errors({{{0, 0}, Eigen::Vector2d(100, 100)},
                   {{1, 3}, Eigen::Vector2d(20.3, 20.4)},
                   {{2, 2}, Eigen::Vector2d(23, 23.1)},
                   {{2, 3}, Eigen::Vector2d(20.2, 20.3)},
                   {{2, 9}, Eigen::Vector2d(20, 20)}},
                  choice);
  EXPECT_EQ(choice.least, 4);
  EXPECT_EQ(choice.chosen, 3);
}

/// Repeats share their samples: a standard error is that of one repeat, however many there are.
TEST(Choose, RepeatsMakeTheStandardErrorNoSmaller) {
  Choice once, twice;
  evaluate_errors({{{0, 0}, Eigen::Vector3d(10, 20, 30)},
                   {{1, 5}, Eigen::Vector3d(5, 12, 14)},
                   {{2, 5}, Eigen::Vector3d(4, 10, 14)}},
                  once);
  const auto again = [](double x, double y, double z) {
    return Vector(Eigen::Vector<double, 6>(x, y, z, z, x, y));
  };
  evaluate_errors(
      {{{0, 0}, again(10, 20, 30)}, {{1, 5}, again(5, 12, 14)}, {{2, 5}, again(4, 10, 14)}}, twice,
      2);
  ASSERT_EQ(once.held_out.size(), twice.held_out.size());
  for (std::size_t k = 0; k < once.held_out.size(); ++k) {
    EXPECT_NEAR(once.held_out[k].error, twice.held_out[k].error, 1e-15);
    EXPECT_NEAR(once.held_out[k].excess_deviation, twice.held_out[k].excess_deviation, 1e-15);
  }
  EXPECT_EQ(once.chosen, twice.chosen);
}

TEST(Choose, ComponentsToReadStandOutInBothWays) {
  const auto to_read = [](Index by_broken_stick, Index by_parallel) {
    Scree scree;
    scree.by_broken_stick = by_broken_stick;
    scree.by_parallel = by_parallel;
    return components_to_read(scree);
  };
  EXPECT_EQ(to_read(3, 5), 3);
  EXPECT_EQ(to_read(5, 2), 2);
  EXPECT_EQ(to_read(0, 4), 1);
  EXPECT_EQ(to_read(2, 0), 0);
  EXPECT_EQ(to_read(30, 40), 10);
}

/// They are enough, and with one variable less they are not.
TEST(Choose, VariablesToReadAreTheFewestThatExplainMost) {
  for (const char* dataset : {"spiked:n=300,p=80,r=3,k=12,strength=3", "spiked"}) {
    const auto a = make_matrix(load_dataset(dataset));
    const Index r = 2;
    const Basis basis = basis_for(*a, {.components = r});
    const auto is_enough = [&](Index nonzeros) {
      const Result result = fit(*a, basis, {.components = r, .nonzeros = nonzeros});
      const double by_scores = variance_by_scores(*a, result.loadings);
      return by_scores >= 0.9 * basis.singular_values.squaredNorm() &&
             (nonzeros >= 10 || result.criteria.share_of_pca() >= 0.5);
    };
    const Index k = variables_to_read(*a, basis, r, {}, {});
    EXPECT_TRUE(is_enough(k)) << dataset;
    EXPECT_FALSE(k > 2 && is_enough(k - 1)) << dataset;
  }
}

/// The reported explained variance is that of the fit with the same search.
TEST(Choose, SearchesWithTheGivenEffort) {
  const Matrix a = verify::decaying(60, 25, 3);
  const auto data = make_dense(a);
  for (const Effort::Level level : {Effort::Level::none, Effort::Level::normal}) {
    const Choice choice = choose(*data, {.effort = {level}, .overlap = 0.02});
    ASSERT_GT(choice.to_read.components, 0);
    const Result result = fit(*data, {.components = choice.to_read.components,
                                      .nonzeros = choice.to_read.nonzeros,
                                      .effort = Effort{level},
                                      .overlap = 0.02});
    EXPECT_NEAR(choice.to_read.explained,
                variance_by_scores(*data, result.loadings) / data->squared_norm(), 1e-9);
  }
}

TEST(Choose, ShortAnswersToPredictAreToReadAsWell) {
  const Choice planted = choose_in("spiked:n=200,p=40,r=3,k=6");
  EXPECT_EQ(planted.to_read.components, 3);
  EXPECT_EQ(planted.to_read.nonzeros, 6);
  EXPECT_EQ(planted.difference, "");
  const auto answer = [](Index components, Index nonzeros) {
    Recommendation recommendation;
    recommendation.components = components;
    recommendation.nonzeros = nonzeros;
    return recommendation;
  };
  EXPECT_TRUE(is_readable(answer(3, 6), answer(3, 2)));
  EXPECT_FALSE(is_readable(answer(4, 6), answer(3, 2)));
  EXPECT_FALSE(is_readable(answer(3, 16), answer(3, 2)));
}

/// On a table as small as those that people bring.
TEST(Choose, BothAnswersAreTheSameForNearlyAllSeeds) {
  const Table table = load_dataset("spiked:n=40,p=12,r=2,k=4,strength=3");
  std::map<std::array<Index, 2>, int> read, predict;
  int most_read = 0, most_predict = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Choice choice = choose(*make_matrix(table, {.scale = true}), {.seed = seed});
    most_read = std::max(most_read, ++read[{choice.to_read.components, choice.to_read.nonzeros}]);
    most_predict = std::max(most_predict,
                            ++predict[{choice.to_predict.components, choice.to_predict.nonzeros}]);
  }
  EXPECT_GE(most_read, 18);
  EXPECT_GE(most_predict, 18);
}

TEST(Choose, SaysWhenToTakeEachAnswerAndWhyTheyDiffer) {
  const Choice choice = choose_in("spiked:n=200,p=60,r=3,k=16");
  for (const Recommendation* answer : {&choice.to_read, &choice.to_predict}) {
    EXPECT_GT(answer->components, 0);
    EXPECT_NE(answer->when, "");
    EXPECT_EQ(answer->reasons.size(), 2U);
    EXPECT_LE(answer->explained, answer->explained_by_pca);
    EXPECT_GT(answer->error, 0);
  }
  EXPECT_EQ(choice.components, choice.to_predict.components);
  EXPECT_EQ(choice.nonzeros, choice.to_predict.nonzeros);
  EXPECT_EQ(choice.reasons, choice.to_predict.reasons);
  const bool same =
      choice.to_read.components == choice.components && choice.to_read.nonzeros == choice.nonzeros;
  EXPECT_EQ(choice.difference.empty(), same);
}

TEST(Choose, NoStructureIsNoneToReadEither) {
  const Choice choice = choose_in("random:n=100,p=20,seed=1");
  EXPECT_EQ(choice.to_read.components, 0);
  EXPECT_EQ(choice.to_predict.components, 0);
  EXPECT_EQ(choice.difference, "");
}

/// One large unit decides everything: there is a warning, unless the variables are scaled.
TEST(Choose, WarnsWhenScalingDecides) {
  Matrix s = verify::random_matrix(60, 8, 3);
  s.col(5) *= 100;
  const auto warned = [](const Choice& choice) {
    return std::ranges::any_of(choice.warnings, [](const std::string& warning) {
      return warning.find("option scale") != std::string::npos;
    });
  };
  EXPECT_TRUE(warned(choose(*make_dense(view_of(s)))));
  EXPECT_FALSE(warned(choose(*make_dense(view_of(s), {.scale = true}))));
}

TEST(Choose, NumbersOfVariablesAreRefined) {
  EXPECT_EQ(choose_in("spiked:n=300,p=80,r=3,k=12").nonzeros, 12);
}

/// Cross-validation continues as long as it helps, even beyond what other criteria suggest.
TEST(Choose, LooksFurtherThanParallelAnalysis) {
  const Choice choice = choose_in("spiked:n=400,p=200,r=12,k=6,strength=6");
  EXPECT_LT(choice.scree.by_parallel, 12);
  EXPECT_EQ(choice.components, 12);
}

TEST(Choose, IsTheSameForTheSameSeedAndAnyThreads) {
  const std::string dataset = "spiked:n=120,p=40,r=3,k=5,strength=4";
  const Choice one = choose_in(dataset, {.seed = 5, .threads = 1});
  const Choice two = choose_in(dataset, {.seed = 5, .threads = 2});
  EXPECT_EQ(one.components, two.components);
  EXPECT_EQ(one.nonzeros, two.nonzeros);
  EXPECT_LT((one.scree.parallel - two.scree.parallel).norm(), 1e-9);
  ASSERT_EQ(one.held_out.size(), two.held_out.size());
  for (std::size_t k = 0; k < one.held_out.size(); ++k)
    EXPECT_NEAR(one.held_out[k].error, two.held_out[k].error, 1e-9);
  EXPECT_NE(one.scree.parallel, choose_in(dataset, {.seed = 6}).scree.parallel);
}

TEST(Choose, SparseDataGivesWhatDenseDoes) {
  const Table table = load_dataset("spiked:n=100,p=30,r=2,k=5");
  const Matrix s = to_matrix(table);
  Eigen::SparseMatrix<double, Eigen::RowMajor> stored = s.sparseView();
  stored.makeCompressed();
  const auto a = make_sparse({.rows = s.rows(),
                              .cols = s.cols(),
                              .values = stored.valuePtr(),
                              .inner = stored.innerIndexPtr(),
                              .outer = stored.outerIndexPtr()});
  const ChooseOptions options{.permutations = 5, .components = {1, 2, 3}};
  const Choice sparse = choose(*a, options), dense = choose(*make_matrix(table), options);
  EXPECT_EQ(sparse.components, dense.components);
  EXPECT_EQ(sparse.nonzeros, dense.nonzeros);
  for (std::size_t k = 0; k < dense.held_out.size(); ++k)
    EXPECT_NEAR(sparse.held_out[k].error, dense.held_out[k].error, 1e-9);
}

TEST(Choose, RejectsWhatCannotBe) {
  const auto a = make_matrix(load_dataset("spiked:n=40,p=20,r=2,k=4"));
  EXPECT_THROW(choose(*a, {.most = 0}), Error);
  EXPECT_THROW(choose(*a, {.permutations = 0}), Error);
  EXPECT_THROW(choose(*a, {.folds = 1}), Error);
  EXPECT_THROW(choose(*a, {.folds = 41}), Error);
  EXPECT_THROW(choose(*a, {.repeats = -1}), Error);
  EXPECT_THROW(choose(*a, {.components = {0}}), Error);
  EXPECT_THROW(choose(*a, {.components = {20}}), Error);
  EXPECT_THROW(choose(*a, {.nonzeros = {21}}), Error);
  EXPECT_THROW(choose(*a, {.effort = {Effort::Level::seconds, 0}}), Error);
  EXPECT_THROW(choose(*a, {.overlap = 1.5}), Error);
  EXPECT_THROW(choose(*a, {.tolerance = -1}), Error);
  EXPECT_THROW(choose(*a, {}, [](const Progress&) { return false; }), Cancelled);
  EXPECT_THROW(choose(*make_matrix(load_dataset("pitprops"))), Error);
  EXPECT_THROW(choose(*make_dense(Matrix::Ones(10, 4))), Error);
  EXPECT_THROW(choose(*make_dense(Matrix::Identity(3, 3))), Error);
}

/// One sample alone varies: without it there is nothing to learn from.
TEST(Choose, SaysWhenAFoldTakesAllVariance) {
  Matrix a = Matrix::Zero(20, 6);
  a(3, 2) = 1;
  try {
    choose(*make_dense(a), {.folds = 5});
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("folds = 5: without the samples"))
        << error.what();
  }
}

/// A table as small as is allowed, and one wider than it is long.
TEST(Choose, TakesSmallAndWideTables) {
  EXPECT_GE(choose(*make_dense(verify::random_matrix(4, 2, 1)), {.folds = 4}).components, 0);
  EXPECT_GE(choose(*make_dense(verify::random_matrix(6, 2, 1)), {.folds = 2}).components, 0);
  EXPECT_EQ(choose_in("spiked:n=60,p=200,r=2,k=6,strength=12").components, 2);
}

TEST(CommandChoose, RecommendsACallThatWorks) {
  const testing::Folder folder;
  const auto outcome = run({"choose", "@spiked:n=200,p=40,r=3,k=5", "--scale", "--permutations",
                            "10", "--json", folder / "c.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("3 components of 5 variables"), std::string::npos) << outcome.out;
  EXPECT_NE(
      outcome.out.find("next: spcart fit @spiked:n=200,p=40,r=3,k=5 -r 3 --nonzeros 5 --scale"),
      std::string::npos)
      << outcome.out;
  for (const char* word : {"PC1", "permuted", "broken stick", "held-out"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  const Json json = Json::parse(testing::content_of(folder / "c.json"));
  EXPECT_EQ(json["components"], 3);
  EXPECT_EQ(json["nonzeros"], 5);
  EXPECT_GE(json["scree"]["by_parallel"], 3);
  EXPECT_EQ(json["cross_validation"]["points"][0]["error"], 1);
  EXPECT_EQ(json["reasons"].size(), 2U);
  EXPECT_EQ(json["to_predict"]["components"], 3);
  EXPECT_EQ(json["to_predict"]["nonzeros"], 5);
  EXPECT_EQ(json["to_read"]["components"], 3);
  const int few = json["to_read"]["nonzeros"];
  EXPECT_LE(few, 5);
  for (const auto& line :
       {fmt::format("to read: 3 components of {} variables: take it", few),
        fmt::format("next: spcart fit @spiked:n=200,p=40,r=3,k=5 -r 3 --nonzeros {} --scale", few)})
    EXPECT_NE(outcome.out.find(line), std::string::npos) << outcome.out;
}

TEST(CommandChoose, TheCallHasTheSearchThatWasAskedFor) {
  const auto outcome = run({"choose", "@spiked:n=100,p=20,r=2,k=5", "--permutations", "10",
                            "--effort", "none", "--overlap", "0.05"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("--effort none --overlap 0.05"), std::string::npos) << outcome.out;
}

TEST(CommandChoose, SaysNoStructure) {
  const auto outcome = run({"choose", "@random:n=100,p=20,seed=1"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("no structure"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("next:"), std::string::npos) << outcome.out;
}

TEST(CommandChoose, RejectsWithStatusTwo) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"@spiked:n=50", "--folds", "51"},
                                             {"@spiked:n=50", "--folds", "1"},
                                             {"@spiked:n=50", "--folds", "few"},
                                             {"@spiked:n=50", "--permutations", "0"},
                                             {"@spiked:n=50", "--repeats", "-1"},
                                             {"@spiked:n=50", "--most", "0"},
                                             {"@spiked:n=50", "-r", "2,,3"},
                                             {"@spiked:n=50", "-r", "2,"},
                                             {"@spiked:n=50", "-r", "200"},
                                             {"@spiked:n=50", "--nonzeros", "101"},
                                             {"@spiked:n=50", "--effort", "-1"},
                                             {"@spiked:n=50", "--overlap", "2"},
                                             {"@spiked:n=50", "--threads", "-1"},
                                             {"@pitprops"},
                                             {"@nothing"}}) {
    std::vector<std::string> call = {"choose"};
    call.insert(call.end(), arguments.begin(), arguments.end());
    const auto outcome = run(call);
    EXPECT_EQ(outcome.status, 2) << arguments.back();
    EXPECT_TRUE(outcome.err.starts_with("spcart: error: ")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_NE(run({"choose", "@spiked:n=50", "--folds", "51"})
                .err.find("--folds 51: it must be from "
                          "2 to 50"),
            std::string::npos);
}

TEST(CommandChoose, AnInterruptEndsItWithinASecond) {
  const testing::Folder folder;
  for (const double delay : {0.3, 2.0}) {
    const auto outcome = run(
        {"choose", "@random:n=1500,p=800", "--json", folder / "c.json", "--permutations", "1000"},
        {.signal = SIGINT, .signal_after = delay});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_LT(outcome.seconds_after_signal, 1.0);
    EXPECT_TRUE(outcome.err.starts_with("spcart: interrupted while ")) << outcome.err;
    EXPECT_EQ(folder.list(), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace spcart
