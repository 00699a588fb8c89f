#pragma once

#include <string>
#include <string_view>

#include "spcart/error.hpp"
#include "spcart/not_finite.hpp"

namespace spcart::python {

/// Python has _ for -, and some options have names that follow its customs: `lam`, `tol`.
std::string core_name(std::string_view python_name);
std::string python_name(std::string_view core_name);

/// An error in the words of Python: "nonzeros=0: it must be from 1 to 13, the number of variables".
std::string in_python(const Error& error);

/// A number that is not finite, in a table or a covariance: rows and columns count from 0, and the
/// column has its name unless that is empty.
std::string in_python(const NotFinite& error, bool covariance, std::string_view name);

}  // namespace spcart::python
