#pragma once

#include <span>
#include <vector>

#include "spcart/data.hpp"
#include "spcart/export.hpp"

namespace SPCART_EXPORT spcart {

/// The fraction of zeros in each loading, over the loadings.
struct Sparsity {
  double mean = 0;
  double std = 0;  ///< sample standard deviation (divisor r - 1); 0 for one loading
  double min = 0;  ///< of the densest loading

  bool operator==(const Sparsity&) const = default;
};

/// How good loadings are, whoever made them. Columns are first given unit length; a zero column
/// explains nothing, is orthogonal to all and has sparsity 1.
struct Criteria {
  double cpev = 0;      ///< variance of the data within the span of X, as a fraction of all of it
  double cpev_pca = 0;  ///< the same of as many principal components: no X can do better
  double ev = 0;        ///< tr(X'A'AX), as a fraction of all variance: counts overlaps twice

  double nonorthogonality = 0;        ///< mean of |cos| over pairs of loadings
  double worst_nonorthogonality = 0;  ///< the largest of them

  Sparsity sparsity;
  std::vector<Index> nonzeros;  ///< of each loading

  /// Variance of each component after what those before it explain is taken out (Zou, Hastie and
  /// Tibshirani 2006), as a fraction of all variance.
  Vector adjusted_variance;

  /// What each component adds to the CPEV of those before it (Shen and Huang 2008): none is below
  /// zero, and they sum to `cpev`.
  Vector cpev_gains;

  double share_of_pca() const { return cpev_pca > 0 ? cpev / cpev_pca : 0; }
};

/// Judges any p x r matrix. `cpev_pca` is what r principal components explain.
Criteria evaluate(const DataMatrix& a, const Loadings& x, double cpev_pca, const Tick& tick = {});

/// All that the criteria need of the data, for an X whose columns have unit length.
struct Explained {
  Matrix cosines;     ///< X'X
  Matrix covariance;  ///< M = X'A'AX
  double span = 0;    ///< tr(U'A'AU) for an orthonormal basis U of the span of X
  Matrix within;      ///< U'A'AU
  Matrix factor;      ///< U'X: X = U factor
};

/// One pass over the data, and another where loadings are nearly dependent.
Explained explained_by(const DataMatrix& a, const Loadings& x, const Tick& tick = {});

/// The same for many: as few passes as memory allows.
std::vector<Explained> explained_by(const DataMatrix& a, std::span<const Loadings> many,
                                    const Tick& tick = {});

/// The criteria, if that is known already, and |A|_F^2.
Criteria evaluate(const Loadings& x, const Explained& explained, double total_variance,
                  double cpev_pca);

/// |A|_F^2 less what regression of A on the scores A X leaves: what the scores tell of all
/// variables, those without a loading included. It is at least the variance within the span of X,
/// and at most that of as many principal components.
double variance_by_scores(const DataMatrix& a, const Loadings& x, const Tick& tick = {});

/// How components stand to each other, r x r each. A zero column is orthogonal to all.
struct Relations {
  Matrix cosines;       ///< of loadings
  Matrix angles;        ///< between the lines that loadings span, in degrees from 0 to 90
  Matrix correlations;  ///< of scores about their origin; 0 where one of them has no variance
};

/// One pass over the data.
Relations relations(const DataMatrix& a, const Loadings& x, const Tick& tick = {});

/// The fraction of all variance that each singular value stands for.
Vector variance_shares(const Vector& singular_values, double total_variance);

/// The order of components in which each explains most after those before it, by M as above.
std::vector<Index> order_by_adjusted_variance(const Matrix& m);

}  // namespace spcart
