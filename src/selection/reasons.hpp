#pragma once

#include "spcart/choose.hpp"

namespace spcart {

/// Says in words when to take each recommendation, why it is as it is and why the two differ, for a
/// table of p variables whose numbers are all there.
void give_reasons(Index p, Choice& choice);

}  // namespace spcart
