#include "spcart/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/reject.hpp"
#include "data/preparation.hpp"
#include "spcart/memory.hpp"
#include "spcart/pca.hpp"

namespace spcart {
namespace {

/// The requested solver or, if that is automatic, one whose matrices fit in memory and that reads a
/// file least often.
Solver solver_for(const Table& table, const PrepareOptions& options) {
  const Solver wanted = options.solver;
  const Index components = options.components;
  const std::optional<std::uint64_t>& memory = options.memory;
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
    reject("solver", name(wanted), "it takes {} beside {}, more than the memory of {}",
           bytes_in_words(gram_memory(size)), bytes_in_words(taken), bytes_in_words(most));
  if (wanted != Solver::automatic) return wanted;
  if (!fits(size)) return Solver::krylov;
  const auto* file = std::get_if<FileView>(&table.values);
  return file && !file->sparse && is_gram_kept(n, p) ? Solver::gram : chosen();
}

}  // namespace

std::unique_ptr<DataMatrix> prepare(const Table& table, const PrepareOptions& options,
                                    const Tick& tick) {
  const auto begin = Clock::now();
  Plan plan{.solver = options.without_pca ? options.solver : solver_for(table, options),
            .storage = table.in_file() ? "file" : "memory",
            .notes = table.notes,
            .read = table.seconds};
  const bool gram = plan.solver == Solver::gram && !options.without_pca;
  auto matrix = make_matrix(table, options.preparation, tick, gram ? FormGram::yes : FormGram::no);
  plan.gram = matrix->plan().gram;
  plan.prepare = seconds_since(begin) - plan.gram;
  matrix->set_plan(std::move(plan));
  return matrix;
}

}  // namespace spcart
