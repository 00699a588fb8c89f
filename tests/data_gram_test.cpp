#include <gtest/gtest.h>

#include "spcart/data.hpp"
#include "spcart/threads.hpp"
#include "verify.hpp"

namespace spcart {
namespace {

TEST(DataGram, IsTheSumOfWhatEachThreadSummed) {
  const Matrix s = verify::random_matrix(5000, 300, 1).array() + 7;
  const Matrix centred = s.rowwise() - s.colwise().mean();
  const Matrix expected = centred.transpose() * centred;
  for (const Index count : {1, 2, 3}) {
    const ThreadScope scope(count);
    const auto a = make_dense(view_of(s), {.gram = true});
    EXPECT_LE((a->gram() - expected).norm(), 1e-10 * expected.norm()) << count;
  }
}

}  // namespace
}  // namespace spcart
