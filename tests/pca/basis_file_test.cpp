#include "spcart/basis_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "spcart/spcart.hpp"
#include "temporary.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

using testing::error_of;
using testing::TemporaryDirectory;

Matrix sample(Index n, Index p, unsigned seed = 1) {
  std::srand(seed);
  Matrix m = Matrix::Random(n, p);
  m.col(0) *= 5;
  return m;
}

class BasisFile : public ::testing::Test {
 protected:
  void save(const DataMatrix& a, Index r = 4) const { save(basis_bytes(a, principal_basis(a, r))); }
  void save(const std::string& bytes) const { OutputFile(path_).write(bytes); }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string rejection(const DataMatrix& a) const {
    return error_of([&] { read_basis(path_, a); });
  }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "kept.basis";
  Matrix m_ = sample(40, 7);
};

TEST_F(BasisFile, GivesBackWhatWasSaved) {
  for (const bool scale : {false, true}) {
    const auto a = make_dense(m_, {.scale = scale});
    const Basis before = principal_basis(*a, 4);
    save(basis_bytes(*a, before));
    const Basis after = read_basis(path_, *a);
    EXPECT_EQ(after.vectors, before.vectors);
    EXPECT_EQ(after.singular_values, before.singular_values);
    EXPECT_EQ(after.residuals, before.residuals);
    EXPECT_EQ(after.total_variance, before.total_variance);
    EXPECT_EQ(after.rank, before.rank);
    EXPECT_EQ(after.solver, before.solver);
    EXPECT_EQ(after.warnings, before.warnings);
  }
}

TEST_F(BasisFile, ServesFitsAndPathsOfAsManyComponentsOrFewer) {
  const auto a = make_dense(m_);
  save(*a);
  const Basis basis = read_basis(path_, *a);
  for (const Index r : {1, 3, 4}) {
    const Options options{.components = r, .truncation = TruncationType::count, .lambda = 4};
    const Result kept = fit(*a, basis, options), fresh = fit(*a, options);
    EXPECT_LE((kept.loadings - fresh.loadings).norm(), 1e-9);
    EXPECT_NEAR(kept.criteria.cpev, fresh.criteria.cpev, 1e-12);
    EXPECT_NEAR(kept.criteria.cpev_pca, fresh.criteria.cpev_pca, 1e-12);
    const PathOptions along{.components = {r}, .points = 5};
    const Path from_kept = path(*a, basis, along), from_fresh = path(*a, along);
    ASSERT_EQ(from_kept.points.size(), from_fresh.points.size());
    EXPECT_EQ(from_kept.singular_values.size(), r);
    for (std::size_t k = 0; k < from_kept.points.size(); ++k)
      EXPECT_NEAR(from_kept.points[k].criteria.cpev, from_fresh.points[k].criteria.cpev, 1e-9);
  }
  EXPECT_HAS(error_of([&] { fit(*a, basis, {.components = 5}); }), "7 x 4, but 5 components");
  EXPECT_HAS(error_of([&] { path(*a, basis, {.components = {5}}); }), "7 x 4, but 5 components");
  const Options enough{.variance = 0.6};
  EXPECT_EQ(fit(*a, basis, enough).loadings.cols(), fit(*a, enough).loadings.cols());
}

TEST_F(BasisFile, IsOfCovariancesAndSparseTablesToo) {
  const auto pitprops = make_matrix(load_dataset("pitprops"));
  save(*pitprops);
  EXPECT_EQ(read_basis(path_, *pitprops).vectors, principal_basis(*pitprops, 4).vectors);
  EXPECT_HAS(rejection(*make_dense(sample(40, 13))), "a covariance of 13 variables");
}

TEST_F(BasisFile, IsTheSameWithMoreThreads) {
  Matrix large = sample(4000, 30);
  large.array() += 1e4;
  {
    const ThreadScope one(1);
    save(*make_dense(view_of(large)));
  }
  const ThreadScope two(2);
  EXPECT_NO_THROW(read_basis(path_, *make_dense(view_of(large))));
}

TEST_F(BasisFile, OfOtherDataIsRejectedWithTheDifference) {
  save(*make_dense(m_));
  EXPECT_HAS(rejection(*make_dense(sample(39, 7))), "40 samples of 7 variables, and here is 39");
  EXPECT_HAS(rejection(*make_dense(sample(40, 8))), "of 7 variables, and here is 40 samples of 8");
  Matrix other = m_;
  other(3, 2) += 1e-3;
  EXPECT_HAS(rejection(*make_dense(other)), "variable 3 has mean");
  other = m_;
  std::swap(other(0, 5), other(0, 6));
  EXPECT_HAS(rejection(*make_dense(other)), "variable 6 has");
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f\x1b[31m", "g"};
  EXPECT_HAS(error_of([&] { read_basis(path_, *make_dense(other), names); }), "variable 6 (f");
  Matrix same_means = m_;
  same_means(0, 1) += 0.1;
  same_means(1, 1) -= 0.1;
  EXPECT_HAS(rejection(*make_dense(same_means)), "variable 2 has sum of squares");
}

TEST_F(BasisFile, OfOtherPreparationIsRejectedWithTheDifference) {
  save(*make_dense(m_));
  EXPECT_HAS(rejection(*make_dense(m_, {.scale = true})), "was made without scaling");
  EXPECT_HAS(rejection(*make_dense(m_, {.center = false})), "was made with centring");
  EXPECT_HAS(rejection(*make_dense(m_, {.remove_row_mean = true})), "without the removal of row");
  EXPECT_HAS(rejection(*make_dense(m_, {.precision = Precision::single})), "single precision");
}

TEST_F(BasisFile, ThatIsDamagedIsRejected) {
  const auto a = make_dense(m_);
  save(*a);
  const std::string good = bytes();
  const std::size_t numbers = good.find('\n') + 1;

  save(good.substr(0, good.size() - 1));
  EXPECT_HAS(rejection(*a), "ends after");
  save(good.substr(0, numbers));
  EXPECT_HAS(rejection(*a), "ends after 0 of");
  save(good + "x");
  EXPECT_HAS(rejection(*a), "goes on after its last number");
  std::string flipped = good;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  save(flipped);
  EXPECT_HAS(rejection(*a), "is damaged");
  for (const char* text : {"x", "{}", "{}\n", "[]\n", "{\"kind\":\"fit\"}\n", "\x80\n"}) {
    save(std::string(text));
    EXPECT_HAS(rejection(*a), "is no basis that spcart has saved");
  }
  save(std::string());
  EXPECT_HAS(rejection(*a), "is empty");
  std::string later = good;
  later.replace(later.find(kVersion), 1, "9");
  save(later);
  EXPECT_HAS(rejection(*a), "version '9");
  std::string huge = good;
  huge.replace(huge.find("\"components\":4"), 14, "\"components\":999999999");
  save(huge);
  EXPECT_HAS(rejection(*a), "'components' must hold whole numbers from 1 to 7");
  EXPECT_HAS(error_of([&] { read_basis(directory_ / "none", *a); }), "none");
}

}  // namespace
}  // namespace spcart
