#pragma once

#include <string>
#include <string_view>

namespace spcart::python {

/// Some options have names in Python that follow its customs: `lam`, `n_components`, `tol`.
std::string_view core_name(std::string_view python_name);
std::string_view python_name(std::string_view core_name);

/// A message of the core with the names that Python's users know.
std::string in_python(std::string_view message);

}  // namespace spcart::python
