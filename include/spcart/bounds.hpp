#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/loadings.hpp"
#include "spcart/truncation.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// What a bound depends on.
enum class BoundKind {
  absolute,  ///< lambda, p and r only: known before any data is seen
  relative,  ///< the angles between X and the principal basis
  estimate   ///< not a guarantee: the value to expect
};
std::string_view name(BoundKind value);

/// One guarantee of the theory beside the measured value.
struct Bound {
  std::string_view name = {};    ///< "sparsity", "deviation", ...: see docs/bounds.md
  std::string_view source = {};  ///< where the paper states it: "Proposition 7"
  BoundKind kind = BoundKind::absolute;
  bool at_least = false;    ///< the lower bound is the point of it; otherwise the upper bound
  double lower = 0;         ///< no component measures less than this
  double upper = 1;         ///< no component measures more than this
  double least = 0;         ///< smallest measure over the components (or pairs of them)
  double most = 0;          ///< largest
  bool applies = true;      ///< its assumptions hold for this result
  std::string reason = {};  ///< which assumption fails; empty if it applies
  bool holds = true;        ///< each component is within its own interval, up to rounding
  double tightness =
      0;  ///< 0 (says nothing) to 1 (attained): ratio of the component nearest to its bound

  bool operator==(const Bound&) const = default;
};

/// Whether the theory and the result contradict each other, which would be a defect of the program.
bool is_violated(const Bound& bound);

/// What the bounds are computed from. The references must live as long as the call.
struct BoundsInput {
  Eigen::Ref<const Matrix> v;     ///< V: r principal components, p x r, orthonormal
  const Vector& singular_values;  ///< of A, for V (r of them, or more)
  double total_variance = 0;      ///< |A|_F^2
  const Loadings& x;              ///< X, p x r: columns of unit length, or zero
  double ev = 0;                  ///< tr(X'A'AX) / |A|_F^2, as in Criteria
  double cpev = 0;                ///< cumulative percentage of explained variance, as in Criteria
  Origin origin = Origin::other;
  Truncation truncation = {};  ///< unless origin is other
  Matrix truncated_from = {};  ///< R of rotated_basis, its rows in the order of the columns of X
};

/// Every guarantee, always under the same names and in the same order, whether it applies or not.
std::vector<Bound> bounds(const BoundsInput& input);

}  // namespace spcart
