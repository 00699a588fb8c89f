#pragma once

#include <ostream>
#include <string>

#include "spcart/error.hpp"

namespace spcart::testing {

/// The parts of an Error.
struct Rejection {
  std::string option, value, rule;
  bool operator==(const Rejection&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Rejection& rejection) {
  return out << rejection.option << " | " << rejection.value << " | " << rejection.rule;
}

/// The Error that rejects a call.
template <class Call>
Rejection rejection_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.option(), error.value(), error.rule()};
  }
  return {"", "", "it is accepted"};
}

}  // namespace spcart::testing
