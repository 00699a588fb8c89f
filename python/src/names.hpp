#pragma once

#include <string>
#include <string_view>

#include "spcart/error.hpp"

namespace spcart::python {

/// Python has _ for -, and some options have names that follow its customs: `lam`, `tol`.
std::string core_name(std::string_view python_name);
std::string python_name(std::string_view core_name);

/// An error in the words of Python: "nonzeros=0: it must be from 1 to 13, the number of variables".
std::string in_python(const Error& error);

}  // namespace spcart::python
