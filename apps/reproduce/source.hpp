#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment.hpp"
#include "spcart/table.hpp"

namespace spcart::reproduce {

/// The data of an experiment, and its label.
struct Source {
  std::vector<Table> tables;  ///< one, or several one after the other
  std::string label;          ///< "patches of natural images, 5000 x 169"
  bool stand_in = false;      ///< a built-in data set instead of the real data
};

/// Reads the file from the folder of real data sets, or makes the built-in data sets if the folder
/// is empty or no file is declared. Throws Error if the folder lacks the file, or it has another
/// shape.
Source load(const DataDeclaration& data, const std::filesystem::path& folder);

}  // namespace spcart::reproduce
