#include "request.hpp"

#include "options.hpp"
#include "spcart/prepare.hpp"

namespace spcart::python {

Request request_of(nb::handle table, const nb::dict& options, const nb::dict& preparation,
                   nb::handle memory) {
  return {nb::cast<const TableHandle&>(table).table, options_of(options),
          preparation_of(preparation), memory_of(memory)};
}

std::unique_ptr<DataMatrix> prepared(const Request& request, Watch& watch) {
  return prepare(*request.table,
                 {.preparation = request.preparation,
                  .components = request.options.components,
                  .solver = request.options.solver,
                  .memory = request.memory},
                 watch.tick("prepare"));
}

}  // namespace spcart::python
