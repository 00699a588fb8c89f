#pragma once

#include <vector>

#include "io/cache.hpp"

namespace spcart::io {

/// The changes to a table in a file when it is copied.
struct Edit {
  std::vector<bool> rows = {}, cols = {};  ///< which stay; empty: all
  std::vector<double> fill = {};  ///< replaces the missing values of each column; empty: they stay
};

FileView edited(const FileView& view, const Edit& edit, Cache& cache, const Tick& tick);

}  // namespace spcart::io
