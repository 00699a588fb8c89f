#pragma once

#include "bindings.hpp"
#include "spcart/criteria.hpp"

namespace spcart::python {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A p x r matrix compressed by columns, as scipy.sparse holds it.
struct CompressedColumns {
  Index rows, cols;
  Numbers values;
  Places inner, outer;
};
Loadings loadings_of(const CompressedColumns& x);

nb::dict to_dict(const Loadings& x);
nb::dict to_dict(const Criteria& criteria);
nb::dict to_dict(const std::vector<Iteration>& history);
nb::dict to_dict(const Result& result);

/// Messages in Python's names.
nb::list to_list(const std::vector<std::string>& messages);

}  // namespace spcart::python
