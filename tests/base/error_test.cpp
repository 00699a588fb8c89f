#include "spcart/error.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "rejection.hpp"
#include "spcart/names.hpp"
#include "spcart/types.hpp"

namespace spcart::testing {
namespace {

TEST(Error, CarriesOptionValueAndRule) {
  const Error error("nonzeros", "0", "it must be at least 1");
  EXPECT_EQ(error.option(), "nonzeros");
  EXPECT_EQ(error.value(), "0");
  EXPECT_EQ(error.rule(), "it must be at least 1");
  EXPECT_EQ(error.source(), "");
  EXPECT_STREQ(error.what(), "nonzeros = 0: it must be at least 1");
  EXPECT_STREQ(Error("labels", "", "there are none").what(), "labels: there are none");
}

TEST(Error, CarriesArgumentsThatDoNotGoTogether) {
  const Error error({{"lambda", "0.1"}, {"nonzeros", "3"}}, "give one of them");
  EXPECT_EQ(error.option(), "lambda");
  ASSERT_EQ(error.arguments().size(), 2u);
  EXPECT_EQ(error.arguments()[1], (Error::Argument{"nonzeros", "3"}));
  EXPECT_STREQ(error.what(), "lambda = 0.1 and nonzeros = 3: give one of them");
}

TEST(Error, NamesItsSourceOnce) {
  const Error error = Error("is empty").in("a.csv");
  EXPECT_STREQ(error.what(), "a.csv: is empty");
  EXPECT_EQ(error.source(), "a.csv");
  EXPECT_EQ(error.rule(), "is empty");
  EXPECT_STREQ(error.in("the table").what(), "a.csv: is empty");
  EXPECT_STREQ(Error("seed", "-1", "it is negative").in("a.csv").what(),
               "seed = -1: it is negative");
}

TEST(Error, IsCopiedWithoutThrowing) {
  EXPECT_TRUE(std::is_nothrow_copy_constructible_v<Error>);
  const Error error("seed", "-1", "it is negative"), copy = error;
  EXPECT_EQ(copy.rule(), "it is negative");
}

TEST(ParseNumber, RejectsByOptionAndText) {
  EXPECT_EQ(parse_number<Index>("points", "12"), 12);
  EXPECT_EQ(parse_number<double>("keep", "0.5"), 0.5);
  EXPECT_EQ(rejection_of([] { parse_number<Index>("points", "2.5"); }),
            (Rejection{"points", "2.5", "it must be a whole number"}));
  EXPECT_EQ(rejection_of([] { parse_number<double>("keep", "much"); }),
            (Rejection{"keep", "much", "it must be a number"}));
  EXPECT_EQ(rejection_of([] { parse_number<Index>("points", "99999999999999999999"); }),
            (Rejection{"points", "99999999999999999999", "the number is out of range"}));
}

}  // namespace
}  // namespace spcart::testing
