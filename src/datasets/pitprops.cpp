#include <array>

#include "datasets/builtin.hpp"

namespace spcart {
namespace {

constexpr Index kVariables = 13;

constexpr std::array<const char*, kVariables> kNames = {
    "topdiam", "length",  "moist",  "testsg", "ovensg", "ringtop", "ringbut",
    "bowmax",  "bowdist", "whorls", "clear",  "knots",  "diaknot"};

// clang-format off
/// Correlations in thousandths, below the diagonal, row by row.
constexpr std::array<int, kVariables * (kVariables - 1) / 2> kThousandths = {
   954,
   364,  297,
   342,  284,  882,
  -129, -118, -148,  220,
   313,  291,  153,  381,  364,
   496,  503,  -29,  174,  296,  813,
   424,  419,  -54,  -59,    4,   90,  372,
   592,  648,  125,  137,  -39,  211,  465,  482,
   545,  569,  -81,  -14,   37,  274,  679,  557,  526,
    84,   76,  162,   97,  -91,  -36, -113,   61,   85, -319,
   -19,  -36,  220,  169, -145,   24, -232, -357, -127, -368,   29,
   134,  144,  126,   15, -208, -329, -424, -202,  -76, -291,    7,  184,
};
// clang-format on

}  // namespace

Table make_pitprops() {
  Matrix c = Matrix::Identity(kVariables, kVariables);
  auto thousandth = kThousandths.begin();
  for (Index i = 1; i < kVariables; ++i)
    for (Index j = 0; j < i; ++j) c(i, j) = c(j, i) = *thousandth++ / 1000.0;
  Table table = make_table(std::move(c), {kNames.begin(), kNames.end()});
  table.covariance = true;
  return table;
}

}  // namespace spcart
