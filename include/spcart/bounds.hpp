#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/loadings.hpp"
#include "spcart/truncation.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// What a bound is made of.
enum class BoundKind {
  absolute,  ///< of lambda, p and r: known before any data is seen
  relative,  ///< of the angles between X and the principal basis that were found
  estimate   ///< no guarantee: what to expect
};
std::string_view name(BoundKind value);

/// One guarantee of the theory beside what was measured.
struct Bound {
  std::string_view name = {};    ///< "sparsity", "deviation", ...: see docs/bounds.md
  std::string_view source = {};  ///< where the paper states it: "Proposition 7"
  BoundKind kind = BoundKind::absolute;
  bool at_least = false;    ///< the lower side is what it is for, or else the upper one
  double lower = 0;         ///< no measure is below this, of any component
  double upper = 1;         ///< nor above this
  double least = 0;         ///< smallest measure over the components (or pairs of them)
  double most = 0;          ///< largest
  bool applies = true;      ///< what it assumes is so for this result
  std::string reason = {};  ///< which assumption fails; empty if it applies
  bool holds = true;        ///< each component is within its own interval, up to rounding
  double tightness = 0;     ///< 0 (says nothing) to 1 (attained): the nearest component's ratio

  bool operator==(const Bound&) const = default;
};

/// Whether the theory and the result contradict each other: a defect of the program.
bool is_violated(const Bound& bound);

/// What is known of a result. The references must live as long as the call.
struct BoundsInput {
  Eigen::Ref<const Matrix> v;     ///< V: r principal components, p x r, orthonormal
  const Vector& singular_values;  ///< of A, for V (r of them, or more)
  double total_variance = 0;      ///< |A|_F^2
  const Loadings& x;              ///< X, p x r: columns of unit length, or zero
  double ev = 0;                  ///< tr(X'A'AX) / |A|_F^2, as of Criteria
  double cpev = 0;                ///< the same of an orthonormal basis of the span of X
  Origin origin = Origin::other;
  Truncation truncation = {};  ///< unless origin is other
  Matrix truncated_from = {};  ///< R of rotated_basis, its rows in the order of the columns of X
};

/// Every guarantee, always under the same names and in the same order, whether it applies or not.
std::vector<Bound> bounds(const BoundsInput& input);

}  // namespace spcart
