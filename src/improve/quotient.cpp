#include "improve/quotient.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/at.hpp"
#include "improve/small_pencil.hpp"

namespace spcart {
namespace {

/// A move must gain more than this fraction of the value: less may be rounding error.
constexpr double kMoveGain = 1e-9;

/// A variable of which the others leave less than this is in their span.
constexpr double kSpanned = 1e-9;

/// Supports up to this size are solved by a full decomposition, larger ones by iteration.
constexpr Index kSmall = kMostSmall;

/// Up to this size M and B are formed on the support.
constexpr Index kExplicit = 64;

/// The largest root l of det([a b; b d] - l [e f; f g]): the best of two directions.
double best_of_two(double a, double b, double d, double e, double f, double g) {
  const double det = e * g - f * f;
  if (!(det > kSpanned * e * g)) return 0;
  const double half = (a * g + d * e - 2 * b * f) / (2 * det);
  const double product = (a * d - b * b) / det;
  return half + std::sqrt(std::max(half * half - product, 0.0));
}

/// The leading vector of a pencil that is known by its products, by locally optimal conjugate
/// gradients from x: each step takes the best of x, the residual and the step before.
using Product = std::function<void(const Vector& x, Vector& mx, Vector& bx)>;
int improve_vector(const Product& product, Vector& x) {
  constexpr int kMostSteps = 40;
  constexpr double kEnough = 1e-8;
  const Index k = x.size();
  Matrix basis(k, 3), m(k, 3), b(k, 3);  // x, residual, last step
  Vector mv(k), bv(k);
  x.normalize();
  product(x, mv, bv);
  basis.col(0) = x;
  m.col(0) = mv;
  b.col(0) = bv;
  Index width = 1;
  int step = 0;
  for (; step < kMostSteps; ++step) {
    const double value = basis.col(0).dot(m.col(0)) / basis.col(0).dot(b.col(0));
    Vector residual = m.col(0) - value * b.col(0);
    const double size = residual.norm();
    if (!(size > kEnough * std::abs(value))) break;
    residual /= size;
    // Orthogonal to what is there, so that the small problem is well conditioned.
    for (int twice = 0; twice < 2; ++twice)
      for (const Index c : {Index{0}, Index{2}})
        if (c == 0 || width == 3) residual -= basis.col(c).dot(residual) * basis.col(c);
    if (!(residual.norm() > 1e-12)) break;
    residual.normalize();
    product(residual, mv, bv);
    basis.col(1) = residual;
    m.col(1) = mv;
    b.col(1) = bv;
    width = std::max<Index>(width, 2);
    const auto v = basis.leftCols(width);
    const Matrix small_m = v.transpose().lazyProduct(m.leftCols(width));
    const Matrix small_b = v.transpose().lazyProduct(b.leftCols(width));
    Vector y = Vector::Unit(width, 0);
    leading_pair((small_m + small_m.transpose()) / 2, (small_b + small_b.transpose()) / 2, y);
    // The next last step: what was added to x, made orthogonal to the new x.
    const auto combine = [&](Matrix& of) {
      const Vector next = of.leftCols(width).lazyProduct(y);
      const Vector added = next - of.col(0) * y[0];
      of.col(0) = next;
      of.col(2) = added;
    };
    combine(basis);
    combine(m);
    combine(b);
    const double length = basis.col(0).norm();
    for (Matrix* of : {&basis, &m, &b}) of->col(0) /= length;
    const double part = basis.col(0).dot(basis.col(2));
    for (Matrix* of : {&basis, &m, &b}) of->col(2) -= part * of->col(0);
    const double rest = basis.col(2).norm();
    width = rest > 1e-10 ? 3 : 2;
    if (width == 3)
      for (Matrix* of : {&basis, &m, &b}) of->col(2) /= rest;
  }
  x = basis.col(0);
  return step + 1;
}

/// Ascending union of a support with others that are not in it.
std::vector<Index> with(const std::vector<Index>& support, std::span<const Index> more) {
  std::vector<Index> all = support;
  all.insert(all.end(), more.begin(), more.end());
  std::ranges::sort(all);
  return all;
}

/// The entries of x on another support, zero where it has none.
Vector values_at(const SparseVector& x, const std::vector<Index>& support) {
  Vector values = Vector::Zero(static_cast<Index>(support.size()));
  std::size_t i = 0;
  for (std::size_t k = 0; k < support.size(); ++k) {
    while (i < x.support.size() && x.support[i] < support[k]) ++i;
    if (i < x.support.size() && x.support[i] == support[k])
      values[static_cast<Index>(k)] = x.values[static_cast<Index>(i)];
  }
  return values;
}

}  // namespace

Quotient::Quotient(const Components& others, double price)
    : others_(others),
      s_(others.moments()),
      price_(price),
      m_(s_.diagonal()),
      b_(Vector::Ones(s_.size())) {
  const Matrix& w = others.inverse();
  const Matrix& d = others.doubled();
  Vector wx(others.count());
  for (Index j = 0; j < s_.size(); ++j) {
    const auto& row = others.row(j);
    if (row.empty()) continue;
    wx.setZero();
    double xdx = 0, xwx = 0;
    for (const auto& e : row) {
      wx += e.value * w.col(e.component);
      for (const auto& f : row) xdx += e.value * f.value * d(e.component, f.component);
    }
    for (const auto& e : row) xwx += e.value * wx[e.component];
    m_[j] += xdx - 2 * others.products().col(j).dot(wx);
    b_[j] += (price - 1) * xwx;
    // Rounding may leave a little of a variable that the others span.
    if (1 - xwx < kSpanned) m_[j] = 0;
    m_[j] = std::max(m_[j], 0.0);
    work_ += 4.0 * static_cast<double>(row.size() * at(others.count()));
  }
}

Vector Quotient::values_of_variables() const {
  return (b_.array() > kSpanned).select(m_.array() / b_.array(), 0.0);
}

Quotient::Slope Quotient::slope(const SparseVector& x) {
  const Matrix& g = others_.products();
  Vector kx = Vector::Zero(others_.count()), gx = kx;
  for (Index i = 0; i < x.size(); ++i) {
    const Index j = x.support[at(i)];
    for (const auto& e : others_.row(j)) kx[e.component] += e.value * x.values[i];
    gx += x.values[i] * g.col(j);
  }
  const Vector a = others_.inverse() * kx;
  const Vector b = others_.inverse() * (gx - others_.covariance() * a);
  Slope s;
  s_.times(x, s.mx);
  s.mx.noalias() -= g.transpose() * a;
  s.bx = Vector::Zero(s_.size());
  for (Index t = 0; t < others_.count(); ++t) {
    if (a[t] == 0 && b[t] == 0) continue;
    const SparseVector& other = others_[t];
    for (Index i = 0; i < other.size(); ++i) {
      s.mx[other.support[at(i)]] -= b[t] * other.values[i];
      s.bx[other.support[at(i)]] += (price_ - 1) * a[t] * other.values[i];
    }
  }
  for (Index i = 0; i < x.size(); ++i) {
    const Index j = x.support[at(i)];
    s.bx[j] += x.values[i];
    s.xmx += x.values[i] * s.mx[j];
    s.xbx += x.values[i] * s.bx[j];
  }
  work_ += s_.cost_of_product(x.size()) +
           2 * static_cast<double>(others_.count()) *
               static_cast<double>(s_.size() + 2 * others_.count() + x.size());
  return s;
}

Quotient::Pencil Quotient::pencil(std::span<const Index> variables) {
  const auto k = static_cast<Index>(variables.size());
  const Index r = others_.count();
  Pencil p;
  s_.block(variables, p.m);
  p.b = Matrix::Identity(k, k);
  Matrix wx = Matrix::Zero(r, k), dx = wx, g(r, k);
  bool shared = false;
  for (Index i = 0; i < k; ++i) {
    const Index j = variables[at(i)];
    g.col(i) = others_.products().col(j);
    for (const auto& e : others_.row(j)) {
      shared = true;
      wx.col(i) += e.value * others_.inverse().col(e.component);
      dx.col(i) += e.value * others_.doubled().col(e.component);
    }
  }
  work_ += static_cast<double>(k * k);
  if (!shared) return p;
  const Matrix gwx = g.transpose().lazyProduct(wx);
  p.m -= gwx + gwx.transpose();
  for (Index i = 0; i < k; ++i)
    for (const auto& e : others_.row(variables[at(i)])) {
      p.m.row(i) += e.value * dx.row(e.component);
      p.b.row(i) += (price_ - 1) * e.value * wx.row(e.component);
    }
  p.m = ((p.m + p.m.transpose()) / 2).eval();
  p.b = ((p.b + p.b.transpose()) / 2).eval();
  work_ += 2 * static_cast<double>(k * k * r);
  return p;
}

Quotient::Point Quotient::solve(const std::vector<Index>& support, const SparseVector& guess) {
  if (static_cast<Index>(support.size()) > kExplicit) return solve_large(support, guess);
  Point found{{support, values_at(guess, support)}, 0};
  found.value = solve_pencil(pencil(support), found.x.values);
  return found;
}

/// From a guess x to the leading vector; returns its value.
double Quotient::solve_pencil(const Pencil& p, Vector& x) {
  const auto k = static_cast<double>(x.size());
  if (x.size() <= kSmall) {
    work_ += 2 * k * k * k;
    return leading_pair(p.m, p.b, x);
  }
  if (!(x.norm() > 0)) x.setOnes();
  const int steps = improve_vector(
      [&p](const Vector& v, Vector& mv, Vector& bv) {
        mv.noalias() = p.m * v;
        bv.noalias() = p.b * v;
      },
      x);
  work_ += 4 * k * k * steps;
  return x.dot(p.m * x) / x.dot(p.b * x);
}

Quotient::Point Quotient::solve_large(const std::vector<Index>& support,
                                      const SparseVector& guess) {
  const auto k = static_cast<Index>(support.size());
  const Index r = others_.count();
  Matrix g(r, k), xs = Matrix::Zero(r, k), s;
  for (Index i = 0; i < k; ++i) {
    g.col(i) = others_.products().col(support[at(i)]);
    for (const auto& e : others_.row(support[at(i)])) xs(e.component, i) = e.value;
  }
  const Matrix z = s_.factor_columns(support);
  if (!s_.is_factored()) s_.block(support, s);
  const Product product = [&](const Vector& v, Vector& mv, Vector& bv) {
    const Vector kx = xs * v;
    const Vector a = others_.inverse() * kx;
    const Vector b = others_.inverse() * (g * v - others_.covariance() * a);
    if (s_.is_factored())
      mv.noalias() = z.transpose() * (z * v);
    else
      mv.noalias() = s * v;
    mv.noalias() -= g.transpose() * a;
    mv.noalias() -= xs.transpose() * b;
    bv = v;
    bv.noalias() += (price_ - 1) * (xs.transpose() * a);
  };
  Point found{{support, values_at(guess, support)}, 0};
  Vector& x = found.x.values;
  if (!(x.norm() > 0)) x.setOnes();
  const int steps = improve_vector(product, x);
  Vector mx(k), bx(k);
  product(x, mx, bx);
  found.value = x.dot(mx) / x.dot(bx);
  const double once = s_.is_factored() ? 4 * SecondMoments::kFast * static_cast<double>(z.size())
                                       : 2 * static_cast<double>(k * k);
  work_ += (steps + 1) * (once + 8 * static_cast<double>(r * (k + r)));
  return found;
}

std::vector<Quotient::Move> Quotient::entries_by_gain(const Point& from, const Slope& slope,
                                                      std::size_t most) const {
  std::vector<Move> moves;
  std::vector<char> inside(at(s_.size()), false);
  for (const Index j : from.x.support) inside[at(j)] = true;
  for (Index j = 0; j < s_.size(); ++j) {
    if (inside[at(j)] || !(m_[j] > 0) || !(b_[j] > kSpanned)) continue;
    const double value = best_of_two(slope.xmx, slope.mx[j], m_[j], slope.xbx, slope.bx[j], b_[j]);
    if (value > from.value * (1 + kMoveGain)) moves.push_back({value, j});
  }
  const auto better = [](const Move& a, const Move& b) {
    return a.value != b.value ? a.value > b.value : a.variable < b.variable;
  };
  const auto end = moves.begin() + static_cast<std::ptrdiff_t>(std::min(most, moves.size()));
  std::ranges::partial_sort(moves, end, better);
  moves.erase(end, moves.end());
  return moves;
}

std::vector<Quotient::Move> Quotient::exits_by_loss(const Point& from, const Slope& slope) const {
  std::vector<Move> moves;
  for (Index i = 0; i < from.x.size(); ++i) {
    const Index j = from.x.support[at(i)];
    const double v = from.x.values[i];
    const double top = slope.xmx - 2 * v * slope.mx[j] + v * v * m_[j];
    const double bottom = slope.xbx - 2 * v * slope.bx[j] + v * v * b_[j];
    moves.push_back({bottom > kSpanned ? top / bottom : 0, j});
  }
  std::ranges::sort(moves, [](const Move& a, const Move& b) {
    return a.value != b.value ? a.value > b.value : a.variable < b.variable;
  });
  return moves;
}

Quotient::Point Quotient::grow(Point from, Index count) {
  if (from.x.size() == 0) {
    const Vector values = values_of_variables();
    Index j = 0;
    const double best = values.maxCoeff(&j);
    if (!(best > 0)) return from;
    from = {{{j}, Vector::Ones(1)}, best};
  }
  while (from.x.size() < count) {
    // One at a time while there are few, then many at once.
    const Index size = from.x.size();
    const Index more =
        std::min(count - size, std::max<Index>(1, size / (size < kExplicit ? 8 : 2)));
    const Slope s = slope(from.x);
    std::vector<Index> entering;
    for (const Move& move : entries_by_gain(from, s, at(more))) entering.push_back(move.variable);
    if (entering.empty()) break;
    Point next = solve(with(from.x.support, entering), from.x);
    if (!(next.value > from.value)) break;
    from = std::move(next);
  }
  return from;
}

/// Many at once if there are many: those with the largest estimated gain for those with the
/// smallest estimated loss, fewer if that did not gain.
bool Quotient::exchange_many(Point& from) {
  const Slope s = slope(from.x);
  const std::vector<Move> in = entries_by_gain(from, s, at(from.x.size()));
  const std::vector<Move> out = exits_by_loss(from, s);
  std::size_t pairs = 0;
  while (pairs < in.size() && pairs < out.size() &&
         in[pairs].value - from.value > from.value - out[pairs].value)
    ++pairs;
  const std::size_t fewest = from.x.size() > kExplicit ? 1 : 2;
  for (; pairs >= fewest; pairs /= 2) {
    std::vector<Index> leaving, entering, support;
    for (std::size_t i = 0; i < pairs; ++i) {
      leaving.push_back(out[i].variable);
      entering.push_back(in[i].variable);
    }
    std::ranges::sort(leaving);
    std::ranges::set_difference(from.x.support, leaving, std::back_inserter(support));
    Point next = solve(with(support, entering), from.x);
    if (next.value > from.value * (1 + kMoveGain)) {
      from = std::move(next);
      return true;
    }
  }
  return false;
}

/// One for one: of the variables that gain most beside x, and all that could leave for them, the
/// pairs whose value is highest before the other entries are updated are solved in full.
bool Quotient::exchange_one(Point& from) {
  constexpr std::size_t kEntering = 8, kTried = 4;
  const Slope s = slope(from.x);
  const std::vector<Move> in = entries_by_gain(from, s, kEntering);
  if (in.empty()) return false;
  const Index k = from.x.size();
  std::vector<Index> all = from.x.support;
  for (const Move& move : in) all.push_back(move.variable);
  const Pencil p = pencil(all);

  struct Pair {
    double value;
    Index out, in;  // indices in `all`
    double entry;   // of the one that enters, beside x
  };
  std::vector<Pair> pairs;
  for (Index j = k; j < static_cast<Index>(all.size()); ++j) {
    // The best of span{x, e_j} is x + c e_j; then each variable is removed from it.
    const double value = in[at(j - k)].value;
    const double bottom = value * p.b(j, j) - p.m(j, j);
    if (!(bottom > 0)) continue;
    const double c = (s.mx[all[at(j)]] - value * s.bx[all[at(j)]]) / bottom;
    const Vector mx = p.m.topLeftCorner(k, k) * from.x.values + c * p.m.col(j).head(k);
    const Vector bx = p.b.topLeftCorner(k, k) * from.x.values + c * p.b.col(j).head(k);
    const double xmx = s.xmx + c * (2 * s.mx[all[at(j)]] + c * p.m(j, j));
    const double xbx = s.xbx + c * (2 * s.bx[all[at(j)]] + c * p.b(j, j));
    for (Index i = 0; i < k; ++i) {
      const double v = from.x.values[i];
      const double above = xmx - 2 * v * mx[i] + v * v * p.m(i, i);
      const double below = xbx - 2 * v * bx[i] + v * v * p.b(i, i);
      if (below > kSpanned) pairs.push_back({above / below, i, j, c});
    }
    work_ += 4 * static_cast<double>(k * k);
  }
  const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(kTried, pairs.size()));
  std::ranges::partial_sort(pairs, end, [](const Pair& a, const Pair& b) {
    if (a.value != b.value) return a.value > b.value;
    return a.in != b.in ? a.in < b.in : a.out < b.out;
  });
  std::vector<Index> indices(at(k));
  for (auto pair = pairs.begin(); pair != end; ++pair) {
    for (Index i = 0; i < k; ++i) indices[at(i)] = i == pair->out ? pair->in : i;
    Vector x = from.x.values;
    x[pair->out] = pair->entry;
    const double value = solve_pencil({p.m(indices, indices), p.b(indices, indices)}, x);
    if (!(value > from.value * (1 + kMoveGain))) continue;
    std::vector<std::pair<Index, double>> entries;
    for (Index i = 0; i < k; ++i) entries.emplace_back(all[at(indices[at(i)])], x[i]);
    std::ranges::sort(entries);
    for (Index i = 0; i < k; ++i) {
      from.x.support[at(i)] = entries[at(i)].first;
      from.x.values[i] = entries[at(i)].second;
    }
    from.value = value;
    return true;
  }
  return false;
}

Quotient::Point Quotient::exchange(Point from, double most_work) {
  constexpr int kMostExchanges = 200;
  for (int k = 0; k < kMostExchanges && work_ < most_work; ++k) {
    if (from.x.size() > kSmall && exchange_many(from)) continue;
    if (from.x.size() > kExplicit || !exchange_one(from)) break;
  }
  return from;
}

double Quotient::value_of(const SparseVector& x) {
  const Slope s = slope(x);
  return s.xbx > kSpanned ? s.xmx / s.xbx : 0;
}

Quotient::Point Quotient::shrink(Point from, Index count) {
  while (from.x.size() > count) {
    const Index fewer = std::min(from.x.size() - count, std::max<Index>(1, from.x.size() / 8));
    const std::vector<Move> out = exits_by_loss(from, slope(from.x));
    std::vector<Index> leaving, support;
    for (Index i = 0; i < fewer; ++i) leaving.push_back(out[at(i)].variable);
    std::ranges::sort(leaving);
    std::ranges::set_difference(from.x.support, leaving, std::back_inserter(support));
    from = solve(support, from.x);
  }
  return from;
}

std::vector<Quotient::Move> Quotient::entries(const Point& from, std::size_t most) {
  if (from.x.size() > 0) return entries_by_gain(from, slope(from.x), most);
  const Vector values = values_of_variables();
  Index j = 0;
  const double best = values.maxCoeff(&j);
  return best > 0 ? std::vector<Move>{{best, j}} : std::vector<Move>{};
}

std::vector<Quotient::Move> Quotient::exits(const Point& from) {
  return from.x.size() > 0 ? exits_by_loss(from, slope(from.x)) : std::vector<Move>{};
}

}  // namespace spcart
