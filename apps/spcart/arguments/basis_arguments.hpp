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

  /// How the table is prepared: where a basis is at hand, nothing more is made of it.
  Solver preparation_for(Solver solver) const { return basis.empty() ? solver : Solver::krylov; }

  /// The basis that was kept, or else the one that `find` finds; kept where that is asked for.
  /// `seconds` is how long it took.
  Basis basis_of(const Data& data, Outputs& outputs, double& seconds,
                 const std::function<Basis()>& find) const;
};

}  // namespace spcart::command
