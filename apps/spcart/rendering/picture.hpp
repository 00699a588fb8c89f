#pragma once

#include <string>
#include <vector>

#include "spcart/types.hpp"

namespace spcart::command {

/// Pictures of `side` x `side` pixels beside each other, each a column of the matrix. Zero is grey,
/// the largest value white and its negative black; if the terminal has no greys, larger values of
/// either sign are denser characters and zero is a dot.
std::string picture_row(const Matrix& pictures, Index side, int indent);

/// How many of them fit beside each other.
Index pictures_in_row(Index side, int indent);

}  // namespace spcart::command
