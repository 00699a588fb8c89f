#pragma once

#include "base/indices.hpp"
#include "spcart/data.hpp"
#include "spcart/progress.hpp"

namespace spcart {

/// S = A'A at some variables, in units of all variance. Entries of S outside are at most `outside`
/// in size, and there are `others` variables there.
struct PartOfMoments {
  Indices variables = {};
  Matrix s = {};
  double outside = 0;
  Index others = 0;
};

/// All variables if they are few. Otherwise those with the largest entries of S, among those with
/// most variance.
PartOfMoments part_of_moments(const DataMatrix& a, const Tick& tick);

/// The variables of a part that have an entry of S above a level, at most so many of them.
PartOfMoments reduced(const PartOfMoments& part, double level, Index most);

}  // namespace spcart
