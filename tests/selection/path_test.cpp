#include "spcart/path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "command.hpp"
#include "real_data.hpp"
#include "selection/lambdas.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "temporary.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

const std::vector<TruncationType> kTypes = {TruncationType::hard, TruncationType::soft,
                                            TruncationType::count, TruncationType::energy};

Index nonzeros(const PathPoint& point) {
  return std::accumulate(point.criteria.nonzeros.begin(), point.criteria.nonzeros.end(), Index{0});
}

/// The points of one type, from dense to sparse.
std::vector<PathPoint> of_type(const Path& path, TruncationType type) {
  std::vector<PathPoint> points;
  for (const PathPoint& point : path.points)
    if (point.truncation.type == type) points.push_back(point);
  return points;
}

/// From dense to sparse, no number of nonzeros twice, and the variance falls with it.
void expect_monotone(const std::vector<PathPoint>& points) {
  for (std::size_t k = 1; k < points.size(); ++k) {
    EXPECT_LT(nonzeros(points[k]), nonzeros(points[k - 1]));
    EXPECT_LT(points[k].criteria.cpev, points[k - 1].criteria.cpev);
  }
}

TEST(Path, GoesFromPcaToOneVariablePerComponent) {
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const Effort::Level level : {Effort::Level::none, Effort::Level::normal}) {
    const Path path =
        spcart::path(*a, {.truncations = kTypes, .components = {6}, .effort = Effort{level}});
    for (const TruncationType type : kTypes) {
      SCOPED_TRACE(name(type));
      const auto points = of_type(path, type);
      expect_monotone(points);
      EXPECT_EQ(points.front().truncation.lambda, 0);
      EXPECT_EQ(nonzeros(points.front()), 6 * 13);
      EXPECT_NEAR(points.front().criteria.share_of_pca(), 1, 1e-9);
      EXPECT_LE(nonzeros(points.back()), level == Effort::Level::none ? 6 + 1 : 6);
      EXPECT_TRUE(std::ranges::is_sorted(
          points, {}, [](const PathPoint& point) { return point.truncation.lambda; }));
    }
    if (level == Effort::Level::normal) {
      EXPECT_EQ(of_type(path, TruncationType::count).size(), 13U);
    }
  }
}

TEST(Path, SearchGivesTheBetterFrontier) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const auto points = [&](Effort::Level level) {
    return spcart::path(*a, {.components = {6}, .effort = Effort{level}}).points;
  };
  const auto plain = points(Effort::Level::none), best = points(Effort::Level::normal);
  for (const PathPoint& point : plain) {
    const auto rival = std::ranges::find_if(
        best, [&](const PathPoint& other) { return nonzeros(other) <= nonzeros(point); });
    ASSERT_NE(rival, best.end());
    // Its number of nonzeros may be less by the distance of two points.
    EXPECT_GE(rival->criteria.share_of_pca(), point.criteria.share_of_pca() - 0.002);
  }
}

TEST(Path, EachPointHasItsLoadings) {
  for (const char* problem :
       {"pitprops", "synthetic", "spiked:n=100,p=40", "random:n=60,p=30", "patches:n=300"}) {
    SCOPED_TRACE(problem);
    const auto a = make_matrix(load_dataset(problem));
    const Path path = spcart::path(*a, {.components = {2}, .points = 12});
    expect_monotone(path.points);
    for (const PathPoint& point : path.points) {
      const Criteria again = evaluate(*a, point.loadings, point.criteria.cpev_pca);
      EXPECT_NEAR(again.cpev, point.criteria.cpev, 1e-12);
      EXPECT_EQ(again.nonzeros, point.criteria.nonzeros);
      EXPECT_EQ(std::ranges::count(again.nonzeros, 0), 0);
    }
  }
}

TEST(Path, KneeIsFarthestAboveTheLineBetweenItsEnds) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Path path = spcart::path(*a, {.components = {6}, .effort = Effort{Effort::Level::none}});
  const PathPoint& knee = path.points[path.knee];
  EXPECT_EQ(nonzeros(knee), 19);
  EXPECT_NEAR(knee.criteria.share_of_pca(), 0.950, 0.001);
}

TEST(Path, OneVariableHasAPathToo) {
  const auto a = make_dense(verify::random_matrix(9, 1, 1));
  const PathOptions options{
      .truncations = {TruncationType::hard, TruncationType::soft, TruncationType::energy},
      .components = {1}};
  for (const PathPoint& point : spcart::path(*a, options).points) {
    EXPECT_EQ(nonzeros(point), 1);
    EXPECT_NEAR(point.criteria.share_of_pca(), 1, 1e-12);
  }
}

TEST(Path, LambdasLeaveWhatTheyAreAskedFor) {
  const Matrix z = verify::random_matrix(50, 4, 2);
  for (const TruncationType type : {TruncationType::hard, TruncationType::soft}) {
    Lambdas lambdas(z, type);
    for (const Index nonzeros : {16, 1, 1, 49, 30, 31, 2, 0, 48, 50}) {
      const Index left =
          (z.cwiseAbs().array() > lambdas.leaving(static_cast<double>(nonzeros))).count();
      EXPECT_EQ(left, std::min<Index>(4 * nonzeros, 199)) << nonzeros;
    }
  }
}

/// A cold fit at the same lambda is never better by more than local solutions differ.
void expect_as_good_as_cold(const DataMatrix& a, Index r, std::optional<Index> points) {
  const Basis basis = principal_basis(a, r);
  const PathOptions options{.truncations = kTypes,
                            .components = {r},
                            .points = points,
                            .effort = Effort{Effort::Level::none}};
  for (const PathPoint& point : spcart::path(a, options).points) {
    const Result cold = fit(
        a, basis,
        {.components = r, .truncation = point.truncation.type, .lambda = point.truncation.lambda});
    const double objective = cold.history.back().objective;
    EXPECT_TRUE(!point.warm || point.objective <= objective + 1e-9);
    EXPECT_GE(point.criteria.cpev, 0.99 * cold.criteria.cpev)
        << name(point.truncation.type) << ' ' << point.truncation.lambda;
    if (!point.warm) {
      EXPECT_NEAR(point.criteria.cpev, cold.criteria.cpev, 1e-9);
    }
  }
}

TEST(Path, NoPointIsWorseThanAColdFit) {
  expect_as_good_as_cold(*make_matrix(load_dataset("pitprops")), 6, {});
  expect_as_good_as_cold(*make_matrix(load_dataset("synthetic")), 2, {});
}

class PathOnRealData : public testing::RealData {};

TEST_F(PathOnRealData, NoPointIsWorseThanAColdFit) {
  expect_as_good_as_cold(*patches(), 70, 8);
  const auto genes = make_matrix(read("leukemia_72x7129.npy"));
  for (const Index r : {3, 6, 10}) expect_as_good_as_cold(*genes, r, {});
}

TEST_F(PathOnRealData, IsMonotoneAndHasEveryComponent) {
  Table athletes = read_table(path_of("decathlon.csv"), {.exclude = {"Competition"}});
  const auto check = [](const DataMatrix& a, Index r) {
    const Path path = spcart::path(a, {.components = {r}, .points = 20});
    expect_monotone(path.points);
    for (const PathPoint& point : path.points)
      EXPECT_EQ(std::ranges::count(point.criteria.nonzeros, 0), 0) << nonzeros(point);
  };
  check(*make_matrix(athletes, {.scale = true}), 2);
  check(*make_matrix(read("leukemia_72x7129.npy")), 6);
  check(*make_matrix(read("pbmc1k_v3_906x14688.mtx.gz")), 5);
}

TEST(Path, MarksTheFewestNonzerosThatKeepTheShare) {
  const auto a = make_matrix(load_dataset("pitprops"));
  const Path path = spcart::path(*a, {.truncations = kTypes, .components = {3, 6}, .keep = 0.9});
  ASSERT_TRUE(path.keep);
  const PathPoint& kept = path.points[*path.keep];
  EXPECT_EQ(kept.components, 6);
  EXPECT_GE(kept.criteria.share_of_pca(), 0.9 - 1e-9);
  for (const PathPoint& point : path.points)
    if (point.components == 6 && point.criteria.share_of_pca() >= 0.9) {
      EXPECT_GE(nonzeros(point), nonzeros(kept));
    }
  EXPECT_EQ(path.points[path.knee].components, 6);
}

TEST(Path, KneeIsWhereNoiseVariablesAreGone) {
  // Ten variables make up the components, the others are noise: from 6 + 4 nonzeros on every zero
  // costs variance.
  const auto a = make_matrix(load_dataset("synthetic"));
  const Path path = spcart::path(*a, {.components = {2}});
  EXPECT_NEAR(static_cast<double>(nonzeros(path.points[path.knee])), 10, 2);
}

TEST(Path, RejectsWhatCannotBeFollowed) {
  const auto a = make_matrix(load_dataset("pitprops"));
  EXPECT_THROW(spcart::path(*a, {.points = 1}), Error);
  EXPECT_THROW(spcart::path(*a, {.truncations = {TruncationType::count}, .points = 14}), Error);
  EXPECT_THROW(spcart::path(*a, {.truncations = {}}), Error);
  EXPECT_THROW(spcart::path(*a, {.components = {14}}), Error);
  EXPECT_THROW(spcart::path(*a, {.keep = 0}), Error);
}

TEST(Path, CanBeCancelled) {
  const auto a = make_matrix(load_dataset("pitprops"));
  for (const std::string_view stage : {"pca", "rotate"})
    EXPECT_THROW(spcart::path(*a, {.components = {6}},
                              [&](const Progress& progress) { return progress.stage != stage; }),
                 Cancelled);
}

TEST(CommandPath, WritesPointsAsJsonAndCsv) {
  const testing::Folder folder;
  const auto outcome =
      testing::run({"path", "@pitprops", "-r", "3,6", "--truncation", "hard,count", "--points", "9",
                    "--json", folder / "path.json", "--csv", folder / "path.csv"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto path = nlohmann::json::parse(testing::content_of(folder / "path.json"));
  const std::size_t count = path["points"].size();
  ASSERT_EQ(count, 36U);
  EXPECT_EQ(path["points"][0]["truncation"], "hard");
  EXPECT_EQ(path["points"][0]["components"], 3);
  EXPECT_EQ(path["points"][35]["truncation"], "count");
  EXPECT_EQ(path["points"][35]["lambda"], 12);
  EXPECT_GE(path["knee"].get<int>(), 18);
  EXPECT_GE(path["points"][path["keep"].get<std::size_t>()]["criteria"]["share_of_pca"], 0.95);
  const std::string csv = testing::content_of(folder / "path.csv");
  EXPECT_TRUE(csv.starts_with("truncation,lambda,components,nonzeros,sparsity,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 37);
  EXPECT_NE(outcome.out.find("< knee"), std::string::npos);
  EXPECT_NE(outcome.out.find("spcart path @pitprops -r 6"), std::string::npos);
}

/// The call that is printed for a marked point gives that point.
TEST(CommandPath, APointCanBeHadAgain) {
  const testing::Folder folder;
  for (const std::string effort : {"none", "normal"}) {
    const auto outcome = testing::run(
        {"path", "@pitprops", "-r", "6", "--effort", effort, "--json", folder / "path.json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto path = nlohmann::json::parse(testing::content_of(folder / "path.json"));
    const auto& knee = path["points"][path["knee"].get<std::size_t>()]["criteria"];
    const auto again = testing::run({"path", "@pitprops", "-r", "6", "--effort", effort, "--at",
                                     "knee", "--loadings", folder / "x.csv"});
    ASSERT_EQ(again.status, 0) << again.err;
    const auto evaluated = testing::run({"evaluate", "@pitprops", "--loadings", folder / "x.csv",
                                         "--json", folder / "criteria.json"});
    ASSERT_EQ(evaluated.status, 0) << evaluated.err;
    const auto found = nlohmann::json::parse(testing::content_of(folder / "criteria.json"));
    EXPECT_NEAR(found["cpev"].get<double>(), knee["cpev"].get<double>(), 1e-12);
    EXPECT_EQ(found["nonzeros"], knee["nonzeros"]);
  }
}

TEST(CommandPath, RejectsWithStatusTwo) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--points", "1"},
                                             {"--points", "1.5"},
                                             {"--points", "2147483648"},
                                             {"--points", ""},
                                             {"--keep", "abc"},
                                             {"--keep", ""},
                                             {"-r", "99999999999999999999"},
                                             {"-r", ""},
                                             {"--at", ""},
                                             {"--quiet", "--at", "0"},
                                             {"--truncation", "count", "--points", "14"},
                                             {"--truncation", "sharp"},
                                             {"--keep", "0"},
                                             {"-r", "14"},
                                             {"-r", "2,x"},
                                             {"--at", "here"},
                                             {"--at", "1"},
                                             {"--effort", "0"},
                                             {"--overlap", "2"},
                                             {"--tolerance", "-1"}}) {
    std::vector<std::string> call = {"path", "@pitprops"};
    call.insert(call.end(), arguments.begin(), arguments.end());
    const auto outcome = testing::run(call);
    EXPECT_EQ(outcome.status, 2) << arguments.back();
    EXPECT_TRUE(outcome.err.starts_with("spcart: error: ")) << outcome.err;
    EXPECT_EQ(outcome.err.find("Could not convert"), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  }
}

}  // namespace
}  // namespace spcart
