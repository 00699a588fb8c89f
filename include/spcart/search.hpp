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
    none,      ///< the method's own answer
    normal,    ///< a small multiple of what the fit itself takes, or a tenth of a second
    thorough,  ///< some hundred times as long
    seconds    ///< as long as `seconds` says: results then depend on the speed of the machine
  };
  Level level = Level::normal;
  double seconds = 0;

  bool operator==(const Effort&) const = default;
};

struct SearchOptions {
  std::vector<Index> nonzeros;   ///< most that each component may have, at least 1
  Counts counts = Counts::each;  ///< total: nonzeros also move between components; their sum stays
  double overlap = 0.1;  ///< largest mean |cos| between components (NOR) that is allowed, 0 to 1
  Effort effort = {};
  double scale = 1;  ///< what the effort is multiplied by
  std::uint64_t seed = 0;
};

/// Looks for sparse loadings that explain most (CPEV) among those that overlap no more than is
/// allowed. The first start is what is to be improved; others may lead elsewhere.
///
/// The result never explains less than the first start, nor does it overlap more than is allowed,
/// unless that start does: one that overlaps more is given up for anything that overlaps less. Same
/// seed, same bits, whatever the threads, unless the effort is a time.
///
/// S = A'A is formed up to 4096 variables, or A itself is kept where there are few samples. Where
/// there are more of both, only the 2048 variables are used for which `promising` is largest, and
/// those of the starts; where these alone are more than 4096, there is no search.
Loadings search(const DataMatrix& a, std::span<const Loadings> starts, const Vector& promising,
                const SearchOptions& options, const Tick& tick = {});

/// "none", "normal", "thorough" or a number of seconds.
Effort parse_effort(std::string_view text);
std::string name(const Effort& effort);

/// Throws Error for a number of seconds that is not above 0, or an overlap that is not from 0 to 1.
void check(const Effort& effort, double overlap);

}  // namespace spcart
