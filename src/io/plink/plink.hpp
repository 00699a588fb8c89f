#pragma once

#include <string>
#include <string_view>

#include "io/cache.hpp"
#include "spcart/table.hpp"

namespace spcart::io {

inline constexpr std::string_view kBedMagic{"\x6c\x1b", 2};

/// Reads the names of a .bed of PLINK from the .bim and the .fam beside it; the genotypes stay in
/// the file, missing ones as NaN. A number counts the first allele of the .bim. Throws Error if the
/// three files do not fit each other.
Table read_plink(ByteSource& source, const ReadOptions& options, Cache& cache);

}  // namespace spcart::io
