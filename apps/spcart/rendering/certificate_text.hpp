#pragma once

#include <span>
#include <string>

#include "spcart/certificate.hpp"

namespace spcart::command {

/// What is proved, in sentences that are wrapped to the terminal.
std::string certificate_text(const Certificate& certificate);

/// One line per component of the method exact; empty if there are no proofs.
std::string proofs_text(std::span<const Proof> proofs);

}  // namespace spcart::command
