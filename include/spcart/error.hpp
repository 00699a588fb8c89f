#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/export.hpp"

namespace SPCART_EXPORT spcart {

/// The call or its input was wrong. The message says which argument, its value and the rule that it
/// broke, or which file and what is wrong with it. `what()` is worded for C++: "nonzeros = 0: it
/// must be ...". The command and Python word it from the parts, with options as their users write
/// them.
class Error : public std::invalid_argument {
 public:
  struct Argument {
    std::string option;  ///< the name of the field of the options, with - for _
    std::string value;   ///< empty if the option's name says enough
    bool operator==(const Argument&) const = default;
  };

  /// Not about a particular argument.
  explicit Error(std::string_view rule);

  Error(std::string_view option, std::string_view value, std::string_view rule);

  /// About arguments that contradict each other.
  Error(std::vector<Argument> arguments, std::string_view rule);

  /// The same error about a file or a table, unless it already names one or is about arguments.
  Error in(std::string_view source) const;

  const std::string& option() const;  ///< of the first argument; empty if there is none
  const std::string& value() const;
  const std::vector<Argument>& arguments() const;
  const std::string& source() const;  ///< the file or table, with the line if that is known
  const std::string& rule() const;

 private:
  struct Parts;
  explicit Error(std::shared_ptr<const Parts> parts);

  std::shared_ptr<const Parts> parts_;  // an exception must not throw when it is copied
};

/// The observer asked to stop.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace spcart
