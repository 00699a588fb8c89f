#pragma once

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <variant>

#include "casters.hpp"
#include "spcart/fit.hpp"
#include "spcart/prepare.hpp"
#include "spcart/table.hpp"

namespace nb = nanobind;

namespace spcart::python {

/// Samples in any form that can be prepared.
using AnySamples = std::variant<Table, RowSource, LinearOperator, SampleMoments>;

/// A table as Python holds it. Its numbers are in arrays of Python's, which it keeps alive, or in a
/// file, or come from functions of Python's, or are its own.
struct TableHandle {
  std::shared_ptr<const AnySamples> samples;
  nb::object names = nb::none();  ///< of the variables, for messages: a sequence, or None

  Index rows() const;
  Index cols() const;
  const Table* table() const { return std::get_if<Table>(samples.get()); }
  bool is_covariance() const { return table() != nullptr && table()->covariance; }
};

// Types come before the functions that use them, for the sake of signatures.
void bind_tables(nb::module_& m);
void bind_sources(nb::module_& m);
void bind_options(nb::module_& m);
void bind_certificates(nb::module_& m);
void bind_results(nb::module_& m);
void bind_fits(nb::module_& m);
void bind_comparisons(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_choices(nb::module_& m);
void bind_records(nb::module_& m);

}  // namespace spcart::python
