#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "arguments/data_arguments.hpp"
#include "process/outputs.hpp"
#include "spcart/pca.hpp"

namespace spcart::command {

/// --basis and --save-basis: a PCA that need not be computed again.
struct BasisArguments {
  std::string basis, save;

  void add_to(CLI::App& app);

  /// The basis that was saved, otherwise the one that `find` computes; saved if requested.
  Basis basis_of(const Data& data, Outputs& outputs, const std::function<Basis()>& find) const;
};

}  // namespace spcart::command
