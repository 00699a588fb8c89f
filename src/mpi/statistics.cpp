#include "mpi/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "mpi/check.hpp"

namespace spcart::mpi {
namespace {

extern "C" {
static void merge_moments(void* more, void* into, int* count, MPI_Datatype*) {
  // MPI passes the lower ranks first, in `more`.
  Moments sum = Eigen::Map<const Moments>(static_cast<double*>(more), 3, *count);
  Eigen::Map<Moments> to(static_cast<double*>(into), 3, *count);
  merge(to, sum);
  to = sum;
}
}

}  // namespace

Moments all_moments(const Ranks& ranks, const Moments& local) {
  constexpr Index kAtOnce = Index{1} << 20;  // MPI would hold a copy of everything
  MPI_Datatype triple = MPI_DATATYPE_NULL;
  MPI_Op merging = MPI_OP_NULL;
  check(MPI_Type_contiguous(3, MPI_DOUBLE, &triple), "make a type");
  check(MPI_Type_commit(&triple), "make a type");
  check(MPI_Op_create(merge_moments, /*commute=*/0, &merging), "make an operation");
  Moments sum = no_moments(local.cols());
  for (Index first = 0; first < local.cols(); first += kAtOnce)
    check(MPI_Reduce(local.col(first).data(), sum.col(first).data(),
                     static_cast<int>(std::min(kAtOnce, local.cols() - first)), triple, merging, 0,
                     ranks.communicator()),
          "merge");
  MPI_Op_free(&merging);
  MPI_Type_free(&triple);
  return sum;
}

Vector largest_at_root(const Ranks& ranks, const Vector& local) {
  Vector largest = local;
  check(MPI_Reduce(local.data(), largest.data(), static_cast<int>(local.size()), MPI_DOUBLE,
                   MPI_MAX, 0, ranks.communicator()),
        "find the largest");
  return largest;
}

Statistics statistics_of(const Moments& moments, const Vector& rounding,
                         const Preparation& preparation) {
  const double n = moments(0, 0);
  const Index p = moments.cols();
  const Vector means = moments.row(1).transpose(), squares = moments.row(2).transpose();
  Statistics s{.used = preparation, .inverse_scales = {}, .squared_norms = {}, .constant = {}};
  if (!preparation.center) s.used.means = Vector::Zero(p);
  if (!s.used.means) s.used.means = means;
  if (!preparation.scale) s.used.scales = Vector::Ones(p);
  if (!s.used.scales && preparation.genotypes) s.used.scales = genotype_scales(means);
  if (!s.used.scales) s.used.scales = (squares / std::max(n - 1, 1.0)).cwiseSqrt();
  s.inverse_scales = inverse_scales(*s.used.scales);
  for (Index j = 0; j < p; ++j) {
    if (std::sqrt(squares[j] / n) > rounding[j]) continue;
    if (preparation.scale && !preparation.scales) {
      s.constant.push_back(j);
      (*s.used.scales)[j] = 0;
      s.inverse_scales[j] = 0;
    } else if (preparation.center && !preparation.means) {
      s.inverse_scales[j] = 0;
    }
  }
  const Vector norms = squares + n * (means - *s.used.means).cwiseAbs2();
  s.squared_norms = norms.array() * s.inverse_scales.array().square();
  return s;
}

}  // namespace spcart::mpi
