#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/names.hpp"
#include "spcart/solver.hpp"
#include "spcart/table.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// In what products with a dense table are computed.
enum class Precision {
  full,   ///< double
  single  ///< float, from means and scales taken in double; sums over many samples are in double
};
std::string_view name(Precision value);
template <>
Precision parse<Precision>(std::string_view text);

/// What is done to the stored table before it becomes the matrix A, in this order. All of it is
/// implicit: stored data is never copied whole, densified or changed.
struct Preparation {
  bool remove_row_mean = false;  ///< subtract from each sample its own mean
  bool center = true;            ///< subtract from each variable its mean
  bool scale = false;            ///< divide each variable by its standard deviation (divisor n - 1)

  /// Taken as they are instead of being measured, e.g. to treat new data as the old was treated.
  std::optional<Vector> means = std::nullopt;
  std::optional<Vector> scales = std::nullopt;

  /// Ignored if the table is sparse or a covariance, which are always multiplied in double.
  Precision precision = Precision::full;
};

/// What was decided when a table was prepared, and what that took.
struct Plan {
  Solver solver = Solver::automatic;    ///< for principal components, unless another is asked for
  std::string storage = {};             ///< of the table, "memory" or "file"; empty: not known
  std::vector<std::string> notes = {};  ///< of reading, such as what was done to missing values
  double read = 0;                      ///< seconds that reading the table took
  double prepare = 0;                   ///< seconds that measuring it took
  double gram = 0;                      ///< seconds that A'A took, if it was formed on the way

  /// The one that is wanted or, if that is left open, the one that is planned.
  Solver solver_for(Solver wanted) const { return wanted == Solver::automatic ? solver : wanted; }
};

class Execution;
class Samples;

/// An n x p matrix A known only by its products with blocks of vectors. Row-mean removal, centring
/// and scaling are part of A. Methods reduce over samples only through this interface, so that the
/// samples may live in memory, in a file or on other machines.
///
/// A is immutable: its functions may be called from several threads at once.
class DataMatrix {
 public:
  virtual ~DataMatrix() = default;
  DataMatrix(const DataMatrix&) = delete;
  DataMatrix& operator=(const DataMatrix&) = delete;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  /// Numbers that a product with A reads: n p, or fewer where zeros are not stored.
  double entries() const { return entries_; }

  /// Number of samples; none if only a covariance is known.
  std::optional<Index> samples() const { return samples_; }

  Matrix times(ConstBlock x, const Tick& tick = {}) const;          ///< A x
  Matrix adjoint_times(ConstBlock y, const Tick& tick = {}) const;  ///< A'y
  Matrix gram_times(ConstBlock x, const Tick& tick = {}) const;     ///< A'(A x), in one pass
  Matrix gram(const Tick& tick = {}) const;                         ///< A'A, where p is small
  Matrix outer_gram(const Tick& tick = {}) const;                   ///< AA', where n is small

  /// A'A at the rows and columns of some variables, in ascending order.
  Matrix gram_of(std::span<const Index> variables, const Tick& tick = {}) const;

  /// What `prepare` decided; nothing for a matrix that was made otherwise.
  const Plan& plan() const { return plan_; }
  void set_plan(Plan plan) { plan_ = std::move(plan); }

  /// Where work on A is done that is not a product with it; for the library's own use.
  const Execution& execution() const { return do_execution(); }

  /// For resampling, if samples are in memory; for the library's own use.
  const Samples* samples_in_memory() const { return do_samples_in_memory(); }

  /// |a_j|^2 of every column: the variance of each variable, times n - 1 where A is centred.
  const Vector& column_squared_norms() const { return column_squared_norms_; }
  double squared_norm() const { return column_squared_norms_.sum(); }  ///< |A|_F^2

  /// What was done to the stored table, with the means and scales that were used: zeros and ones
  /// where nothing was, and a scale of zero for a variable that does not vary.
  const Preparation& preparation() const { return preparation_; }
  const Vector& means() const { return *preparation_.means; }
  const Vector& scales() const { return *preparation_.scales; }

  /// Variables that do not vary, found while scaling: their columns of A are zero.
  const std::vector<Index>& constant_columns() const { return constant_columns_; }

 protected:
  DataMatrix(Index rows, Index cols, std::optional<Index> samples, double entries);

  /// To be called by a kind's constructor; `used` has its means and scales.
  void set_statistics(Preparation used, Vector column_squared_norms,
                      std::vector<Index> constant_columns);

 private:
  // What a kind of data implements. Sizes are checked already; outputs are sized, not initialised.
  virtual void do_times(ConstBlock x, Block y, const Tick& tick) const = 0;
  virtual void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const = 0;
  virtual void do_gram_times(ConstBlock x, Block y, const Tick& tick) const = 0;
  virtual void do_gram(Block g, const Tick& tick) const = 0;
  virtual void do_outer_gram(Block g, const Tick& tick) const = 0;
  /// Taken from products with unit vectors, unless a kind knows a cheaper way.
  virtual void do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const;
  /// Here, unless rows are spread over ranks.
  virtual const Execution& do_execution() const;
  virtual const Samples* do_samples_in_memory() const { return nullptr; }

  Index rows_, cols_;
  std::optional<Index> samples_;
  double entries_;
  Preparation preparation_;
  Plan plan_;
  Vector column_squared_norms_;
  std::vector<Index> constant_columns_;
};

// The kinds of data. Views must outlive the matrix unless they carry an owner. A value that is not
// finite, a shape that does not fit or a broken sparse structure throws Error.
std::unique_ptr<DataMatrix> make_dense(const DenseView& view, const Preparation& preparation = {},
                                       const Tick& tick = {});
/// Takes the matrix over: move it in to spare the copy, or give view_of(matrix) to leave it in
/// place.
std::unique_ptr<DataMatrix> make_dense(Matrix matrix, const Preparation& preparation = {},
                                       const Tick& tick = {});
std::unique_ptr<DataMatrix> make_sparse(const SparseView& view,
                                        const Preparation& preparation = {});

/// The table in a file as a matrix. Throws Error if the file is shorter than the view says, has
/// changed since it was opened, cannot be read or holds what is not finite; every later product
/// does so too.
std::unique_ptr<DataMatrix> make_file(const FileView& view, const Preparation& preparation = {},
                                      const Tick& tick = {});

/// The covariance matrix C of data that is not at hand: A'A is C, and A itself, where a method
/// needs it, is the symmetric root of C. Centring has happened already; scaling gives the
/// correlations. C must be symmetric and positive semidefinite, both up to rounding.
std::unique_ptr<DataMatrix> make_covariance(Matrix c, const Preparation& preparation = {});

/// The matrix of a table, of the kind that its storage asks for. `prepare` makes one that is
/// planned for a fit.
std::unique_ptr<DataMatrix> make_matrix(const Table& table, const Preparation& preparation = {},
                                        const Tick& tick = {});

/// The deflated matrix A (I - x_1 x_1') (I - x_2 x_2') ... for the columns of x, each of unit
/// length. `a` must outlive it.
std::unique_ptr<DataMatrix> deflate(const DataMatrix& a, ConstBlock x);

/// The same matrix with A'A at hand, which then serves all products that it can. Both must outlive
/// it.
std::unique_ptr<DataMatrix> with_gram(const DataMatrix& a, const Matrix& gram);

}  // namespace spcart
