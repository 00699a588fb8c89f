#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace spcart::command {

/// A command of the program: its arguments, and what to do once they are parsed.
struct Command {
  CLI::App* app = nullptr;
  std::function<void()> run;
};

Command add_fit(CLI::App& program);
Command add_path(CLI::App& program);
Command add_choose(CLI::App& program);
Command add_compare(CLI::App& program);
Command add_evaluate(CLI::App& program);
Command add_transform(CLI::App& program);
Command add_reproduce(CLI::App& program);
Command add_datasets(CLI::App& program);
Command add_info(CLI::App& program);
Command add_demo(CLI::App& program);

}  // namespace spcart::command
