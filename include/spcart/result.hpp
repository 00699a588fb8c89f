#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/bounds.hpp"
#include "spcart/certificate.hpp"
#include "spcart/criteria.hpp"
#include "spcart/export.hpp"
#include "spcart/options.hpp"
#include "spcart/proof.hpp"

namespace SPCART_EXPORT spcart {

/// Seconds of each stage: `read` and `prepare` are those of the data, and `pca` includes A'A
/// wherever it was formed. Work outside these stages is a small part of `total`.
struct Timing {
  double read = 0, prepare = 0, pca = 0, rotate = 0, refit = 0, refine = 0, search = 0, score = 0,
         certify = 0, total = 0;
};

/// How near a fit came to its target.
struct TargetReport {
  std::string_view option;      ///< "nonzeros", "sparsity" or "keep"
  double asked = 0, found = 0;  ///< in the option's unit
  bool exact = false;           ///< as near as the option's resolution allows
  Index trials = 0;             ///< lambdas that were tried
};

/// The outcome of every start: the first is the method's own.
struct Restarts {
  std::vector<double> objectives, cpev;
  Index best = 0;
};

/// The effect of the search on the method's own loadings.
struct SearchReport {
  double cpev_before = 0, nonorthogonality_before = 0;
};

struct Result {
  Status status = Status::not_run;
  std::string message = "not run";

  Options options;                       ///< as given
  std::optional<Truncation> truncation;  ///< as used; none if the method has none
  std::optional<Start> start;            ///< likewise
  std::optional<TargetReport> target;    ///< if one was given
  std::optional<Restarts> restarts;      ///< if there were any
  std::optional<SearchReport> search;    ///< if there was one
  std::optional<Index> samples;
  Index variables = 0;

  Loadings loadings;  ///< X, p x r: unit columns (or zero), largest entry of each positive
  Matrix rotation;    ///< R, r x r, its rows in the order of the components: V is near X R;
                      ///< empty for methods that do not rotate V
  Criteria criteria;
  std::vector<Proof> proofs;               ///< of the method exact, one per component
  std::optional<Certificate> certificate;  ///< if it was asked for
  std::vector<Bound> bounds;  ///< the guarantees of the theory beside the measured values
  std::vector<Iteration> history;

  /// Components, from 0, that are proved to have the most variance of any with their number of
  /// variables, of what the components that the method found before them leave. Of pathspca and
  /// greedy, if a sufficient condition holds and nothing changed the loadings since.
  std::vector<Index> optimal;

  Vector singular_values;  ///< of PCA
  Solver solver = Solver::automatic;
  Preparation preparation;  ///< with the means and scales that were used
  std::string storage;      ///< of the table, as in `Plan`; empty: not known
  Index threads = 0;
  Timing timing;
  std::vector<std::string> warnings;

  Index iterations() const { return static_cast<Index>(history.size()); }
};

}  // namespace spcart
