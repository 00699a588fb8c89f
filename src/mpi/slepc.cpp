#include "mpi/slepc.hpp"

#include <fmt/format.h>
#include <slepceps.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/random.hpp"
#include "mpi/check.hpp"

namespace spcart::mpi {
namespace {

/// As in block Lanczos: weak eigenpairs must be accurate by themselves, as far as rounding allows.
constexpr double kRounding = 1e-10, kOwnTolerance = 1e-4;

void require(PetscErrorCode code, const char* what) {
  if (code != 0)
    throw std::runtime_error(fmt::format("SLEPc failed to {} (error {})", what, int{code}));
}

void begin_slepc() {
  PetscBool begun = PETSC_FALSE;
  require(SlepcInitialized(&begun), "begin");
  if (begun == PETSC_TRUE) return;
  // Signals are left to the program.
  require(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"), "begin");
  require(SlepcInitialize(nullptr, nullptr, nullptr, nullptr), "begin");
}

/// Makes errors return as codes: exceptions report what they are about.
class QuietErrors {
 public:
  QuietErrors() { PetscPushErrorHandler(PetscReturnErrorHandler, nullptr); }
  ~QuietErrors() { PetscPopErrorHandler(); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
};

/// An object of PETSc or SLEPc, destroyed at the end.
template <class T, PetscErrorCode (*Destroy)(T*)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { Destroy(&object_); }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  operator T() const { return object_; }  // NOLINT(google-explicit-constructor): it stands for it
  T* out() { return &object_; }

 private:
  T object_ = nullptr;
};
using Vec_ = Owned<Vec, VecDestroy>;
using Mat_ = Owned<Mat, MatDestroy>;
using Eps_ = Owned<EPS, EPSDestroy>;

/// Vectors spread over the ranks, each rank having a contiguous part.
class VectorLayout {
 public:
  VectorLayout(const Ranks& ranks, Index size) : ranks_(ranks) {
    const Index share = size / ranks.size(), more = size % ranks.size();
    for (int rank = 0; rank < ranks.size(); ++rank) {
      firsts_.push_back(static_cast<int>(share * rank + std::min<Index>(rank, more)));
      counts_.push_back(static_cast<int>(share + (rank < more ? 1 : 0)));
    }
    size_ = size;
  }

  Index size() const { return size_; }
  PetscInt own() const { return counts_[static_cast<std::size_t>(ranks_.rank())]; }

  Vec_ make() const {
    Vec_ v;
    require(VecCreateMPI(ranks_.communicator(), own(), static_cast<PetscInt>(size_), v.out()),
            "make a vector");
    return v;
  }

  /// The whole vector, on every rank.
  void to_all(Vec from, Vector& to) const {
    const double* own_part = nullptr;
    require(VecGetArrayRead(from, &own_part), "read a vector");
    const int code = MPI_Allgatherv(own_part, own(), MPI_DOUBLE, to.data(), counts_.data(),
                                    firsts_.data(), MPI_DOUBLE, ranks_.communicator());
    VecRestoreArrayRead(from, &own_part);
    check(code, "gather a vector");
  }

  /// The sum of the vectors of all ranks, spread over them.
  void sum(const Vector& from, Vec to) const {
    double* own_part = nullptr;
    require(VecGetArrayWrite(to, &own_part), "write a vector");
    const int code = MPI_Reduce_scatter(from.data(), own_part, counts_.data(), MPI_DOUBLE, MPI_SUM,
                                        ranks_.communicator());
    VecRestoreArrayWrite(to, &own_part);
    check(code, "sum vectors");
  }

  void to_root(Vec from, double* to) const {
    const double* own_part = nullptr;
    require(VecGetArrayRead(from, &own_part), "read a vector");
    const int code = MPI_Gatherv(own_part, own(), MPI_DOUBLE, to, counts_.data(), firsts_.data(),
                                 MPI_DOUBLE, 0, ranks_.communicator());
    VecRestoreArrayRead(from, &own_part);
    check(code, "gather a vector");
  }

  Vec_ from_root(const double* from) const {
    Vec_ to = make();
    double* own_part = nullptr;
    require(VecGetArrayWrite(to, &own_part), "write a vector");
    const int code = MPI_Scatterv(from, counts_.data(), firsts_.data(), MPI_DOUBLE, own_part, own(),
                                  MPI_DOUBLE, 0, ranks_.communicator());
    VecRestoreArrayWrite(to, &own_part);
    check(code, "scatter a vector");
    return to;
  }

 private:
  const Ranks& ranks_;
  Index size_ = 0;
  std::vector<int> firsts_, counts_;
};

struct Pair {
  double value = 0, residual = 0;
  Vec_ vector;
};

/// Krylov-Schur with single vectors finds each eigenvalue only once, up to rounding. Eigenvectors
/// that are found are therefore projected out, and the rest is probed for an eigenvalue that should
/// be among the wanted.
class Search {
 public:
  Search(const Ranks& ranks, const SpreadOperator& a, Index r, double tolerance,
         Index most_products, std::uint64_t seed)
      : ranks_(ranks),
        a_(a),
        layout_(ranks, a.size),
        dimension_((a.diagonal->array() > 0).count()),
        r_(std::min(r, dimension_)),
        tolerance_(tolerance),
        most_products_(most_products),
        random_(seed),
        whole_(a.size),
        share_(a.size) {}

  Eigenpairs run(const SolverState& from) {
    take_up(from);
    const bool fresh = ranks_.broadcast(from.start.size()) == 0;
    Vec_ start = fresh ? random_vector() : layout_.from_root(from.start.data());
    while (missing() > 0) solve(missing(), start, Aim::exact);
    for (Index iteration = 0; iteration < r_ && !gave_up_ && r_ < dimension_; ++iteration) {
      const double last = found_.back().value;  // they are sorted
      Pair probe = std::move(solve(1, random_vector(), Aim::rough).front());
      if (probe.value <= last + same(last) || gave_up_) break;
      solve(1, probe.vector, Aim::exact);
      found_.pop_back();
    }
    if (ranks_.broadcast(static_cast<bool>(a_.restart))) report_end();
    return result();
  }

 private:
  enum class Aim { exact, rough };  ///< a pair that is kept, or one that is only inspected

  Index missing() const { return r_ - static_cast<Index>(found_.size()); }
  /// The largest difference of values that count as equal.
  double same(double value) const {
    const double all = 4 * tolerance_ * largest_;
    return value > kRounding * largest_ ? std::min(all, 4 * kOwnTolerance * value) : all;
  }

  void take_up(const SolverState& from) {
    const Index count = ranks_.broadcast(from.values.size());
    products_ = ranks_.broadcast(from.products);
    for (Index i = 0; i < count; ++i) {
      const bool root = ranks_.is_root();
      add({ranks_.broadcast(root ? from.values[i] / a_.unit : 0.0),
           ranks_.broadcast(root ? from.residuals[i] / a_.unit : 0.0),
           layout_.from_root(root ? from.found.col(i).data() : nullptr)});
    }
  }

  void add(Pair pair) {
    largest_ = std::max(largest_, pair.value);
    found_.push_back(std::move(pair));
    std::ranges::stable_sort(found_, std::ranges::greater{}, &Pair::value);
  }

  /// Constant variables must not enter by chance: no product would remove them.
  Vec_ random_vector() {
    Vector v(ranks_.is_root() ? a_.size : 0);
    for (Index j = 0; j < v.size(); ++j) v[j] = (*a_.diagonal)[j] > 0 ? random_.uniform() - 0.5 : 0;
    return layout_.from_root(v.data());
  }

  /// Finds this many pairs orthogonal to those already found, and keeps exact ones.
  std::vector<Pair> solve(Index count, Vec start, Aim aim) {
    const QuietErrors quiet;  // also while the objects of a failed call are destroyed
    aim_ = aim;
    wanted_ = count;
    Mat_ shell;
    const PetscInt own = layout_.own(), all = static_cast<PetscInt>(layout_.size());
    require(MatCreateShell(ranks_.communicator(), own, own, all, all, this, shell.out()),
            "make a matrix");
    require(MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)),
            "make a matrix");
    Eps_ eps;
    require(EPSCreate(ranks_.communicator(), eps.out()), "make a solver");
    set_up(eps, shell, start);
    const PetscErrorCode code = EPSSolve(eps);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    require(code, "find eigenvectors");
    return taken(eps);
  }

  void set_up(EPS eps, Mat shell, Vec start) {
    const auto left = static_cast<PetscInt>(dimension_) - static_cast<PetscInt>(found_.size());
    const auto count = static_cast<PetscInt>(wanted_);
    const PetscInt size = std::min(left, std::max(3 * count, count + 20));
    DS small = nullptr;
    std::vector<Vec> taken_out;
    for (const Pair& pair : found_) taken_out.push_back(pair.vector);
    require(EPSSetOperators(eps, shell, nullptr), "set up");
    require(EPSSetProblemType(eps, EPS_HEP), "set up");
    require(EPSSetType(eps, EPSKRYLOVSCHUR), "set up");
    require(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL), "set up");
    require(EPSSetDimensions(eps, count, size, PETSC_DEFAULT), "set up");
    require(EPSSetTolerances(eps, tolerance_, PETSC_MAX_INT), "set up");
    require(EPSSetConvergenceTestFunction(eps, test_convergence, this, nullptr), "set up");
    require(EPSSetStoppingTestFunction(eps, test_stopping, this, nullptr), "set up");
    require(EPSMonitorSet(eps, monitor, this, nullptr), "set up");
    // Small problems are solved on one rank and sent to the others, so that ranks cannot diverge.
    require(EPSGetDS(eps, &small), "set up");
    require(DSSetParallel(small, DS_PARALLEL_SYNCHRONIZED), "set up");
    require(EPSSetFromOptions(eps), "set up");
    require(EPSSetInitialSpace(eps, 1, &start), "set up");
    if (!taken_out.empty())
      require(EPSSetDeflationSpace(eps, static_cast<PetscInt>(taken_out.size()), taken_out.data()),
              "set up");
  }

  std::vector<Pair> taken(EPS eps) {
    PetscInt converged = 0;
    require(EPSGetConverged(eps, &converged), "count eigenvectors");
    std::vector<Pair> pairs;
    for (PetscInt i = 0; i < std::min(converged, static_cast<PetscInt>(wanted_)); ++i) {
      Pair pair;
      pair.vector = layout_.make();
      require(EPSGetEigenpair(eps, i, &pair.value, nullptr, pair.vector, nullptr), "give a vector");
      require(EPSGetErrorEstimate(eps, i, &pair.residual), "give an error");
      pair.residual *= largest_ / 2;
      pairs.push_back(std::move(pair));
    }
    if (pairs.empty()) throw std::runtime_error("SLEPc found no eigenvector");
    if (aim_ == Aim::exact) {
      for (Pair& pair : pairs) add(std::move(pair));
      pairs.clear();
    }
    return pairs;
  }

  void report_end() {
    SolverState state = state_of(nullptr, 0, nullptr, nullptr);
    ranks_.together([&] {
      if (ranks_.is_root()) a_.restart(state);
    });
  }

  Eigenpairs result() {
    found_.resize(static_cast<std::size_t>(std::min(r_, static_cast<Index>(found_.size()))));
    const auto count = static_cast<Index>(found_.size());
    const bool root = ranks_.is_root();
    Eigenpairs k{Matrix(root ? a_.size : 0, count),
                 Vector(count),
                 Vector(count),
                 !gave_up_,
                 products_,
                 products_};
    for (Index i = 0; i < count; ++i) {
      const Pair& pair = found_[static_cast<std::size_t>(i)];
      k.values[i] = a_.unit * std::max(pair.value, 0.0);
      k.residuals[i] = a_.unit * pair.residual;
      layout_.to_root(pair.vector, k.vectors.col(i).data());
    }
    return k;
  }

  // What SLEPc calls. Exceptions must not pass through it: they are stored in failure_.

  template <class Work>
  PetscErrorCode guarded(Work work) {
    try {
      work();
      return 0;
    } catch (...) {
      failure_ = std::current_exception();
      return PETSC_ERR_USER;
    }
  }

  static PetscErrorCode multiply(Mat shell, Vec x, Vec y) {
    Search* self = nullptr;
    if (MatShellGetContext(shell, &self) != 0) return PETSC_ERR_ARG_WRONG;
    return self->guarded([&] { self->product(x, y); });
  }

  void product(Vec x, Vec y) {
    layout_.to_all(x, whole_);
    ranks_.together([&] {
      share_.setZero();
      a_.add_product(whole_, share_);
    });
    share_ /= a_.unit;
    layout_.sum(share_, y);
    ++products_;
  }

  /// Sets an error that is below the tolerance if and only if the pair has converged.
  static PetscErrorCode test_convergence(EPS, PetscScalar value, PetscScalar, PetscReal residual,
                                         PetscReal* error, void* context) {
    auto& self = *static_cast<Search*>(context);
    constexpr double kRough = 1e-3;
    self.largest_ = std::max(self.largest_, value);
    *error = 2 * residual / self.largest_;
    if (value > kRounding * self.largest_)
      *error = std::max(*error, residual / value * self.tolerance_ / kOwnTolerance);
    if (self.aim_ == Aim::rough) *error *= self.tolerance_ / kRough;
    if (self.gave_up_) *error = 0;  // accept whatever there is
    return 0;
  }

  static PetscErrorCode test_stopping(EPS, PetscInt, PetscInt, PetscInt converged, PetscInt wanted,
                                      EPSConvergedReason* reason, void* context) {
    auto& self = *static_cast<Search*>(context);
    if (converged >= wanted) *reason = EPS_CONVERGED_TOL;
    self.gave_up_ = self.gave_up_ || self.products_ >= self.most_products_;
    return 0;
  }

  static PetscErrorCode monitor(EPS eps, PetscInt, PetscInt converged, PetscScalar* values,
                                PetscScalar*, PetscReal* errors, PetscInt, void* context) {
    auto& self = *static_cast<Search*>(context);
    return self.guarded([&] { self.look(eps, converged, values, errors); });
  }

  void look(EPS eps, PetscInt converged, const double* values, const double* errors) {
    if (aim_ == Aim::rough) return;
    if (a_.progress)
      a_.progress(static_cast<double>(static_cast<Index>(found_.size()) + converged) /
                  static_cast<double>(r_));
    if (!ranks_.broadcast(static_cast<bool>(a_.restart)) || converged >= wanted_) return;
    BV basis = nullptr;
    require(EPSGetBV(eps, &basis), "give its basis");
    SolverState state = state_of(basis, converged, values, errors);
    ranks_.together([&] {
      if (ranks_.is_root()) a_.restart(state);
    });
  }

  /// The first columns of the basis are eigenvectors, the following ones approximate the others.
  SolverState state_of(BV basis, Index converged, const double* values, const double* errors) {
    const auto before = static_cast<Index>(found_.size());
    SolverState state{Matrix(ranks_.is_root() ? a_.size : 0, before + converged),
                      Vector(before + converged), Vector(before + converged),
                      Vector::Zero(ranks_.is_root() ? a_.size : 0), products_};
    for (Index i = 0; i < before; ++i) {
      const Pair& pair = found_[static_cast<std::size_t>(i)];
      state.values[i] = a_.unit * pair.value;
      state.residuals[i] = a_.unit * pair.residual;
      layout_.to_root(pair.vector, state.found.col(i).data());
    }
    for (Index i = 0; basis != nullptr && i < wanted_; ++i) {
      Vector column(state.start.size());
      Vec vector = nullptr;
      require(BVGetColumn(basis, static_cast<PetscInt>(i), &vector), "give a vector");
      layout_.to_root(vector, column.data());
      require(BVRestoreColumn(basis, static_cast<PetscInt>(i), &vector), "give a vector");
      if (i < converged) {
        state.values[before + i] = a_.unit * values[i];
        state.residuals[before + i] = a_.unit * errors[i] * largest_ / 2;
        if (ranks_.is_root()) state.found.col(before + i) = column;
      } else {
        state.start += column;
      }
    }
    return state;
  }

  const Ranks& ranks_;
  const SpreadOperator& a_;
  VectorLayout layout_;
  Index dimension_;  ///< variables that are not constant
  Index r_;
  double tolerance_;
  Index most_products_;
  Random random_;  ///< the root's
  Vector whole_, share_;
  std::vector<Pair> found_;  ///< largest first
  double largest_ = 0;
  Index products_ = 0, wanted_ = 0;
  Aim aim_ = Aim::exact;
  bool gave_up_ = false;
  std::exception_ptr failure_;
};

}  // namespace

Eigenpairs spread_eigenpairs(const Ranks& ranks, const SpreadOperator& a, Index r, double tolerance,
                             Index most_products, std::uint64_t seed, const SolverState& from) {
  begin_slepc();
  return Search(ranks, a, r, tolerance, most_products, seed).run(from);
}

void end_slepc() {
  PetscBool begun = PETSC_FALSE;
  SlepcInitialized(&begun);
  if (begun == PETSC_TRUE) SlepcFinalize();
}

}  // namespace spcart::mpi
