#pragma once

#include "spcart/choose.hpp"

namespace spcart {

/// Says in words when to prefer each recommendation, how it came about and why the two differ, for
/// a table of p variables. All numbers of `choice` must be set.
void give_reasons(Index p, Choice& choice);

}  // namespace spcart
