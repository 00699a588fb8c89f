#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/preparation.hpp"
#include "spcart/data.hpp"

namespace spcart::mpi {

/// For each variable: the number of values, their mean, and the sum of squares about it.
using Moments = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// Moments of no values.
Moments no_moments(Index variables);

/// Merges the moments of both (Chan, Golub and LeVeque): exact for a constant variable, and no
/// digits are lost however far the means are apart.
void merge(const Eigen::Ref<const Moments>& more, Eigen::Ref<Moments> into);

/// The rows of A that a rank has. Every part of them is prepared by its own means, which needs no
/// other rank and a single pass. With B the rows of a part about their means b, and c and D the
/// means and inverse scales of A, the part of A is (B + 1 (b - c)') D; since 1'B = 0, its share of
/// A'A is D (B'B + n (b - c)(b - c)') D. Large means do no harm: nothing large is ever subtracted.
class LocalRows {
 public:
  /// `names` are those of the tables in messages, or none.
  LocalRows(std::span<const Table> tables, std::span<const std::string> names, Index cols,
            const Preparation& preparation, const Tick& tick, FormGram gram = FormGram::no);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  double entries() const { return entries_; }
  double gram_seconds() const { return gram_seconds_; }  ///< that A'A took while measuring
  const Moments& moments() const { return moments_; }
  const Vector& rounding() const {
    return rounding_;
  }  ///< see StoredMatrix; the largest of all parts

  /// Sets the means and inverse scales of A: to be called before any product.
  void prepare(const Vector& means, Vector inverse_scales);

  Matrix times(ConstBlock x, const Tick& tick) const;          ///< these rows of A x
  Matrix adjoint_times(ConstBlock y, const Tick& tick) const;  ///< their part of A'y
  Matrix gram_times(ConstBlock x, const Tick& tick) const;     ///< their part of A'A x
  Matrix gram(const Tick& tick) const;                         ///< their part of A'A

 private:
  struct Part {
    std::unique_ptr<DataMatrix> about_means;  ///< B
    Vector shift;                             ///< b - c
  };

  Index rows_ = 0, cols_;
  double entries_ = 0, gram_seconds_ = 0;
  Moments moments_;
  Vector rounding_;
  Vector inverse_scales_;  ///< the diagonal of D
  std::vector<Part> parts_;
};

}  // namespace spcart::mpi
