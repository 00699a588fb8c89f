#include "spcart/certificate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "criteria/orthogonal_bounds.hpp"
#include "enumeration.hpp"
#include "rejection.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::rejection_of;

const UpperBound& bound_of(const Certificate& certificate, ComponentClass components) {
  return *std::ranges::find(certificate.bounds, components, &UpperBound::components);
}

/// Unit loadings with equal entries on each support.
Loadings even_loadings(Index p, const std::vector<std::vector<Index>>& supports) {
  Matrix x = Matrix::Zero(p, static_cast<Index>(supports.size()));
  for (std::size_t t = 0; t < supports.size(); ++t)
    for (const Index j : supports[t])
      x(j, static_cast<Index>(t)) = 1 / std::sqrt(static_cast<double>(supports[t].size()));
  return x.sparseView(0, 0);
}

double pca_of(const Matrix& s, Index r) { return enumeration::largest(s, r) / s.trace(); }

TEST(Certificate, OfTheBestComponentSaysThatItIsOptimal) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  const Result result = fit(*a, {.components = 1, .nonzeros = 5, .certify = 20});
  ASSERT_TRUE(result.certificate);
  const Certificate& certificate = *result.certificate;
  EXPECT_EQ(certificate.nonzeros, std::vector<Index>{5});
  EXPECT_NEAR(certificate.cpev, 3.406155 / 13, 1e-7);
  EXPECT_NEAR(certificate.own().bound, 3.406155 / 13, 1e-7);
  EXPECT_EQ(certificate.own().by, "branch-and-bound");
  EXPECT_GE(certificate.gap(), 0);
  EXPECT_LT(certificate.gap(), 1e-7);
  EXPECT_TRUE(certificate.complete);
  EXPECT_EQ(
      in_words(certificate),
      std::vector<std::string>{"This answer explains 26.20 % of the variance. It is optimal: no "
                               "component of 5 variables explains more (branch and bound)."});
}

TEST(Certificate, OfAnotherComponentSaysWhatItLacks) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  const Certificate certificate = certify(*a, even_loadings(13, {{0, 1, 2, 3, 4}}), 0.3245);
  EXPECT_NEAR(certificate.own().bound, 3.406155 / 13, 1e-7);
  EXPECT_NEAR(certificate.gap(), 3.406155 / 13 / certificate.cpev - 1, 1e-6);
  EXPECT_GT(certificate.gap(), 0.01);
}

TEST(Certificate, BoundsAreAsLowAsKnownAndAboveWhatIsPossible) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  const Result result = fit(*a, {.components = 3, .nonzeros = 5, .overlap = 0, .certify = 60});
  const Certificate& certificate = *result.certificate;
  const UpperBound& orthogonal = bound_of(certificate, ComponentClass::orthogonal);
  EXPECT_LE(orthogonal.bound, 0.6114 + 1e-3);
  EXPECT_GE(orthogonal.bound, 0.5836);
  const UpperBound& disjoint = bound_of(certificate, ComponentClass::disjoint);
  EXPECT_LE(disjoint.bound, 0.5979 + 1e-3);
  EXPECT_GE(disjoint.bound, 0.5836);  // the optimum, by enumeration
  EXPECT_NEAR(certificate.cpev_pca, 0.6519, 1e-4);
}

/// What search finds is what nobody easily beats: a bound below it is no proof.
TEST(Certificate, IsNeverBelowWhatSearchFinds) {
  Index orthogonal = 0, oblique = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Index p = 6 + static_cast<Index>(seed % 4), r = 2 + static_cast<Index>(seed % 2);
    const Index k = 2 + static_cast<Index>(seed % 3);
    const auto a = make_dense(verify::decaying(20, p, seed));
    const Result result = fit(*a, {.components = r,
                                   .nonzeros = k,
                                   .effort = Effort{Effort::Level::seconds, 0.02},
                                   .overlap = seed % 5 == 0 ? 0.0 : 0.3,
                                   .certify = 0.02,
                                   .threads = 1});
    const Certificate& certificate = *result.certificate;
    for (const UpperBound& bound : certificate.bounds) {
      if (bound.components == ComponentClass::disjoint && !certificate.disjoint) continue;
      if (bound.components == ComponentClass::orthogonal && !certificate.orthogonal) continue;
      EXPECT_GE(bound.bound, certificate.cpev * (1 - 1e-9))
          << "seed " << seed << ", " << name(bound.components) << " by " << bound.by;
      EXPECT_LE(bound.bound, certificate.cpev_pca * (1 + 1e-9)) << seed;
    }
    (certificate.orthogonal ? orthogonal : oblique) += 1;
  }
  EXPECT_GT(orthogonal, 20);
  EXPECT_GT(oblique, 20);
}

TEST(Certificate, ComponentsBelongToTheMostSpecialClass) {
  const Matrix data = verify::decaying(30, 8, 3);
  const auto a = make_dense(data);
  const double pca = pca_of(a->gram(), 2);
  const Certificate disjoint = certify(*a, even_loadings(8, {{0, 1}, {2, 3}}), pca);
  EXPECT_TRUE(disjoint.disjoint && disjoint.orthogonal);
  EXPECT_EQ(disjoint.own().components, ComponentClass::disjoint);
  EXPECT_EQ(disjoint.obliqueness, 1);

  Matrix x = Matrix::Zero(8, 2);
  x.col(0).head(2) << 1, 1;
  x.col(1).head(2) << 1, -1;
  const Certificate orthogonal = certify(*a, Loadings(x.sparseView(0, 0)), pca);
  EXPECT_FALSE(orthogonal.disjoint);
  EXPECT_EQ(orthogonal.own().components, ComponentClass::orthogonal);

  const Certificate oblique = certify(*a, even_loadings(8, {{0, 1}, {1, 2}}), pca);
  EXPECT_EQ(oblique.own().components, ComponentClass::oblique);
  EXPECT_GT(oblique.obliqueness, 1);
  for (const Certificate* certificate : {&disjoint, &orthogonal, &oblique}) {
    EXPECT_TRUE(std::ranges::is_sorted(certificate->bounds, {}, &UpperBound::bound));
    EXPECT_GE(certificate->own().bound, certificate->cpev);
  }
}

/// Components at an angle of 1e-7 span a plane, but the inverse of X'X is lost to rounding. S is a
/// projection of rank two on four variables, whose entries are as even as such a matrix allows.
TEST(Certificate, HoldsForNearlyDependentComponents) {
  Matrix u(4, 2);
  u << 1, 1, 1, -1, 1, 0.4, 1, -0.4;
  u.col(0).normalize();
  u.col(1).normalize();
  Matrix s = 0.02 * Matrix::Identity(8, 8);
  s.topLeftCorner(4, 4) += u * u.transpose();
  Matrix x = Matrix::Zero(8, 2);
  x.col(0).head(4) = u.col(0);
  x.col(1).head(4) = (u.col(0) + 1e-7 * u.col(1)).normalized();
  const Certificate certificate =
      certify(*make_covariance(s), Loadings(x.sparseView(0, 0)), pca_of(s, 2), {.seconds = 2});
  EXPECT_NEAR(certificate.cpev, pca_of(s, 2), 1e-3);
  for (const UpperBound& bound : certificate.bounds)
    if (bound.components == ComponentClass::oblique || bound.components == ComponentClass::any) {
      EXPECT_GE(bound.bound, certificate.cpev * (1 - 1e-9)) << name(bound.components);
    }
}

TEST(Certificate, UnionOfSupportsIsBoundedByItsBestBlock) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto a = make_dense(verify::decaying(20, 9, seed));
    const Matrix s = a->gram();
    const Certificate certificate =
        certify(*a, even_loadings(9, {{0, 1}, {1, 2}}), pca_of(s, 2), {.seconds = 0.2});
    const double best = enumeration::best_block(s, 4, 2) / s.trace();
    EXPECT_GE(bound_of(certificate, ComponentClass::any).bound, best * (1 - 1e-12)) << seed;
  }
}

/// Two groups of 30 variables that are alike, and many others with little variance.
TEST(Certificate, HoldsForVariablesThatAreNotMeasured) {
  Matrix data = 0.02 * verify::random_matrix(40, 2500, 3);
  const Matrix factors = verify::random_matrix(40, 2, 4);
  for (Index j = 0; j < 60; ++j) data.col(j) = 10 * data.col(j) + factors.col(j / 30);
  const auto a = make_dense(data);
  const auto certificate_of = [&](Index r) {
    return *fit(*a, {.components = r, .nonzeros = 4, .overlap = 0, .certify = 3}).certificate;
  };
  const Certificate one = certificate_of(1);
  EXPECT_EQ(one.own().by, "branch-and-bound");
  EXPECT_LT(one.gap(), 0.1);
  const Certificate two = certificate_of(2);
  EXPECT_LT(two.own().bound, 0.3 * two.cpev_pca);
  EXPECT_GE(two.own().bound, two.cpev);
}

TEST(Certificate, EmptyComponentsDoNotCount) {
  const auto a = make_dense(verify::decaying(30, 8, 3));
  const Certificate two = certify(*a, even_loadings(8, {{0, 1}, {}, {2}}), 0.99);
  EXPECT_EQ(two.nonzeros, (std::vector<Index>{2, 1}));
  EXPECT_EQ(two.empty, 1);
  EXPECT_EQ(in_words(two).back(), "Nothing is said of 1 component without variables.");
  const Certificate none = certify(*a, Loadings(8, 2), 0.5);
  EXPECT_TRUE(none.nonzeros.empty());
  EXPECT_EQ(none.own().bound, 0.5);
  EXPECT_TRUE(std::isinf(none.gap()));
  EXPECT_EQ(in_words(none).size(), 1U);
}

TEST(Certificate, TimeEndsItWithValidBounds) {
  const auto a = make_dense(verify::random_matrix(100, 80, 7));
  const Result result = fit(*a, {.components = 4, .nonzeros = 10, .certify = 1e-3});
  EXPECT_FALSE(result.certificate->complete);
  EXPECT_GE(result.certificate->own().bound, result.certificate->cpev);
  EXPECT_LE(result.certificate->own().bound, result.certificate->cpev_pca);
  EXPECT_EQ(in_words(*result.certificate).back(), "Time ended the search for sharper bounds.");
}

TEST(Certificate, CanBeCancelled) {
  const auto a = make_dense(verify::random_matrix(100, 80, 7));
  const Result result = fit(*a, {.components = 2, .nonzeros = 10});
  int calls = 0;
  const Tick stop = [&](double) {
    if (++calls > 20) throw Cancelled();
  };
  EXPECT_THROW(certify(*a, result.loadings, 0.9, {.seconds = 100}, stop), Cancelled);
}

TEST(Certificate, RejectsTimesAndLoadingsThatAreNone) {
  const auto a = make_dense(verify::decaying(30, 8, 3));
  const Loadings x = even_loadings(8, {{0, 1}});
  for (const double seconds : {0.0, -1.0, 1e7, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(rejection_of([&] { certify(*a, x, 0.5, {.seconds = seconds}); }).option, "certify")
        << seconds;
  EXPECT_THROW(certify(*a, even_loadings(7, {{0, 1}}), 0.5), Error);
}

TEST(Certificate, AsManyComponentsAsVariablesExplainAsMuchAsPca) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  for (const Index r : {13, 15}) {
    const Matrix x = verify::random_matrix(13, r, 1);
    const Certificate certificate = certify(*a, Loadings(x.sparseView(0, 0)), 1);
    EXPECT_EQ(certificate.own().bound, 1);
    EXPECT_NEAR(certificate.cpev, 1, 1e-9);
    EXPECT_NE(in_words(certificate).back().find("optimal"), std::string::npos);
  }
  EXPECT_EQ(Certificate{}.own().bound, 1);  // of a certificate that nobody has made yet
}

TEST(OrthogonalBounds, HoldForOrthogonalComponentsAndPcaIsTheLast) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  const double pca = pca_of(a->gram(), 3);
  const std::vector<double> bounds = orthogonal_bounds(
      *a, {{{5, 5, 5}, pca}, {{13, 13, 13}, pca}, {{0, 0, 0}, pca}}, {.seconds = 20});
  EXPECT_LE(bounds[0], 0.6274 + 1e-3);
  EXPECT_GE(bounds[0], 0.5836);
  EXPECT_EQ(bounds[1], pca);
  EXPECT_EQ(bounds[2], pca);
}

TEST(OrthogonalBounds, OfMoreNonzerosHoldForFewerOnceTimeIsUp) {
  const auto a = make_matrix(load_dataset("@pitprops"));
  const double pca = pca_of(a->gram(), 2);
  std::vector<ComponentCounts> counts;
  for (Index k = 5; k >= 1; --k) counts.push_back({{k, k}, pca});
  const std::vector<double> bounds = orthogonal_bounds(*a, counts, {.seconds = 1e-6});
  EXPECT_TRUE(std::ranges::is_sorted(bounds, std::greater{}));
}

}  // namespace
}  // namespace spcart
