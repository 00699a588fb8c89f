#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/names.hpp"
#include "spcart/truncation.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// Where a method starts: a rotation for those that rotate the PCA basis, loadings for the others.
enum class Start {
  identity,  ///< R = I, the paper's: the first truncation acts on the PCA basis itself
  varimax,   ///< the varimax rotation of the basis: nearly always better
  random,    ///< a random rotation, by seed
  variance,  ///< the variable of largest variance
  pca,       ///< the principal components
  warm       ///< warm start: the solution with more variables, itself found in this way
};
std::string_view name(Start value);
template <>
Start parse<Start>(std::string_view text);
template <>
bool is_name<Start>(std::string_view text);

enum class Status { not_run, converged, iteration_limit };
std::string_view name(Status value);

struct RotateOptions {
  Truncation truncation = {};
  Start start = Start::varimax;
  double tolerance = 1e-2;  ///< stop at |X - X_previous|_F / sqrt(r) < tolerance; X starts as zero
  Index max_iterations = 200;
  std::uint64_t seed = 0;  ///< of the random start
  Matrix from = {};        ///< a rotation to start from, instead of `start`
};

/// One iteration of Algorithm 1.
struct Iteration {
  double change = 0;            ///< |X - X_previous|_F / sqrt(r)
  double truncated_energy = 0;  ///< mean over the components of |z|^2 over the entries set to zero
  double sparsity = 0;          ///< mean over the components of the fraction of zeros
  double objective = 0;         ///< |V - X R|_F^2 / 2 plus the penalty of the truncation type

  bool operator==(const Iteration&) const = default;
};

struct RotationResult {
  Loadings loadings;      ///< X, p x r: unit columns, or zero if truncation left nothing
  Matrix rotation;        ///< R, r x r, orthogonal: V is near X R
  Matrix truncated_from;  ///< the R before its last update: X is the truncation of V R'
  std::vector<Iteration> history;
  Status status = Status::not_run;
};

/// SPCArt (Algorithm 1 of the paper): finds an orthogonal R and sparse X with V near X R, by
/// alternately rotating and truncating V and updating R. V is p x r and orthonormal; nothing else
/// of the data is used.
RotationResult rotate_and_truncate(ConstBlock v, const RotateOptions& options,
                                   const Tick& tick = {});

/// The same for several settings in parallel, each in a thread of its own if there are enough
/// threads. Results do not depend on the other settings. The tick is called by the caller's thread.
std::vector<RotationResult> rotate_and_truncate_all(ConstBlock v,
                                                    std::span<const RotateOptions> settings,
                                                    const Tick& tick = {});

/// Maximum number of settings in one call for which the results fit in memory.
Index settings_together(Index variables, Index components);

/// The R that makes V R' as simple as the varimax criterion asks.
Matrix varimax_rotation(ConstBlock v, const Tick& tick = {});

/// A rotation drawn uniformly from all r x r orthogonal matrices.
Matrix random_rotation(Index r, std::uint64_t seed);

}  // namespace spcart
