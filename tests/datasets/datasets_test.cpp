#include "spcart/datasets.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "spcart/error.hpp"
#include "spcart/fit.hpp"

namespace spcart {
namespace {

/// Eigenvalues of a symmetric matrix, largest first.
Vector spectrum(const Matrix& c) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(c).eigenvalues().reverse();
}

/// The share of the total that the first r eigenvalues have.
double cpev(const Vector& eigenvalues, Index r) {
  return eigenvalues.head(r).sum() / eigenvalues.sum();
}

std::string error_of(std::string_view text) {
  try {
    load_dataset(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Rows of the nonzeros of one loading.
std::vector<Index> support(const Loadings& x, Index component) {
  std::vector<Index> rows;
  for (Loadings::InnerIterator entry(x, component); entry; ++entry) rows.push_back(entry.row());
  return rows;
}

std::set<std::vector<Index>> supports(const Loadings& x) {
  std::set<std::vector<Index>> all;
  for (Index i = 0; i < x.cols(); ++i) all.insert(support(x, i));
  return all;
}

TEST(Datasets, EveryRecordLoadsByItsNameAndItsDefaults) {
  for (const DatasetRecord& record : dataset_records()) {
    SCOPED_TRACE(record.name);
    const std::string name(record.name);
    const Matrix values = to_matrix(load_dataset(name));
    EXPECT_TRUE(values.allFinite());
    EXPECT_EQ(values, to_matrix(load_dataset("@" + name)));
    EXPECT_EQ(values, to_matrix(load_dataset(name + ":" + std::string(record.parameters))));
    EXPECT_FALSE(record.description.empty());
  }
}

TEST(Datasets, HaveANameForEveryVariable) {
  for (const DatasetRecord& record : dataset_records()) {
    SCOPED_TRACE(record.name);
    const Table table = load_dataset(record.name);
    const std::set<std::string> names(table.variables.begin(), table.variables.end());
    EXPECT_EQ(static_cast<Index>(names.size()), table.cols());
  }
}

TEST(Datasets, SeedDecidesTheNumbers) {
  for (const std::string name : {"random", "spiked", "patches"}) {
    SCOPED_TRACE(name);
    const Matrix values = to_matrix(load_dataset(name + ":n=60,seed=7"));
    EXPECT_EQ(values, to_matrix(load_dataset(name + ":seed=7,n=60")));
    EXPECT_NE(values, to_matrix(load_dataset(name + ":n=60,seed=8")));
  }
}

TEST(Datasets, NumbersAreTheSameOnEveryMachine) {
  const Matrix random = to_matrix(load_dataset("random"));
  EXPECT_NEAR(random(0, 0), 0.5893788037363092, 1e-12);
  EXPECT_NEAR(random(1, 0), -0.029111312662311217, 1e-12);
  EXPECT_NEAR(random(499, 99), 0.7058031605364202, 1e-12);

  const Matrix spiked = to_matrix(load_dataset("spiked"));
  EXPECT_NEAR(spiked(0, 0), 0.40166288296648944, 1e-12);
  EXPECT_NEAR(spiked(1, 0), -2.5088205585023293, 1e-12);
  EXPECT_NEAR(spiked(499, 99), 1.10889155835183, 1e-12);

  const Matrix patches = to_matrix(load_dataset("patches:n=50"));
  EXPECT_EQ(patches.row(0).head(4), Eigen::RowVector4d(132, 132, 132, 127));
  EXPECT_EQ(patches.sum(), 997292);
}

TEST(Datasets, RejectsBadTextAndSaysWhy) {
  EXPECT_EQ(error_of("props"),
            "no dataset is named '@props'; there are @pitprops, @synthetic, @random, @spiked, "
            "@patches");
  EXPECT_EQ(error_of("pitprops:n=3"), "@pitprops takes no parameters, but 'n' is given");
  EXPECT_EQ(error_of("random:q=3"), "@random has no parameter 'q'; it has n=500,p=100,seed=0");
  EXPECT_EQ(error_of("random:n=3,n=4"), "@random: n is given twice");
  EXPECT_EQ(error_of("random:n=3,"), "@random: '' must be written as name=value");
  EXPECT_EQ(error_of("random:n"), "@random: 'n' must be written as name=value");
  EXPECT_EQ(error_of("random:n="), "@random: n = '', must be a whole number");
  EXPECT_EQ(error_of("random:n=1e3"), "@random: n = '1e3', must be a whole number");
  EXPECT_EQ(error_of("random:seed=-1"),
            "@random: seed = '-1', must be a whole number from 0 to 2^64 - 1");
}

TEST(Datasets, RejectsValuesOutOfRange) {
  EXPECT_EQ(error_of("random:n=1"), "@random: n = 1, must be from 2 to 1000000000");
  EXPECT_EQ(error_of("random:p=0"), "@random: p = 0, must be from 1 to 2000000");
  EXPECT_EQ(error_of("random:n=1000000,p=1000000"), "@random: p = 1000000, must be from 1 to 1000");
  EXPECT_EQ(error_of("spiked:r=0"), "@spiked: r = 0, must be from 1 to 100");
  EXPECT_EQ(error_of("spiked:r=20,k=6"), "@spiked: k = 6, must be from 1 to 5");
  EXPECT_EQ(error_of("spiked:strength=0"), "@spiked: strength = 0, must be positive and finite");
  EXPECT_EQ(error_of("spiked:strength=nan"),
            "@spiked: strength = nan, must be positive and finite");
  EXPECT_EQ(error_of("spiked:noise=-1"), "@spiked: noise = -1, must be finite and at least 0");
  EXPECT_EQ(error_of("patches:size=1"), "@patches: size = 1, must be from 2 to 64");
  EXPECT_EQ(error_of("patches:n=300000,size=64"), "@patches: n = 300000, must be from 2 to 244140");
}

TEST(Pitprops, IsTheCorrelationMatrixOfJeffers) {
  const Table table = load_dataset("pitprops");
  EXPECT_TRUE(table.covariance);
  EXPECT_EQ(table.variables.front(), "topdiam");
  EXPECT_EQ(table.variables.back(), "diaknot");

  const Matrix c = to_matrix(table);
  EXPECT_EQ(c, c.transpose());
  EXPECT_EQ(c.diagonal(), Vector::Ones(13));
  Vector expected(13);
  expected << 4.2186, 2.3781, 1.8782, 1.1094, 0.9100, 0.8154, 0.5763, 0.4396, 0.3527, 0.1908,
      0.0506, 0.0415, 0.0387;
  EXPECT_LT((spectrum(c) - expected).cwiseAbs().maxCoeff(), 5.1e-5);
  EXPECT_NEAR(cpev(spectrum(c), 6), 0.86999, 5e-6);
}

TEST(Synthetic, IsTheCovarianceOfThePaper) {
  const Table table = load_dataset("synthetic");
  EXPECT_TRUE(table.covariance);

  const Matrix c = to_matrix(table);
  EXPECT_EQ(c, c.transpose());
  EXPECT_EQ(c(0, 0), 291);
  EXPECT_EQ(c(0, 4), 0);
  EXPECT_EQ(c(4, 5), 300);
  EXPECT_DOUBLE_EQ(c(0, 8), -0.3 * 290);
  EXPECT_DOUBLE_EQ(c(4, 9), 0.925 * 300);
  EXPECT_DOUBLE_EQ(c(8, 9), 0.09 * 290 + 0.925 * 0.925 * 300);
  EXPECT_DOUBLE_EQ(c(9, 9), c(8, 9) + 1);
  EXPECT_NEAR(cpev(spectrum(c), 2), 0.9973, 5e-5);
}

TEST(RandomTable, IsStandardNormal) {
  const Table table = load_dataset("random:n=4000,p=30");
  EXPECT_FALSE(table.covariance);
  const Matrix a = to_matrix(table);
  ASSERT_EQ(a.rows(), 4000);
  ASSERT_EQ(a.cols(), 30);
  const Matrix moments = a.transpose() * a / 4000;
  EXPECT_LT((moments - Matrix::Identity(30, 30)).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_NEAR(a.mean(), 0, 0.01);
  EXPECT_NEAR(a.array().pow(4).mean(), 3, 0.1);
}

TEST(Spiked, TruthHasTheShapeThatWasAskedFor) {
  const Loadings truth = make_spiked({.n = 50, .p = 40, .r = 4, .k = 10}).truth;
  const Matrix x = truth;
  EXPECT_LT((x.transpose() * x - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-15);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(support(truth, i).size(), 10);
    EXPECT_EQ(x.col(i).maxCoeff(), x.col(i).cwiseAbs().maxCoeff());
  }
  EXPECT_EQ((x.rowwise().squaredNorm().array() > 0).count(), 40);
}

TEST(Spiked, TextAndStructHaveTheSameDefaults) {
  EXPECT_EQ(to_matrix(load_dataset("spiked")), to_matrix(make_spiked().table));
}

TEST(Spiked, StrengthAndNoiseAreStandardDeviations) {
  const Spiked spiked =
      make_spiked({.n = 20000, .p = 20, .r = 2, .k = 4, .strength = 3, .noise = 0.5});
  const Matrix a = to_matrix(spiked.table);
  const Matrix scores = a * spiked.truth;
  EXPECT_NEAR(scores.col(0).squaredNorm() / 20000, 3.75 * 3.75 + 0.25, 0.3);
  EXPECT_NEAR(scores.col(1).squaredNorm() / 20000, 3 * 3 + 0.25, 0.2);
  const double unexplained = a.squaredNorm() - scores.squaredNorm();
  EXPECT_NEAR(unexplained / 20000, 0.25 * 18, 0.1);
}

TEST(Spiked, SpcartFindsThePlantedSupports) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
    SCOPED_TRACE(seed);
    const Spiked spiked = make_spiked({.seed = seed});
    Options options;
    options.components = 5;
    options.nonzeros = 8;
    const Result result = fit(*make_matrix(spiked.table), options);
    EXPECT_EQ(supports(result.loadings), supports(spiked.truth));
  }
}

TEST(Patches, AreGreyPixelsInRowMajorOrder) {
  const Table table = load_dataset("patches:n=30,size=8");
  ASSERT_EQ(table.rows(), 30);
  ASSERT_EQ(table.cols(), 64);
  EXPECT_EQ(std::get<DenseView>(table.values).scalar, Scalar::uint8);
  EXPECT_EQ(table.variables[0], "y0x0");
  EXPECT_EQ(table.variables[1], "y0x1");
  EXPECT_EQ(table.variables[8], "y1x0");
}

TEST(Patches, OfMoreImagesBeginWithThoseOfFewer) {
  const Matrix few = to_matrix(load_dataset("patches:n=40"));
  const Matrix many = to_matrix(load_dataset("patches:n=80"));
  EXPECT_EQ(few, many.topRows(40));
}

/// The paper's patches of natural images have .42, .71 and .95.
TEST(Patches, HaveTheSpectrumOfNaturalImages) {
  const auto a = make_matrix(load_dataset("patches"), {.remove_row_mean = true});
  const Vector eigenvalues = spectrum(a->gram());
  EXPECT_NEAR(cpev(eigenvalues, 3), 0.42, 0.03);
  EXPECT_NEAR(cpev(eigenvalues, 14), 0.71, 0.03);
  EXPECT_NEAR(cpev(eigenvalues, 70), 0.95, 0.02);
  EXPECT_NEAR(eigenvalues(168) / eigenvalues(0), 0, 1e-12);
  EXPECT_GT(eigenvalues(167) / eigenvalues(0), 1e-6);
}

}  // namespace
}  // namespace spcart
