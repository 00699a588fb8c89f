#include "bindings.hpp"

namespace spcart::python {
namespace {

template <class T>
T named(std::string_view word, std::initializer_list<T> choices) {
  for (const T choice : choices)
    if (name(choice) == word) return choice;
  throw Error("'" + std::string(word) + "' is no name that is known");
}

template <class T>
Eigen::VectorX<T> copied(const T* first, Index count) {
  return Eigen::Map<const Eigen::VectorX<T>>(first, count);
}

}  // namespace

template <>
Status choice_of(std::string_view word) {
  return named(word, {Status::not_run, Status::converged, Status::iteration_limit});
}

template <>
BoundKind choice_of(std::string_view word) {
  return named(word, {BoundKind::absolute, BoundKind::relative, BoundKind::estimate});
}

template <>
ComponentClass choice_of(std::string_view word) {
  return named(word, {ComponentClass::disjoint, ComponentClass::orthogonal, ComponentClass::oblique,
                      ComponentClass::any});
}

nb::object to_python(const Loadings& x) {
  Loadings compressed = x;
  compressed.makeCompressed();
  return nb::module_::import_("scipy.sparse")
      .attr("csc_array")(nb::make_tuple(copied(compressed.valuePtr(), compressed.nonZeros()),
                                        copied(compressed.innerIndexPtr(), compressed.nonZeros()),
                                        copied(compressed.outerIndexPtr(), compressed.cols() + 1)),
                         nb::arg("shape") = nb::make_tuple(compressed.rows(), compressed.cols()));
}

Loadings to_loadings(nb::handle csc_array) {
  using Indices = Eigen::VectorX<Index>;
  const auto values = nb::cast<Vector>(csc_array.attr("data"));
  const auto inner = nb::cast<Indices>(csc_array.attr("indices"));
  const auto outer = nb::cast<Indices>(csc_array.attr("indptr"));
  const auto rows = nb::cast<Index>(csc_array.attr("shape")[0]);
  const auto cols = nb::cast<Index>(csc_array.attr("shape")[1]);
  if (outer.size() != cols + 1 || values.size() != inner.size() || outer[cols] != values.size())
    throw Error("loadings: their arrays are not as long as their shape says");
  return Eigen::Map<const Loadings>(rows, cols, values.size(), outer.data(), inner.data(),
                                    values.data());
}

}  // namespace spcart::python
