#pragma once

#include <span>
#include <vector>

#include "rotation/basis_panels.hpp"
#include "rotation/other_rows.hpp"
#include "spcart/rotate.hpp"

namespace spcart {

/// rotate_and_truncate_all of a V that is known to be orthonormal. Where only some of its rows are
/// here and `others` has the rest everyone gets the same, but each the loadings of its own rows.
std::vector<Rotated> rotate_rows(const BasisPanels& rows, std::span<const RotateOptions> settings,
                                 const Tick& tick, const OtherRows* others = nullptr);

/// Throws Error where a basis or an option is not as rotate_and_truncate_all needs it.
void check_rotation(ConstBlock v, std::span<const RotateOptions> settings);

/// varimax_rotation of such a V, or of a whole one where `others` is null.
Matrix varimax_of_rows(const BasisPanels& rows, const Tick& tick, const OtherRows* others);

/// Calls the tick; where it throws for one, it throws for all.
void tell(const Tick& tick, double fraction, const OtherRows* others);

}  // namespace spcart
