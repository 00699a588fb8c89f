#pragma once

#include <string>
#include <string_view>

#include "spcart/error.hpp"

namespace spcart::python {

/// Some options have names in Python that follow its customs: `lam`, `n_components`, `tol`.
std::string_view core_name(std::string_view python_name);
std::string_view python_name(std::string_view core_name);

/// An error in the words of Python: "nonzeros=0: it must be from 1 to 13, the number of variables".
std::string in_python(const Error& error);

}  // namespace spcart::python
