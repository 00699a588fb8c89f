#pragma once

#include <filesystem>

#include "spcart/table.hpp"

namespace spcart::io {

/// A table of loadings: missing values can neither be dropped nor filled in there.
Table read_loadings_table(const std::filesystem::path& path);

/// Whether a file is JSON by its name.
bool is_json(const std::filesystem::path& path);

}  // namespace spcart::io
