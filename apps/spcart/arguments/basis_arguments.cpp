#include "arguments/basis_arguments.hpp"

#include "spcart/basis_file.hpp"

namespace spcart::command {

void BasisArguments::add_to(CLI::App& app) {
  app.add_option("--basis", basis,
                 "take the principal basis that --save-basis has kept, of the same data")
      ->type_name("F")
      ->group("Data");
  app.add_option("--save-basis", save,
                 "keep the principal basis: later calls need no PCA of the same data")
      ->type_name("F")
      ->group("Output (- is standard output)");
}

Basis BasisArguments::basis_of(const Data& data, Outputs& outputs,
                               const std::function<Basis()>& find) const {
  Basis found = basis.empty() ? find() : read_basis(basis, *data.matrix, data.table.variables);
  if (outputs.wants("--save-basis")) outputs.set("--save-basis", basis_bytes(*data.matrix, found));
  return found;
}

}  // namespace spcart::command
