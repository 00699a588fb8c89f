#include "spcart/compare.hpp"

#include "record.hpp"
#include "request.hpp"
#include "results.hpp"

namespace spcart::python {
namespace {

std::optional<TruncationType> truncation_type(const ComparisonRow& row) {
  if (!row.result.truncation) return std::nullopt;
  return row.result.truncation->type;
}

std::optional<double> lambda(const ComparisonRow& row) {
  if (!row.result.truncation) return std::nullopt;
  return row.result.truncation->lambda;
}

void bind_row(nb::module_& m) {
  Record<ComparisonRow>(m, "ComparisonRow",
                        "One method of a comparison; a list of these makes a data frame.")
      .field(
          "method", [](auto& row) -> auto& { return row.result.options.method; }, "Its name.")
      .derived("truncation", &truncation_type, "Its truncation type; None if it truncates nothing.")
      .field(
          "start", [](auto& row) -> auto& { return row.result.start; },
          "Where it started; None if it has no choice.")
      .derived("lam", &lambda, "The strength of truncation, tuned to the sparsity asked for.")
      .keep(
          [](const ComparisonRow& row) {
            return nb::make_tuple(truncation_type(row), lambda(row));
          },
          [](ComparisonRow& row, nb::handle state) {
            if (!state[0].is_none())
              row.result.truncation = {nb::cast<TruncationType>(state[0]),
                                       nb::cast<double>(state[1])};
          })
      .field(
          "criteria", [](auto& row) -> auto& { return row.result.criteria; },
          "Figures of its loadings.")
      .field("seconds", &ComparisonRow::seconds,
             "Of one fit at that `lam`, principal components included.")
      .field("fits", &ComparisonRow::fits, "Number of fits that it took to find that `lam`.")
      .field(
          "status", [](auto& row) -> auto& { return row.result.status; },
          "\"converged\" or \"iteration_limit\".")
      .field("note", &ComparisonRow::note,
             "How near it came to the sparsity asked for; empty if it reached it.")
      .field(
          "loadings", [](auto& row) -> auto& { return row.result.loadings; },
          "Of shape (n_features, n_components).", Show::no)
      .field("searched", &ComparisonRow::searched,
             "Figures of what a search makes of it; None if there was no search.")
      .property(
          "message", [](const ComparisonRow& row) { return row.result.message; },
          "How it ended, in words.")
      .keep([](auto& row) -> auto& { return row.result.message; })
      .property(
          "warnings", [](const ComparisonRow& row) { return row.result.warnings; },
          "What was warned of.")
      .keep([](auto& row) -> auto& { return row.result.warnings; })
      .finish();
}

std::vector<ComparisonRow> compare_methods(nb::handle_t<TableHandle> table,
                                           const std::vector<std::string>& methods, Index nonzeros,
                                           const Options& options, const Preparation& preparation,
                                           nb::object memory, nb::object progress) {
  const Request request(table, options, preparation, memory);
  CompareOptions compared{.nonzeros = nonzeros, .common = options};
  if (!methods.empty()) compared.contenders.clear();
  for (const std::string& method : methods) compared.contenders.push_back(parse_contender(method));
  const auto rows = std::make_shared<std::vector<ComparisonRow>>();
  run(table, progress, options.threads, [rows, request, compared](Watch& watch) {
    *rows = compare(*request.prepared(watch), compared, watch.observer());
  });
  return std::move(*rows);
}

}  // namespace

void bind_comparisons(nb::module_& m) {
  bind_row(m);
  m.def("compare", &compare_methods, nb::arg("table"), nb::arg("methods"), nb::arg("nonzeros"),
        nb::arg("options"), nb::arg("preparation"), nb::arg("memory").none(),
        nb::arg("progress").none());
}

}  // namespace spcart::python
