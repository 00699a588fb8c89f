#pragma once

#include <mpi.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/io.hpp"
#include "spcart/pca.hpp"
#include "spcart/prepare.hpp"
#include "spcart/table.hpp"

/// The same fits where the samples are spread over the ranks of an MPI program.
///
/// Rank 0, the root, runs the program: it calls fit, path or anything else that takes a DataMatrix.
/// The other ranks serve it: whenever the root needs a product with the matrix, each multiplies its
/// own rows. Nothing but the root ever decides how the work goes on, so that ranks cannot drift
/// apart, be they of different processors or thread counts; and what is not a product with the
/// matrix needs no room on the other ranks.
///
///     spcart::mpi::Session session(argc, argv);
///     spcart::mpi::Ranks ranks;
///     auto share = spcart::mpi::read_share(ranks, "part-*.npy");
///     auto a = spcart::mpi::distribute(ranks, share);
///     if (!ranks.is_root()) return a->serve();
///     spcart::Result result = spcart::fit(*a, {.components = 20});
namespace spcart {
namespace SPCART_EXPORT mpi {

/// MPI, from its beginning to its end: one in a program, made before anything that uses MPI. Throws
/// std::runtime_error if MPI cannot be begun. Ends nothing that somebody else has begun.
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  bool begun_here_ = false;
};

/// Thrown on all ranks but the root where work that they did together failed on one of them. The
/// root throws what that rank threw, and decides what comes of it.
class Abandoned : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The ranks that work together. All functions but the first four are collective: every rank calls
/// them, in the same order. They throw std::runtime_error if MPI fails.
class Ranks {
 public:
  /// Makes a communicator of its own of the same ranks, so that no message is taken for another's.
  explicit Ranks(MPI_Comm of = MPI_COMM_WORLD);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  int on_this_host() const { return on_this_host_; }  ///< ranks that share its memory
  MPI_Comm communicator() const { return comm_; }

  /// What rank `from` has.
  void broadcast_bytes(void* bytes, std::size_t count, int from = 0) const;
  void broadcast(Block numbers) const;
  std::string broadcast(std::string text, int from = 0) const;
  template <class T>
  requires std::is_trivially_copyable_v<T> T broadcast(T value, int from = 0)
  const {
    broadcast_bytes(&value, sizeof(value), from);
    return value;
  }

  /// What each rank has, at the root in the order of ranks; nothing elsewhere.
  std::vector<std::string> gather(const std::string& text) const;

  /// The number of each rank, on all of them.
  std::vector<Index> all(Index number) const;

  /// At the root `numbers` become the sums over all ranks; elsewhere they are undefined afterwards.
  void sum_at_root(Block numbers) const;

  /// Does work that is not collective itself. Where it throws on any rank, the root throws what the
  /// first such rank did (Error, Cancelled, std::bad_alloc or std::runtime_error), and all others
  /// throw Abandoned.
  void together(const std::function<void()>& work) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, on_this_host_ = 1;
};

/// Where a long search for principal components leaves its state.
struct CheckpointOptions {
  std::filesystem::path folder = {};  ///< empty: nowhere
  bool resume = false;  ///< go on from what is there, which must be of the same data and options
};

/// A matrix whose rows are spread over ranks: those of rank 0 first. The root multiplies with it as
/// with any other, from the program's main thread. Ranks serve one matrix at a time: the next can
/// be made when this one is gone.
class DistributedMatrix : public DataMatrix {
 public:
  /// At the root: lets the other ranks end their serve().
  ~DistributedMatrix() override = default;

  /// On every rank but the root: takes part in the root's products until the root's matrix is gone.
  /// An error of a product, also of one here, is thrown at the root. `tick` is called during
  /// products; what it throws ends the product as an error does.
  virtual void serve(const Tick& tick = {}) const = 0;

  /// Seconds that A'A of this rank's rows took while they were measured.
  virtual double gram_seconds() const = 0;

  /// At the root: where the solver slepc keeps its state when it restarts, and at its end.
  void set_checkpoint(CheckpointOptions options) { checkpoint_ = std::move(options); }

  /// At the root: bases of at least so many numbers are rotated with their rows spread. The default
  /// is 2^20: below, an iteration takes less than a millisecond.
  void set_large_basis(Index numbers) { large_basis_ = numbers; }

 protected:
  using DataMatrix::DataMatrix;

  CheckpointOptions checkpoint_;
  Index large_basis_ = Index{1} << 20;
};

/// Makes the matrix of the rows that all ranks have: each gives its own in one or several parts, or
/// none. The ranks must outlive the matrix, and views of the parts that have no owner too. Only the
/// root's preparation counts. Means
/// and scales are those of all rows; every part is read once for them, whatever they are.
/// Collective: where it fails on one rank it throws on all, as Ranks::together does.
std::unique_ptr<DistributedMatrix> distribute(const Ranks& ranks, std::span<const Table> parts,
                                              const Preparation& preparation = {},
                                              const Tick& tick = {});

/// The rows of a table that a rank has.
struct Share {
  std::vector<Table> parts;        ///< none if it has no rows
  std::vector<std::string> names;  ///< what messages call each of them

  // Of the whole table, at the root only.
  Index rows = 0, cols = 0;
  double entries = 0;  ///< numbers that are stored
  bool sparse = false;
  bool in_file = false;     ///< some rank reads its rows in blocks, as they do not fit its memory
  bool covariance = false;  ///< the root has all of it, as nothing of it can be spread
  std::vector<std::string> variables;
  std::vector<std::string> samples = {};  ///< one per row, or empty if the source names none
  std::vector<std::string> notes = {};  ///< what was done to missing values, and what to do better
  double seconds = 0;                   ///< that reading took
};

/// Reads each rank's share of a table. `source` is a file, a built-in data set ("@synthetic"), or a
/// pattern of several files ("part-*.npy", "{a,b}.mtx.gz") whose rows follow each other in the
/// order of their names, numbers in them by value. Only what the root gives counts, and patterns
/// are resolved at the root: all ranks must see the files under the same names.
///
/// Rows of plain .npy files are spread evenly, and a rank reads no others. Any other file that is
/// one of several is read whole by one rank, so that there should be many of them; one that is
/// alone is read by every rank, which keeps its rows of it.
///
/// `memory` of the options is that of a rank; 0: its part of what the host has.
/// Collective: where it fails on one rank it throws on all, as Ranks::together does.
Share read_share(const Ranks& ranks, const std::string& source = {},
                 const ReadOptions& options = {}, const Tick& tick = {});

/// The same of what was read: messages then name the files.
std::unique_ptr<DistributedMatrix> distribute(const Ranks& ranks, const Share& share,
                                              const Preparation& preparation = {},
                                              const Tick& tick = {});

/// As spcart::prepare: the matrix of what was read, planned for a fit. Checkpoints need the solver
/// slepc, which is taken if another is not asked for. Only the root's options count. Collective.
std::unique_ptr<DistributedMatrix> prepare(const Ranks& ranks, const Share& share,
                                           const PrepareOptions& options = {},
                                           const CheckpointOptions& checkpoint = {},
                                           const Tick& tick = {});

}  // namespace mpi
}  // namespace spcart
