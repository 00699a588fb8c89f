#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/preparation.hpp"
#include "spcart/data.hpp"

namespace spcart::mpi {

/// Of each variable: how many values there are, their mean, and the sum of squares about it.
using Moments = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// Moments of values of which there are none yet.
Moments no_moments(Index variables);

/// Those of both (Chan, Golub and LeVeque): exact for a variable that does not vary, and no digits
/// are lost however far the means are apart.
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
  double gram_seconds() const { return gram_seconds_; }  ///< that A'A took on the way
  const Moments& moments() const { return moments_; }
  const Vector& rounding() const {
    return rounding_;
  }  ///< see StoredMatrix; the largest of all parts

  /// Means and inverse scales of A: to be given before any product.
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
