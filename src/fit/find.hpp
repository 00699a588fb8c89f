#pragma once

#include "methods/method.hpp"
#include "spcart/fit.hpp"

namespace spcart {

/// Loadings by the method and options of `result`: at the lambda that meets the target, where there
/// is one, and by the best of all starts, where there are several. The result is told of lambda,
/// target and starts. Variables that cannot be scaled have no loading.
MethodResult find_loadings(const DataMatrix& a, const Basis& basis, Result& result,
                           const Tick& tick);

}  // namespace spcart
