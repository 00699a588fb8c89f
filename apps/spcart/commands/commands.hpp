#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "arguments/data_source.hpp"

namespace spcart::command {

/// A command of the program: its arguments, and what to do once they are parsed.
struct Command {
  CLI::App* app = nullptr;
  std::function<void()> run;
};

// `source` must outlive the command.
Command add_fit(CLI::App& program, DataSource& source);
Command add_path(CLI::App& program, DataSource& source);
Command add_choose(CLI::App& program, DataSource& source);
Command add_compare(CLI::App& program, DataSource& source);
Command add_evaluate(CLI::App& program, DataSource& source);
Command add_transform(CLI::App& program, DataSource& source);
Command add_reproduce(CLI::App& program);
Command add_datasets(CLI::App& program);
Command add_info(CLI::App& program);
Command add_demo(CLI::App& program);

}  // namespace spcart::command
