#pragma once

#include <cstddef>

#include "spcart/file.hpp"

namespace spcart {

std::size_t size_of(Scalar scalar);

/// Whether numbers come to memory as they lie in the file.
bool is_kept(FileScalar scalar);

/// `count` numbers as they lie in a file, anywhere, to what `widened` says, aligned.
void widen(FileScalar scalar, const char* from, std::size_t count, char* to);

}  // namespace spcart
