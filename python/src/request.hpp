#pragma once

#include <memory>
#include <optional>

#include "bindings.hpp"
#include "work.hpp"

namespace spcart::python {

/// What is asked of a table, read from Python before the work begins.
struct Request {
  std::shared_ptr<const Table> table;
  Options options;
  Preparation preparation;
  std::optional<std::uint64_t> memory;
};

Request request_of(nb::handle table, const nb::dict& options, const nb::dict& preparation,
                   nb::handle memory);

/// Makes the matrix of the table, planned for what is asked.
std::unique_ptr<DataMatrix> prepared(const Request& request, Watch& watch);

}  // namespace spcart::python
