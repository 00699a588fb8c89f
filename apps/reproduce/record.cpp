#include "record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "spcart/error.hpp"

namespace spcart::reproduce {
namespace {

using enum Field::Kind;

constexpr auto kFields = std::to_array<Field>({
    // the setting
    {"lambda", "lambda", number},
    {"components", "r", count},
    {"variables", "p", count},
    {"samples", "n", count},
    {"seed", "seed", count},
    {"iteration", "iteration", count},
    // sparsity
    {"sparsity", "SP"},
    {"std", "STD"},
    {"worst", "worst SP"},
    {"nonzeros", "NZ", count},
    {"cardinality", "nonzeros a loading", number},
    {"densest", "number of the densest loading", count},
    {"leading_nonzeros", "nonzeros of the first loading", count},
    // variance and overlap
    {"cpev", "CPEV"},
    {"cpev_pca", "CPEV(V)"},
    {"share", "CPEV / CPEV(V)"},
    {"nor", "NOR"},
    {"ev", "EV"},
    {"ev_share", "EV / EV(V)"},
    {"leading_share", "share of the first loading in CPEV"},
    // the theory
    {"sparsity_bound", "SP at least"},
    {"nor_bound", "NOR at most (absolute)"},
    {"nor_relative", "NOR at most (by the angles)"},
    {"ev_dmin", "EVdmin"},
    {"ev_cos", "EVcos"},
    // the iterations
    {"change", "relative change of X"},
    {"truncated_energy", "truncated energy"},
    {"objective", "objective", number},
    {"iterations", "iterations", count},
    {"seconds", "seconds", time},
    {"seconds_per_iteration", "seconds per iteration", time},
    // similarity
    {"leading_cosine", "|cos| of the first loading and PCA's"},
    {"pca_share", "share of the first ten within PCA's first ten"},
    {"pca_cosine", "mean |cos| with the nearest of PCA's"},
    {"kept", "mean |cos| with the nearest of the run before"},
    {"roughness_first", "roughness of the first loadings", number},
    {"roughness_last", "roughness of the last loadings", number},
});

std::string time_in_words(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

}  // namespace

std::span<const Field> fields() { return kFields; }

const Field& field_of(std::string_view name, std::string_view place) {
  const auto found = std::ranges::find(kFields, name, &Field::name);
  if (found != kFields.end()) return *found;
  std::string known;
  for (const Field& field : kFields)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", field.name);
  throw Error(fmt::format("{}: no field is called '{}'; there are {}", place, name, known));
}

std::string in_words(const Field& field, double value) {
  switch (field.kind) {
    case fraction:
      return fmt::format("{:.4f}", value);
    case number:
      return fmt::format("{:.4g}", value);
    case count:
      return fmt::format("{:.0f}", value);
    case time:
      return time_in_words(value);
  }
  return "";
}

}  // namespace spcart::reproduce
