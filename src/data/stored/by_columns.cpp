#include <array>
#include <cmath>
#include <utility>

#include "base/parallel.hpp"
#include "data/stored/panels.hpp"
#include "data/stored/stored.hpp"

namespace spcart {
namespace {

/// Variables and samples that are measured together: as many as stay in cache.
constexpr Index kHeight = 16, kWidth = 512;

/// Variables of a strip that is multiplied while it is in cache.
constexpr Index kStrip = 32;

/// Samples of a strip, a multiple of those in a byte of genotypes, if this many threads share them.
Index strip_width(Index samples, Index threads) {
  constexpr Index kMost = 1024, kMultiple = 16;
  const Index share = (samples + threads - 1) / threads;
  return std::min(kMost, (share + kMultiple - 1) / kMultiple * kMultiple);
}

using Group = Eigen::Array<double, Eigen::Dynamic, 1, 0, kHeight, 1>;

}  // namespace

/// A strip holds samples as rows and variables as columns, prepared as panels are.
template <class Real>
void StoredMatrix::read_columns(const Pass& pass, Index row, Index col,
                                Eigen::Ref<Eigen::MatrixX<Real>> strip) const {
  const double *m = means().data() + col, *d = panel_scales_.data() + col;
  bool prepared = true;
  for (Index k = 0; k < strip.cols() && prepared; ++k)
    prepared = pass.prepare(row, col + k, strip.rows(), m[k], d[k], strip.col(k).data());
  if (!prepared) {
    Matrix tile(strip.cols(), strip.rows());
    pass.load(row, col, tile);
    for (Index k = 0; k < strip.cols(); ++k)
      strip.col(k) = ((tile.row(k).array() - m[k]) * d[k]).transpose().template cast<Real>();
  }
  if (row_means_.size() > 0)
    for (Index k = 0; k < strip.cols(); ++k)
      strip.col(k) -= (row_means_.segment(row, strip.rows()) * d[k]).template cast<Real>();
}

/// Every thread has samples of its own.
template <class Real>
void StoredMatrix::times_by_columns(ConstBlock x, Block y, const Tick& tick) const {
  const Factor<Real> factor{x};
  PanelSum<Real> sum(y);
  const Index step = panel_step(Along::columns, sizeof(Real), kForProducts);
  const Index width = strip_width(rows(), threads());
  walk(Along::columns, step, tick, [&](const Pass& pass, Index first, Index count) {
    sum.add(count, [&](auto& to) {
      parallel_for((rows() + width - 1) / width, rows() > width, [&](Index part) {
        const Index row = part * width, samples = std::min(width, rows() - row);
        Eigen::MatrixX<Real> strip(samples, kStrip);
        for (Index j = 0; j < count; j += kStrip) {
          auto some = strip.leftCols(std::min(kStrip, count - j));
          read_columns<Real>(pass, row, first + j, some);
          to.middleRows(row, samples).noalias() +=
              some * factor.values.middleRows(first + j, some.cols());
        }
      });
    });
  });
  sum.finish();
  factor.finish(y, unit_);
}

/// Every thread has variables of its own. The sums over a strip of samples are added in double.
template <class Real>
void StoredMatrix::adjoint_by_columns(ConstBlock y, Block x, const Tick& tick) const {
  const Factor<Real> factor{y};
  const Index step = panel_step(Along::columns, sizeof(Real), kForProducts);
  const Index width = strip_width(rows(), 1);
  walk(Along::columns, step, tick, [&](const Pass& pass, Index first, Index count) {
    parallel_for((count + kStrip - 1) / kStrip, count > kStrip, [&](Index part) {
      const Index col = first + part * kStrip, variables = std::min(kStrip, first + count - col);
      Matrix sum = Matrix::Zero(variables, y.cols());
      Eigen::MatrixX<Real> strip(width, variables), product(variables, y.cols());
      for (Index row = 0; row < rows(); row += width) {
        auto some = strip.topRows(std::min(width, rows() - row));
        read_columns<Real>(pass, row, col, some);
        product.noalias() = some.transpose() * factor.values.middleRows(row, some.rows());
        sum += product.template cast<double>();
      }
      x.middleRows(col, variables) = sum;
    });
  });
  factor.finish(x, unit_);
}

template void StoredMatrix::times_by_columns<double>(ConstBlock, Block, const Tick&) const;
template void StoredMatrix::times_by_columns<float>(ConstBlock, Block, const Tick&) const;
template void StoredMatrix::adjoint_by_columns<double>(ConstBlock, Block, const Tick&) const;
template void StoredMatrix::adjoint_by_columns<float>(ConstBlock, Block, const Tick&) const;

/// Measures variables one panel after the other. All samples of a variable are at hand, so that its
/// squares are summed about its own mean.
class StoredMatrix::ColumnSurvey {
 public:
  ColumnSurvey(const StoredMatrix& a, bool remove_row_mean) : a_(a) {
    if (remove_row_mean) m_.row_means = Vector::Zero(a.rows());
    m_.means.resize(a.cols());
    m_.squares.resize(a.cols());
  }

  Moments run(const Tick& tick) {
    const Index step = a_.panel_step(Along::columns, sizeof(double), kForProducts);
    if (m_.row_means.size() > 0) measure_row_means(step, tick);
    a_.walk(Along::columns, step, tick, [&](const Pass& pass, Index first, Index count) {
      const Index groups = (count + kHeight - 1) / kHeight;
#pragma omp parallel for schedule(static) if (count * a_.rows() > kWorthThreads)
      for (Index g = 0; g < groups; ++g)
        measure_group(pass, first + g * kHeight, std::min(kHeight, count - g * kHeight));
      if (!m_.squares.segment(first, count).allFinite()) reject_part(pass, first, count);
    });
    m_.largest = m_.means.cwiseAbs();
    return std::move(m_);
  }

 private:
  void measure_row_means(Index step, const Tick& tick) {
    a_.walk(Along::columns, step, tick, [&](const Pass& pass, Index first, Index count) {
#pragma omp parallel for schedule(static) if (count * a_.rows() > kWorthThreads)
      for (Index i = 0; i < a_.rows(); i += kWidth) {
        const Index width = std::min(kWidth, a_.rows() - i);
        Matrix tile(std::min(kHeight, count), width);
        for (Index j = 0; j < count; j += kHeight) {
          auto part = tile.topRows(std::min(kHeight, count - j));
          pass.load(i, first + j, part);
          m_.row_means.segment(i, width) += part.colwise().sum().transpose();
        }
      }
    });
    m_.row_means /= static_cast<double>(a_.cols());
  }

  /// Calls add(sample) for every sample, restricted to some variables.
  template <class Add>
  void for_samples(const Pass& pass, Index col, Index count, Add add) const {
    std::array<double, kHeight * kWidth> room;
    for (Index i = 0; i < a_.rows(); i += kWidth) {
      Eigen::Map<Matrix> tile(room.data(), count, std::min(kWidth, a_.rows() - i));
      pass.load(i, col, tile);
      if (m_.row_means.size() > 0)
        tile.rowwise() -= m_.row_means.segment(i, tile.cols()).transpose();
      for (Index k = 0; k < tile.cols(); ++k) add(tile.col(k).array());
    }
  }

  /// The mean is computed about the first sample: for a constant variable it is exactly the value.
  void measure_group(const Pass& pass, Index col, Index count) {
    const auto n = static_cast<double>(a_.rows());
    Group origin(count), sum = Group::Zero(count), rest = sum, squares = sum;
    bool begun = false;
    for_samples(pass, col, count, [&](const auto& sample) {
      if (!std::exchange(begun, true)) origin = sample;
      sum += sample - origin;
    });
    const Group mean = origin + sum / n;
    for_samples(pass, col, count, [&](const auto& sample) {
      rest += sample - mean;
      squares += (sample - mean).square();
    });
    m_.means.segment(col, count) = mean + rest / n;
    m_.squares.segment(col, count) = (squares - rest.square() / n).max(0.0);
  }

  /// If the sums are not finite, either a value is not finite or its square is too large.
  void reject_part(const Pass& pass, Index first, Index count) {
    Vector sample(count);
    for (Index i = 0; i < a_.rows(); ++i) {
      pass.load(i, first, sample);
      for (Index j = 0; j < count; ++j)
        if (!std::isfinite(sample[j])) reject(sample[j], i, first + j);
    }
    reject_size();
  }

  const StoredMatrix& a_;
  Moments m_;
};

StoredMatrix::Moments StoredMatrix::moments_by_columns(bool remove_row_mean,
                                                       const Tick& tick) const {
  return ColumnSurvey(*this, remove_row_mean).run(tick);
}

}  // namespace spcart
