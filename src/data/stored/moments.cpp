#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "data/preparation.hpp"
#include "data/stored/lines.hpp"
#include "data/stored/panels.hpp"
#include "data/stored/stored.hpp"

namespace spcart {
namespace {

/// Half the number of operations for measuring an entry.
constexpr Index kOperations = 4;

/// Variables and samples that are measured together: as many as stay in cache.
constexpr Index kStripHeight = 1024, kWidestStrip = 16;
Index strip_width(Index height) {
  return std::clamp<Index>(kStripHeight * kWidestStrip / height, 4, kWidestStrip);
}

/// Up to this size, and above it if memory allows, every thread has its own sum of A'A, so that
/// none waits for another, over this many samples at once: they are still in cache when they are
/// multiplied.
constexpr Index kSmall = 256, kDepth = 192;

}  // namespace

/// The pass that measures the moments of a table and, if requested, its Gram matrix.
///
/// The sums are those of differences from an origin, the mean of all samples of the panels before.
/// With N samples so far, r the sum of their differences and Q that of the squares, the squares
/// about their mean are Q - r^2 / N, and the origin moves there (the updating of Chan, Golub and
/// LeVeque, except that the panel's differences are from the old origin). No digits are lost even
/// if the data drift: since a panel is no larger than what came before it, at least half of Q is
/// left. The first origin is the mean of the panel's first w samples, computed about the first
/// sample: for a constant variable it is exactly the value, and for any other at least w / N of Q
/// is left.
template <class Real>
class StoredMatrix::Survey {
 public:
  Survey(const StoredMatrix& a, bool remove_row_mean, bool gram)
      : a_(a),
        p_(a.cols()),
        step_(a.panel_step(Along::rows, sizeof(Real), kForGram)),
        ranges_(static_cast<std::size_t>(std::min(threads(), step_))),
        left_(Vector::Zero(p_)) {
    if (remove_row_mean) m_.row_means.resize(a.rows());
    // Whole samples if their means are to be removed.
    height_ = remove_row_mean ? p_ : std::min(p_, kStripHeight);
    for (auto& range : ranges_)
      range.strip.resize(padded(height_), std::min(strip_width(height_), step_));
    m_.squares = Vector::Zero(p_);
    if (!gram) return;
    m_.gram.resize(p_, p_);
    panel_.resize(padded(p_), step_);
    moves_.resize(p_, kMostMoves);
    const Index own = p_ * p_ * static_cast<Index>(ranges_.size() * sizeof(double));
    if (p_ > kSmall && own > a.panel_bytes() / 2) return;
    for (auto& range : ranges_) {
      range.total.resize(p_, p_);
      range.gram.emplace(range.total);
    }
  }

  Moments run(const Tick& tick) {
    std::optional<PanelSum<Real>> gram;
    if (m_.gram.size() > 0) gram.emplace(m_.gram);
    a_.walk(Along::rows, step_, tick, [&](const Pass& pass, Index row, Index count) {
      if (row == 0) choose_origin(pass, count);
      measure_panel(pass, row, count);
      if (gram && !ranges_.front().gram) {
        const auto begin = Clock::now();
        gram->add(count, [&](auto& to) { add_outer(panel_.topLeftCorner(p_, count), to); });
        m_.gram_seconds += seconds_since(begin);
      }
      move_origin(row + count);
      if (!left_.allFinite() || !m_.squares.allFinite()) reject_part(pass, row, count);
    });
    const auto begin = Clock::now();
    if (gram) gram->finish();
    if (gram) finish_gram();
    m_.gram_seconds += seconds_since(begin);
    m_.means = origin_ + left_ / static_cast<double>(a_.rows());
    m_.squares = m_.squares.cwiseMax(0.0);
    m_.largest = m_.means.cwiseAbs();
    return std::move(m_);
  }

 private:
  /// Sums over a range of a panel's samples, and memory for a strip of them.
  struct Range {
    Vector sums, squares;
    Matrix strip;
    Matrix total;  ///< this range's part of A'A over all panels, if it has its own
    std::optional<PanelSum<Real>> gram;
    double gram_seconds = 0;
  };

  static constexpr Index kMostMoves = 32;
  static constexpr bool kSingle = std::is_same_v<Real, float>;

  void choose_origin(const Pass& pass, Index count) {
    Matrix strip(p_, std::min(strip_width(p_), count));
    pass.load(0, 0, strip);
    if (m_.row_means.size() > 0) strip.rowwise() -= strip.colwise().mean().eval();
    origin_ = strip.col(0);
    origin_ += (strip.colwise() - origin_).rowwise().mean();
    if (kSingle) unit_ = unit_of((strip.colwise() - origin_).cwiseAbs().maxCoeff());
  }

  void measure_panel(const Pass& pass, Index row, Index count) {
    const auto ranges = static_cast<Index>(ranges_.size());
#pragma omp parallel for schedule(static) if (ranges > 1)
    for (Index t = 0; t < ranges; ++t)
      measure_range(pass, row, count * t / ranges, count * (t + 1) / ranges,
                    ranges_[static_cast<std::size_t>(t)]);
  }

  /// Columns `first` to `last - 1` of the panel that begins with sample `row`.
  void measure_range(const Pass& pass, Index row, Index first, Index last, Range& range) {
    range.sums = range.squares = Vector::Zero(p_);
    std::array<double, kWidestStrip> row_means{};
    Index added = first;  // the samples before this one are added to A'A
    for (Index i = first; i < last; i += range.strip.cols()) {
      const Index width = std::min(range.strip.cols(), last - i);
      for (Index j = 0; j < p_; j += height_) {
        const Index height = std::min(height_, p_ - j);
        Block strip = room_for(i, j, width, height, range);
        pass.load(row + i, j, strip);
        if (m_.row_means.size() > 0)
          for (Index k = 0; k < width; ++k)
            m_.row_means[row + i + k] = row_means[static_cast<std::size_t>(k)] =
                strip.col(k).mean();
        measure_strip(strip.data(), strip.outerStride(), height,
                      {row_means.data(), static_cast<std::size_t>(width)}, origin_.data() + j,
                      range.sums.data() + j, range.squares.data() + j);
        if constexpr (kSingle)
          if (panel_.size() > 0) panel_.block(j, i, height, width) = (strip / unit_).cast<float>();
      }
      if (const Index waiting = i + width - added;
          range.gram && (waiting >= kDepth || i + width == last)) {
        const auto begin = Clock::now();
        range.gram->add(waiting,
                        [&](auto& to) { add_outer(panel_.block(0, added, p_, waiting), to); });
        range.gram_seconds += seconds_since(begin);
        added += waiting;
      }
    }
  }

  /// In double precision the strip becomes a part of the panel in place.
  Block room_for(Index i, Index j, Index width, Index height, Range& range) {
    if constexpr (!kSingle)
      if (panel_.size() > 0) return panel_.block(j, i, height, width);
    return range.strip.topLeftCorner(height, width);
  }

  void move_origin(Index count) {
    const auto n = static_cast<double>(count);
    for (const auto& range : ranges_) {
      left_ += range.sums;
      m_.squares += range.squares;
    }
    m_.squares -= left_.cwiseAbs2() / n;
    if (m_.gram.size() > 0) {
      moves_.col(move_count_++) = left_ / (std::sqrt(n) * unit_);
      if (move_count_ == kMostMoves) subtract_moves();
    }
    const Vector mean = origin_ + left_ / n;
    left_ -= n * (mean - origin_);
    origin_ = mean;
  }

  void subtract_moves() {
    add_outer(moves_.leftCols(move_count_), m_.gram, -1);
    move_count_ = 0;
  }

  void finish_gram() {
    double longest = 0;  // of the ranges, which are summed in parallel
    for (auto& range : ranges_)
      if (range.gram) {
        longest = std::max(longest, range.gram_seconds);
        range.gram->finish();
        m_.gram += range.total;
      }
    m_.gram_seconds += longest;
    subtract_moves();
    m_.gram *= unit_ * unit_;
    if constexpr (kSingle) {
      // A unit from the first samples may have been too large or too small for the others.
      constexpr double kTolerance = 1e-4;
      const double expected = m_.squares.sum();
      if (!(std::abs(m_.gram.trace() - expected) <= kTolerance * expected)) m_.gram.resize(0, 0);
    }
  }

  /// If the sums are not finite, either a value is not finite or its square is too large.
  void reject_part(const Pass& pass, Index row, Index count) {
    Vector sample(p_);
    for (Index i = row; i < row + count; ++i) {
      pass.load(i, 0, sample);
      for (Index j = 0; j < p_; ++j)
        if (!std::isfinite(sample[j])) reject(sample[j], i, j);
    }
    reject_size();
  }

  const StoredMatrix& a_;
  Index p_, step_;
  Index height_ = 0;  ///< of a strip
  std::vector<Range> ranges_;
  Moments m_;
  Vector origin_;
  Vector left_;      ///< the sum of the differences of all samples so far from the origin
  double unit_ = 1;  ///< of the panel and the Gram matrix
  Eigen::MatrixX<Real> panel_;
  Matrix moves_;  ///< columns r / sqrt(N) that are still to be subtracted from the Gram matrix
  Index move_count_ = 0;
};

StoredMatrix::Moments StoredMatrix::moments(const Preparation& preparation, const Tick& tick,
                                            FormGram form_gram) const {
  const bool gram = form_gram == FormGram::yes && is_gram_kept(rows(), cols());
  const ThreadScope scope(gram ? threads_for(rows(), cols(), cols())
                               : threads_for(rows(), cols(), kOperations));
  if (!gram && order() == Along::columns)
    return moments_by_columns(preparation.remove_row_mean, tick);
  return with_real(gram ? preparation.precision : Precision::full, [&]<class Real>(Real) {
    return Survey<Real>(*this, preparation.remove_row_mean, gram).run(tick);
  });
}

}  // namespace spcart
