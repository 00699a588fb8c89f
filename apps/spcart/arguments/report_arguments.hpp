#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "spcart/table.hpp"

namespace spcart::command {

/// What a report is told about the data besides the data.
struct Annotations {
  std::optional<std::array<Index, 2>> image;  ///< rows and columns of pixels that the variables are
  std::vector<std::string> labels;            ///< of the samples, or empty
};

/// --report, and the flags of what it shows.
struct ReportArguments {
  std::string report, image, labels;

  void add_report(CLI::App& app);
  void add_annotations(CLI::App& app);

  /// Throws Error if there is no page to make a report of, and for flags without --report.
  void check() const;

  /// Throws Error if they do not fit the data.
  Annotations annotations(const Table& table) const;
};

}  // namespace spcart::command
