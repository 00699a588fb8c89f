#include "fit/arrange_components.hpp"

#include "spcart/loadings.hpp"

namespace spcart {

Loadings arrange(const std::vector<Index>& order, Loadings& x, Explained& explained) {
  const auto r = static_cast<Index>(order.size());
  Loadings change(r, r);
  for (Index i = 0; i < r; ++i) {
    const Index from = order[static_cast<std::size_t>(i)];
    const auto column = x.col(from);
    change.insert(from, i) = sign_of_largest({column.valuePtr() + column.outerIndexPtr()[0],
                                              static_cast<std::size_t>(column.nonZeros())});
  }
  x = x * change;
  for (Matrix* pairs : {&explained.cosines, &explained.covariance})
    *pairs = change.transpose() * (*pairs * change);
  explained.factor = explained.factor * change;
  return change;
}

}  // namespace spcart
