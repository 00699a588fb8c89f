#include "spcart/solver_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spcart/error.hpp"
#include "spcart/memory.hpp"
#include "spcart/names.hpp"

namespace spcart {
namespace {

/// Variables whose Gram matrix is formed in the pass that measures a table.
constexpr Index kLargestGram = 4096;

}  // namespace

Solver solver_for(const Table& table, Index components, Solver wanted,
                  std::optional<std::uint64_t> memory) {
  const auto chosen = [&] {
    return wanted == Solver::automatic
               ? chosen_solver(table.rows(), table.cols(), table.entries(), components)
               : wanted;
  };
  if (table.covariance) return wanted;
  if (!memory && !table.in_file()) return chosen();
  const std::uint64_t most = memory ? *memory : available_memory();
  const std::uint64_t taken =
      least_working_memory(table.cols(), components) + (table.in_file() ? 0 : stored_bytes(table));
  const auto fits = [&](Index size) { return taken + gram_memory(size) <= most; };
  const Index n = table.rows(), p = table.cols();
  const Index size = wanted == Solver::gram ? p : wanted == Solver::outer ? n : std::min(n, p);
  if (wanted == Solver::krylov || wanted == Solver::slepc) return wanted;
  if (wanted != Solver::automatic && !fits(size))
    throw Error(fmt::format("solver = {}: it takes {} beside {}, more than the memory of {}",
                            name(wanted), bytes_in_words(gram_memory(size)), bytes_in_words(taken),
                            bytes_in_words(most)));
  if (wanted != Solver::automatic) return wanted;
  if (!fits(size)) return Solver::krylov;
  const auto* file = std::get_if<FileView>(&table.values);
  return file && !file->sparse && p <= std::min(n, kLargestGram) ? Solver::gram : chosen();
}

std::unique_ptr<DataMatrix> prepare(const Table& table, Preparation preparation, Solver solver,
                                    const Tick& tick) {
  preparation.gram = solver == Solver::gram;
  return prepare(table, preparation, tick);
}

}  // namespace spcart
