#pragma once

#include <gtest/gtest.h>

#include "spcart/data.hpp"
#include "verify.hpp"

namespace spcart::testing {

/// Every product, twice, against that of the same table in memory.
inline void expect_twins(const DataMatrix& a, const DataMatrix& twin) {
  const auto expect_near = [](const Matrix& got, const Matrix& expected, const char* what) {
    ASSERT_EQ(got.rows(), expected.rows()) << what;
    EXPECT_LE((got - expected).norm(), 1e-12 * (1 + expected.norm())) << what;
  };
  const Matrix x = verify::random_matrix(twin.cols(), 3, 11),
               y = verify::random_matrix(twin.rows(), 3, 12);
  for (int call = 0; call < 2; ++call) {
    expect_near(a.times(x), twin.times(x), "times");
    expect_near(a.adjoint_times(y), twin.adjoint_times(y), "adjoint_times");
    expect_near(a.gram_times(x), twin.gram_times(x), "gram_times");
    expect_near(a.gram(), twin.gram(), "gram");
    expect_near(a.outer_gram(), twin.outer_gram(), "outer_gram");
  }
  expect_near(a.column_squared_norms(), twin.column_squared_norms(), "norms");
  expect_near(a.means(), twin.means(), "means");
  expect_near(a.scales(), twin.scales(), "scales");
  EXPECT_EQ(a.constant_columns(), twin.constant_columns());
  EXPECT_EQ(a.entries(), twin.entries());
}

}  // namespace spcart::testing
