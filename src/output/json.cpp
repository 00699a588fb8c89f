#include <cassert>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "io/json_fields.hpp"
#include "spcart/names.hpp"
#include "spcart/output.hpp"
#include "spcart/version.hpp"

namespace spcart {

namespace {

using io::ordered_json;

/// JSON has no NaN: a result that contains one was already broken.
double finite(double value) {
  assert(std::isfinite(value));
  return value;
}

ordered_json array_of(const Vector& values) {
  ordered_json out = ordered_json::array();
  for (const double value : values) out.push_back(finite(value));
  return out;
}

ordered_json array_of(const std::optional<Vector>& values) {
  return values ? array_of(*values) : ordered_json(nullptr);
}

ordered_json rows_of(const Matrix& m) {
  ordered_json out = ordered_json::array();
  for (Index i = 0; i < m.rows(); ++i) out.push_back(array_of(Vector(m.row(i))));
  return out;
}

ordered_json columns_of(const Loadings& x) {
  ordered_json out = ordered_json::array();
  for (Index j = 0; j < x.outerSize(); ++j) {
    ordered_json index = ordered_json::array(), value = ordered_json::array();
    for (Loadings::InnerIterator entry(x, j); entry; ++entry) {
      index.push_back(entry.row());
      value.push_back(finite(entry.value()));
    }
    out.push_back({{"index", std::move(index)}, {"value", std::move(value)}});
  }
  return out;
}

ordered_json object_of(const Criteria& criteria) {
  return {{"cpev", finite(criteria.cpev)},
          {"cpev_pca", finite(criteria.cpev_pca)},
          {"share_of_pca", finite(criteria.share_of_pca())},
          {"ev", finite(criteria.ev)},
          {"nonorthogonality", finite(criteria.nonorthogonality)},
          {"worst_nonorthogonality", finite(criteria.worst_nonorthogonality)},
          {"sparsity",
           {{"mean", finite(criteria.sparsity.mean)},
            {"std", finite(criteria.sparsity.std)},
            {"min", finite(criteria.sparsity.min)}}},
          {"nonzeros", criteria.nonzeros},
          {"adjusted_variance", array_of(criteria.adjusted_variance)},
          {"cpev_gains", array_of(criteria.cpev_gains)}};
}

ordered_json array_of(const std::vector<Iteration>& history) {
  ordered_json out = ordered_json::array();
  for (const Iteration& iteration : history) {
    out.push_back({{"change", finite(iteration.change)},
                   {"truncated_energy", finite(iteration.truncated_energy)},
                   {"sparsity", finite(iteration.sparsity)},
                   {"objective", finite(iteration.objective)}});
  }
  return out;
}

ordered_json object_of(const Preparation& preparation, bool covariance) {
  const auto known = [&](const std::optional<Vector>& values) {
    return covariance ? ordered_json(nullptr) : array_of(values);
  };
  return {{"remove_row_mean", preparation.remove_row_mean},
          {"center", preparation.center},
          {"scale", preparation.scale},
          {"means", known(preparation.means)},
          {"scales", preparation.scale ? array_of(preparation.scales) : known(preparation.scales)}};
}

ordered_json object_of(const Timing& timing) {
  return {{"read", timing.read},     {"prepare", timing.prepare}, {"pca", timing.pca},
          {"rotate", timing.rotate}, {"refit", timing.refit},     {"refine", timing.refine},
          {"search", timing.search}, {"score", timing.score},     {"certify", timing.certify},
          {"total", timing.total}};
}

ordered_json object_of(const std::vector<Bound>& bounds) {
  ordered_json out = ordered_json::object();
  for (const Bound& bound : bounds)
    out[std::string(bound.name)] = {
        {"source", bound.source},
        {"kind", name(bound.kind)},
        {"guaranteed", {finite(bound.lower), finite(bound.upper)}},
        {"measured", {finite(bound.least), finite(bound.most)}},
        {"applies", bound.applies},
        {"reason", bound.reason.empty() ? ordered_json(nullptr) : ordered_json(bound.reason)},
        {"holds", bound.holds},
        {"tightness", finite(bound.tightness)}};
  return out;
}

ordered_json object_of(const Certificate& certificate) {
  ordered_json bounds = ordered_json::array();
  for (const UpperBound& bound : certificate.bounds)
    bounds.push_back(
        {{"components", name(bound.components)}, {"bound", finite(bound.bound)}, {"by", bound.by}});
  return {{"nonzeros", certificate.nonzeros},     {"empty", certificate.empty},
          {"cpev", finite(certificate.cpev)},     {"cpev_pca", finite(certificate.cpev_pca)},
          {"bounds", std::move(bounds)},          {"bound", finite(certificate.own().bound)},
          {"gap", finite(certificate.gap())},     {"obliqueness", finite(certificate.obliqueness)},
          {"orthogonal", certificate.orthogonal}, {"disjoint", certificate.disjoint},
          {"complete", certificate.complete},     {"seconds", certificate.seconds},
          {"text", in_words(certificate)}};
}

ordered_json array_of(const std::vector<Proof>& proofs) {
  ordered_json out = ordered_json::array();
  for (const Proof& proof : proofs)
    out.push_back({{"component", proof.component},
                   {"explained", finite(proof.explained)},
                   {"bound", finite(proof.bound)},
                   {"gap", finite(proof.gap())},
                   {"optimal", proof.optimal},
                   {"nonzeros", proof.nonzeros},
                   {"candidates", proof.candidates},
                   {"nodes", proof.nodes},
                   {"seconds", proof.seconds}});
  return out;
}

/// Every option as it was given: numbers as numbers, infinity and names as text.
ordered_json object_of(const Options& options) {
  ordered_json out = ordered_json::object();
  for (const OptionRecord& record : option_records()) {
    const std::string text = record.get(options);
    ordered_json& value = out[std::string(record.name)];
    if (!text.empty()) value = io::value_or_text(text);
  }
  return out;
}

ordered_json object_of(const ComparisonRow& row) {
  const Result& result = row.result;
  ordered_json out;
  out["method"] = name(row.contender.method);
  out["truncation"] = result.truncation ? ordered_json(name(result.truncation->type)) : nullptr;
  out["lambda"] = result.truncation ? ordered_json(finite(result.truncation->lambda)) : nullptr;
  out["start"] = result.start ? ordered_json(name(*result.start)) : nullptr;
  out["criteria"] = object_of(result.criteria);
  out["searched"] = row.searched ? object_of(*row.searched) : ordered_json(nullptr);
  out["seconds"] = row.seconds;
  out["status"] = name(result.status);
  out["fits"] = row.fits;
  out["note"] = row.note.empty() ? ordered_json(nullptr) : ordered_json(row.note);
  return out;
}

ordered_json object_of(const Stability& stability) {
  return {{"resamples", stability.resamples},
          {"frequencies", columns_of(stability.frequencies)},
          {"cosines", array_of(stability.cosines)}};
}

ordered_json object_of(const Scree& scree) {
  return {{"variances", array_of(scree.variances)},
          {"broken_stick", array_of(scree.broken_stick)},
          {"parallel", array_of(scree.parallel)},
          {"by_broken_stick", scree.by_broken_stick},
          {"by_parallel", scree.by_parallel}};
}

ordered_json object_of(const Recommendation& answer) {
  return {{"components", answer.components},
          {"nonzeros", answer.nonzeros},
          {"when", answer.when},
          {"reasons", answer.reasons},
          {"explained", finite(answer.explained)},
          {"explained_by_pca", finite(answer.explained_by_pca)},
          {"error", finite(answer.error)}};
}

/// Of this program: getrusage would include the program that started it.
std::int64_t memory_peak_bytes() {
  constexpr std::int64_t kKilobyte = 1024;
  constexpr std::string_view kField = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kField)) return std::stoll(line.substr(kField.size())) * kKilobyte;
  return 0;
}

std::string dump(const ordered_json& object) { return io::dump(object, io::Bytes::replace); }

}  // namespace

std::string to_json(const Criteria& criteria, const Certificate* certificate) {
  ordered_json out = object_of(criteria);
  if (certificate) out["certificate"] = object_of(*certificate);
  return dump(out);
}

std::string to_json(std::span<const ComparisonRow> rows) {
  ordered_json out;
  out["spcart"] = kVersion;
  out["kind"] = "compare";
  out["rows"] = ordered_json::array();
  for (const ComparisonRow& row : rows) out["rows"].push_back(object_of(row));
  return dump(out);
}

std::string to_json(const Path& path) {
  ordered_json out;
  out["spcart"] = kVersion;
  out["kind"] = "path";
  out["variables"] = path.variables;
  out["points"] = ordered_json::array();
  for (const PathPoint& point : path.points)
    out["points"].push_back(
        {{"truncation", name(point.truncation.type)},
         {"lambda", finite(point.truncation.lambda)},
         {"components", point.components},
         {"criteria", object_of(point.criteria)},
         {"iterations", point.iterations},
         {"status", name(point.status)},
         {"objective", finite(point.objective)},
         {"warm", point.warm},
         {"searched", point.searched},
         {"bound", point.bound ? ordered_json(*point.bound) : ordered_json(nullptr)}});
  out["knee"] = path.knee;
  out["keep"] = path.keep ? ordered_json(*path.keep) : ordered_json(nullptr);
  out["singular_values"] = array_of(path.singular_values);
  out["total_variance"] = finite(path.total_variance);
  out["solver"] = name(path.solver);
  out["warnings"] = path.warnings;
  out["timing"] = {{"pca", path.pca_seconds}, {"total", path.seconds}};
  return dump(out);
}

std::string to_json(const Choice& choice) {
  ordered_json points = ordered_json::array();
  for (const ValidationPoint& point : choice.held_out)
    points.push_back({{"components", point.components},
                      {"nonzeros", point.nonzeros},
                      {"error", finite(point.error)},
                      {"excess_deviation", finite(point.excess_deviation)}});
  ordered_json out;
  out["spcart"] = kVersion;
  out["kind"] = "choose";
  out["components"] = choice.components;
  out["nonzeros"] = choice.nonzeros;
  out["reasons"] = choice.reasons;
  out["to_read"] = object_of(choice.to_read);
  out["to_predict"] = object_of(choice.to_predict);
  out["difference"] = choice.difference;
  out["scree"] = object_of(choice.scree);
  out["cross_validation"] = {{"points", std::move(points)},
                             {"least", choice.least},
                             {"chosen", choice.chosen},
                             {"repeats", choice.repeats}};
  out["warnings"] = choice.warnings;
  return dump(out);
}

std::string to_json(const Result& result, std::span<const std::string> variables,
                    const Stability* stability) {
  ordered_json out;
  out["spcart"] = kVersion;
  out["kind"] = "fit";
  out["method"] = name(result.options.method);
  out["truncation"] = nullptr;
  if (const auto& truncation = result.truncation)
    out["truncation"] = {{"type", name(truncation->type)}, {"lambda", finite(truncation->lambda)}};
  out["components"] = result.loadings.cols();
  out["samples"] = result.samples ? ordered_json(*result.samples) : ordered_json(nullptr);
  out["variables"] = result.variables;
  out["names"] = variables;
  out["status"] = name(result.status);
  out["message"] = result.message;
  out["iterations"] = result.iterations();
  out["warnings"] = result.warnings;
  out["target"] = nullptr;
  if (const auto& target = result.target)
    out["target"] = {{"option", target->option},
                     {"asked", finite(target->asked)},
                     {"found", finite(target->found)},
                     {"exact", target->exact},
                     {"trials", target->trials}};
  out["restarts"] = nullptr;
  if (const auto& restarts = result.restarts)
    out["restarts"] = {
        {"objectives", restarts->objectives}, {"cpev", restarts->cpev}, {"best", restarts->best}};
  out["search"] = nullptr;
  if (const auto& search = result.search)
    out["search"] = {{"effort", name(effort_of(result.options))},
                     {"overlap", finite(result.options.overlap)},
                     {"cpev_before", finite(search->cpev_before)},
                     {"nonorthogonality_before", finite(search->nonorthogonality_before)}};
  out["criteria"] = object_of(result.criteria);
  out["loadings"] = columns_of(result.loadings);
  out["optimal"] = result.optimal;
  out["history"] = array_of(result.history);
  out["singular_values"] = array_of(result.singular_values);
  out["rotation"] = rows_of(result.rotation);
  out["preparation"] = object_of(result.preparation, !result.samples);
  out["proofs"] = array_of(result.proofs);
  out["certificate"] = result.certificate ? object_of(*result.certificate) : ordered_json(nullptr);
  out["bounds"] = object_of(result.bounds);
  out["timing"] = object_of(result.timing);
  out["memory_peak_bytes"] = memory_peak_bytes();
  out["storage"] = result.storage.empty() ? ordered_json(nullptr) : ordered_json(result.storage);
  out["threads"] = result.threads;
  out["solver"] = name(result.solver);
  out["precision"] = name(result.preparation.precision);
  out["start"] = result.start ? ordered_json(name(*result.start)) : ordered_json(nullptr);
  out["options"] = object_of(result.options);
  out["refit"] = result.options.refit;
  out["refine"] = result.options.refine;
  out["order"] = name(result.options.order);
  out["seed"] = result.options.seed;
  if (stability) out["bootstrap"] = object_of(*stability);
  return dump(out);
}

}  // namespace spcart
