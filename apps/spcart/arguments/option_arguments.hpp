#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <functional>
#include <string>

#include "spcart/fit.hpp"

namespace spcart::command {

/// The flags of `option_records`, or of some of them.
class OptionArguments {
 public:
  void add_to(CLI::App& app, const std::function<bool(const OptionRecord&)>& wanted);

  /// Throws Error for a text that is not a value of its option.
  Options options() const;

 private:
  struct Argument {
    const OptionRecord* record = nullptr;
    const CLI::Option* given = nullptr;
    std::string text;
  };

  std::deque<Argument> arguments_;  // the parser keeps references to the texts
};

}  // namespace spcart::command
