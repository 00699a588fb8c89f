#pragma once

#include <span>
#include <vector>

#include "spcart/data.hpp"
#include "spcart/export.hpp"

namespace SPCART_EXPORT spcart {

/// The fraction of zeros in each loading (SP in the paper), over the loadings.
struct Sparsity {
  double mean = 0;
  double std = 0;  ///< sample standard deviation (STD; divisor r - 1); 0 for one loading
  double min = 0;  ///< of the densest loading

  bool operator==(const Sparsity&) const = default;
};

/// The quality of loadings, from any source. Columns are first normalised to unit length; a zero
/// column explains nothing, is orthogonal to all others and has sparsity 1.
struct Criteria {
  double cpev = 0;  ///< cumulative percentage of explained variance: the fraction of all variance
                    ///< that lies in the span of X
  double cpev_pca = 0;  ///< the same for as many principal components: no X can do better
  double ev = 0;        ///< tr(X'A'AX), as a fraction of all variance: counts overlaps twice

  double nonorthogonality = 0;        ///< NOR in the paper: mean of |cos| over pairs of loadings
  double worst_nonorthogonality = 0;  ///< the largest of them

  Sparsity sparsity;
  std::vector<Index> nonzeros;  ///< of each loading

  /// Variance of each component after removing what the components before it explain (Zou, Hastie
  /// and Tibshirani 2006), as a fraction of all variance.
  Vector adjusted_variance;

  /// What each component adds to the CPEV of those before it (Shen and Huang 2008): never negative,
  /// and the sum is `cpev`.
  Vector cpev_gains;

  /// X'A'AX, as a fraction of all variance: how the scores vary, and with each other.
  Matrix score_covariance;

  double share_of_pca() const { return cpev_pca > 0 ? cpev / cpev_pca : 0; }
};

/// Evaluates any p x r matrix. `cpev_pca` is the fraction that r principal components explain.
Criteria evaluate(const DataMatrix& a, const Loadings& x, double cpev_pca, const Tick& tick = {});

/// All that the criteria need from the data, for an X whose columns have unit length.
struct Explained {
  Matrix cosines;     ///< X'X
  Matrix covariance;  ///< M = X'A'AX
  double span = 0;    ///< tr(U'A'AU) for an orthonormal basis U of the span of X
  Matrix within;      ///< U'A'AU
  Matrix factor;      ///< U'X: X = U factor
};

/// Makes one pass over the data, and a second one if loadings are nearly dependent.
Explained explained_by(const DataMatrix& a, const Loadings& x, const Tick& tick = {});

/// The same for several X, in as few passes as memory allows.
std::vector<Explained> explained_by(const DataMatrix& a, std::span<const Loadings> many,
                                    const Tick& tick = {});

/// The criteria, if `explained` and |A|_F^2 are already known.
Criteria evaluate(const Loadings& x, const Explained& explained, double total_variance,
                  double cpev_pca);

/// |A|_F^2 minus the residual of regressing A on the scores A X: how much of all variables,
/// including those without a loading, the scores explain. It is at least the variance within the
/// span of X, and at most that of as many principal components.
double variance_by_scores(const DataMatrix& a, const Loadings& x, const Tick& tick = {});

/// How components relate to each other, r x r each. A zero column is orthogonal to all others.
struct Relations {
  Matrix cosines;       ///< of loadings
  Matrix angles;        ///< between the lines that loadings span, in degrees from 0 to 90
  Matrix correlations;  ///< of uncentred scores; 0 if one of them has no variance
};

/// Makes one pass over the data.
Relations relations(const DataMatrix& a, const Loadings& x, const Tick& tick = {});

/// The fraction of all variance that each singular value accounts for.
Vector variance_shares(const Vector& singular_values, double total_variance);

/// The order of components in which each explains most after those before it, from M as above.
std::vector<Index> order_by_adjusted_variance(const Matrix& m);

}  // namespace spcart
