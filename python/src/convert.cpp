#include "convert.hpp"

#include "names.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"

namespace spcart::python {
namespace {

nb::dict to_dict(const Bound& bound) {
  nb::dict d;
  d["name"] = bound.name;
  d["source"] = bound.source;
  d["kind"] = name(bound.kind);
  d["at_least"] = bound.at_least;
  d["lower"] = bound.lower;
  d["upper"] = bound.upper;
  d["least"] = bound.least;
  d["most"] = bound.most;
  d["applies"] = bound.applies;
  d["reason"] = in_python(bound.reason);
  d["holds"] = bound.holds;
  d["tightness"] = bound.tightness;
  return d;
}

nb::dict to_dict(const Timing& timing) {
  nb::dict d;
  d["prepare"] = timing.prepare;
  d["pca"] = timing.pca;
  d["rotate"] = timing.rotate;
  d["refit"] = timing.refit;
  d["refine"] = timing.refine;
  d["search"] = timing.search;
  d["score"] = timing.score;
  d["total"] = timing.total;
  return d;
}

nb::object to_object(const std::optional<SearchReport>& search) {
  if (!search) return nb::none();
  nb::dict d;
  d["cpev_before"] = search->cpev_before;
  d["nonorthogonality_before"] = search->nonorthogonality_before;
  return std::move(d);
}

nb::object to_object(const std::optional<TargetReport>& target) {
  if (!target) return nb::none();
  nb::dict d;
  d["option"] = target->option;
  d["asked"] = target->asked;
  d["found"] = target->found;
  d["exact"] = target->exact;
  d["trials"] = target->trials;
  return d;
}

nb::object to_object(const std::optional<Restarts>& restarts) {
  if (!restarts) return nb::none();
  nb::dict d;
  d["objectives"] = restarts->objectives;
  d["cpev"] = restarts->cpev;
  d["best"] = restarts->best;
  return d;
}

template <class T>
Eigen::VectorX<T> copied(const T* first, Index count) {
  return Eigen::Map<const Eigen::VectorX<T>>(first, count);
}

template <class Choice>
nb::object name_or_none(const std::optional<Choice>& choice) {
  return choice ? nb::object(nb::cast(name(*choice))) : nb::none();
}

}  // namespace

Loadings loadings_of(const CompressedColumns& x) {
  const auto cols = static_cast<std::size_t>(x.cols);
  if (x.outer.shape(0) != cols + 1 || x.values.shape(0) != x.inner.shape(0) ||
      x.outer.data()[cols] != static_cast<std::int64_t>(x.values.shape(0)))
    throw Error("loadings: their arrays are not as long as their shape says");
  return Eigen::Map<const Loadings>(x.rows, x.cols, static_cast<Index>(x.values.shape(0)),
                                    x.outer.data(), x.inner.data(), x.values.data());
}

nb::dict to_dict(const Loadings& x) {
  Loadings compressed = x;
  compressed.makeCompressed();
  nb::dict d;
  d["values"] = copied(compressed.valuePtr(), compressed.nonZeros());
  d["inner"] = copied(compressed.innerIndexPtr(), compressed.nonZeros());
  d["outer"] = copied(compressed.outerIndexPtr(), compressed.cols() + 1);
  d["shape"] = nb::make_tuple(compressed.rows(), compressed.cols());
  return d;
}

nb::dict to_dict(const Criteria& criteria) {
  nb::dict d;
  d["cpev"] = criteria.cpev;
  d["cpev_pca"] = criteria.cpev_pca;
  d["share_of_pca"] = criteria.share_of_pca();
  d["ev"] = criteria.ev;
  d["nonorthogonality"] = criteria.nonorthogonality;
  d["worst_nonorthogonality"] = criteria.worst_nonorthogonality;
  d["sparsity"] = criteria.sparsity.mean;
  d["sparsity_std"] = criteria.sparsity.std;
  d["sparsity_min"] = criteria.sparsity.min;
  d["nonzeros"] = Eigen::VectorX<Index>(Eigen::Map<const Eigen::VectorX<Index>>(
      criteria.nonzeros.data(), static_cast<Index>(criteria.nonzeros.size())));
  d["explained_variance_ratio"] = criteria.cpev_gains;
  d["adjusted_variance_ratio"] = criteria.adjusted_variance;
  return d;
}

nb::dict to_dict(const std::vector<Iteration>& history) {
  const auto column = [&history](double Iteration::*figure) {
    Vector values(static_cast<Index>(history.size()));
    for (Index i = 0; i < values.size(); ++i)
      values[i] = history[static_cast<std::size_t>(i)].*figure;
    return values;
  };
  nb::dict d;
  d["change"] = column(&Iteration::change);
  d["truncated_energy"] = column(&Iteration::truncated_energy);
  d["sparsity"] = column(&Iteration::sparsity);
  d["objective"] = column(&Iteration::objective);
  return d;
}

nb::dict to_dict(const Result& result) {
  nb::dict d;
  d["status"] = name(result.status);
  d["message"] = result.message;
  d["method"] = name(result.options.method);
  d["truncation"] =
      result.truncation ? nb::object(nb::cast(name(result.truncation->type))) : nb::none();
  d["lam"] = result.truncation ? nb::object(nb::cast(result.truncation->lambda)) : nb::none();
  d["start"] = name_or_none(result.start);
  d["target"] = to_object(result.target);
  d["search"] = to_object(result.search);
  d["restarts"] = to_object(result.restarts);
  d["loadings"] = to_dict(result.loadings);
  d["rotation"] = result.rotation.size() > 0 ? nb::object(nb::cast(result.rotation)) : nb::none();
  d["criteria"] = to_dict(result.criteria);
  nb::list bounds;
  for (const Bound& bound : result.bounds) bounds.append(to_dict(bound));
  d["bounds"] = bounds;
  d["history"] = to_dict(result.history);
  d["singular_values"] = result.singular_values;
  d["solver"] = name(result.solver);
  d["means"] = *result.preparation.means;
  d["scales"] = *result.preparation.scales;
  d["threads"] = result.threads;
  d["timing"] = to_dict(result.timing);
  d["warnings"] = to_list(result.warnings);
  return d;
}

nb::list to_list(const std::vector<std::string>& messages) {
  nb::list list;
  for (const std::string& message : messages) list.append(in_python(message));
  return list;
}

}  // namespace spcart::python
