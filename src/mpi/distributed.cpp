#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/reject.hpp"
#include "data/execution.hpp"
#include "data/preparation.hpp"
#include "data/resample.hpp"
#include "data/stored/panels.hpp"
#include "mpi/checkpoint.hpp"
#include "mpi/local_rows.hpp"
#include "mpi/permuted_rows.hpp"
#include "mpi/row_layout.hpp"
#include "mpi/slepc.hpp"
#include "mpi/spread_rotation.hpp"
#include "mpi/statistics.hpp"
#include "pca/planned_solver.hpp"
#include "rotation/rotate_rows.hpp"
#include "spcart/error.hpp"
#include "spcart/mpi.hpp"
#include "spcart/pca.hpp"
#include "spcart/threads.hpp"

namespace spcart::mpi {
namespace {

/// What the root requests from the others.
struct Request {
  enum Kind : int {
    times,
    adjoint_times,
    gram_times,
    gram,
    outer_gram,
    eigenpairs,
    rotate,
    select_rows,
    permute_columns,
    release  ///< the matrix is not needed any more
  } kind = release;
  Index matrix = 0;  ///< that it is about
  Index made = 0;    ///< of select_rows and permute_columns: the matrix that they make
  Index columns = 0;
  double tolerance = 0;    // of eigenpairs
  Index products = 0;      // likewise, the maximum number
  std::uint64_t seed = 0;  // of permute_columns
  Index threads = 1;       ///< no rank uses more than the root
};

/// The number of columns of the table, which a rank without rows gets from the others.
Index common_cols(const Ranks& ranks, std::span<const Table> parts) {
  Index mine = 0;
  ranks.together([&] {
    for (const Table& part : parts) {
      if (part.covariance) throw Error("a covariance matrix cannot be spread over ranks");
      if (mine != 0 && part.cols() != mine)
        throw Error(fmt::format("parts: one has {} columns, another {}", mine, part.cols()));
      mine = part.cols();
    }
  });
  const std::vector<Index> all = ranks.all(mine);
  const Index cols = *std::ranges::max_element(all);
  ranks.together([&] {
    if (!ranks.is_root()) return;
    if (cols == 0) throw Error("no rank has any rows");
    for (const Index theirs : all)
      if (theirs != 0 && theirs != cols)
        throw Error(
            fmt::format("the rows of one rank have {} columns, of another {}", theirs, cols));
  });
  return cols;
}

/// The root's preparation, on all ranks. What only the root needs stays there.
Preparation common(const Ranks& ranks, const Preparation& preparation) {
  Preparation same;
  same.remove_row_mean = ranks.broadcast(preparation.remove_row_mean);
  same.precision = ranks.broadcast(preparation.precision);
  return same;
}

/// The numbers by which the root addresses a matrix and those that are made from it.
struct Address {
  Index matrix = 0;
  std::shared_ptr<Index> last = std::make_shared<Index>(0);  ///< that was given away

  Address next() const { return {++*last, last}; }
};

class RowsOnRanks;
template <class Make>
std::unique_ptr<RowsOnRanks> assemble(const Ranks& ranks, Address address,
                                      const Preparation& preparation, FormGram gram, Make make);

class RowsOnRanks final : public DistributedMatrix, private Execution, private Samples {
 public:
  RowsOnRanks(const Ranks& ranks, Address address, LocalRows local, const RowLayout& layout,
              const Preparation& preparation)
      : DistributedMatrix(layout.rows, layout.cols, layout.rows, layout.entries),
        ranks_(ranks),
        address_(std::move(address)),
        local_(std::move(local)),
        layout_(layout) {
    const Moments moments = all_moments(ranks_, local_.moments());
    const Vector rounding = largest_at_root(ranks_, local_.rounding());
    Statistics s;
    ranks_.together([&] {
      if (!ranks_.is_root()) return;
      check_preparation(preparation, cols());
      if (!moments.allFinite())
        throw Error(
            "the table's values are so large that their squares overflow: divide them "
            "first");
      s = statistics_of(moments, rounding, preparation);
    });
    for (Vector* vector : {&s.inverse_scales, &s.squared_norms}) spread(*vector);
    if (!ranks_.is_root()) s.used.means = s.used.scales = Vector();
    spread(*s.used.means);
    spread(*s.used.scales);
    ranks_.together([&] {
      local_.prepare(*s.used.means, s.inverse_scales);
      set_plan({.gram = local_.gram_seconds()});
      set_statistics(std::move(s.used), std::move(s.squared_norms), std::move(s.constant));
    });
  }

  ~RowsOnRanks() override {
    if (!ranks_.is_root()) return;
    try {
      ask({.kind = Request::release});
    } catch (const std::exception&) {  // a failure of MPI was reported where it occurred
    }
  }

  void serve(const Tick& tick) const override {
    if (ranks_.is_root()) throw Error("serve: the root has nobody to serve");
    std::map<Index, std::unique_ptr<const RowsOnRanks>> made;
    bool released = false;
    while (!released || !made.empty()) {
      const Request request = ranks_.broadcast(Request{});
      const bool own = request.matrix == address_.matrix;
      if (request.kind == Request::release) {
        if (own)
          released = true;
        else
          made.erase(request.matrix);
        continue;
      }
      const ThreadScope scope(std::min(threads(), request.threads));
      try {
        if (auto more = (own ? *this : *made.at(request.matrix)).take_part(request, tick))
          made[request.made] = std::move(more);
      } catch (const Abandoned&) {  // the root decides how to continue
      }
    }
  }

  using DataMatrix::set_plan;

 private:
  void spread(Vector& vector) const {
    vector.resize(cols());
    ranks_.broadcast(Block(vector));
  }

  void ask(Request request) const {
    int main_thread = 0;
    MPI_Is_thread_main(&main_thread);
    if (!ranks_.is_root() || main_thread == 0)
      throw Error("products with a distributed matrix are the main thread's of the root");
    request.matrix = address_.matrix;
    request.threads = threads();
    ranks_.broadcast(request);
  }

  /// Returns the matrix that was made, if the request is to make one.
  std::unique_ptr<const RowsOnRanks> take_part(const Request& request, const Tick& tick) const {
    Matrix none;
    switch (request.kind) {
      case Request::times:
        times_together(Matrix(cols(), request.columns), none, tick);
        break;
      case Request::adjoint_times:
        adjoint_times_together(Matrix(0, request.columns), none, tick);
        break;
      case Request::gram_times:
        gram_times_together(Matrix(cols(), request.columns), none, tick);
        break;
      case Request::gram:
        gram_together(none, tick);
        break;
      case Request::outer_gram:
        outer_gram_together(none, tick);
        break;
      case Request::eigenpairs:
        eigenpairs_together(request, 0, {}, {}, tick);
        break;
      case Request::rotate:
        spread_rotation(ranks_, none, {}, tick);
        break;
      case Request::select_rows:
        return select_together({request.made}, {}, {}, tick, {});
      case Request::permute_columns:
        return permute_together({request.made}, request.seed, tick);
      case Request::release:
        break;
    }
    return nullptr;
  }

  // What every rank does for a product; `x` is the root's, the result goes to the root.

  void times_together(Matrix x, const Block& y, const Tick& tick) const {
    ranks_.broadcast(Block(x));
    Matrix rows;
    ranks_.together([&] { rows = local_.times(x, tick); });
    gather_rows(ranks_, layout_, rows, y);
  }

  void adjoint_times_together(const Matrix& y, const Block& x, const Tick& tick) const {
    const Matrix rows = scatter_rows(ranks_, layout_, y);
    sum_together(x, [&] { return local_.adjoint_times(rows, tick); });
  }

  void gram_times_together(Matrix x, const Block& y, const Tick& tick) const {
    ranks_.broadcast(Block(x));
    sum_together(y, [&] { return local_.gram_times(x, tick); });
  }

  void gram_together(const Block& g, const Tick& tick) const {
    sum_together(g, [&] { return local_.gram(tick); });
  }

  /// One rank after the other sends its rows to all, in blocks, and all multiply their rows by
  /// them.
  void outer_gram_together(Block g, const Tick& tick) const {
    constexpr Index kNumbers = Index{1} << 23;
    const Index most = std::max<Index>(kNumbers / cols(), 1);
    for (int from = 0; from < ranks_.size(); ++from) {
      const Index count = layout_.counts[static_cast<std::size_t>(from)];
      for (Index first = 0; first < count; first += most) {
        const Index width = std::min(most, count - first);
        Matrix rows(cols(), width), products;
        ranks_.together([&] {
          if (ranks_.rank() != from) return;
          Matrix picked = Matrix::Zero(count, width);
          picked.middleRows(first, width).setIdentity();
          rows = local_.adjoint_times(picked, tick);
        });
        ranks_.broadcast_bytes(rows.data(), static_cast<std::size_t>(rows.size()) * sizeof(double),
                               from);
        ranks_.together([&] { products = local_.times(rows, tick); });
        const Index column = layout_.firsts[static_cast<std::size_t>(from)] + first;
        if (ranks_.is_root())
          gather_rows(ranks_, layout_, products, g.middleCols(column, width));
        else
          gather_rows(ranks_, layout_, products, g);
      }
    }
  }

  Eigenpairs eigenpairs_together(const Request& request, std::uint64_t seed,
                                 const SolverState& from,
                                 std::function<void(const SolverState&)> restart,
                                 const Tick& tick) const {
    double done = 0;
    const Tick within = [&](double) {
      if (tick) tick(done);
    };
    const SpreadOperator a{
        .size = cols(),
        .unit = unit_of(squared_norm()),
        .diagonal = &column_squared_norms(),
        .add_product = [&](const Vector& x,
                           Vector& y) { y += local_.gram_times(x, within).col(0); },
        .progress = [&](double fraction) { done = fraction; },
        .restart = std::move(restart)};
    return mpi::spread_eigenpairs(ranks_, a, request.columns, request.tolerance, request.products,
                                  seed, from);
  }

  /// `rows` are the root's, in ascending order.
  std::unique_ptr<RowsOnRanks> select_together(Address address, const std::vector<Index>& rows,
                                               const Preparation& preparation, const Tick& tick,
                                               FormGram gram) const {
    const std::vector<Index> own = scatter_indices(ranks_, layout_, rows);
    return assemble(ranks_, std::move(address), preparation, gram,
                    [&](const Preparation& same, FormGram formed) {
                      return local_.select(own, same, tick, formed);
                    });
  }

  std::unique_ptr<RowsOnRanks> permute_together(Address address, std::uint64_t seed,
                                                const Tick& tick) const {
    const PermutedRows permuted = permuted_rows(ranks_, local_, layout_.counts, seed, tick);
    Preparation again = measured_anew(preparation());
    if (permuted.without_row_means) again.remove_row_mean = false;
    std::span<const Table> own;
    if (permuted.table) own = std::span(&*permuted.table, 1);
    return assemble(ranks_, std::move(address), again, FormGram::no,
                    [&](const Preparation& same, FormGram formed) {
                      return LocalRows(own, {}, cols(), same, tick, formed);
                    });
  }

  template <class Work>
  void sum_together(Block sum, Work work) const {
    Matrix part;
    ranks_.together([&] { part = work(); });
    ranks_.sum_at_root(part);
    if (ranks_.is_root()) sum = part;
  }

  Eigenpairs spread_eigenpairs(Index r, const EigenOptions& options, const Tick& tick,
                               std::vector<std::string>& warnings) const override {
    std::optional<Checkpoint> checkpoint;
    SolverState from;
    std::function<void(const SolverState&)> restart;
    if (!checkpoint_.folder.empty()) {
      checkpoint.emplace(checkpoint_.folder, *this, r, options.seed);
      if (checkpoint_.resume)
        if (auto state = checkpoint->read()) from = std::move(*state);
      restart = [&, failed = false](const SolverState& state) mutable {
        try {
          checkpoint->write(state);
        } catch (const std::runtime_error& error) {  // the work can continue, and is worth more
          if (!std::exchange(failed, true))
            warnings.push_back(fmt::format("no checkpoint was written: {}", error.what()));
        }
      };
    }
    const Request request{.kind = Request::eigenpairs,
                          .columns = r,
                          .tolerance = options.tolerance,
                          .products = options.max_passes * krylov_block(*this, r)};
    ask(request);
    return eigenpairs_together(request, options.seed, from, std::move(restart), tick);
  }

  const Execution& do_execution() const override { return *this; }
  int ranks() const override { return ranks_.size(); }
  bool is_concurrent() const override { return false; }  // MPI is used by one thread

  /// Spreading a basis costs a message of its size, and each iteration two small ones.
  bool spreads(Index variables, Index components) const override {
    return ranks_.size() > 1 && variables >= ranks_.size() &&
           variables * components >= large_basis_;
  }

  std::vector<RotationResult> rotate(ConstBlock v, std::span<const RotateOptions> settings,
                                     const Tick& tick) const override {
    if (!spreads(v.rows(), v.cols())) return Execution::rotate(v, settings, tick);
    check_rotation(v, settings);
    ask({.kind = Request::rotate});
    return spread_rotation(ranks_, v, settings, tick);
  }

  void do_times(ConstBlock x, Block y, const Tick& tick) const override {
    ask({.kind = Request::times, .columns = x.cols()});
    times_together(x, y, tick);
  }
  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override {
    ask({.kind = Request::adjoint_times, .columns = y.cols()});
    adjoint_times_together(y, x, tick);
  }
  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override {
    ask({.kind = Request::gram_times, .columns = x.cols()});
    gram_times_together(x, y, tick);
  }
  void do_gram(Block g, const Tick& tick) const override {
    ask({.kind = Request::gram});
    gram_together(g, tick);
    g = Matrix(g.selfadjointView<Eigen::Lower>());
  }
  void do_outer_gram(Block g, const Tick& tick) const override {
    ask({.kind = Request::outer_gram});
    outer_gram_together(g, tick);
    g = Matrix(g.selfadjointView<Eigen::Lower>());
  }

  const Samples* do_stored_samples() const override { return layout_.in_memory ? this : nullptr; }
  std::unique_ptr<DataMatrix> do_select_rows(std::vector<Index> rows,
                                             const Preparation& preparation, const Tick& tick,
                                             FormGram gram) const override {
    if (rows.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error(fmt::format("{} rows are too many to be selected at once", rows.size()));
    const Address address = address_.next();
    ask({.kind = Request::select_rows, .made = address.matrix});
    return as_this(select_together(address, rows, preparation, tick, gram));
  }
  std::unique_ptr<DataMatrix> do_permute_columns(std::uint64_t seed,
                                                 const Tick& tick) const override {
    const Address address = address_.next();
    ask({.kind = Request::permute_columns, .made = address.matrix, .seed = seed});
    return as_this(permute_together(address, seed, tick));
  }

  /// With the same settings, except for the checkpoint, which is of this matrix.
  std::unique_ptr<DataMatrix> as_this(std::unique_ptr<RowsOnRanks> made) const {
    made->large_basis_ = large_basis_;
    return made;
  }

  const Ranks& ranks_;
  Address address_;
  LocalRows local_;
  RowLayout layout_;
};

/// Makes the matrix of the rows that `make(preparation, gram)` returns on each rank. Only the
/// root's preparation and `gram` are used.
template <class Make>
std::unique_ptr<RowsOnRanks> assemble(const Ranks& ranks, Address address,
                                      const Preparation& preparation, FormGram gram, Make make) {
  const Preparation same = common(ranks, preparation);
  gram = ranks.broadcast(gram);
  std::optional<LocalRows> local;
  ranks.together([&] { local.emplace(make(same, gram)); });
  const RowLayout layout = layout_of(ranks, *local);
  return std::make_unique<RowsOnRanks>(ranks, std::move(address), std::move(*local), layout,
                                       preparation);
}

std::unique_ptr<RowsOnRanks> distribute(const Ranks& ranks, std::span<const Table> parts,
                                        std::span<const std::string> names, Preparation preparation,
                                        const Tick& tick, FormGram gram) {
  const Index cols = common_cols(ranks, parts);
  preparation.genotypes |= !parts.empty() && parts.front().genotypes;
  ranks.together([&] {
    if (preparation.genotypes && preparation.scale && !preparation.scales &&
        preparation.remove_row_mean)
      reject("remove-row-mean", "", "scaled genotypes keep their row means on ranks");
  });
  return assemble(ranks, {}, preparation, gram, [&](const Preparation& same, FormGram formed) {
    return LocalRows(parts, names, cols, same, tick, formed);
  });
}

TableSize size_of(const Ranks& ranks, const Share& share) {
  return {.rows = share.rows,
          .cols = share.cols,
          .entries = share.entries,
          .sparse = share.sparse,
          .in_file = share.in_file,
          .bytes_in_memory = share.bytes_in_memory,
          .ranks = ranks.size(),
          .ranks_on_host = ranks.on_this_host()};
}

}  // namespace

std::unique_ptr<DistributedMatrix> distribute(const Ranks& ranks, std::span<const Table> parts,
                                              const Preparation& preparation, const Tick& tick) {
  return distribute(ranks, parts, {}, preparation, tick, FormGram::no);
}

std::unique_ptr<DistributedMatrix> distribute(const Ranks& ranks, const Share& share,
                                              const Preparation& preparation, const Tick& tick) {
  return distribute(ranks, share.parts, share.names, preparation, tick, FormGram::no);
}

std::unique_ptr<DistributedMatrix> prepare(const Ranks& ranks, const Share& share,
                                           const PrepareOptions& options,
                                           const CheckpointOptions& checkpoint, const Tick& tick) {
  const auto begin = Clock::now();
  Plan plan{.solver = options.solver,
            .storage = share.in_file ? "file" : "memory",
            .notes = share.notes,
            .read = share.seconds};
  ranks.together([&] {
    if (!ranks.is_root()) return;
    const bool keeps = !checkpoint.folder.empty();
    if (keeps && plan.solver != Solver::automatic && plan.solver != Solver::slepc)
      reject("solver", name(plan.solver), "only slepc keeps checkpoints");
    if (options.without_pca) return;
    plan.solver = keeps ? Solver::slepc : planned_solver(size_of(ranks, share), options);
  });
  const bool gram = plan.solver == Solver::gram && !options.without_pca;
  auto matrix = distribute(ranks, share.parts, share.names, options.preparation, tick,
                           gram ? FormGram::yes : FormGram::no);
  matrix->set_checkpoint(checkpoint);
  plan.gram = matrix->plan().gram;
  plan.prepare = seconds_since(begin) - plan.gram;
  matrix->set_plan(std::move(plan));
  return matrix;
}

}  // namespace spcart::mpi
