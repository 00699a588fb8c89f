#pragma once

#include <string_view>

#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// Which components a bound is about: r of them, each with its own maximum number of nonzeros.
enum class ComponentClass {
  disjoint,    ///< no variable is in two of them
  orthogonal,  ///< x_s'x_t = 0
  oblique,     ///< no more oblique than given ones
  any          ///< whatever they are
};
std::string_view name(ComponentClass value);

/// What was proved of one component when it was found: it explains `explained` of all variance
/// after deflation by those before it, and no component with as few variables explains more than
/// `bound`.
struct Proof {
  Index component = 0;  ///< its index in the result; -1 if a later step has changed it
  double explained = 0;
  double bound = 0;
  bool optimal = false;  ///< nothing is left between the two but a tolerance of 1e-9
  Index nonzeros = 0;
  Index candidates = 0;  ///< variables that could not be ruled out before the search
  Index nodes = 0;       ///< of branch and bound
  double seconds = 0;

  /// How much more than `explained` may be possible, as a fraction of it.
  double gap() const { return explained > 0 ? bound / explained - 1 : 0; }

  bool operator==(const Proof&) const = default;
};

}  // namespace spcart
