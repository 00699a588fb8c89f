#include "spcart/sample_moments.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "data/known_gram.hpp"
#include "data/preparation.hpp"
#include "spcart/error.hpp"

namespace spcart {
namespace {

/// Of the samples of a matrix that is centred and not otherwise prepared.
SampleMoments moments_of(const DataMatrix& a, const Tick& tick) {
  return {.samples = *a.samples(), .means = a.means(), .scatter = a.gram(tick)};
}

void check_moments(const SampleMoments& moments) {
  const Index p = moments.means.size();
  if (moments.scatter.rows() != p || moments.scatter.cols() != p || moments.samples < 0)
    throw Error(fmt::format("moments: {} samples, {} means and {} x {} sums do not fit together",
                            moments.samples, p, moments.scatter.rows(), moments.scatter.cols()));
  if (!moments.means.allFinite() || !moments.scatter.allFinite())
    throw Error("moments: not all of them are finite");
}

}  // namespace

void SampleMoments::add(const SampleMoments& others) {
  check_moments(others);
  if (others.samples == 0) return;
  if (samples == 0) {
    *this = others;
    return;
  }
  if (means.size() != others.means.size())
    throw Error(fmt::format("moments: those of {} and of {} variables cannot be added",
                            means.size(), others.means.size()));
  const auto n = static_cast<double>(samples), m = static_cast<double>(others.samples);
  const Vector between = others.means - means;
  means += m / (n + m) * between;
  scatter += others.scatter;
  scatter.noalias() += (n * m / (n + m) * between) * between.transpose();
  samples += others.samples;
}

SampleMoments moments_of(const Table& table, const Tick& tick) {
  if (table.covariance) throw Error("moments: a covariance has none, they are those of samples");
  return moments_of(*make_matrix(table, {}, tick, FormGram::yes), tick);
}

SampleMoments moments_of(const RowSource& source, const Tick& tick) {
  return moments_of(*make_rows(source, {}, tick, FormGram::yes), tick);
}

std::unique_ptr<DataMatrix> make_moments(SampleMoments moments, const Preparation& preparation) {
  constexpr double kNoVariation = 1e-14;  // of a mean: the rest is rounding error
  check_moments(moments);
  if (moments.samples < 1) throw Error("moments: they have no samples");
  const auto n = static_cast<double>(moments.samples);
  const Index p = moments.means.size();
  check_preparation(preparation, p);
  Matrix gram = std::move(moments.scatter);
  Vector means = std::move(moments.means);
  if (preparation.remove_row_mean) {
    remove_row_means(gram);
    means.array() -= means.mean();
  }
  const Vector deviations = (gram.diagonal().cwiseMax(0.0) / std::max(n - 1, 1.0)).cwiseSqrt();

  Preparation used = in_double(preparation);
  if (!preparation.center) used.means = Vector::Zero(p);
  if (!used.means) used.means = means;
  if (!preparation.scale) used.scales = Vector::Ones(p);
  if (!used.scales) used.scales = preparation.genotypes ? genotype_scales(means) : deviations;
  Vector inverse = inverse_scales(*used.scales);
  std::vector<Index> constant;
  for (Index j = 0; j < p; ++j) {
    if (deviations[j] > kNoVariation * std::abs(means[j])) continue;
    if (preparation.scale && !preparation.scales) {
      constant.push_back(j);
      (*used.scales)[j] = inverse[j] = 0;
    } else if (preparation.center && !preparation.means) {
      inverse[j] = 0;
    }
  }
  const Vector beside_means = means - *used.means;
  gram.noalias() += n * beside_means * beside_means.transpose();
  gram = inverse.asDiagonal() * gram * inverse.asDiagonal();
  return std::make_unique<KnownGram>(std::move(gram), moments.samples, std::move(used),
                                     std::move(constant));
}

}  // namespace spcart
