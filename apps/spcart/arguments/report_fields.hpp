#pragma once

#include <string>
#include <vector>

#include "arguments/data_arguments.hpp"
#include "arguments/report_arguments.hpp"
#include "spcart/fit.hpp"

namespace spcart::command {

// What only reports show, as the text of a JSON object: the call, a description of the data, and
// more.

/// For a fit that `call` reproduces.
std::string report_fields(std::string_view call, const Data& data, const Result& result,
                          const Annotations& annotations, const Tick& tick = {});

/// For this call, with the call that reproduces each point of a path or row of a comparison, and
/// the variances of principal components if they are known.
std::string report_fields(const Data& data, const std::vector<std::string>& calls,
                          const Vector& pca_variances);

}  // namespace spcart::command
