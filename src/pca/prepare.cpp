#include "spcart/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/reject.hpp"
#include "data/preparation.hpp"
#include "pca/planned_solver.hpp"
#include "spcart/memory.hpp"
#include "spcart/pca.hpp"

namespace spcart {
namespace {

constexpr auto kUnscaled =
    "genotypes are not scaled: option scale divides them by sqrt(2 f (1 - f)) for an allele of "
    "frequency f, as is usual in genetics";

TableSize size_of(const Table& table) {
  const auto* file = std::get_if<FileView>(&table.values);
  return {.rows = table.rows(),
          .cols = table.cols(),
          .entries = table.entries(),
          .sparse = file ? file->sparse : std::holds_alternative<SparseView>(table.values),
          .in_file = table.in_file(),
          .bytes_in_memory = table.in_file() ? 0 : stored_bytes(table)};
}

/// The table in its file, if it is a memory map that does not fit in memory.
std::optional<Table> left_in_file(const Table& table, const PrepareOptions& options) {
  if (!table.mapped) return {};
  const std::uint64_t memory = options.memory.value_or(0);
  const std::uint64_t work = work_per_variable(options.components);
  if (stored_bytes(*table.mapped) <= room_for_table(memory, table.cols(), work)) return {};
  FileView view = *table.mapped;
  view.memory = room_for_buffers(memory, table.cols(), work);
  Table left = table;
  left.values = std::move(view);
  left.mapped.reset();
  return left;
}

FormGram form_gram(Solver solver, const PrepareOptions& options) {
  return solver == Solver::gram && !options.without_pca ? FormGram::yes : FormGram::no;
}

}  // namespace

Solver planned_solver(const TableSize& table, const PrepareOptions& options) {
  const Solver wanted = options.solver;
  const Index n = table.rows, p = table.cols;
  if (wanted == Solver::krylov || wanted == Solver::slepc) return wanted;
  const Solver chosen = wanted == Solver::automatic
                            ? chosen_solver(n, p, table.entries, options.components, table.ranks)
                            : wanted;
  if (!options.memory && !table.in_file) return chosen;
  const std::uint64_t most =
      options.memory ? *options.memory
                     : available_memory() / static_cast<std::uint64_t>(table.ranks_on_host);
  const std::uint64_t taken = least_working_memory(p, options.components) + table.bytes_in_memory;
  const auto fits = [&](Index size) { return taken + gram_memory(size) <= most; };
  const Index size = wanted == Solver::gram ? p : wanted == Solver::outer ? n : std::min(n, p);
  if (wanted != Solver::automatic && !fits(size))
    reject("solver", name(wanted), "it takes {} beside {}, more than the memory of {}",
           bytes_in_words(gram_memory(size)), bytes_in_words(taken), bytes_in_words(most));
  if (wanted != Solver::automatic) return wanted;
  if (!fits(size)) return chosen == Solver::slepc ? chosen : Solver::krylov;
  return table.in_file && !table.sparse && is_gram_kept(n, p) ? Solver::gram : chosen;
}

ReadOptions reserve_work(ReadOptions reading, const PrepareOptions& planned) {
  reading.memory = planned.memory.value_or(0);
  reading.work_per_variable = work_per_variable(planned.components);
  return reading;
}

/// Makes a matrix by `make`, with the plan that is followed later.
class Planning {
 public:
  template <class Make>
  static std::unique_ptr<DataMatrix> planned(Plan plan, Make make) {
    const auto begin = Clock::now();
    std::unique_ptr<DataMatrix> matrix = make();
    plan.gram = matrix->plan().gram;
    plan.prepare = seconds_since(begin) - plan.gram;
    matrix->set_plan(std::move(plan));
    return matrix;
  }
};

std::unique_ptr<DataMatrix> prepare(const Table& given, const PrepareOptions& options,
                                    const Tick& tick) {
  const std::optional<Table> left = left_in_file(given, options);
  const Table& table = left ? *left : given;
  const bool plans = !options.without_pca && !table.covariance;
  const Solver solver = plans ? planned_solver(size_of(table), options) : options.solver;
  Plan plan{.solver = solver,
            .storage = table.in_file() ? "file" : "memory",
            .notes = table.notes,
            .read = table.seconds};
  if (table.genotypes && plans && !options.preparation.scale) plan.notes.emplace_back(kUnscaled);
  return Planning::planned(std::move(plan), [&] {
    return make_matrix(table, options.preparation, tick, form_gram(solver, options));
  });
}

std::unique_ptr<DataMatrix> prepare(const RowSource& given, const PrepareOptions& options,
                                    const Tick& tick) {
  RowSource source = given;
  if (options.memory)
    source.memory =
        room_for_buffers(*options.memory, source.cols, work_per_variable(options.components));
  Solver solver = options.solver;
  if (!options.without_pca) {
    solver = planned_solver({.rows = source.rows,
                             .cols = source.cols,
                             .entries = entries_of(source),
                             .sparse = source.sparse,
                             .in_file = true},
                            options);
    // Samples come row by row: all products of pairs of them would need many passes.
    if (solver == Solver::outer && options.solver == Solver::automatic) solver = Solver::krylov;
  }
  return Planning::planned({.solver = solver, .storage = "source"}, [&] {
    return make_rows(source, options.preparation, tick, form_gram(solver, options));
  });
}

std::unique_ptr<DataMatrix> prepare(const LinearOperator& s, const PrepareOptions& options,
                                    const Tick& tick) {
  const bool automatic = options.solver == Solver::automatic;
  return Planning::planned({.solver = automatic ? Solver::krylov : options.solver,  // few products
                            .storage = "operator"},
                           [&] { return make_operator(s, options.preparation, tick); });
}

std::unique_ptr<DataMatrix> prepare(const SampleMoments& moments, const PrepareOptions& options,
                                    const Tick& tick) {
  if (tick) tick(0);
  return Planning::planned({.solver = options.solver, .storage = "moments"},
                           [&] { return make_moments(moments, options.preparation); });
}

}  // namespace spcart
