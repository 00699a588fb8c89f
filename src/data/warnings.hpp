#pragma once

#include <string>
#include <vector>

#include "spcart/data.hpp"

namespace spcart {

/// 1-based columns as warnings list them: the first eight, then "...".
std::string list_of(const std::vector<Index>& numbers);

/// The fewest variables that together hold nearly all the variance, by descending variance; empty
/// if there are more than a few of them, or if the variables are scaled or not centred.
///
/// Nearly all is 90 %, and a few are at most three, and at most a quarter of all variables: the
/// variables of a correlation matrix, or variables of similar units, are never so few.
std::vector<Index> dominant_columns(const DataMatrix& a);

/// What a reader of the components should know about the data: notes of reading, constant
/// variables, and a few variables that decide everything because of their unit.
void warn_of_data(const DataMatrix& a, std::vector<std::string>& warnings);

}  // namespace spcart
