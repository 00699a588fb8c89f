#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/refine.hpp"

namespace SPCART_EXPORT spcart {

/// How long to search for loadings that explain more than those of the method.
struct Effort {
  enum class Level {
    none,      ///< no search: the method's own answer
    normal,    ///< a small multiple of the time of the fit itself, or a tenth of a second
    thorough,  ///< some hundred times as long
    seconds    ///< as long as `seconds` says: results then depend on the speed of the machine
  };
  Level level = Level::normal;
  double seconds = 0;

  bool operator==(const Effort&) const = default;
};

struct SearchOptions {
  std::vector<Index> nonzeros;  ///< maximum of each component, at least 1
  Counts counts =
      Counts::each;      ///< total: nonzeros also move between components; their sum is preserved
  double overlap = 0.1;  ///< maximum mean |cos| between components (nonorthogonality, NOR), 0 to 1
  Effort effort = {};
  double scale = 1;  ///< factor on the effort
  std::uint64_t seed = 0;
};

/// Looks for the sparse loadings with the largest cumulative percentage of explained variance
/// (CPEV) among those whose overlap is allowed. The first start is the one to improve; others may
/// lead elsewhere.
///
/// The result never explains less than the first start, nor does it overlap more than allowed,
/// unless that start does: a start that overlaps too much is replaced by any loadings that overlap
/// less. Same seed, same bits, for any number of threads, unless the effort is a time.
///
/// S = A'A is formed for up to 4096 variables; A itself is kept if there are few samples. If there
/// are more of both, only the 2048 variables with the largest `promising` and those of the starts
/// are used; if the starts alone have more than 4096, there is no search.
Loadings search(const DataMatrix& a, std::span<const Loadings> starts, const Vector& promising,
                const SearchOptions& options, const Tick& tick = {});

/// "none", "normal", "thorough" or a number of seconds.
Effort parse_effort(std::string_view text);
std::string name(const Effort& effort);

/// Throws Error for a number of seconds that is not above 0, or an overlap that is not from 0 to 1.
void check(const Effort& effort, double overlap);

}  // namespace spcart
