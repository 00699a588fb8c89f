#include "base/names.hpp"
#include "spcart/solver.hpp"

namespace spcart {
namespace {

constexpr auto kSolverNames = std::to_array<Name<Solver>>({{Solver::automatic, "auto"},
                                                           {Solver::gram, "gram"},
                                                           {Solver::outer, "outer"},
                                                           {Solver::krylov, "krylov"},
                                                           {Solver::slepc, "slepc"}});

}  // namespace

std::string_view name(Solver value) { return name_in(kSolverNames, value); }
template <>
Solver parse<Solver>(std::string_view text) {
  return parse_name(kSolverNames, "solver", text);
}

}  // namespace spcart
