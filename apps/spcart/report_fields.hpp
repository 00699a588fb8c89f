#pragma once

#include <string>
#include <vector>

#include "data_arguments.hpp"
#include "report_arguments.hpp"
#include "spcart/fit.hpp"

namespace spcart::command {

// What only reports show, as the text of a JSON object: the call, what the data is, and more.

std::string report_fields(const Data& data, const Result& result, const Annotations& annotations,
                          const Tick& tick);

/// With the call that gives each point of a path or row of a comparison, and the variances of
/// principal components where they are known.
std::string report_fields(const Data& data, const std::vector<std::string>& calls,
                          const Vector& pca_variances);

}  // namespace spcart::command
