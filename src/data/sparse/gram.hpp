#pragma once

#include "data/sparse/any_lines.hpp"
#include "spcart/data.hpp"

namespace spcart::sparse {

// Two ways to compute products of all pairs from compressed lines L, stacked as rows: L'L as a sum
// over lines, and LL' from pairs of lines. Each is A'A or AA' of a table, depending on its storage.
// Only the lower half of G is written.

/// G += L'WL for sorted lines and W = diag(weights), or the identity if it is null. Each thread has
/// its own columns of G, and goes through all lines for as many of them as stay in cache.
void add_line_squares(const AnyLines& lines, const double* weights, Block g);

/// G = LWL' for W = diag(weights), or the identity if it is null: a few lines at a time are
/// expanded to dense, and multiplied by those that follow.
void multiply_lines(const AnyLines& lines, Index length, const double* weights, Block g,
                    const Tick& tick);

/// G = D (G + a w' + w a' + b z' + z b') D, all of it, from the lower half of G.
void finish_gram(const Vector& a, const Vector& w, const Vector& b, const Vector& z,
                 const Vector& d, Block g);

}  // namespace spcart::sparse
