#pragma once

#include <mpi.h>

#include <cstdint>
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

/// The same fits with the samples spread over the ranks of an MPI program.
///
/// Rank 0, the root, runs the program: it calls fit, path or any other function that takes a
/// DataMatrix. The other ranks serve it: whenever the root needs a product with the matrix, each
/// rank multiplies its own rows. Only the root decides how the work continues, so ranks cannot
/// diverge even if their processors or thread counts differ. Work other than products with the
/// matrix needs no memory on the other ranks.
///
///     spcart::mpi::Session session(argc, argv);
///     spcart::mpi::Ranks ranks;
///     auto share = spcart::mpi::read_share(ranks, "part-*.npy");
///     auto a = spcart::mpi::distribute(ranks, share);
///     if (!ranks.is_root()) return a->serve();
///     spcart::Result result = spcart::fit(*a, {.components = 20});
// NOLINTNEXTLINE(modernize-concat-nested-namespaces): a nested one takes no attribute
namespace spcart {
namespace SPCART_EXPORT mpi {

/// MPI from initialisation to finalisation: one per program, made before anything that uses MPI.
/// Throws std::runtime_error if MPI cannot be initialised. Does not finalise MPI if something else
/// initialised it.
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  bool begun_here_ = false;
};

/// Thrown on all ranks except the root if collective work failed on one of them. The root throws
/// what that rank threw, and decides how to continue.
class Abandoned : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The ranks that work together. All functions except the first four are collective: every rank
/// calls them, in the same order. They throw std::runtime_error if MPI fails.
class Ranks {
 public:
  /// Duplicates the communicator, so that messages cannot be mixed up with those of others.
  explicit Ranks(MPI_Comm of = MPI_COMM_WORLD);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  int on_this_host() const { return on_this_host_; }  ///< ranks that share its memory
  MPI_Comm communicator() const { return comm_; }

  /// Sends the bytes of rank `from` to all ranks.
  void broadcast_bytes(void* bytes, std::size_t count, int from = 0) const;
  void broadcast(Block numbers) const;
  std::string broadcast(std::string text, int from = 0) const;
  template <class T>
  requires std::is_trivially_copyable_v<T> T broadcast(T value, int from = 0)
  const {
    broadcast_bytes(&value, sizeof(value), from);
    return value;
  }

  /// The texts of all ranks in the order of ranks, at the root; empty elsewhere.
  std::vector<std::string> gather(const std::string& text) const;

  /// The numbers of all ranks, on every rank.
  std::vector<Index> all(Index number) const;

  /// At the root, `numbers` become the sums over all ranks; elsewhere they are undefined
  /// afterwards.
  void sum_at_root(Block numbers) const;

  /// Runs work that is not collective itself. If it throws on any rank, the root throws what the
  /// first such rank did (Error, Cancelled, std::bad_alloc or std::runtime_error), and all others
  /// throw Abandoned.
  void together(const std::function<void()>& work) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, on_this_host_ = 1;
};

/// Where a long computation of principal components saves its state.
struct CheckpointOptions {
  std::filesystem::path folder = {};  ///< empty: nowhere
  bool resume = false;  ///< continue from a saved state, which must be of the same data and options
};

/// A matrix whose rows are spread over ranks, those of rank 0 first. The root uses it as any other
/// matrix, from the main thread of the program. `choose` and `bootstrap` make further matrices of
/// its rows, which stay on the ranks that have them. Ranks serve one matrix at a time, and those
/// made of it: the next can be made when these are destroyed.
class DistributedMatrix : public DataMatrix {
 public:
  /// At the root: lets the other ranks end their serve(), if no matrix of its rows is left.
  ~DistributedMatrix() override = default;

  /// On every rank except the root: takes part in the root's products until the root's matrix, and
  /// those made of its rows, are destroyed. An error in a product, also on this rank, is thrown at
  /// the root. `tick` is called during products; what it throws ends the product as an error does.
  virtual void serve(const Tick& tick = {}) const = 0;

  /// At the root: where the solver slepc saves its state at each restart and at the end.
  void set_checkpoint(CheckpointOptions options) { checkpoint_ = std::move(options); }

  /// At the root: bases with at least this many numbers are rotated with their rows spread over
  /// ranks. The default is 2^20: below it, an iteration takes less than a millisecond.
  void set_large_basis(Index numbers) { large_basis_ = numbers; }

 protected:
  using DataMatrix::DataMatrix;

  CheckpointOptions checkpoint_;
  Index large_basis_ = Index{1} << 20;
};

/// Makes the matrix of the rows of all ranks: each rank passes its own in one or several parts, or
/// none. The ranks must outlive the matrix, as must the parts if they have no owner. Only the
/// root's preparation is used. Means and scales are those of all rows; each part is read once to
/// measure them. Collective: if it fails on one rank, it throws on all, as Ranks::together does.
std::unique_ptr<DistributedMatrix> distribute(const Ranks& ranks, std::span<const Table> parts,
                                              const Preparation& preparation = {},
                                              const Tick& tick = {});

/// The rows of a table that belong to one rank.
struct Share {
  std::vector<Table> parts;        ///< none if it has no rows
  std::vector<std::string> names;  ///< the name of each part in messages

  // About the whole table, at the root only.
  Index rows = 0, cols = 0;
  double entries = 0;  ///< numbers that are stored
  bool sparse = false;
  bool in_file =
      false;  ///< some rank reads its rows in blocks, because they do not fit in its memory
  std::uint64_t bytes_in_memory = 0;  ///< of the rows on the rank that has most there
  bool covariance = false;  ///< the root has all of it, because a covariance cannot be spread
  std::vector<std::string> variables;
  std::vector<std::string> samples = {};  ///< one per row, or empty if the source names none
  std::vector<std::string> notes = {};    ///< what was done to missing values, and advice
  double seconds = 0;                     ///< spent reading
};

/// Reads each rank's share of a table. `source` is a file, a built-in data set ("@synthetic"), or a
/// pattern of several files ("part-*.npy", "{a,b}.mtx.gz") whose rows follow each other in the
/// order of their names, with numbers in them by value. Only the root's arguments are used, and
/// patterns are resolved at the root: all ranks must see the files under the same names.
///
/// Rows of plain .npy files are spread evenly, and a rank reads only its own. Of several files of
/// other formats, each is read as a whole by one rank, so there should be many of them. A single
/// file of another format is read by every rank, which keeps its own rows.
///
/// `memory` of the options is that of one rank; 0: its part of the host's memory. Collective: if it
/// fails on one rank, it throws on all, as Ranks::together does.
Share read_share(const Ranks& ranks, const std::string& source = {},
                 const ReadOptions& options = {}, const Tick& tick = {});

/// The same for a share that was read: messages then name the files.
std::unique_ptr<DistributedMatrix> distribute(const Ranks& ranks, const Share& share,
                                              const Preparation& preparation = {},
                                              const Tick& tick = {});

/// As spcart::prepare: the matrix of a share, planned for a fit. `memory` of the options is that of
/// one rank. Checkpoints need the solver slepc, which is the default with them. Only the root's
/// options are used. Collective.
std::unique_ptr<DistributedMatrix> prepare(const Ranks& ranks, const Share& share,
                                           const PrepareOptions& options = {},
                                           const CheckpointOptions& checkpoint = {},
                                           const Tick& tick = {});

}  // namespace mpi
}  // namespace spcart
