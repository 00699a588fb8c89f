#pragma once

#include "methods/method.hpp"
#include "spcart/fit.hpp"

namespace spcart {

/// Loadings by the method and options of `result`: at the lambda that meets the target if there is
/// one, and from the best of all starts if there are several. Sets lambda, target and starts in
/// `result`. Variables that cannot be scaled have no loading.
MethodResult find_loadings(const DataMatrix& a, const Basis& basis, Result& result,
                           const Tick& tick, const Note& note = {});

}  // namespace spcart
