#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/reject.hpp"
#include "data/execution.hpp"
#include "data/preparation.hpp"
#include "data/stored/panels.hpp"
#include "mpi/check.hpp"
#include "mpi/checkpoint.hpp"
#include "mpi/local_rows.hpp"
#include "mpi/slepc.hpp"
#include "mpi/spread_rotation.hpp"
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
    end
  } kind = end;
  Index columns = 0;
  double tolerance = 0;  // of eigenpairs
  Index products = 0;    // likewise, the maximum number
  Index threads = 1;     ///< no rank uses more than the root
};

/// The rows of the ranks.
struct Layout {
  std::vector<Index> counts, firsts;  ///< of each rank
  Index rows = 0, cols = 0;
  double entries = 0;
};

Layout layout_of(const Ranks& ranks, const LocalRows& local) {
  Layout layout;
  layout.counts = ranks.all(local.rows());
  layout.firsts.resize(layout.counts.size());
  std::exclusive_scan(layout.counts.begin(), layout.counts.end(), layout.firsts.begin(), Index{0});
  layout.rows = layout.firsts.back() + layout.counts.back();
  layout.cols = local.cols();
  for (const Index entries : ranks.all(static_cast<Index>(local.entries())))
    layout.entries += static_cast<double>(entries);
  return layout;
}

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

extern "C" {
static void merge_moments(void* more, void* into, int* count, MPI_Datatype*) {
  // MPI passes the lower ranks first, in `more`.
  Moments sum = Eigen::Map<const Moments>(static_cast<double*>(more), 3, *count);
  Eigen::Map<Moments> to(static_cast<double*>(into), 3, *count);
  merge(to, sum);
  to = sum;
}
}

/// The moments of all ranks, at the root. In pieces, because MPI would hold a copy of everything.
Moments all_moments(const Ranks& ranks, const Moments& local) {
  constexpr Index kAtOnce = Index{1} << 20;
  MPI_Datatype triple = MPI_DATATYPE_NULL;
  MPI_Op merging = MPI_OP_NULL;
  check(MPI_Type_contiguous(3, MPI_DOUBLE, &triple), "make a type");
  check(MPI_Type_commit(&triple), "make a type");
  check(MPI_Op_create(merge_moments, /*commute=*/0, &merging), "make an operation");
  Moments sum = no_moments(local.cols());
  for (Index first = 0; first < local.cols(); first += kAtOnce)
    check(MPI_Reduce(local.col(first).data(), sum.col(first).data(),
                     static_cast<int>(std::min(kAtOnce, local.cols() - first)), triple, merging, 0,
                     ranks.communicator()),
          "merge");
  MPI_Op_free(&merging);
  MPI_Type_free(&triple);
  return sum;
}

Vector largest_at_root(const Ranks& ranks, const Vector& local) {
  Vector largest = local;
  check(MPI_Reduce(local.data(), largest.data(), static_cast<int>(local.size()), MPI_DOUBLE,
                   MPI_MAX, 0, ranks.communicator()),
        "find the largest");
  return largest;
}

/// The statistics of the stored rows, as StoredMatrix computes them for rows on one machine.
struct Statistics {
  Preparation used;
  Vector inverse_scales, squared_norms;
  std::vector<Index> constant;
};

Statistics statistics_of(const Moments& moments, const Vector& rounding,
                         const Preparation& preparation) {
  const double n = moments(0, 0);
  const Index p = moments.cols();
  const Vector means = moments.row(1).transpose(), squares = moments.row(2).transpose();
  Statistics s{.used = preparation, .inverse_scales = {}, .squared_norms = {}, .constant = {}};
  if (!preparation.center) s.used.means = Vector::Zero(p);
  if (!s.used.means) s.used.means = means;
  if (!preparation.scale) s.used.scales = Vector::Ones(p);
  if (!s.used.scales) s.used.scales = (squares / std::max(n - 1, 1.0)).cwiseSqrt();
  s.inverse_scales = inverse_scales(*s.used.scales);
  for (Index j = 0; j < p; ++j) {
    if (std::sqrt(squares[j] / n) > rounding[j]) continue;
    if (preparation.scale && !preparation.scales) {
      s.constant.push_back(j);
      (*s.used.scales)[j] = 0;
      s.inverse_scales[j] = 0;
    } else if (preparation.center && !preparation.means) {
      s.inverse_scales[j] = 0;
    }
  }
  const Vector norms = squares + n * (means - *s.used.means).cwiseAbs2();
  s.squared_norms = norms.array() * s.inverse_scales.array().square();
  return s;
}

/// The root's preparation, on all ranks. What only the root needs stays there.
Preparation common(const Ranks& ranks, const Preparation& preparation) {
  Preparation same;
  same.remove_row_mean = ranks.broadcast(preparation.remove_row_mean);
  same.precision = ranks.broadcast(preparation.precision);
  return same;
}

class RowsOnRanks final : public DistributedMatrix, private Execution {
 public:
  RowsOnRanks(const Ranks& ranks, LocalRows local, const Layout& layout,
              const Preparation& preparation)
      : DistributedMatrix(layout.rows, layout.cols, layout.rows, layout.entries),
        ranks_(ranks),
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
    local_.prepare(*s.used.means, s.inverse_scales);
    set_plan({.gram = local_.gram_seconds()});
    set_statistics(std::move(s.used), std::move(s.squared_norms), std::move(s.constant));
  }

  ~RowsOnRanks() override {
    if (!ranks_.is_root()) return;
    try {
      ask({.kind = Request::end});
    } catch (const std::exception&) {  // a failure of MPI was reported where it occurred
    }
  }

  void serve(const Tick& tick) const override {
    if (ranks_.is_root()) throw Error("serve: the root has nobody to serve");
    while (true) {
      const Request request = ranks_.broadcast(Request{});
      if (request.kind == Request::end) return;
      const ThreadScope scope(std::min(threads(), request.threads));
      try {
        take_part(request, tick);
      } catch (const Abandoned&) {  // the root decides how to continue
      }
    }
  }

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
    request.threads = threads();
    ranks_.broadcast(request);
  }

  void take_part(const Request& request, const Tick& tick) const {
    Matrix none;
    switch (request.kind) {
      case Request::times:
        return times_together(Matrix(cols(), request.columns), none, tick);
      case Request::adjoint_times:
        return adjoint_times_together(Matrix(0, request.columns), none, tick);
      case Request::gram_times:
        return gram_times_together(Matrix(cols(), request.columns), none, tick);
      case Request::gram:
        return gram_together(none, tick);
      case Request::outer_gram:
        return outer_gram_together(none, tick);
      case Request::eigenpairs:
        eigenpairs_together(request, 0, {}, {}, tick);
        return;
      case Request::rotate:
        spread_rotation(ranks_, none, {}, tick);
        return;
      case Request::end:
        return;
    }
  }

  // What every rank does for a product; `x` is the root's, the result goes to the root.

  void times_together(Matrix x, const Block& y, const Tick& tick) const {
    ranks_.broadcast(Block(x));
    Matrix rows;
    ranks_.together([&] { rows = local_.times(x, tick); });
    gather_rows(rows, y);
  }

  void adjoint_times_together(const Matrix& y, const Block& x, const Tick& tick) const {
    const Matrix rows = scatter_rows(y);
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
        ranks_.is_root() ? gather_rows(products, g.middleCols(column, width))
                         : gather_rows(products, g);
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

  template <class Work>
  void sum_together(Block sum, Work work) const {
    Matrix part;
    ranks_.together([&] { part = work(); });
    ranks_.sum_at_root(part);
    if (ranks_.is_root()) sum = part;
  }

  /// Counts and offsets of rows, as MPI expects them.
  std::vector<int> for_mpi(const std::vector<Index>& numbers) const {
    if (rows() > std::numeric_limits<int>::max())
      throw Error(fmt::format("{} rows are too many to be brought to one rank", rows()));
    return {numbers.begin(), numbers.end()};
  }

  /// A row with this many columns, if samples are columns.
  struct RowType {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    explicit RowType(Index columns) {
      check(MPI_Type_contiguous(static_cast<int>(columns), MPI_DOUBLE, &type), "make a type");
      check(MPI_Type_commit(&type), "make a type");
    }
    ~RowType() { MPI_Type_free(&type); }
    RowType(const RowType&) = delete;
    RowType& operator=(const RowType&) = delete;
  };

  void gather_rows(const Matrix& rows, Block y) const {
    const std::vector<int> counts = for_mpi(layout_.counts), firsts = for_mpi(layout_.firsts);
    const RowType row(rows.cols());
    const Matrix mine = rows.transpose();
    Matrix all(rows.cols(), ranks_.is_root() ? this->rows() : 0);
    check(MPI_Gatherv(mine.data(), static_cast<int>(mine.cols()), row.type, all.data(),
                      counts.data(), firsts.data(), row.type, 0, ranks_.communicator()),
          "gather");
    if (ranks_.is_root()) y = all.transpose();
  }

  Matrix scatter_rows(const Matrix& y) const {
    const std::vector<int> counts = for_mpi(layout_.counts), firsts = for_mpi(layout_.firsts);
    const RowType row(y.cols());
    const Matrix all = y.transpose();
    Matrix mine(y.cols(), local_.rows());
    check(MPI_Scatterv(all.data(), counts.data(), firsts.data(), row.type, mine.data(),
                       static_cast<int>(mine.cols()), row.type, 0, ranks_.communicator()),
          "scatter");
    return mine.transpose();
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

  const Ranks& ranks_;
  LocalRows local_;
  Layout layout_;
};

std::unique_ptr<DistributedMatrix> distribute(const Ranks& ranks, std::span<const Table> parts,
                                              std::span<const std::string> names,
                                              const Preparation& preparation, const Tick& tick,
                                              FormGram gram) {
  const Index cols = common_cols(ranks, parts);
  const Preparation same = common(ranks, preparation);
  gram = ranks.broadcast(gram);
  std::optional<LocalRows> local;
  ranks.together([&] { local.emplace(parts, names, cols, same, tick, gram); });
  const Layout layout = layout_of(ranks, *local);
  return std::make_unique<RowsOnRanks>(ranks, std::move(*local), layout, preparation);
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
    if (plan.solver != Solver::automatic || options.without_pca) return;
    plan.solver = keeps ? Solver::slepc
                        : chosen_solver(share.rows, share.cols, share.entries, options.components,
                                        ranks.size());
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
