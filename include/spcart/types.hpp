#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <functional>

namespace spcart {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// A read-only and a writable block of column vectors: any Eigen matrix or part of one.
using ConstBlock = const Eigen::Ref<const Matrix>&;
using Block = Eigen::Ref<Matrix>;

/// Sparse loadings X, p x r: one column per component.
using Loadings = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;

/// Called now and then in long work with the finished fraction of it (0 to 1). It may throw, which
/// ends the work cleanly: the exception reaches the caller.
using Tick = std::function<void(double)>;

}  // namespace spcart
