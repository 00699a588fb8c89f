#include "data/warnings.hpp"

#include <gtest/gtest.h>

#include "command.hpp"
#include "spcart/datasets.hpp"
#include "spcart/fit.hpp"
#include "spcart/path.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

/// Eight variables of variance near one, except for one that is measured in a hundredth of the
/// unit.
Matrix one_large() {
  Matrix s = verify::random_matrix(60, 8, 3);
  s.col(5) *= 100;
  return s;
}

TEST(DataWarnings, NameTheVariablesThatHoldNearlyAllTheVariance) {
  Matrix s = one_large();
  EXPECT_EQ(dominant_columns(*make_dense(view_of(s))), std::vector<Index>{5});
  s.col(2) *= 200;
  EXPECT_EQ(dominant_columns(*make_dense(view_of(s))), (std::vector<Index>{2, 5}));
  s.col(0) *= 100;  // three of eight are more than a few
  EXPECT_EQ(dominant_columns(*make_dense(view_of(s))), std::vector<Index>{});
}

TEST(DataWarnings, AreSaidByFitAndPath) {
  const Matrix s = one_large();
  const auto a = make_dense(view_of(s));
  const std::string text =
      "1 of 8 variables holds 99.9 % of the variance (column 6): option scale gives all variables "
      "the same weight";
  EXPECT_EQ(fit(*a, {}).warnings, std::vector<std::string>{text});
  EXPECT_EQ(path(*a, {.points = 3}).warnings, std::vector<std::string>{text});
}

TEST(DataWarnings, AreNotSaidOfScaledVariables) {
  const Matrix s = one_large();
  EXPECT_TRUE(dominant_columns(*make_dense(view_of(s), {.scale = true})).empty());
  const Matrix c = s.transpose() * s;
  EXPECT_EQ(dominant_columns(*make_covariance(c)), std::vector<Index>{5});
  EXPECT_TRUE(dominant_columns(*make_covariance(c, {.scale = true})).empty());
}

TEST(DataWarnings, AreNotSaidOfOrdinaryTables) {
  for (const char* dataset : {"pitprops", "synthetic", "spiked", "patches", "random"})
    EXPECT_TRUE(dominant_columns(*make_matrix(load_dataset(dataset))).empty()) << dataset;
  Matrix few = Matrix::Ones(4, 2);
  few.col(1) = Eigen::Vector4d(1, 2, 3, 4);
  EXPECT_TRUE(dominant_columns(*make_dense(view_of(few))).empty());
}

TEST(CommandDataWarnings, NameTheFlagThatScales) {
  const testing::Folder folder;
  folder.write("x.csv", "a,b,c,d\n1,2,3,400\n2,1,4,900\n4,4,1,-300\n3,0,2,100\n");
  for (const char* command : {"fit", "path"}) {
    const auto plain = testing::run({command, folder / "x.csv"});
    EXPECT_NE(plain.err.find("(column 4): --scale gives all variables the same weight"),
              std::string::npos)
        << plain.err;
    EXPECT_EQ(testing::run({command, folder / "x.csv", "--scale"}).err, "");
  }
}

}  // namespace
}  // namespace spcart
