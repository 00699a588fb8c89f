#pragma once

#include <stdexcept>
#include <string>

namespace spcart {

/// The call or its input was wrong. The message names the argument, its value and the rule it
/// broke.
class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The observer asked to stop.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace spcart
