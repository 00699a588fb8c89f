#include "results.hpp"

#include "names.hpp"
#include "record.hpp"

namespace spcart::python {
namespace {

void bind_criteria(nb::module_& m) {
  Record<Criteria>(m, "Criteria",
                   "Figures of loadings, whoever made them. Variances are fractions of the total.")
      .field("cpev", &Criteria::cpev,
             "Cumulative percentage of explained variance: that within the span of the loadings.")
      .field("cpev_pca", &Criteria::cpev_pca, "The same of as many principal components.")
      .derived("share_of_pca", &Criteria::share_of_pca, "The first divided by the second.")
      .field("ev", &Criteria::ev, "Sum of the components' variances: overlaps count twice.")
      .field("nonorthogonality", &Criteria::nonorthogonality,
             "Mean of abs(cos) over pairs of loadings.")
      .field("worst_nonorthogonality", &Criteria::worst_nonorthogonality, "The largest of them.")
      .field(
          "sparsity", [](auto& c) -> auto& { return c.sparsity.mean; },
          "Mean fraction of zeros in a loading.")
      .field(
          "sparsity_std", [](auto& c) -> auto& { return c.sparsity.std; },
          "Its sample standard deviation (divisor r - 1).")
      .field(
          "sparsity_min", [](auto& c) -> auto& { return c.sparsity.min; },
          "Of the densest loading.")
      .derived(
          "nonzeros", [](const Criteria& c) { return to_array(c.nonzeros); },
          "Number of nonzeros of each loading.", Show::yes,
          nb::for_getter(nb::sig(kNonzerosSignature)))
      .keep(&Criteria::nonzeros)
      .field("explained_variance_ratio", &Criteria::cpev_gains,
             "What each component adds to `cpev` (Shen and Huang 2008).")
      .field("adjusted_variance_ratio", &Criteria::adjusted_variance,
             "Adjusted variance of each component (Zou, Hastie and Tibshirani 2006).")
      .field("score_covariance", &Criteria::score_covariance,
             "Covariance of the scores; of shape (n_components, n_components).", Show::no)
      .finish();
}

void bind_bound(nb::module_& m) {
  Record<Bound>(m, "Bound", "A guarantee of the theory beside what was measured.", "object")
      .field("name", &Bound::name, "\"sparsity\", \"deviation\", ...")
      .field("source", &Bound::source, "Where the paper states it.")
      .field("kind", &Bound::kind,
             "\"absolute\" (of lam and the shape), \"relative\" (of measured angles) or "
             "\"estimate\" (no guarantee).")
      .field("at_least", &Bound::at_least, "Whether it is about the lower side.")
      .field("lower", &Bound::lower, "No component measures less.")
      .field("upper", &Bound::upper, "No component measures more.")
      .field("least", &Bound::least, "Smallest measure over the components, or pairs of them.")
      .field("most", &Bound::most, "Largest measure.")
      .field("applies", &Bound::applies, "Whether its assumptions hold for this result.")
      .field("reason", &Bound::reason, "Which assumption fails; empty if it applies.")
      .field("holds", &Bound::holds, "Whether each component is within its interval.")
      .field("tightness", &Bound::tightness, "From 0 (says nothing) to 1 (attained).")
      .finish();
}

void bind_reports(nb::module_& m) {
  Record<Timing>(m, "Timing", "Seconds of each stage of a fit.", "float")
      .field("prepare", &Timing::prepare, "Measuring the data.")
      .field("pca", &Timing::pca, "Principal components.")
      .field("rotate", &Timing::rotate, "Sparse loadings by the method.")
      .field("refit", &Timing::refit, "Refitting values.")
      .field("refine", &Timing::refine, "Refining supports.")
      .field("search", &Timing::search, "Searching for better loadings.")
      .field("score", &Timing::score, "Evaluating the result.")
      .field("certify", &Timing::certify, "Proving how much more is possible.")
      .field("total", &Timing::total, "The whole fit, `prepare` included.")
      .finish();
  Record<TargetReport>(m, "TargetReport", "How near a fit came to its target.", "object")
      .field("option", &TargetReport::option, "\"nonzeros\", \"sparsity\" or \"keep\".")
      .field("asked", &TargetReport::asked, "The target.")
      .field("found", &TargetReport::found, "What was reached.")
      .field("exact", &TargetReport::exact, "Whether it is as near as the option can say.")
      .field("trials", &TargetReport::trials, "Number of values of lam that were tried.")
      .finish();
  Record<SearchReport>(m, "SearchReport", "What the search started from.", "float")
      .field("cpev_before", &SearchReport::cpev_before, "Explained variance.")
      .field("nonorthogonality_before", &SearchReport::nonorthogonality_before,
             "Mean of abs(cos) over pairs of loadings.")
      .finish();
  Record<Restarts>(m, "Restarts", "Every start of a fit; the first is the method's own.", "object")
      .field("objectives", &Restarts::objectives, "What the method lowers.")
      .field("cpev", &Restarts::cpev, "Explained variance.")
      .field("best", &Restarts::best, "Index of the one that was kept.")
      .finish();
}

void bind_history(nb::module_& m) {
  Record<History> history(m, "History", "Figures of each iteration of a method.",
                          "numpy.typing.NDArray[numpy.float64]");
  const auto column = [&history](const char* name, double Iteration::*figure, const char* doc) {
    const auto values = [figure](const History& h) {
      Vector all(static_cast<Index>(h.iterations.size()));
      for (Index i = 0; i < all.size(); ++i)
        all[i] = h.iterations[static_cast<std::size_t>(i)].*figure;
      return all;
    };
    history.derived(name, values, doc)
        .keep([values](const History& h) { return nb::cast(values(h)); },
              [figure](History& h, nb::handle state) {
                const auto all = nb::cast<Vector>(state);
                h.iterations.resize(static_cast<std::size_t>(all.size()));
                for (Index i = 0; i < all.size(); ++i)
                  h.iterations[static_cast<std::size_t>(i)].*figure = all[i];
              });
  };
  column("change", &Iteration::change, "Change of the loadings.");
  column("truncated_energy", &Iteration::truncated_energy,
         "Mean over the components of the energy that truncation takes.");
  column("sparsity", &Iteration::sparsity, "Mean fraction of zeros in a component.");
  column("objective", &Iteration::objective, "What the method lowers.");
  history.finish();
}

void bind_rotation(nb::module_& m) {
  Record<RotationResult>(m, "RotationResult", "What rotation and truncation make of a basis.")
      .field("loadings", &RotationResult::loadings,
             "Unit columns, or zero if truncation left nothing; of shape (p, r).", Show::no)
      .field("rotation", &RotationResult::rotation,
             "Orthogonal: the basis is near ``loadings @ rotation``.", Show::no)
      .derived(
          "history", [](const RotationResult& r) { return History{r.history}; },
          "Figures of each iteration.", Show::no)
      .keep([](const RotationResult& r) { return nb::cast(History{r.history}); },
            [](RotationResult& r, nb::handle state) {
              r.history = nb::cast<const History&>(state).iterations;
            })
      .field("status", &RotationResult::status, "\"converged\" or \"iteration_limit\".")
      .finish();
}

void bind_basis(nb::module_& m) {
  Record<Basis>(m, "PrincipalBasis", "The first principal components of data.")
      .field("vectors", &Basis::vectors,
             "Orthonormal columns, the largest entry of each positive; of shape "
             "(n_features, n_components).",
             Show::no)
      .field("singular_values", &Basis::singular_values, "Of the prepared data.")
      .field("residuals", &Basis::residuals,
             "``|A'A v - s^2 v| / s_1^2`` of each vector, as measured.")
      .field("total_variance", &Basis::total_variance, "Sum of squares of the prepared data.")
      .field("rank", &Basis::rank,
             "Columns within the numerical rank; the others complete the basis.")
      .field("solver", &Basis::solver, "The one that was used.")
      .derived("cpev", &Basis::cpev, "Fraction of the total variance that they explain.")
      .property(
          "warnings", [](const Basis& b) { return b.warnings; }, "What was warned of.")
      .keep(&Basis::warnings)
      .finish();
}

/// For the estimator alone, which has its attributes from here.
void bind_fit_report(nb::module_& m) {
  nb::class_<Stability>(m, "Stability")
      .def_ro("frequencies", &Stability::frequencies)
      .def_ro("cosines", &Stability::cosines)
      .def_ro("resamples", &Stability::resamples);
  nb::class_<FitReport> report(m, "FitReport");
  const auto result = [&report](const char* name, auto access) {
    report.def_prop_ro(
        name, [access](const FitReport& fit) -> const auto& {
          return std::invoke(access, fit.result);
        });
  };
  result("status", &Result::status);
  result("message", &Result::message);
  result("target", &Result::target);
  result("search", &Result::search);
  result("restarts", &Result::restarts);
  result("optimal", &Result::optimal);
  result("proofs", &Result::proofs);
  result("certificate", &Result::certificate);
  result("loadings", &Result::loadings);
  result("criteria", &Result::criteria);
  result("bounds", &Result::bounds);
  result("singular_values", &Result::singular_values);
  result("solver", &Result::solver);
  result("storage", &Result::storage);
  result(
      "means", [](auto& r) -> auto& { return *r.preparation.means; });
  result(
      "scales", [](auto& r) -> auto& { return *r.preparation.scales; });
  result("timing", &Result::timing);
  result("warnings", &Result::warnings);
  report
      .def_prop_ro("lam",
                   [](const FitReport& fit) -> std::optional<double> {
                     if (!fit.result.truncation) return std::nullopt;
                     return fit.result.truncation->lambda;
                   })
      .def_prop_ro("rotation",
                   [](const FitReport& fit) -> std::optional<Matrix> {
                     if (fit.result.rotation.size() == 0) return std::nullopt;
                     return fit.result.rotation;
                   })
      .def_prop_ro("history", [](const FitReport& fit) { return History{fit.result.history}; })
      .def_ro("total_variance", &FitReport::total_variance)
      .def_ro("stability", &FitReport::stability);
}

}  // namespace

nb::object to_array(const std::vector<Index>& counts) {
  const Eigen::VectorX<Index> values =
      Eigen::Map<const Eigen::VectorX<Index>>(counts.data(), static_cast<Index>(counts.size()));
  return nb::cast(values).attr("astype")("int");
}

void bind_results(nb::module_& m) {
  bind_criteria(m);
  bind_bound(m);
  bind_reports(m);
  bind_history(m);
  bind_rotation(m);
  bind_basis(m);
  bind_fit_report(m);
}

}  // namespace spcart::python
