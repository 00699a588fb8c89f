#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "spcart/types.hpp"

namespace spcart::command {

/// Flags of commands that work on data but fit nothing.
struct RunArguments {
  std::string threads;
  bool quiet = false;

  void add_to(CLI::App& app);

  /// Throws Error if the text is not a number of threads.
  Index thread_count() const;
};

}  // namespace spcart::command
