#include "data/known_gram.hpp"

#include <utility>

#include "linalg/lapack.hpp"

namespace spcart {

KnownGram::KnownGram(Matrix gram, std::optional<Index> samples, Preparation used,
                     std::vector<Index> constant_columns)
    : DataMatrix(gram.rows(), gram.cols(), samples, static_cast<double>(gram.size())),
      gram_(std::move(gram)) {
  set_statistics(std::move(used), gram_.diagonal().cwiseMax(0.0), std::move(constant_columns));
}

const Matrix& KnownGram::root() const {
  std::call_once(root_made_, [this] {
    const SymmetricEigen e = symmetric_eigen(gram_, cols());
    root_ = e.vectors * e.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * e.vectors.transpose();
  });
  return root_;
}

void KnownGram::do_times(ConstBlock x, Block y, const Tick&) const { y.noalias() = root() * x; }

void KnownGram::do_adjoint_times(ConstBlock y, Block x, const Tick&) const {
  x.noalias() = root() * y;
}

void KnownGram::do_gram_times(ConstBlock x, Block y, const Tick&) const { y.noalias() = gram_ * x; }

void KnownGram::do_gram(Block g, const Tick&) const { g = gram_; }

void KnownGram::do_outer_gram(Block g, const Tick&) const { g = gram_; }

void KnownGram::do_gram_of(std::span<const Index> variables, Block g, const Tick&) const {
  const std::vector<Index> chosen(variables.begin(), variables.end());
  g = gram_(chosen, chosen);
}

void remove_row_means(Matrix& s) {
  const Vector row_means = s.rowwise().mean();
  s.colwise() -= row_means;
  s.rowwise() -= row_means.transpose();
  s.array() += row_means.mean();
}

}  // namespace spcart
