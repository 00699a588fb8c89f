#pragma once

#include "improve/second_moments.hpp"
#include "spcart/search.hpp"

namespace spcart {

/// Several searches in one table, which is read once.
class Searcher {
 public:
  /// `promising` and `starts` select the variables if there are too many.
  Searcher(const DataMatrix& a, const Vector& promising, std::span<const Loadings> starts,
           const Tick& tick);

  /// Whether there are few enough variables in these loadings for a search: if there are many
  /// samples and variables, no more than 4096.
  static bool is_possible(const DataMatrix& a, std::span<const Loadings> starts);

  /// Whether all variables of these loadings are among the selected ones.
  bool knows(const Loadings& x) const;

  /// As `search`, from loadings that are known. A first start with too many nonzeros is only a
  /// start.
  Loadings run(std::span<const Loadings> starts, const SearchOptions& options,
               const Tick& tick) const;

  double explained(
      const Loadings& x) const;  ///< CPEV (cumulative percentage of explained variance)

 private:
  Index variables_;
  SecondMoments s_;
};

}  // namespace spcart
