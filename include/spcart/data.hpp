#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/linear_operator.hpp"
#include "spcart/names.hpp"
#include "spcart/row_source.hpp"
#include "spcart/sample_moments.hpp"
#include "spcart/solver.hpp"
#include "spcart/table.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// The precision of products with a dense table.
enum class Precision {
  full,   ///< double
  single  ///< float, with means and scales computed in double; sums over many samples are in double
};
std::string_view name(Precision value);
template <>
Precision parse<Precision>(std::string_view text);

/// The steps from the stored table to the matrix A, in this order. All of them are implicit: stored
/// data is never copied as a whole, densified or changed.
struct Preparation {
  bool remove_row_mean = false;  ///< subtract from each sample its own mean
  bool center = true;            ///< subtract from each variable its mean
  bool scale = false;            ///< divide each variable by its standard deviation (divisor n - 1)

  /// Variables count an allele, 0 to 2: `scale` divides by sqrt(2 f (1 - f)), the standard
  /// deviation for an allele of frequency f in Hardy-Weinberg equilibrium, with f half the
  /// variable's mean.
  bool genotypes = false;

  /// Used instead of being measured, e.g. to treat new data in the same way as the old.
  std::optional<Vector> means = std::nullopt;
  std::optional<Vector> scales = std::nullopt;

  /// Ignored if the table is sparse or a covariance, which are always multiplied in double.
  Precision precision = Precision::full;
};

/// What was decided when a table was prepared, and how long it took.
struct Plan {
  Solver solver = Solver::automatic;    ///< for principal components, unless another is requested
  std::string storage = {};             ///< of the table: "memory", "file", "source", "operator" or
                                        ///< "moments"; empty: not known
  std::vector<std::string> notes = {};  ///< of reading, such as what was done to missing values
  double read = 0;                      ///< seconds that reading the table took
  double prepare = 0;                   ///< seconds that measuring it took
  double gram = 0;  ///< seconds that A'A took, if it was formed during preparation

  /// The requested solver or, if that is automatic, the planned one.
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

  /// Numbers that a product with A reads: n p, or fewer if zeros are not stored.
  double entries() const { return entries_; }

  /// Whether products with the stored table are corrected by its means, instead of centring numbers
  /// before they are multiplied: digits are lost then if the means are large.
  bool subtracts_products() const { return subtracts_products_; }

  /// Number of samples; none if only a covariance is known.
  std::optional<Index> samples() const { return samples_; }

  Matrix times(ConstBlock x, const Tick& tick = {}) const;          ///< A x
  Matrix adjoint_times(ConstBlock y, const Tick& tick = {}) const;  ///< A'y
  Matrix gram_times(ConstBlock x, const Tick& tick = {}) const;     ///< A'(A x), in one pass
  Matrix gram(const Tick& tick = {}) const;                         ///< A'A, for small p
  Matrix outer_gram(const Tick& tick = {}) const;                   ///< AA', for small n

  /// The rows and columns of A'A of some variables, in ascending order.
  Matrix gram_of(std::span<const Index> variables, const Tick& tick = {}) const;

  /// What `prepare` decided; empty for a matrix that was made in another way.
  const Plan& plan() const { return plan_; }

  /// Where work on A other than products is done; for the library's own use.
  const Execution& execution() const { return do_execution(); }

  /// For resampling, if samples are in memory, here or on ranks; for the library's own use.
  const Samples* stored_samples() const { return do_stored_samples(); }

  /// |a_j|^2 of every column: the variance of each variable, times n - 1 if A is centred.
  const Vector& column_squared_norms() const { return column_squared_norms_; }
  double squared_norm() const { return column_squared_norms_.sum(); }  ///< |A|_F^2

  /// What was done to the stored table, with the means and scales that were used: zeros and ones
  /// for steps that were not taken, and a scale of zero for a constant variable.
  const Preparation& preparation() const { return preparation_; }
  const Vector& means() const { return *preparation_.means; }
  const Vector& scales() const { return *preparation_.scales; }

  /// Constant variables, found while scaling: their columns of A are zero.
  const std::vector<Index>& constant_columns() const { return constant_columns_; }

 protected:
  DataMatrix(Index rows, Index cols, std::optional<Index> samples, double entries);

  /// To be called by the constructor of a kind of data; `used` holds its means and scales.
  void set_statistics(Preparation used, Vector column_squared_norms,
                      std::vector<Index> constant_columns);
  void set_plan(Plan plan) { plan_ = std::move(plan); }
  /// For a kind that stores all entries, or none; sparse ones do it anyway.
  void set_subtracts_products() { subtracts_products_ = true; }

  /// Computed by products with unit vectors, unless a kind of data has a cheaper way.
  virtual void do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const;

 private:
  friend class Planning;  // of prepare()

  // What a kind of data implements. Sizes are already checked; outputs are sized, not initialised.
  virtual void do_times(ConstBlock x, Block y, const Tick& tick) const = 0;
  virtual void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const = 0;
  virtual void do_gram_times(ConstBlock x, Block y, const Tick& tick) const = 0;
  virtual void do_gram(Block g, const Tick& tick) const = 0;
  virtual void do_outer_gram(Block g, const Tick& tick) const = 0;
  /// On this machine, unless rows are spread over ranks.
  virtual const Execution& do_execution() const;
  virtual const Samples* do_stored_samples() const { return nullptr; }

  Index rows_, cols_;
  std::optional<Index> samples_;
  double entries_;
  bool subtracts_products_;
  Preparation preparation_;
  Plan plan_;
  Vector column_squared_norms_;
  std::vector<Index> constant_columns_;
};

// The kinds of data. Views must outlive the matrix unless they have an owner. A value that is not
// finite, a shape that does not fit or a broken sparse structure throws Error.
std::unique_ptr<DataMatrix> make_dense(const DenseView& view, const Preparation& preparation = {},
                                       const Tick& tick = {});
/// Takes ownership of the matrix: move it in to avoid a copy, or pass view_of(matrix) to leave it
/// in place.
std::unique_ptr<DataMatrix> make_dense(Matrix matrix, const Preparation& preparation = {},
                                       const Tick& tick = {});
std::unique_ptr<DataMatrix> make_sparse(const SparseView& view,
                                        const Preparation& preparation = {});

/// The table in a file as a matrix. Throws Error if the file is shorter than the view says, has
/// changed since it was opened, cannot be read or has a value that is not finite; so does every
/// later product.
std::unique_ptr<DataMatrix> make_file(const FileView& view, const Preparation& preparation = {},
                                      const Tick& tick = {});

/// The samples of a source as a matrix. Throws Error if a pass has not as many samples as the
/// source says, has a value that is not finite, or differs from the first pass; so does every later
/// product.
std::unique_ptr<DataMatrix> make_rows(const RowSource& source, const Preparation& preparation = {},
                                      const Tick& tick = {});

/// The matrix of an operator. Its products are corrected by the means, which loses digits if these
/// are much larger than the deviations from them. Measuring the variance of each variable takes
/// min(n, p) products with single vectors, 64 at a time.
std::unique_ptr<DataMatrix> make_operator(const LinearOperator& s,
                                          const Preparation& preparation = {},
                                          const Tick& tick = {});

/// The matrix of samples of which only the moments are known: A'A follows from them, and A itself,
/// if a method needs it, is its symmetric square root.
std::unique_ptr<DataMatrix> make_moments(SampleMoments moments,
                                         const Preparation& preparation = {});

/// The covariance matrix C of data that is not available: A'A is C, and A itself, if a method needs
/// it, is the symmetric square root of C. Centring has already happened; scaling gives the
/// correlations. C must be symmetric and positive semidefinite, both up to rounding.
std::unique_ptr<DataMatrix> make_covariance(Matrix c, const Preparation& preparation = {});

/// The matrix of a table, of the kind that its storage requires. `prepare` makes one that is
/// planned for a fit.
std::unique_ptr<DataMatrix> make_matrix(const Table& table, const Preparation& preparation = {},
                                        const Tick& tick = {});

/// The deflated matrix A (I - x_1 x_1') (I - x_2 x_2') ... for the columns of x, each of unit
/// length. `a` must outlive it.
std::unique_ptr<DataMatrix> deflate(const DataMatrix& a, ConstBlock x);

/// The same matrix with A'A in memory, which is then used for every product that it can compute.
/// Both must outlive it.
std::unique_ptr<DataMatrix> with_gram(const DataMatrix& a, const Matrix& gram);

}  // namespace spcart
