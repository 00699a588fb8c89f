#pragma once

#include <cstdint>
#include <string_view>

#include "spcart/table.hpp"

namespace spcart {

/// The correlations of 13 properties of 180 pit props of Corsican pine (Jeffers 1967).
Table make_pitprops();

/// Patches of pictures of dead leaves: discs of random size and grey that hide one another. Sizes
/// follow the power law that makes such pictures look alike at every scale, as natural ones do.
struct PatchesOptions {
  Index n = 5000;   ///< patches, one per row
  Index size = 13;  ///< side of a patch in pixels, 2 to 64
  std::uint64_t seed = 0;
};
Table make_patches(const PatchesOptions& options);

/// Throws Error unless low <= value <= high.
void check_range(std::string_view dataset, std::string_view parameter, Index value, Index low,
                 Index high);

/// The maximum size of a generated table: a typing error must not fill the memory.
inline constexpr Index kMaxNumbers = 1'000'000'000;

/// Throws Error unless n >= 2, p >= 1 and n p <= kMaxNumbers.
void check_shape(std::string_view dataset, Index n, Index p);

}  // namespace spcart
