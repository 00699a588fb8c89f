#include "request.hpp"

#include "options.hpp"
#include "spcart/solver_choice.hpp"

namespace spcart::python {

Request request_of(nb::handle table, const nb::dict& options, const nb::dict& preparation,
                   nb::handle memory) {
  return {nb::cast<const TableHandle&>(table).table, options_of(options),
          preparation_of(preparation), memory_of(memory)};
}

std::unique_ptr<DataMatrix> prepared(Request& request, Watch& watch) {
  Options& options = request.options;
  options.solver = solver_for(*request.table, options.components, options.solver, request.memory);
  return prepare(*request.table, request.preparation, options.solver, watch.tick("prepare"));
}

}  // namespace spcart::python
