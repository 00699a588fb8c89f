#pragma once

#include <string>

#include "spcart/choose.hpp"

namespace spcart::command {

/// One bar per principal component, with marks where permuted data and the broken stick are.
std::string scree_picture(const Choice& choice);

/// Errors of prediction by number of components (rows) and of variables (columns).
std::string held_out_table(const Choice& choice, Index folds);

}  // namespace spcart::command
