#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "data/stored/gram_product.hpp"
#include "data/stored/lines.hpp"
#include "data/stored/panels.hpp"
#include "data/stored/stored.hpp"

namespace spcart {
namespace {

/// Variables and samples of a tile: it is prepared while it is in cache.
constexpr Index kTileHeight = 256, kTileWidth = 8;

/// Reports the progress of one of two walks.
Tick half_of(const Tick& tick, int which) {
  if (!tick) return {};
  return [&tick, which](double done) { tick((which + done) / 2); };
}

}  // namespace

Index StoredMatrix::panel_step(Along along, std::size_t number, PanelSize size) const {
  constexpr Index kLeast = 16;
  const Index lines = along == Along::rows ? rows() : cols();
  const Index line_bytes = (along == Along::rows ? cols() : rows()) * static_cast<Index>(number);
  const Index wanted = std::max(size.bytes / line_bytes, size.least);
  return std::min(std::max(std::min(wanted, panel_bytes() / line_bytes), kLeast), lines);
}

template <class Real>
void StoredMatrix::read(const Pass& pass, Index row, Index col,
                        Eigen::Ref<Eigen::MatrixX<Real>> panel) const {
  const bool in_lines = pass.line(row, col).data != nullptr;
  const Index high = (panel.rows() + kTileHeight - 1) / kTileHeight;
  const Index wide = (panel.cols() + kTileWidth - 1) / kTileWidth;
#pragma omp parallel for schedule(static) if (panel.size() > kWorthThreads)
  for (Index t = 0; t < high * wide; ++t) {
    alignas(64) std::array<double, kTileHeight * kTileWidth> room;
    const Index j = t % high * kTileHeight, i = t / high * kTileWidth;
    Eigen::Map<Matrix> tile(room.data(), std::min(kTileHeight, panel.rows() - j),
                            std::min(kTileWidth, panel.cols() - i));
    if (!in_lines) pass.load(row + i, col + j, tile);
    for (Index k = 0; k < tile.cols(); ++k) {
      const double m = row_means_.size() > 0 ? row_means_[row + i + k] : 0;
      const Line line = in_lines ? pass.line(row + i + k, col + j) : Line{tile.col(k).data()};
      prepare_line(line, tile.rows(), m, means().data() + col + j, panel_scales_.data() + col + j,
                   panel.col(i + k).data() + j);
    }
  }
}

/// The parts of a panel, of whole samples (along rows) or of whole variables, each of which one
/// thread reads and multiplies while it is in cache. If many numbers are read for few products,
/// this is what makes threads pay off.
template <class Real>
class StoredMatrix::Strips {
 public:
  /// For panels of up to this many samples and variables.
  Strips(const StoredMatrix& a, Along along, Index samples, Index variables)
      : a_(a), by_row_(along == Along::rows) {
    constexpr Index kBytes = Index{1} << 18, kLeast = 4;
    const Index line = (by_row_ ? variables : samples) * static_cast<Index>(sizeof(Real));
    width_ = std::min(std::max(kBytes / line, kLeast), by_row_ ? samples : variables);
    for (Room& room : rooms_)
      room.resize(padded(by_row_ ? variables : width_), by_row_ ? width_ : samples);
  }

  Index team() const { return static_cast<Index>(rooms_.size()); }

  /// Calls visit(thread, row, col, strip) for every strip of the panel that begins at (row, col). A
  /// thread has the same part of the panel in every call.
  template <class Visit>
  void read(const Pass& pass, Index row, Index col, Index samples, Index variables, Visit visit) {
    const Index lines = by_row_ ? samples : variables;
#pragma omp parallel for schedule(static) if (team() > 1)
    for (Index t = 0; t < team(); ++t) {
      const Index end = lines * (t + 1) / team();
      for (Index i = lines * t / team(); i < end; i += width_) {
        const Index width = std::min(width_, end - i);
        auto strip = rooms_[static_cast<std::size_t>(t)].topLeftCorner(by_row_ ? variables : width,
                                                                       by_row_ ? width : samples);
        const Index at_row = by_row_ ? row + i : row, at_col = by_row_ ? col : col + i;
        a_.read<Real>(pass, at_row, at_col, strip);
        visit(t, at_row, at_col, strip);
      }
    }
  }

 private:
  using Room = Eigen::MatrixX<Real>;

  const StoredMatrix& a_;
  bool by_row_;
  Index width_ = 0;
  std::vector<Room> rooms_ = std::vector<Room>(static_cast<std::size_t>(threads()));
};

/// Products with panels of whole samples. A panel of few samples is read in strips of variables,
/// again for each product; any other is read once, and multiplied by all threads together.
template <class Real>
class StoredMatrix::PanelProducts {
 public:
  explicit PanelProducts(const StoredMatrix& a)
      : a_(a), step_(a.panel_step(Along::rows, sizeof(Real), kForProducts)) {
    constexpr Index kWide = 8;
    if (a.cols() >= kWide * step_)
      strips_.emplace(a, Along::columns, step_, a.cols());
    else
      buffer_.resize(padded(a.cols()), step_);
  }

  /// Calls visit(first sample, number of samples) for every panel, which can then be multiplied.
  template <class Visit>
  void walk(const Tick& tick, Visit visit) {
    a_.walk(Along::rows, step_, tick, [&](const Pass& pass, Index row, Index count) {
      pass_ = &pass;
      row_ = row;
      count_ = count;
      if (!strips_) a_.read<Real>(pass, row, 0, panel());
      visit(row, count);
    });
  }

  /// The panel's part of A x.
  const Eigen::MatrixX<Real>& times(const Eigen::Ref<const Eigen::MatrixX<Real>>& x) {
    if (!strips_) {
      product_.noalias() = panel().transpose() * x;
      return product_;
    }
    std::vector<Eigen::MatrixX<Real>> sums(static_cast<std::size_t>(strips_->team()),
                                           Eigen::MatrixX<Real>::Zero(count_, x.cols()));
    for_strips([&](Index t, Index col, const auto& strip) {
      sums[static_cast<std::size_t>(t)].noalias() +=
          strip.transpose() * x.middleRows(col, strip.rows());
    });
    product_ = std::move(sums.front());
    for (std::size_t t = 1; t < sums.size(); ++t) product_ += sums[t];
    return product_;
  }

  /// x += the panel's part of A'y, for the rows of y that belong to it.
  void add_adjoint(const Eigen::Ref<const Eigen::MatrixX<Real>>& y,
                   Eigen::Ref<Eigen::MatrixX<Real>> x) {
    if (!strips_) {
      x.noalias() += panel() * y;
      return;
    }
    for_strips([&](Index, Index col, const auto& strip) {
      x.middleRows(col, strip.rows()).noalias() += strip * y;
    });
  }

 private:
  auto panel() { return buffer_.topLeftCorner(a_.cols(), count_); }

  template <class Visit>
  void for_strips(Visit visit) {
    strips_->read(*pass_, row_, 0, count_, a_.cols(),
                  [&](Index t, Index, Index col, const auto& strip) { visit(t, col, strip); });
  }

  const StoredMatrix& a_;
  Index step_;
  std::optional<Strips<Real>> strips_;
  Eigen::MatrixX<Real> buffer_, product_;
  const Pass* pass_ = nullptr;
  Index row_ = 0, count_ = 0;
};

void StoredMatrix::do_times(ConstBlock x, Block y, const Tick& tick) const {
  with_real(preparation().precision, [&]<class Real>(Real) {
    if (order() == Along::columns) return times_by_columns<Real>(x, y, tick);
    const Factor<Real> factor{x};
    PanelProducts<Real> panels(*this);
    panels.walk(tick, [&](Index row, Index count) {
      y.middleRows(row, count) = panels.times(factor.values).template cast<double>();
    });
    factor.finish(y, unit_);
  });
}

void StoredMatrix::do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const {
  with_real(preparation().precision, [&]<class Real>(Real) {
    if (order() == Along::columns) return adjoint_by_columns<Real>(y, x, tick);
    const Factor<Real> factor{y};
    PanelSum<Real> sum(x);
    PanelProducts<Real> panels(*this);
    panels.walk(tick, [&](Index row, Index count) {
      sum.add(count,
              [&](auto& to) { panels.add_adjoint(factor.values.middleRows(row, count), to); });
    });
    sum.finish();
    factor.finish(x, unit_);
  });
}

void StoredMatrix::do_gram_times(ConstBlock x, Block y, const Tick& tick) const {
  if (has_gram()) {
    if (tick) tick(0);
    y.noalias() = gram_ * x;
    return;
  }
  if (order() == Along::columns) {
    Matrix t(rows(), x.cols());
    do_times(x, t, half_of(tick, 0));
    return do_adjoint_times(t, y, half_of(tick, 1));
  }
  with_real(preparation().precision, [&]<class Real>(Real) {
    const Factor<Real> factor{x};
    const Index step = panel_step(Along::rows, sizeof(Real), kForProducts);
    Strips<Real> strips(*this, Along::rows, step, cols());
    GramProduct<Real> product(factor.values, strips.team());
    walk(Along::rows, step, tick, [&](const Pass& pass, Index row, Index count) {
      strips.read(pass, row, 0, count, cols(),
                  [&](Index t, Index, Index, const auto& strip) { product.add(t, strip); });
      product.count(count);
    });
    product.finish(y);
    factor.finish(y, unit_ * unit_);
  });
}

/// The sum of P P' over panels P, or of P'P if they hold whole variables. For a small one, each
/// thread has its own sum.
template <class Real>
void StoredMatrix::sum_outer(Along along, Block g, const Tick& tick) const {
  constexpr Index kOwn = 256;
  const bool by_row = along == Along::rows;
  const Index step = panel_step(along, sizeof(Real), kForGram);
  const Index samples = by_row ? step : rows(), variables = by_row ? cols() : step;
  const auto add = [by_row](const auto& panel, auto& to) {
    by_row ? add_outer(panel, to) : add_outer(panel.transpose(), to);
  };
  PanelSum<Real> sum(g);
  if (g.rows() > kOwn) {
    Eigen::MatrixX<Real> buffer(padded(variables), samples);
    walk(along, step, tick, [&](const Pass& pass, Index first, Index count) {
      auto panel = buffer.topLeftCorner(by_row ? cols() : count, by_row ? count : rows());
      read<Real>(pass, by_row ? first : 0, by_row ? 0 : first, panel);
      sum.add(count, [&](auto& to) { add(panel, to); });
    });
  } else {
    Strips<Real> strips(*this, along, samples, variables);
    std::vector<Matrix> totals(static_cast<std::size_t>(strips.team()), Matrix(g.rows(), g.cols()));
    std::vector<PanelSum<Real>> own(totals.begin(), totals.end());
    walk(along, step, tick, [&](const Pass& pass, Index first, Index count) {
      strips.read(pass, by_row ? first : 0, by_row ? 0 : first, by_row ? count : rows(),
                  by_row ? cols() : count, [&](Index t, Index, Index, const auto& strip) {
                    own[static_cast<std::size_t>(t)].add(by_row ? strip.cols() : strip.rows(),
                                                         [&](auto& to) { add(strip, to); });
                  });
    });
    for (std::size_t t = 0; t < own.size(); ++t) {
      own[t].finish();
      g += totals[t];
    }
  }
  sum.finish();
  g *= unit_ * unit_;
  mirror(g);
}

void StoredMatrix::do_gram(Block g, const Tick& tick) const {
  if (has_gram()) {
    g = gram_;
    return;
  }
  with_real(preparation().precision,
            [&]<class Real>(Real) { sum_outer<Real>(Along::rows, g, tick); });
}

void StoredMatrix::do_outer_gram(Block g, const Tick& tick) const {
  with_real(preparation().precision,
            [&]<class Real>(Real) { sum_outer<Real>(Along::columns, g, tick); });
}

void StoredMatrix::outer_gram_by_products(Block g, const Tick& tick) const {
  constexpr Index kLeast = 16;
  const Index fitting = panel_bytes() / (cols() * static_cast<Index>(sizeof(double)));
  const Index step = std::clamp(fitting, std::min(kLeast, rows()), rows());
  for (Index first = 0; first < rows(); first += step) {
    const Index count = std::min(step, rows() - first);
    Matrix units = Matrix::Zero(rows(), count), x(cols(), count);
    units.middleRows(first, count).setIdentity();
    const auto part = [&](double done) {
      if (tick)
        tick((static_cast<double>(first) + done * static_cast<double>(count)) /
             static_cast<double>(rows()));
    };
    do_adjoint_times(units, x, part);
    do_times(x, g.middleCols(first, count), part);
  }
  mirror(g);
}

/// The variables are gathered from each panel as it is read.
void StoredMatrix::do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const {
  const std::vector<Index> chosen(variables.begin(), variables.end());
  if (has_gram()) {
    g = gram_(chosen, chosen);
    return;
  }
  with_real(preparation().precision, [&]<class Real>(Real) {
    const Index step = panel_step(Along::rows, sizeof(Real), kForProducts);
    PanelSum<Real> sum(g);
    Eigen::MatrixX<Real> buffer(padded(cols()), step), gathered(padded(g.rows()), step);
    walk(Along::rows, step, tick, [&](const Pass& pass, Index first, Index count) {
      auto panel = buffer.topLeftCorner(cols(), count);
      read<Real>(pass, first, 0, panel);
      auto part = gathered.topLeftCorner(g.rows(), count);
#pragma omp parallel for schedule(static) if (part.size() > kWorthThreads)
      for (Index i = 0; i < count; ++i) part.col(i) = panel.col(i)(chosen);
      sum.add(count, [&](auto& to) { add_outer(part, to); });
    });
    sum.finish();
    g *= unit_ * unit_;
    mirror(g);
  });
}

}  // namespace spcart
