#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "enumeration.hpp"
#include "rejection.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"

namespace spcart {
namespace {

Options exact(Index r, Index k) {
  return {.method = Method::exact, .components = r, .nonzeros = k};
}

TEST(Exact, FirstComponentIsTheBestOfAll) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto a = make_dense(verify::decaying(20, 9, seed));
    const Matrix s = a->gram();
    const Index k = 1 + static_cast<Index>(seed % 5);
    const Result result = fit(*a, exact(1, k));
    const double best = enumeration::best_block(s, k) / s.trace();
    EXPECT_NEAR(result.criteria.cpev, best, 1e-9);
    ASSERT_EQ(result.proofs.size(), 1U);
    EXPECT_TRUE(result.proofs[0].optimal);
    EXPECT_NEAR(result.proofs[0].explained, best, 1e-9);
    EXPECT_GE(result.proofs[0].bound, best * (1 - 1e-12));
  }
}

/// S after a component, by definition.
Matrix deflated(const Matrix& s, const Vector& x, Deflation kind) {
  const Matrix rest = Matrix::Identity(s.rows(), s.rows()) - x * x.transpose();
  const double variance = x.dot(s * x);
  if (kind == Deflation::projection) return rest * s * rest;
  if (kind == Deflation::hotelling) return s - variance * x * x.transpose();
  return s - s * x * x.transpose() * s / variance;
}

TEST(Exact, EachNextComponentIsTheBestOfWhatIsLeft) {
  for (const Deflation kind : {Deflation::projection, Deflation::hotelling, Deflation::schur}) {
    const auto a = make_dense(verify::decaying(30, 8, 5));
    Options options = exact(3, 3);
    options.deflation = kind;
    options.order = Order::none;
    const Result result = fit(*a, options);
    Matrix s = a->gram();
    const double total = s.trace();
    ASSERT_EQ(result.proofs.size(), 3U);
    for (Index i = 0; i < 3; ++i) {
      const Proof& proof = result.proofs[static_cast<std::size_t>(i)];
      EXPECT_NEAR(proof.explained, enumeration::best_block(s, 3) / total, 1e-9) << name(kind);
      EXPECT_TRUE(proof.optimal);
      s = deflated(s, Vector(result.loadings.col(i)), kind);
    }
  }
}

TEST(Exact, ProofsNameTheirComponents) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  const Result result = fit(*a, exact(6, 3));
  EXPECT_FALSE(result.search);  // what is proved is not changed
  ASSERT_EQ(result.proofs.size(), 6U);
  std::vector<Index> components;
  Matrix s = a->gram();
  for (const Proof& proof : result.proofs) {
    components.push_back(proof.component);
    const Vector x = result.loadings.col(proof.component);
    EXPECT_NEAR(proof.explained, x.dot(s * x) / 13, 1e-9);
    s = deflated(s, x, Deflation::projection);
  }
  EXPECT_FALSE(std::ranges::is_sorted(components)) << "otherwise the test says little";
  EXPECT_NEAR(result.proofs[0].explained, 2.475 / 13, 1e-4);
}

TEST(Exact, ProofsOfComponentsThatSearchHasChangedSaySo) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  Options options = exact(6, 3);
  options.effort = Effort{Effort::Level::normal};
  const Result result = fit(*a, options);
  Index changed = 0;
  for (const Proof& proof : result.proofs) changed += proof.component < 0 ? 1 : 0;
  EXPECT_GT(changed, 0);
}

TEST(Exact, ProvesWhatThereIsIfVarianceIsUsedUp) {
  const Matrix data = verify::random_matrix(20, 2, 1) * verify::random_matrix(2, 6, 2);
  const Result result = fit(*make_dense(data, {.center = false}), exact(3, 6));
  EXPECT_EQ(result.proofs.size(), 2U);
}

TEST(Exact, ManyVariablesAreSearchedWithinACoreOfThem) {
  Matrix data = verify::random_matrix(40, 1500, 3);
  for (Index j = 0; j < data.cols(); ++j) data.col(j) *= 10 / (1 + 0.5 * static_cast<double>(j));
  const auto a = make_dense(data);
  const Result result = fit(*a, exact(1, 4));
  ASSERT_EQ(result.proofs.size(), 1U);
  EXPECT_TRUE(result.proofs[0].optimal);
  EXPECT_LT(result.proofs[0].candidates, 50);
  const Matrix first = a->gram().topLeftCorner(12, 12);
  EXPECT_NEAR(result.proofs[0].explained * a->squared_norm(), enumeration::best_block(first, 4),
              1e-9 * a->squared_norm());
}

/// Equal variances: nothing can be ruled out, and only a core of the variables is searched.
TEST(Exact, TimeEndsItWithAGapAlsoForManyVariables) {
  const auto a = make_dense(verify::random_matrix(30, 3000, 3), {.scale = true});
  Options options = exact(1, 8);
  options.time_limit = 0.2;
  const Result result = fit(*a, options);
  ASSERT_EQ(result.proofs.size(), 1U);
  EXPECT_FALSE(result.proofs[0].optimal);
  EXPECT_GT(result.proofs[0].bound, result.proofs[0].explained);
  EXPECT_LE(result.proofs[0].bound, result.criteria.cpev_pca * (1 + 1e-9));
}

/// Variables of earlier components do not crowd out the others.
TEST(Exact, ManyVariablesInEachComponent) {
  const Matrix data = verify::random_matrix(60, 3, 1) * verify::random_matrix(3, 1300, 2) +
                      verify::random_matrix(60, 1300, 3);
  Options options = exact(2, 1030);
  options.time_limit = 1;
  const Result result = fit(*make_dense(data), options);
  std::vector<char> used(1300, 0);
  for (Index i = 0; i < 2; ++i)
    for (Loadings::InnerIterator e(result.loadings, i); e; ++e)
      used[static_cast<std::size_t>(e.row())] = 1;
  EXPECT_GT(std::ranges::count(used, char{1}), 1100);
}

TEST(Exact, TheTimeLimitIsOfAllTrialsForATarget) {
  const auto a = make_dense(verify::random_matrix(100, 60, 7));
  Options options{.method = Method::exact, .components = 1, .keep = 0.5, .time_limit = 0.1};
  EXPECT_EQ(fit(*a, options).proofs.size(), 1U);
}

TEST(Exact, TimeEndsItWithAGap) {
  const auto a = make_dense(verify::random_matrix(100, 80, 7));
  Options options = exact(1, 20);
  options.time_limit = 0.05;
  const Result result = fit(*a, options);
  ASSERT_EQ(result.proofs.size(), 1U);
  EXPECT_FALSE(result.proofs[0].optimal);
  EXPECT_GT(result.proofs[0].gap(), 0);
  EXPECT_FALSE(result.warnings.empty());
}

TEST(Exact, CanBeCancelledAndSaysHowFarItCame) {
  const auto a = make_dense(verify::random_matrix(100, 80, 7));
  std::string note;
  const Observer observer = [&](const Progress& progress) {
    if (!progress.note.empty()) note = progress.note;
    return note.find("gap") == std::string::npos;
  };
  EXPECT_THROW(fit(*a, exact(1, 20), observer), Cancelled);
  EXPECT_NE(note.find("gap"), std::string::npos) << note;
}

TEST(Exact, RejectsOptionsThatAreNotItsOwn) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  Options options = exact(1, 3);
  options.time_limit = 0;
  EXPECT_EQ(testing::rejection_of([&] { fit(*a, options); }).option, "time-limit");
  Options other{.components = 1, .nonzeros = 3};
  other.deflation = Deflation::schur;
  EXPECT_EQ(testing::rejection_of([&] { fit(*a, other); }).option, "deflation");
}

}  // namespace
}  // namespace spcart
