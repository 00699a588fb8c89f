#include <gtest/gtest.h>

#include "data/preparation.hpp"
#include "spcart/data.hpp"
#include "spcart/error.hpp"
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
    const auto a = make_dense(view_of(s), {}, {}, FormGram::yes);
    EXPECT_LE((a->gram() - expected).norm(), 1e-10 * expected.norm()) << count;
  }
}

TEST(DataGram, OfSomeVariablesIsThatPartOfAll) {
  Matrix s = verify::random_matrix(200, 90, 2).array() + 3;
  s = (s.array() > 3.5).select(s, 0.0);
  Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t> by_column = s.sparseView();
  Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t> by_row = by_column;
  const auto view = [](const auto& m, SparseView::Major major) {
    return SparseView{.major = major,
                      .rows = m.rows(),
                      .cols = m.cols(),
                      .values = m.valuePtr(),
                      .inner = m.innerIndexPtr(),
                      .outer = m.outerIndexPtr()};
  };
  const std::vector<Index> variables = {0, 3, 4, 17, 50, 88, 89};
  for (const Preparation& preparation :
       {Preparation{}, Preparation{.center = false}, Preparation{.scale = true},
        Preparation{.remove_row_mean = true}}) {
    const Matrix a = verify::prepared(s, preparation);
    const Matrix expected = (a.transpose() * a)(variables, variables);
    std::vector<std::unique_ptr<DataMatrix>> kinds;
    kinds.push_back(make_dense(view_of(s), preparation));
    kinds.push_back(make_sparse(view(by_column, SparseView::Major::column), preparation));
    kinds.push_back(make_sparse(view(by_row, SparseView::Major::row), preparation));
    kinds.push_back(make_covariance(a.transpose() * a));
    for (const auto& kind : kinds)
      EXPECT_LE((kind->gram_of(variables) - expected).norm(), 1e-10 * expected.norm());
  }
  const auto data = make_dense(view_of(s));
  EXPECT_THROW(data->gram_of(std::vector<Index>{1, 1}), Error);
  EXPECT_THROW(data->gram_of(std::vector<Index>{90}), Error);
}

}  // namespace
}  // namespace spcart
