#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>

#include "spcart/fit.hpp"

namespace spcart::command {

/// The flags of `option_records`, or of some of them.
class OptionArguments {
 public:
  void add_to(CLI::App& app);
  void add_to(CLI::App& app, std::initializer_list<std::string_view> names,
              const std::string& group = "Fit");

  /// Throws Error for a text that is not a value of its option.
  Options options() const;

 private:
  struct Argument {
    const OptionRecord* record = nullptr;
    CLI::Option* given = nullptr;
    std::string text;
  };

  void add(CLI::App& app, const OptionRecord& record, const std::string& group);

  std::deque<Argument> arguments_;  // the parser keeps references to the texts
};

}  // namespace spcart::command
