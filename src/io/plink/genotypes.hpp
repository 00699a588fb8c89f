#pragma once

#include <functional>

#include "spcart/file.hpp"

namespace spcart::io {

/// What a variant has in all samples.
struct GenotypeCounts {
  Index alleles = 0;  ///< copies of the allele that is counted
  Index missing = 0;  ///< genotypes
};

/// Calls visit(variant, counts) for every variant of a table that is stored by variants. The file
/// is read once.
void for_each_variant(const FileView& view,
                      const std::function<void(std::size_t, const GenotypeCounts&)>& visit,
                      const Tick& tick = {});

}  // namespace spcart::io
