#include "spcart/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "base/reject.hpp"
#include "criteria/moments.hpp"
#include "data/gram.hpp"
#include "data/rounding.hpp"
#include "proof/certified.hpp"
#include "proof/large_maximum.hpp"
#include "proof/upper_bounds.hpp"
#include "spcart/criteria.hpp"
#include "spcart/error.hpp"
#include "spcart/loadings.hpp"

namespace spcart {
namespace {

constexpr double kMostSeconds = 1e6;

/// Cosines up to this count as none: search meets a limit of 0 to about as much.
constexpr double kOrthogonal = 1e-5;

/// Bounds closer to PCA's than this say nothing new.
constexpr double kSharper = 1e-6;

class Certifier {
 public:
  Certifier(const DataMatrix& a, const Loadings& x, Certificate& certificate, double seconds,
            const Tick& tick)
      : x_(x),
        certificate_(certificate),
        seconds_(seconds),
        tick_(tick),
        part_(part_of_moments(a, tick)),
        rounding_(moments_rounding(a)) {}

  void run() {
    // Each may use what is left up to this fraction of the time.
    constexpr double kDual = 0.25, kLagrangian = 0.6, kDisjoint = 0.75, kAny = 0.9, kOblique = 1;
    Sharpened orthogonal =
        sharpened(ComponentClass::orthogonal, weight(ComponentClass::orthogonal), kDual);
    sharpen_by_dual(orthogonal, 1, kDual);
    if (part_.others == 0)
      lower(orthogonal.bound,
            lagrangian_bound(part_.s, certificate_.nonzeros,
                             {.seconds = left(kLagrangian),
                              .known_bound = orthogonal.bound.bound,
                              .tick = [this](double) { tick(); }}),
            "lagrangian");
    Sharpened disjoint = orthogonal;
    disjoint.bound.components = ComponentClass::disjoint;
    sharpen_by_dual(disjoint, 1, kDisjoint);
    Sharpened any = sharpened(ComponentClass::any, weight(ComponentClass::any), kAny);
    lower(any.bound, variance_of_union(), "variances");
    sharpen_by_dual(any, 1, kAny);
    certificate_.bounds = {disjoint.bound, orthogonal.bound, any.bound};
    if (const auto own = certificate_.orthogonal ? std::nullopt : obliqueness_of(x_)) {
      certificate_.obliqueness = own->factor;
      Sharpened oblique = sharpened(ComponentClass::oblique, own->soft_weight, kOblique);
      sharpen_by_dual(oblique, own->factor, kOblique);
      certificate_.bounds.insert(certificate_.bounds.end() - 1, oblique.bound);
    }
    // What holds for a class holds for those within it.
    for (std::size_t i = certificate_.bounds.size(); i-- > 1;) {
      const UpperBound& wider = certificate_.bounds[i];
      if (UpperBound& own = certificate_.bounds[i - 1]; wider.bound < own.bound)
        own = {own.components, wider.bound, wider.by};
    }
    certificate_.complete = seconds_since(begin_) < seconds_;
  }

 private:
  double weight(ComponentClass components) const {
    return soft_weight(certificate_.nonzeros, components);
  }
  Index count() const { return static_cast<Index>(certificate_.nonzeros.size()); }

  /// Seconds until this fraction of the time is used.
  double left(double fraction) const {
    return std::max(fraction * seconds_ - seconds_since(begin_), 1e-3);
  }
  void tick() const {
    if (tick_) tick_(std::min(seconds_since(begin_) / seconds_, 1.0));
  }

  /// A bound, and the soft bound from which the dual one starts.
  struct Sharpened {
    UpperBound bound;
    SoftBound soft;
  };

  Sharpened sharpened(ComponentClass components, double weight, double until) const {
    const SoftBound soft = soft_bound(part_.s, std::min(count(), part_.s.rows()), weight,
                                      {.others = part_.others,
                                       .outside = part_.outside,
                                       .seconds = left(until),
                                       .tick = [this](double) { tick(); }});
    Sharpened found{{.components = components, .bound = certificate_.cpev_pca}, soft};
    lower(found.bound, soft.value, "soft");
    return found;
  }

  /// Variables without an entry near the threshold of the soft bound hardly matter to the dual one.
  void sharpen_by_dual(Sharpened& sharpened, double obliqueness, double until) const {
    constexpr double kNear = 0.8;
    constexpr Index kMost = 256;
    const PartOfMoments part =
        part_.s.rows() <= kMost ? part_ : reduced(part_, kNear * sharpened.soft.rho, kMost);
    const double dual = dual_bound(part.s, certificate_.nonzeros,
                                   {.components = sharpened.bound.components,
                                    .obliqueness = obliqueness,
                                    .others = part.others,
                                    .outside = part.outside,
                                    .start = sharpened.soft,
                                    .seconds = left(until),
                                    .tick = [this](double) { tick(); }});
    lower(sharpened.bound, dual, "dual");
  }

  /// No more than the variances of as many variables as the union of the supports can have.
  double variance_of_union() const {
    const Index most =
        std::accumulate(certificate_.nonzeros.begin(), certificate_.nonzeros.end(), Index{0});
    Vector variances = part_.s.diagonal();
    variances.conservativeResize(variances.size() + std::min(part_.others, most));
    variances.tail(std::min(part_.others, most)).setConstant(part_.outside);
    return rounded_up(
        sum_of_largest({variances.data(), static_cast<std::size_t>(variances.size())}, most), most);
  }

  /// By a bound of S as it was computed.
  void lower(UpperBound& bound, double value, std::string_view by) const {
    const double proved = value + std::sqrt(static_cast<double>(count())) * rounding_;
    if (proved < bound.bound - kSharper) bound = {bound.components, proved, by};
  }

  const Loadings& x_;
  Certificate& certificate_;
  double seconds_;
  const Tick& tick_;
  Clock::time_point begin_ = Clock::now();
  PartOfMoments part_;
  double rounding_;
};

/// Of one component, by branch and bound over all variables.
void certify_one(const DataMatrix& a, const Loadings& x, Certificate& certificate, double seconds,
                 const Tick& tick) {
  const auto begin = Clock::now();
  const Gram gram(a, tick);
  const LargeMatrix s = LargeMatrix::semidefinite(
      gram.diagonal() / gram.total(),
      [&](const Indices& some) -> Matrix { return gram.columns(some) / gram.total(); },
      [&](const Indices& some) -> Matrix {
        const Matrix block = gram.block(some, tick) / gram.total();
        return (block + block.transpose()) / 2;
      });
  BranchOptions options{.seconds = seconds};
  options.tick = [&](const BranchProgress&) {
    if (tick) tick(std::min(seconds_since(begin) / seconds, 1.0));
  };
  for (Loadings::InnerIterator e(x, 0); e; ++e) options.start.push_back(e.row());
  const SparseMaximum best = sparse_maximum_of_large(s, certificate.nonzeros.front(), options).best;
  const double bound = best.bound + moments_rounding(a);
  if (bound < certificate.cpev_pca - kSharper)
    certificate.bounds = {{ComponentClass::any, bound, "branch-and-bound"}};
  certificate.complete = best.proved || seconds_since(begin) < seconds;
}

/// Without the columns that are zero.
Loadings nonempty(const Loadings& x) {
  std::vector<Index> kept;
  for (Index t = 0; t < x.cols(); ++t)
    if (x.col(t).nonZeros() > 0) kept.push_back(t);
  Loadings found(x.rows(), static_cast<Index>(kept.size()));
  for (std::size_t t = 0; t < kept.size(); ++t) found.col(static_cast<Index>(t)) = x.col(kept[t]);
  return found;
}

bool are_disjoint(const Loadings& x) {
  std::vector<char> used(static_cast<std::size_t>(x.rows()), 0);
  for (Index t = 0; t < x.cols(); ++t)
    for (Loadings::InnerIterator e(x, t); e; ++e)
      if (std::exchange(used[static_cast<std::size_t>(e.row())], char{1}) != 0) return false;
  return true;
}

}  // namespace

const UpperBound& Certificate::own() const {
  const auto belongs = [&](const UpperBound& bound) {
    if (bound.components == ComponentClass::disjoint) return disjoint;
    if (bound.components == ComponentClass::orthogonal) return orthogonal;
    return true;
  };
  return *std::ranges::find_if(bounds, belongs);
}

void check(const CertifyOptions& options) {
  if (!(options.seconds > 0 && options.seconds <= kMostSeconds))
    reject("certify", options.seconds, "a number of seconds must be above 0 and at most {:g}",
           kMostSeconds);
}

Certificate certify(const DataMatrix& a, const Loadings& loadings, double cpev_pca,
                    const CertifyOptions& options, const Tick& tick) {
  if (loadings.rows() != a.cols())
    throw Error(fmt::format("loadings: {} rows for {} variables", loadings.rows(), a.cols()));
  check(options);
  const auto begin = Clock::now();
  Loadings pruned = loadings;
  pruned.prune([](Index, Index, double value) { return value != 0; });
  const Loadings x = nonempty(normalized(pruned));
  Certificate certificate;
  certificate.cpev_pca = cpev_pca;
  certificate.empty = loadings.cols() - x.cols();
  certificate.bounds = {{ComponentClass::any, cpev_pca, "pca"}};
  if (x.cols() == 0 || !(a.squared_norm() > 0)) return certificate;
  for (Index t = 0; t < x.cols(); ++t) certificate.nonzeros.push_back(x.col(t).nonZeros());
  const Criteria criteria = evaluate(a, x, cpev_pca, tick);
  certificate.cpev = criteria.cpev;
  certificate.orthogonal = criteria.worst_nonorthogonality <= kOrthogonal;
  certificate.disjoint = are_disjoint(x);
  if (x.cols() == 1)
    certify_one(a, x, certificate, options.seconds, tick);
  else if (x.cols() < a.cols())
    Certifier(a, x, certificate, options.seconds, tick).run();
  certificate.seconds = seconds_since(begin);
  return certificate;
}

}  // namespace spcart
