#include "improve/components.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spcart {
namespace {

/// If the others leave less than this of the squared length of a component, it is in their span.
constexpr double kDependent = 1e-9;

}  // namespace

Components::Components(const SecondMoments& s, Index count)
    : s_(&s),
      x_(static_cast<std::size_t>(count)),
      in_(static_cast<std::size_t>(count), false),
      rows_(static_cast<std::size_t>(s.size())),
      g_(Matrix::Zero(count, s.size())),
      k_(Matrix::Zero(count, count)),
      c_(k_),
      w_(k_),
      d_(k_) {}

/// With u = W e_t, the inverse without component t is W - u u' / u_t.
void Components::take_out(Index t) {
  if (!in_[static_cast<std::size_t>(t)]) return;
  const Vector u = w_.col(t);
  const Vector cu = c_ * u;
  const double scale = -1 / u[t];
  add_rank_one(u, w_ * cu, u.dot(cu), scale);
  for (Matrix* m : {&w_, &d_}) {
    m->row(t).setZero();
    m->col(t).setZero();
  }
  in_[static_cast<std::size_t>(t)] = false;
}

/// W becomes W + s y y', and D = W C W with it: z is W C y, and c is y'C y.
void Components::add_rank_one(const Vector& y, const Vector& z, double c, double s) {
  const Vector half = s * z + (s * s * c / 2) * y;
  for (Index i = 0; i < count(); ++i) {
    w_.col(i) += (s * y[i]) * y;
    d_.col(i) += y[i] * half + half[i] * y;
  }
}

void Components::put_in(Index t, SparseVector x) {
  leave_rows(t);
  x_[static_cast<std::size_t>(t)] = std::move(x);
  enter_rows(t);
  const SparseVector& now = (*this)[t];
  Vector product;
  s_->times(now, product);
  g_.row(t) = product.transpose();
  k_.col(t).setZero();
  c_.col(t).setZero();
  for (Index i = 0; i < now.size(); ++i) {
    const Index j = now.support[static_cast<std::size_t>(i)];
    for (const Entry& e : row(j)) k_(e.component, t) += e.value * now.values[i];
    c_.col(t) += now.values[i] * g_.col(j);
  }
  k_.row(t) = k_.col(t).transpose();
  c_.row(t) = c_.col(t).transpose();
  put_back(t);
}

/// Borders W and D by component t, which is out.
void Components::put_back(Index t) {
  if ((*this)[t].size() == 0) return;
  Vector y = -(w_ * k_.col(t));
  const double rest = k_(t, t) + k_.col(t).dot(y);
  if (!(rest > kDependent)) return;
  y[t] = 1;
  const Vector cy = c_ * y;
  add_rank_one(y, w_ * cy, y.dot(cy), 1 / rest);
  in_[static_cast<std::size_t>(t)] = true;
}

void Components::refresh() {
  const std::vector<char> in = std::exchange(in_, std::vector<char>(in_.size(), false));
  w_.setZero();
  d_.setZero();
  for (Index t = 0; t < count(); ++t)
    if (in[static_cast<std::size_t>(t)]) put_back(t);
}

double Components::explained() const { return w_.cwiseProduct(c_).sum(); }

double Components::overlap() const {
  const auto r = static_cast<double>(count());
  if (count() < 2) return 0;
  return (k_.cwiseAbs().sum() - k_.diagonal().cwiseAbs().sum()) / (r * (r - 1));
}

void Components::enter_rows(Index t) {
  const SparseVector& x = (*this)[t];
  for (Index i = 0; i < x.size(); ++i)
    rows_[static_cast<std::size_t>(x.support[static_cast<std::size_t>(i)])].push_back(
        {t, x.values[i]});
}

void Components::leave_rows(Index t) {
  for (const Index j : (*this)[t].support)
    std::erase_if(rows_[static_cast<std::size_t>(j)],
                  [t](const Entry& e) { return e.component == t; });
}

}  // namespace spcart
