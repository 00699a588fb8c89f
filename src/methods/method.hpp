#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "spcart/data.hpp"
#include "spcart/loadings.hpp"
#include "spcart/methods.hpp"
#include "spcart/pca.hpp"
#include "spcart/proof.hpp"
#include "spcart/rotate.hpp"
#include "spcart/truncation.hpp"

namespace spcart {

/// Below this fraction of all variance there is only rounding error.
inline constexpr double kNoVariance = 1e-12;

/// Takes words about the progress, for whoever waits.
using Note = std::function<void(std::string)>;

/// The input of a method: already checked, with every default filled in.
struct Task {
  const DataMatrix& a;
  const Basis& basis;  ///< principal components of `a`, at least as many as `components`
  Index components = 1;
  Truncation truncation = {};  ///< or the penalty or bound instead of it; the record says which
  Start start = Start::pca;
  Matrix from = {};            ///< spcart: a rotation, instead of `start`
  double tolerance = 1e-2;     ///< stop at |X - X_previous|_F / sqrt(r) < tolerance
  Index max_iterations = 200;  ///< of each component if they are found one by one
  std::uint64_t seed = 0;

  bool post_fit = false;             ///< gpower, gpowerb: optimal values on the final support
  std::optional<double> ridge = {};  ///< spca: weight of the squared length; default: its own
  double bound = std::numeric_limits<double>::infinity();  ///< spca: of |z|_1 in each regression
  double orthogonality = 0.03;                             ///< alspca: maximum |x_i'x_j|
  double correlation = std::numeric_limits<double>::infinity();  ///< alspca: of components
  std::optional<Direction> direction = {};      ///< greedy: default by the number of variables
  Deflation deflation = Deflation::projection;  ///< exact
  double time_limit = std::numeric_limits<double>::infinity();  ///< exact: seconds from `begin`
  Clock::time_point begin = Clock::now();

  const Tick& tick;
  Note note = {};
};

/// The result of a method. Columns have unit length, or are zero if nothing was found.
struct MethodResult {
  Loadings loadings;
  Matrix rotation = {};        ///< of methods that rotate V
  Matrix truncated_from = {};  ///< R of Z = V R', whose truncation the loadings are
  Origin origin = Origin::other;
  std::vector<Iteration> history = {};
  Status status = Status::converged;
  std::vector<std::string> warnings = {};
  std::vector<Index> optimal = {};  ///< components that are proved to be the best of their number
                                    ///< of variables, of what those before them leave
  std::vector<Proof> proofs = {};   ///< exact: one per component
  Index without_variance = 0;  ///< columns that are zero because those before explain all variance
};

/// The rotation settings of a task, and the results of spcart for several of them, in parallel.
RotateOptions rotate_options(const Task& task);
std::vector<MethodResult> fit_spcart_all(const Task& task, std::span<const RotateOptions> settings);

}  // namespace spcart
