#include "lapack.hpp"

#include <fmt/format.h>
#include <lapacke.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace spcart {
namespace {

/// Beyond this part of the spectrum all of it by divide and conquer is the faster way.
constexpr double kMost = 0.3;

lapack_int as_int(Index size) {
  if (size > 46340)  // its square must be countable
    throw std::runtime_error(fmt::format("a dense {} x {} decomposition is too large", size, size));
  return static_cast<lapack_int>(size);
}

void check_info(const char* routine, lapack_int info) {
  if (info != 0) throw std::runtime_error(fmt::format("{} failed with code {}", routine, info));
}

SymmetricEigen all_eigenpairs(Matrix c) {
  const lapack_int n = as_int(c.rows());
  Vector values(n);
  check_info("dsyevd", LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, c.data(), n, values.data()));
  return {std::move(values), std::move(c)};
}

SymmetricEigen some_eigenpairs(Matrix c, Index count) {
  const lapack_int n = as_int(c.rows());
  Vector values(n);
  Matrix vectors(n, count);
  std::vector<lapack_int> support(2 * static_cast<std::size_t>(count));
  lapack_int found = 0;
  check_info("dsyevr", LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, c.data(), n, 0, 0,
                                      n - static_cast<lapack_int>(count) + 1, n, 0, &found,
                                      values.data(), vectors.data(), n, support.data()));
  return {values.head(found), std::move(vectors)};
}

}  // namespace

SymmetricEigen symmetric_eigen(Matrix c, Index count) {
  const Index n = c.rows();
  SymmetricEigen e = static_cast<double>(count) > kMost * static_cast<double>(n)
                         ? all_eigenpairs(std::move(c))
                         : some_eigenpairs(std::move(c), count);
  e.values = e.values.tail(count).reverse().eval();
  e.vectors = e.vectors.rightCols(count).rowwise().reverse().eval();
  return e;
}

bool is_positive_definite(Matrix c) {
  const lapack_int n = as_int(c.rows());
  return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, c.data(), n) == 0;
}

Polar polar(Matrix b) {
  const lapack_int n = as_int(b.rows());
  Vector d(n);
  Matrix w(n, n), qt(n, n);
  check_info("dgesdd", LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', n, n, b.data(), n, d.data(), w.data(),
                                      n, qt.data(), n));
  return {w * qt, d.sum()};
}

}  // namespace spcart
