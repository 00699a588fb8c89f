#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bindings.hpp"
#include "work.hpp"

namespace spcart::python {

/// A number of bytes: a whole number, or text such as "2G".
std::optional<std::uint64_t> memory_of(nb::handle given);

/// A number that is given as the argument of that name. Throws Error for anything else.
double number_of(const std::string& name, nb::handle given);

/// The matrix of samples in any form.
std::unique_ptr<DataMatrix> prepare_samples(const AnySamples& samples,
                                            const PrepareOptions& options, const Tick& tick);

/// What is asked of a table. It owns all that it has, so that the work needs nothing of Python's.
struct Request {
  std::shared_ptr<const AnySamples> samples;
  Options options;
  Preparation preparation;
  std::optional<std::uint64_t> memory;

  Request(nb::handle table_handle, Options options_, Preparation preparation_, nb::handle memory_)
      : samples(nb::cast<const TableHandle&>(table_handle).samples),
        options(std::move(options_)),
        preparation(std::move(preparation_)),
        memory(memory_of(memory_)) {}

  /// Makes the matrix of the table, planned for what is asked.
  std::unique_ptr<DataMatrix> prepared(Watch& watch) const {
    return prepare_samples(*samples,
                           {.preparation = preparation,
                            .components = options.components,
                            .solver = options.solver,
                            .memory = memory},
                           watch.tick("prepare"));
  }
};

}  // namespace spcart::python
