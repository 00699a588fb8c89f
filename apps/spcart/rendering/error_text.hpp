#pragma once

#include <string>

#include "spcart/error.hpp"

namespace spcart::command {

/// An error in the words of the command: "--nonzeros 0: it must be from 1 to 13, the number of
/// variables".
std::string error_text(const Error& error);

}  // namespace spcart::command
