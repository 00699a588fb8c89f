#include "bindings.hpp"
#include "convert.hpp"
#include "options.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"
#include "spcart/prepare.hpp"
#include "work.hpp"

namespace spcart::python {
namespace {

/// A x for the columns x of the loadings.
Matrix score(nb::handle_t<TableHandle> table, Index rows, Index cols, const Numbers& values,
             const Places& inner, const Places& outer, const nb::dict& preparation, Index threads,
             nb::object progress) {
  const auto y = std::make_shared<Matrix>();
  const auto stored = nb::cast<const TableHandle&>(table).table;
  run(table, progress, threads,
      [y, stored, x = loadings_of({rows, cols, values, inner, outer}),
       prepare_as = preparation_of(preparation)](Watch& watch) {
        *y = scores(*make_matrix(*stored, prepare_as, watch.tick("prepare")), x);
      });
  return std::move(*y);
}

/// Evaluates loadings; beside as many principal components where that is asked for.
nb::dict evaluate(nb::handle_t<TableHandle> table, Index rows, Index cols, const Numbers& values,
                  const Places& inner, const Places& outer, const nb::dict& preparation,
                  bool beside_pca, nb::object memory, Index threads, nb::object progress) {
  const auto criteria = std::make_shared<Criteria>();
  const auto stored = nb::cast<const TableHandle&>(table).table;
  run(table, progress, threads,
      [criteria, stored, beside_pca, x = loadings_of({rows, cols, values, inner, outer}),
       prepare_as = preparation_of(preparation), limit = memory_of(memory)](Watch& watch) {
        const Index r = std::min({x.cols(), stored->rows(), stored->cols()});
        const auto a = prepare(*stored,
                               {.preparation = prepare_as,
                                .components = r,
                                .without_pca = !beside_pca,
                                .memory = limit},
                               watch.tick("prepare"));
        const double pca = beside_pca ? principal_basis(*a, r, {}, watch.tick("pca")).cpev() : 0;
        *criteria = spcart::evaluate(*a, x, pca, watch.tick("score"));
      });
  return to_dict(*criteria);
}

/// Of a basis alone: there is no data by which a lambda could be found.
Truncation truncation_for(const Options& options, Index p) {
  const Truncation truncation = *truncation_of(options, p);
  if (!options.nonzeros) return truncation;
  const std::string given = "nonzeros = " + std::to_string(*options.nonzeros);
  if (options.lambda) throw Error(given + " and lambda: give one of them");
  if (truncation.type != TruncationType::count)
    throw Error(given + ": it goes with truncation count");
  if (*options.nonzeros < 1 || *options.nonzeros > p)
    throw Error(given + ": it must be from 1 to " + std::to_string(p) + ", the number of rows");
  return truncation;
}

nb::dict rotate(nb::handle v, const nb::dict& given, nb::object progress) {
  const Matrix basis = nb::cast<Matrix>(v);
  const Options options = options_of(given);
  RotateOptions rotation;
  rotation.truncation = truncation_for(options, basis.rows());
  rotation.start = options.start.value_or(rotation.start);
  rotation.tolerance = options.tolerance;
  rotation.max_iterations = options.max_iterations;
  rotation.seed = options.seed;
  const auto rotated = std::make_shared<RotationResult>();
  run(v, progress, options.threads, [rotated, basis, rotation](Watch& watch) {
    *rotated = rotate_and_truncate(basis, rotation, watch.tick("rotate"));
  });
  nb::dict d;
  d["loadings"] = to_dict(rotated->loadings);
  d["rotation"] = rotated->rotation;
  d["history"] = to_dict(rotated->history);
  d["status"] = name(rotated->status);
  return d;
}

}  // namespace

void bind_parts(nb::module_& m) {
  m.def("scores", &score, nb::arg("table"), nb::arg("rows"), nb::arg("cols"), nb::arg("values"),
        nb::arg("inner"), nb::arg("outer"), nb::arg("preparation"), nb::arg("threads"),
        nb::arg("progress").none());
  m.def("evaluate", &evaluate, nb::arg("table"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("values"), nb::arg("inner"), nb::arg("outer"), nb::arg("preparation"),
        nb::arg("beside_pca"), nb::arg("memory").none(), nb::arg("threads"),
        nb::arg("progress").none());
  m.def("rotate_and_truncate", &rotate, nb::arg("v"), nb::arg("options"),
        nb::arg("progress").none());
}

}  // namespace spcart::python
