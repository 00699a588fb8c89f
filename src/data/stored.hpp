#pragma once

#include <memory>

#include "spcart/data.hpp"

namespace spcart {

/// A table whose entries can be read. The one place where row-mean removal, centring and scaling
/// happen: A = (S - m 1' - 1 c') D for stored S, row means m, column means c and D = diag(1/scale).
///
/// A panel is a part of A laid out with samples as columns. Panels are prepared when they are read,
/// before anything is multiplied, so that large means cannot destroy a Gram matrix.
class StoredMatrix : public DataMatrix {
 protected:
  StoredMatrix(Index rows, Index cols, double entries) : DataMatrix(rows, cols, rows, entries) {}

  /// To be called at the end of a kind's constructor.
  void measure(const Preparation& preparation);

  /// The order of a walk over the table: a panel holds whole samples, or whole variables.
  enum class Along { rows, columns };

  /// One walk over the stored table, panel by panel. Every product opens its own, so that several
  /// may run side by side.
  class Pass {
   public:
    virtual ~Pass() = default;

    /// Makes the next panel ready: samples (along rows) or variables (along columns) `first` to
    /// `first + count - 1`. Comes in rising order, without gaps, from one thread; `count` is the
    /// step given to open(), but for the last panel. May wait, and may throw.
    virtual void advance(Index /*first*/, Index /*count*/) {}

    /// A tile of the panel that is ready: column i is sample row + i, restricted to variables col,
    /// col + 1, ... Several threads may call it at once; it does not throw.
    virtual void load(Index row, Index col, Block tile) const = 0;
  };

  /// A walk in panels of `step` samples or variables.
  virtual std::unique_ptr<Pass> open(Along along, Index step) const = 0;

  /// Bytes that the panel of a pass may take. A kind with a small budget of memory says less.
  virtual Index panel_bytes() const;

  /// What measure() needs: m, and for each variable of S - m 1' its mean and the sum of squares
  /// about it. `largest` is the largest stored magnitude of each variable. Throws where a value is
  /// not finite.
  struct Moments {
    Vector row_means;  ///< empty where row means stay
    Vector means, squares, largest;
  };
  virtual Moments moments(bool remove_row_mean) const;
  [[noreturn]] static void refuse(double value, Index row, Index col);

  void do_times(ConstBlock x, Block y, const Tick& tick) const override;
  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override;
  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override;
  void do_gram(Block g, const Tick& tick) const override;
  void do_outer_gram(Block g, const Tick& tick) const override;

  // The same algebra for kinds that multiply by S itself.
  Matrix scaled(ConstBlock x) const;                    ///< D x
  void correct_times(const Matrix& dx, Block y) const;  ///< y = S D x becomes A x
  void correct_adjoint(ConstBlock y, Block x) const;    ///< x = S'y becomes A'y

  const Vector& row_means() const { return row_means_; }

 private:
  template <class Visit>
  void for_panels(Along along, const Tick& tick, Visit visit) const;
  void read(const Pass& pass, Index row, Index col, Block panel) const;

  Vector row_means_;       ///< m, empty where row means stay
  Vector inverse_scales_;  ///< the diagonal of D
};

}  // namespace spcart
