#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data/preparation.hpp"
#include "data/stored/stored.hpp"
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

  /// Some of these rows as rows of another matrix, as spcart::select_rows has them. `rows` are
  /// ascending.
  LocalRows select(std::span<const Index> rows, const Preparation& preparation, const Tick& tick,
                   FormGram gram) const;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  double entries() const { return entries_; }
  double gram_seconds() const { return gram_seconds_; }  ///< that A'A took while measuring
  const Moments& moments() const { return moments_; }
  const Vector& rounding() const {
    return rounding_;
  }  ///< see StoredMatrix; the largest of all parts

  /// Whether rows can be selected and permuted: if all of them are in memory.
  bool in_memory() const;

  /// Calls visit(values, row_means) for each part: its stored table, a DenseView or a SparseView,
  /// and the means that are subtracted from its rows, if any are.
  template <class Visit>
  void for_each_part(Visit visit) const {
    for (const Part& part : parts_)
      if (const auto* dense = std::get_if<DenseView>(&part.values))
        visit(*dense, part.about_means->row_means());
      else if (const auto* sparse = std::get_if<SparseView>(&part.values))
        visit(*sparse, part.about_means->row_means());
  }

  /// Sets the means and inverse scales of A: to be called before any product.
  void prepare(const Vector& means, Vector inverse_scales);

  Matrix times(ConstBlock x, const Tick& tick) const;          ///< these rows of A x
  Matrix adjoint_times(ConstBlock y, const Tick& tick) const;  ///< their part of A'y
  Matrix gram_times(ConstBlock x, const Tick& tick) const;     ///< their part of A'A x
  Matrix gram(const Tick& tick) const;                         ///< their part of A'A

 private:
  using Values = decltype(Table::values);
  struct Part {
    std::unique_ptr<StoredMatrix> about_means;  ///< B
    Values values;  ///< that B is made of; empty for selected dense rows, which are read in place
    Vector shift = {};  ///< b - c
  };

  explicit LocalRows(Index cols);
  void add(std::unique_ptr<DataMatrix> about_means, Values values);

  Index rows_ = 0, cols_;
  double entries_ = 0, gram_seconds_ = 0;
  Moments moments_;
  Vector rounding_;
  Vector inverse_scales_;  ///< the diagonal of D
  std::vector<Part> parts_;
};

}  // namespace spcart::mpi
