#pragma once

#include <algorithm>
#include <memory>

#include "base/export_to_mpi.hpp"
#include "data/preparation.hpp"
#include "data/stored/lines.hpp"
#include "spcart/data.hpp"

namespace spcart {

/// A table whose entries can be read. The only class in which row-mean removal, centring and
/// scaling happen: A = (S - m 1' - 1 c') D for stored S, row means m, column means c and D =
/// diag(1/scale).
///
/// A panel is a part of A laid out with samples as columns. Panels are prepared when they are read,
/// before anything is rounded or multiplied, so that large means cannot destroy a Gram matrix.
class SPCART_EXPORT_TO_MPI StoredMatrix : public DataMatrix {
 public:
  /// Standard deviations that the rounding of the stored values alone may cause.
  const Vector& rounding() const { return rounding_; }

  /// The means that are subtracted from the rows; empty if none are.
  const Vector& row_means() const { return row_means_; }

 protected:
  StoredMatrix(Index rows, Index cols, double entries) : DataMatrix(rows, cols, rows, entries) {}

  /// To be called at the end of the constructor of a kind of data.
  void measure(const Preparation& preparation, const Tick& tick = {}, FormGram gram = FormGram::no);

  /// The order of a walk over the table: a panel holds whole samples, or whole variables.
  enum class Along { rows, columns };

  /// One walk over the stored table, panel by panel. Every product opens its own, so that several
  /// may run in parallel.
  class Pass {
   public:
    virtual ~Pass() = default;

    /// Prepares the next panel: samples (along rows) or variables (along columns) `first` to `first
    /// + count - 1`. Called in ascending order, without gaps, from one thread; `count` is the step
    /// passed to open(), except for the last panel. May wait, and may throw.
    virtual void advance(Index /*first*/, Index /*count*/) {}

    /// A tile of the current panel: column i is sample row + i, restricted to variables col, col +
    /// 1, ... Several threads may call it at once, also for the same tile; it does not throw.
    virtual void load(Index row, Index col, Block tile) const = 0;

    /// The same sample in place, from that variable on: null if its numbers are not contiguous.
    virtual Line line(Index /*row*/, Index /*col*/) const { return {}; }

    /// out = (value - mean) * scale for `count` samples of a variable, from that one on; false if
    /// there is no quicker way than to load them.
    virtual bool prepare(Index /*row*/, Index /*col*/, Index /*count*/, double /*mean*/,
                         double /*scale*/, double* /*out*/) const {
      return false;
    }
    virtual bool prepare(Index /*row*/, Index /*col*/, Index /*count*/, double /*mean*/,
                         double /*scale*/, float* /*out*/) const {
      return false;
    }
  };

  /// A walk in panels of `step` samples or variables.
  virtual std::unique_ptr<Pass> open(Along along, Index step) const = 0;

  /// Maximum bytes of the panel of a pass, unless it then had less than 16 samples or variables. A
  /// kind of data with a small memory budget returns less.
  virtual Index panel_bytes() const { return Index{1} << 26; }

  /// The order in which a product without A'A walks over the table: that in which it is stored, if
  /// any other were slow. Along columns, A'(A x) takes two walks.
  virtual Along order() const { return Along::rows; }

  /// What measure() needs: m, and for each variable of S - m 1' its mean and the sum of squares
  /// about it. For a variable that hardly varies, `largest` is the magnitude of its values. Throws
  /// if a value is not finite.
  struct Moments {
    Vector row_means;  ///< empty if row means are not removed
    Vector means, squares, largest;
    Matrix gram;  ///< S'S, each variable about its mean: the lower half, or empty
    double gram_seconds = 0;
  };
  virtual Moments moments(const Preparation& preparation, const Tick& tick, FormGram gram) const;
  [[noreturn]] static void reject(double value, Index row, Index col);
  [[noreturn]] static void reject_size();

  void do_times(ConstBlock x, Block y, const Tick& tick) const override;
  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override;
  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override;
  void do_gram(Block g, const Tick& tick) const override;
  void do_outer_gram(Block g, const Tick& tick) const override;
  void do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const override;

  /// AA' by products with unit vectors, as many at a time as fit in one pass: for kinds that cannot
  /// be read by columns.
  void outer_gram_by_products(Block g, const Tick& tick) const;

  // The same algebra for kinds that multiply by S itself.
  Matrix scaled(ConstBlock x) const;                    ///< D x
  void correct_times(const Matrix& dx, Block y) const;  ///< y = S D x becomes A x
  void correct_adjoint(ConstBlock y, Block x) const;    ///< x = S'y becomes A'y

  /// Whether that keeps all significant digits: it does not if centring removes much more than it
  /// leaves, or if S is out of the range of single precision.
  bool is_correctable() const { return correctable_; }

  bool has_gram() const { return gram_.size() > 0; }
  const Vector& inverse_scales() const { return inverse_scales_; }

  /// The wanted size of a panel: bytes, and a minimum number of samples (or variables), since a
  /// product with few is slow.
  struct PanelSize {
    Index bytes, least;
  };
  static constexpr PanelSize kForProducts{Index{1} << 22, 128}, kForGram{Index{1} << 22, 1024};

  /// Samples or variables of a panel whose numbers have this many bytes, as far as memory allows.
  Index panel_step(Along along, std::size_t number, PanelSize size) const;

  /// Calls visit(pass, first, count) for every panel, which is ready and not yet loaded.
  template <class Visit>
  void walk(Along along, Index step, const Tick& tick, Visit visit) const {
    const Index lines = along == Along::rows ? rows() : cols();
    const auto pass = open(along, step);
    for (Index first = 0; first < lines; first += step) {
      if (tick) tick(static_cast<double>(first) / static_cast<double>(lines));
      const Index count = std::min(step, lines - first);
      pass->advance(first, count);
      visit(*pass, first, count);
    }
  }

 private:
  template <class Real>
  class Survey;
  template <class Real>
  class Strips;
  template <class Real>
  class PanelProducts;
  class ColumnSurvey;

  /// is_correctable(), from what centring removes from each variable and what it leaves.
  bool is_correctable(const Vector& taken, const Vector& left, Precision precision) const;
  void set_gram(Matrix lower, const Vector& beside_means);
  template <class Real>
  void read(const Pass& pass, Index row, Index col, Eigen::Ref<Eigen::MatrixX<Real>> panel) const;
  template <class Real>
  void read_columns(const Pass& pass, Index row, Index col,
                    Eigen::Ref<Eigen::MatrixX<Real>> strip) const;
  template <class Real>
  void times_by_columns(ConstBlock x, Block y, const Tick& tick) const;
  template <class Real>
  void adjoint_by_columns(ConstBlock y, Block x, const Tick& tick) const;
  Moments moments_by_columns(bool remove_row_mean, const Tick& tick) const;
  template <class Real>
  void sum_outer(Along along, Block g, const Tick& tick) const;

  Vector rounding_;
  Vector row_means_;       ///< m, empty if row means are not removed
  Vector inverse_scales_;  ///< the diagonal of D
  double unit_ = 1;        ///< panels are divided by it, so that single precision can hold them
  Vector panel_scales_;    ///< the diagonal of D, divided by it
  Matrix gram_;            ///< A'A, or empty
  bool correctable_ = false;
};

}  // namespace spcart
