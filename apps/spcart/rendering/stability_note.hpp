#pragma once

#include <span>
#include <string>

#include "spcart/bootstrap.hpp"

namespace spcart::command {

/// What the frequencies in the table mean, how similar the components of resamples were, and which
/// variables were selected more often than not although they are not in the fit.
std::string stability_note(const Stability& stability, const Loadings& loadings,
                           std::span<const std::string> variables);

}  // namespace spcart::command
