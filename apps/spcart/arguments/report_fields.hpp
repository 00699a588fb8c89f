#pragma once

#include <string>
#include <vector>

#include "arguments/data_arguments.hpp"
#include "arguments/report_arguments.hpp"
#include "spcart/fit.hpp"

namespace spcart::command {

// What only reports show, as the text of a JSON object: the call, what the data is, and more.

/// Of a fit that `call` gives.
std::string report_fields(std::string_view call, const Data& data, const Result& result,
                          const Annotations& annotations, const Tick& tick = {});

/// Of this call, with the one that gives each point of a path or row of a comparison, and the
/// variances of principal components where they are known.
std::string report_fields(const Data& data, const std::vector<std::string>& calls,
                          const Vector& pca_variances);

}  // namespace spcart::command
