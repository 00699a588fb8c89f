#pragma once

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/options.hpp"
#include "spcart/pca.hpp"
#include "spcart/progress.hpp"
#include "spcart/result.hpp"

namespace SPCART_EXPORT spcart {

/// The main function: principal basis, sparse loadings, refit, refine, search, criteria and bounds.
Result fit(const DataMatrix& a, const Options& options = {}, const Observer& observer = {});

/// The basis that `fit` computes for these options.
Basis basis_for(const DataMatrix& a, const Options& options, const Observer& observer = {});

/// The same from a given basis of `a`, with at least as many vectors as components.
Result fit(const DataMatrix& a, const Basis& basis, const Options& options,
           const Observer& observer = {});

/// Scores Y = A X of samples (in the same variables, prepared as those of the fit).
Matrix scores(const DataMatrix& a, const Loadings& x);

}  // namespace spcart
