#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/indices.hpp"
#include "base/names.hpp"
#include "data/gram.hpp"
#include "data/rounding.hpp"
#include "methods/method.hpp"
#include "methods/power.hpp"
#include "proof/certified.hpp"
#include "proof/large_maximum.hpp"

namespace spcart {
namespace {

constexpr auto kDeflationNames =
    std::to_array<Name<Deflation>>({{Deflation::projection, "projection"},
                                    {Deflation::hotelling, "hotelling"},
                                    {Deflation::schur, "schur"}});

/// S = A'A with what earlier components took from it, U C U': deflation of any kind is of low rank.
class DeflatedMoments {
 public:
  explicit DeflatedMoments(const Gram& gram) : gram_(gram), diagonal_(gram.diagonal()) {}

  Index size() const { return diagonal_.size(); }
  const Vector& diagonal() const { return diagonal_; }

  Vector times(const Vector& x) const {
    Vector y = gram_.times(x);
    for (const Taken& taken : taken_) y += taken.u * (taken.c * (taken.u.transpose() * x));
    return y;
  }

  /// Some columns of S.
  Matrix columns(const Indices& variables) const {
    Matrix found = gram_.columns(variables);
    for (const Taken& taken : taken_)
      found += taken.u * (taken.c * taken.u(variables, Eigen::all).transpose());
    return found;
  }

  /// The rows and columns of some variables.
  Matrix block(const Indices& variables, const Tick& tick) const {
    Matrix found = gram_.block(variables, tick);
    for (const Taken& taken : taken_) {
      const Matrix rows = taken.u(variables, Eigen::all);
      found += rows * taken.c * rows.transpose();
    }
    return (found + found.transpose()) / 2;
  }

  void deflate(const Vector& x, Deflation kind) {
    const Vector g = times(x);
    const double variance = x.dot(g);
    Taken taken;
    switch (kind) {
      case Deflation::projection:
        taken.u.resize(x.size(), 2);
        taken.u << x, g;
        taken.c.resize(2, 2);
        taken.c << variance, -1, -1, 0;
        break;
      case Deflation::hotelling:
        taken = {x, Matrix::Constant(1, 1, -variance)};
        break;
      case Deflation::schur:
        taken = {g, Matrix::Constant(1, 1, variance > 0 ? -1 / variance : 0)};
        break;
    }
    diagonal_ += (taken.u * taken.c).cwiseProduct(taken.u).rowwise().sum();
    if (kind != Deflation::hotelling) diagonal_ = diagonal_.cwiseMax(0.0);
    taken_.push_back(std::move(taken));
  }

 private:
  struct Taken {
    Matrix u, c;
  };
  const Gram& gram_;
  Vector diagonal_;
  std::vector<Taken> taken_;
};

/// |S_ij| <= sqrt(S_ii S_jj), also after a deflation that leaves S semidefinite; rounding may leave
/// a little of a variance. Hotelling's changes only entries between used variables, and S need not
/// be semidefinite there.
LargeMatrix large_matrix(const DeflatedMoments& s, const Vector& variances, const Indices& used,
                         Deflation deflation, const Tick& tick) {
  constexpr double kRoundingLeft = 1e-12;
  const bool semidefinite = deflation != Deflation::hotelling;
  LargeMatrix large = LargeMatrix::semidefinite(
      semidefinite ? Vector(s.diagonal() + kRoundingLeft * variances)
                   : Vector(s.diagonal().cwiseMax(variances)),
      [&](const Indices& some) { return s.columns(some); },
      [&](const Indices& some) { return s.block(some, tick); });
  large.diagonal = s.diagonal();
  if (!semidefinite) large.irregular = used;
  return large;
}

/// What no component exceeds, if many variables may leave nothing sharper: the largest eigenvalue
/// of A'A, which is that of AA'. Deflation does not raise it.
double known_bound(const DataMatrix& a, const Gram& gram, const Tick& tick) {
  constexpr Index kFewVariables = 1024, kManySamples = 1024;
  if (!a.samples() || a.cols() <= kFewVariables || a.rows() > kManySamples)
    return std::numeric_limits<double>::infinity();
  return sum_of_largest_eigenvalues(a.outer_gram(tick) / gram.unit(), 1);
}

/// Words for whoever waits.
std::string progress_in_words(Index component, Index components, const BranchProgress& progress,
                              double total) {
  if (!(progress.value > 0) || !std::isfinite(progress.bound))
    return fmt::format("component {} of {}: ruling out variables", component + 1, components);
  return fmt::format("component {} of {}: {:.3f} % found, at most {:.3f} % possible (gap {:.2g} %)",
                     component + 1, components, 100 * progress.value / total,
                     100 * progress.bound / total, 100 * (progress.bound / progress.value - 1));
}

}  // namespace

std::string_view name(Deflation value) { return name_in(kDeflationNames, value); }
template <>
Deflation parse<Deflation>(std::string_view text) {
  return parse_name(kDeflationNames, "deflation", text);
}

MethodResult fit_exact(const Task& task) {
  const Gram gram(task.a, task.tick);
  const Index r = task.components, p = gram.size();
  const Index k = p - static_cast<Index>(task.truncation.lambda);
  const double most = known_bound(task.a, gram, task.tick);
  DeflatedMoments s(gram);
  MethodResult found;
  Indices used;
  Matrix loadings = Matrix::Zero(p, r);
  for (Index i = 0; i < r; ++i) {
    if (!(s.diagonal().sum() > kNoVariance * gram.total()) || !(s.diagonal().maxCoeff() > 0)) {
      warn_of_used_up_variance(i, r, found);
      break;
    }
    const auto begin = Clock::now();
    const Tick tick = [&](double) {
      if (task.tick) task.tick(static_cast<double>(i) / static_cast<double>(r));
    };
    BranchOptions options{.known_bound = most};
    // What is left is shared by the components to come.
    options.seconds = (task.time_limit - seconds_since(task.begin)) / static_cast<double>(r - i);
    options.tick = [&](const BranchProgress& progress) {
      if (task.note) task.note(progress_in_words(i, r, progress, gram.total()));
      tick(0);
    };
    const auto [best, candidates, memory_ended_it] = sparse_maximum_of_large(
        large_matrix(s, gram.diagonal(), used, task.deflation, tick), k, options);
    for (std::size_t j = 0; j < best.support.size(); ++j)
      loadings(best.support[j], i) = best.values[static_cast<Index>(j)];
    used.insert(used.end(), best.support.begin(), best.support.end());
    found.proofs.push_back({.component = i,
                            .explained = best.value / gram.total(),
                            .bound = best.bound / gram.total() + moments_rounding(task.a),
                            .optimal = best.proved,
                            .nonzeros = k,
                            .candidates = candidates,
                            .nodes = best.nodes,
                            .seconds = seconds_since(begin)});
    if (!best.proved)
      found.warnings.push_back(
          fmt::format("proof {} of {}: {} ended it; at most {:.2g} % more may be possible for {} "
                      "variable{}",
                      i + 1, r, memory_ended_it ? "memory" : "time",
                      100 * found.proofs.back().gap(), k, k == 1 ? "" : "s"));
    s.deflate(loadings.col(i), task.deflation);
  }
  if (task.note) task.note("");
  found.loadings = loadings.sparseView(0, 0);
  return found;
}

}  // namespace spcart
