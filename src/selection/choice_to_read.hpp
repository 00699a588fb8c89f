#pragma once

#include "spcart/choose.hpp"

namespace spcart {

/// The number of components before the first that is not above both permuted data and the broken
/// stick. Parallel analysis alone keeps everything that is not chance, which in a large table is
/// more than matters, and the broken stick alone may keep chance.
Index components_to_read(const Scree& scree);

/// The fewest variables, at least two per component, with which `fit` keeps most of what as many
/// principal components explain: 90 % if the table is regressed on the scores and, unless that
/// needs more than ten variables, half of their cumulative percentage of explained variance (CPEV).
Index variables_to_read(const DataMatrix& a, const Basis& basis, Index components,
                        const ChooseOptions& options, const Tick& tick);

/// Whether the answer to predict is readable as well: it has as many components as stand out, and
/// no more variables than can be read. If all of a few variables are alike, some of them would
/// explain as much, but the others belong to the component too.
bool is_readable(const Recommendation& to_predict, const Recommendation& to_read);

/// Computes what the recommended components explain.
void measure(const DataMatrix& a, const Basis& basis, const ChooseOptions& options,
             Recommendation& recommendation, const Tick& tick);

}  // namespace spcart
