#include <algorithm>

#include "methods/power.hpp"

namespace spcart {
namespace {

/// The principal components, without those that only complete the basis.
Matrix principal_start(const Task& task, MethodResult& found) {
  const Index r = task.components, rank = std::min(task.basis.rank, r);
  Matrix x = Matrix::Zero(task.a.cols(), r);
  x.leftCols(rank) = task.basis.vectors.leftCols(rank);
  if (rank < r) warn_of_used_up_variance(rank, r, found);
  return x;
}

/// The values on the support of X that the authors of GPower propose: they maximise tr(Y'AX) over
/// orthonormal Y and X with unit columns.
Matrix filled(const Task& task, const Gram& gram, const Matrix& x) {
  MethodResult iterations;  // their objective differs from that of those before
  Task closer = task;
  closer.tolerance /= 10;
  const Matrix support = (x.array() != 0).cast<double>();
  const auto values_there = [&](Index i, const Vector& z, Vector& column) {
    column = z.cwiseProduct(support.col(i));
    const double length = column.norm();
    if (length > 0) column /= length;
    return length * length;
  };
  return PowerIteration(closer, gram, iterations).run(x, values_there);
}

}  // namespace

MethodResult fit_rsvd_gpb(const Task& task) {
  const Gram gram(task.a, task.tick);
  MethodResult found;
  const PowerIteration power(task, gram, found);
  found.loadings =
      power.run(principal_start(task, found), relative_truncation(task.truncation, gram.size()))
          .sparseView(0, 0);
  found.origin = truncated_units(found.loadings);
  return found;
}

MethodResult fit_gpowerb(const Task& task) {
  const Gram gram(task.a, task.tick);
  MethodResult found;
  const PowerIteration power(task, gram, found, PowerIteration::End::one_later);
  Matrix x =
      power.run(principal_start(task, found), penalty(task.truncation, gram.diagonal().maxCoeff()));
  if (task.post_fit) x = filled(task, gram, x);
  found.loadings = x.sparseView(0, 0);
  return found;
}

}  // namespace spcart
