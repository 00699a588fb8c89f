#pragma once

#include <span>
#include <string>
#include <string_view>

#include "spcart/export.hpp"
#include "spcart/table.hpp"

namespace SPCART_EXPORT spcart {

/// A built-in data set: its description and the parameters that its name may set.
struct DatasetRecord {
  std::string_view name;         ///< "pitprops"
  std::string_view parameters;   ///< with their defaults, "n=500,p=100,seed=0"; empty if none
  std::string_view description;  ///< one sentence
};
std::span<const DatasetRecord> dataset_records();

/// Makes the data set that `text` names: "pitprops", "random:n=1301,p=1300,seed=7" (a leading @ is
/// allowed). Same text, same numbers, on every machine. Throws Error if a name or parameter does
/// not exist or is out of range.
Table load_dataset(std::string_view text);

/// Samples of a model with r planted components of k variables each, which do not overlap: sample =
/// sum over i of strength_i g_i x_i + noise, with g_i and noise standard normal.
struct SpikedOptions {
  Index n = 500, p = 100;  ///< samples, variables
  Index r = 5, k = 8;      ///< components, nonzeros in each; r k <= p
  double strength = 8;     ///< standard deviation of the last component; earlier ones are stronger
  double noise = 1;        ///< standard deviation of the noise in each variable
  std::uint64_t seed = 0;
};
struct Spiked {
  Table table;
  Loadings truth;  ///< the planted loadings, strongest first
};
Spiked make_spiked(const SpikedOptions& options = {});

}  // namespace spcart
