#pragma once

#include "improve/second_moments.hpp"
#include "spcart/search.hpp"

namespace spcart {

/// Several searches in one table, which is looked at once.
class Searcher {
 public:
  /// `promising` and `starts` say which variables matter where there are too many.
  Searcher(const DataMatrix& a, const Vector& promising, std::span<const Loadings> starts,
           const Tick& tick);

  /// As `search`. A first start of too many nonzeros is only a start.
  Loadings run(std::span<const Loadings> starts, const SearchOptions& options,
               const Tick& tick) const;

  double explained(const Loadings& x) const;  ///< CPEV

 private:
  Index variables_;
  SecondMoments s_;
};

}  // namespace spcart
