#pragma once

#include "spcart/table.hpp"

namespace spcart::io {

/// Exchanges samples and variables of a dense table with their names; no number is moved. Readers
/// of sparse tables exchange rows and columns themselves.
void transpose(Table& table);

}  // namespace spcart::io
