#pragma once

#include <vector>

#include "io/cache.hpp"

namespace spcart::io {

/// What becomes of a table in a file when it is copied.
struct Edit {
  std::vector<bool> rows = {}, cols = {};  ///< which stay; empty: all
  std::vector<double> fill = {};  ///< what a missing value of each column becomes; empty: it stays
};

FileView edited(const FileView& view, const Edit& edit, Cache& cache, const Tick& tick);

}  // namespace spcart::io
