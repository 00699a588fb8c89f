#pragma once

#include <span>
#include <vector>

#include "basis_panels.hpp"
#include "other_rows.hpp"
#include "spcart/rotate.hpp"

namespace spcart {

/// rotate_and_truncate_all of an orthonormal V of which only some rows are here, and `others` has
/// the rest: everyone gets the same, but each the loadings of its own rows.
std::vector<Rotated> rotate_rows(ConstBlock rows, std::span<const RotateOptions> settings,
                                 const Tick& tick, const OtherRows& others);

/// Throws Error where a basis or an option is not as rotate_and_truncate_all needs it.
void check_rotation(ConstBlock v, std::span<const RotateOptions> settings);

/// varimax_rotation of such a V, or of a whole one where `others` is null.
Matrix varimax_of_rows(const BasisPanels& rows, const Tick& tick, const OtherRows* others);

/// Calls the tick; where it throws for one, it throws for all.
void tell(const Tick& tick, double fraction, const OtherRows* others);

}  // namespace spcart
