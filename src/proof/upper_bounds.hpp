#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "spcart/proof.hpp"
#include "spcart/types.hpp"

namespace spcart {

// Upper bounds of what sparse components of a symmetric matrix S can explain. docs/certificates.md
// has a proof of each. All hold in floating point too, for S as it is stored, and S may be
// indefinite unless a comment says otherwise.

/// One component: max x'Sx over unit x with at most k nonzeros.
double leader_bound(const Matrix& s, Index k);           ///< S_ii and the largest |S_ij| of a row
double trace_frobenius_bound(const Matrix& s, Index k);  ///< by trace and norm of k x k blocks

/// The largest eigenvalue of a k x k matrix with a trace between two numbers and a squared
/// Frobenius norm of at most `squares` is below this: t/k + sqrt((k - 1)/k (F^2 - t^2/k)).
double trace_frobenius(Index k, double least_trace, double most_trace, double squares);

/// Several components: tr(P S), P the projection on their span. `nonzeros` has one number for each.
/// With one component, the class makes no difference.
struct SoftBound {
  double value = 0;
  double rho = 0;  ///< the threshold
};
struct SoftOptions {
  /// S may be the part of a larger matrix with this many other variables, whose entries are at most
  /// `outside` in size.
  Index others = 0;
  double outside = 0;

  double seconds = std::numeric_limits<double>::infinity();  ///< to search for the threshold
  Tick tick = {};
};
/// KF_r(S_rho) + rho w, with the entries of S reduced by rho in size, KF_r the sum of the r largest
/// eigenvalues, and w >= sum of |P_ij|: the sum of the nonzeros for orthogonal components. The best
/// threshold is searched for.
SoftBound soft_bound(const Matrix& s, Index r, double weight, const SoftOptions& options = {});

/// The largest sum of |P_ij| that is possible.
double soft_weight(const std::vector<Index>& nonzeros, ComponentClass components);

/// How far components X are from orthogonal ones: with K = X'X, every X with no more of it obeys
/// the same bounds.
struct Obliqueness {
  double soft_weight = 0;  ///< sum over s, t of |(K^-1)_st| sqrt(k_s k_t)
  double factor = 1;  ///< largest sum of |(K^-1)_st| over t, times sqrt(largest eigenvalue of K)
};
/// None if the components are nearly dependent, so that K has no accurate inverse.
std::optional<Obliqueness> obliqueness_of(const Loadings& x);

struct DualOptions {
  ComponentClass components = ComponentClass::orthogonal;
  /// Factor for components that are not orthogonal: see docs/certificates.md. 1 for orthogonal.
  double obliqueness = 1;

  /// S may be the part of a larger matrix with this many other variables, whose entries are at most
  /// `outside` in size.
  Index others = 0;
  double outside = 0;

  /// A bound that is already proved, and its threshold to start from. Default: the soft bound.
  std::optional<SoftBound> start = {};

  Index iterations = 1200;  ///< of the minimisation
  double seconds = std::numeric_limits<double>::infinity();
  double enough = -std::numeric_limits<double>::infinity();  ///< ends once the bound is below this
  Tick tick = {};
};
/// KF_r(S - (W + W')/2 + diag(alpha)) + top(beta) with W = E + G, 4 alpha_i beta_i >= c_i^2 and c_i
/// = sqrt(k) max_j |E_ij| + |G_i|, minimised from the start on. Never above it.
double dual_bound(const Matrix& s, const std::vector<Index>& nonzeros,
                  const DualOptions& options = {});

/// The point itself: for one component, x'Sx <= x'Mx + sum of beta over the support of a unit x.
struct DualPoint {
  Matrix m = {};     ///< empty if the soft bound could not be lowered
  Vector beta = {};  ///< not negative
  double value = 0;
};
DualPoint dual_point(const Matrix& s, const std::vector<Index>& nonzeros,
                     const DualOptions& options = {});

struct LagrangianOptions {
  Index rounds = 60;
  double seconds = std::numeric_limits<double>::infinity();
  double known_bound = std::numeric_limits<double>::infinity();  ///< by another bound
  std::function<void(double bound)> tick = {};                   ///< with the best bound so far
};
/// Orthogonal components: tr M + sum over t of the sparse maximum of S - M with k_t nonzeros, for a
/// semidefinite M that is searched for; the maxima by branch and bound. Never above the sum of the
/// r largest eigenvalues.
double lagrangian_bound(const Matrix& s, const std::vector<Index>& nonzeros,
                        const LagrangianOptions& options = {});

}  // namespace spcart
