#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "spcart/table.hpp"

namespace spcart::command {

/// What a report needs to know about the data besides the data.
struct Annotations {
  std::optional<std::array<Index, 2>>
      image;                        ///< rows and columns of pixels, if the variables are pixels
  std::vector<std::string> labels;  ///< of the samples, or empty
};

/// --report, and the flags of what it shows.
struct ReportArguments {
  std::string report, image;

  void add_report(CLI::App& app);
  void add_annotations(CLI::App& app);

  /// Throws Error if the program has no report page, and for flags without --report.
  void check() const;

  /// With the labels of a file, unless its name is empty. Throws Error if they do not fit the data.
  Annotations annotations(const Table& table, const std::string& labels) const;
};

}  // namespace spcart::command
