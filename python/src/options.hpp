#pragma once

#include "bindings.hpp"

namespace spcart::python {

/// Options by their Python names. What is None keeps its default.
Options options_of(const nb::dict& given);

/// center, scale, remove_row_mean, precision, means and scales.
Preparation preparation_of(const nb::dict& given);

/// A number of bytes: a whole number, or text such as "2G".
std::optional<std::uint64_t> memory_of(nb::handle given);

}  // namespace spcart::python
