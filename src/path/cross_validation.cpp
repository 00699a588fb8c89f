#include "path/cross_validation.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "path/stage.hpp"
#include "random.hpp"
#include "spcart/resample.hpp"

namespace spcart {
namespace {

/// Vectors by which samples are multiplied at a time.
constexpr Index kWidth = 512;

/// X_J'X_J of each part of the variables.
std::vector<Matrix> grams(ConstBlock wide, Index r) {
  std::vector<Matrix> found;
  for (Index first = 0; first < wide.cols(); first += r) {
    const auto part = wide.middleCols(first, r);
    found.emplace_back(part.transpose() * part);
  }
  return found;
}

/// The root of the variances of scores for loadings X with V = X R, by PCA's: with s^2 the variance
/// that is left in a direction, those of V are what exceeds it (Tipping and Bishop 1999).
Matrix root_of_variances(const Matrix& rotation, const Vector& variances, double left) {
  const Vector deviations = (variances.array() - left).cwiseMax(0.0).sqrt();
  return rotation * deviations.asDiagonal() * rotation.transpose();
}

/// What predicting all entries of samples adds to their squares (less than nothing where it helps):
/// `products` are the samples times the spread X.
double change_of_squares(const std::vector<Matrix>& part_grams, const Matrix& root, double left,
                         ConstBlock products) {
  const Index r = root.cols();
  const auto part = [&](std::size_t l) {
    return products.middleCols(static_cast<Index>(l) * r, r);
  };
  Matrix whole = Matrix::Zero(products.rows(), r), gram = Matrix::Zero(r, r);
  for (std::size_t l = 0; l < part_grams.size(); ++l) {
    whole += part(l);
    gram += part_grams[l];
  }
  double sum = 0;
  for (std::size_t l = 0; l < part_grams.size(); ++l) {
    // Scores of samples a from the other variables: C X'a, C = L (L X'X L + s^2 I)^-1 L, L L the
    // variances.
    Matrix inner = root * (gram - part_grams[l]) * root;
    inner.diagonal().array() += left;
    const Matrix c = root * inner.ldlt().solve(root);
    const Matrix scores = (whole - part(l)) * c;
    sum += (scores * part_grams[l]).cwiseProduct(scores).sum() -
           2 * scores.cwiseProduct(part(l)).sum();
  }
  return sum;
}

std::vector<RotateOptions> settings_for(const std::vector<Index>& nonzeros, Index p,
                                        const ChooseOptions& options) {
  std::vector<RotateOptions> settings;
  settings.reserve(nonzeros.size());
  for (const Index k : nonzeros)
    settings.push_back({.truncation = {TruncationType::count, static_cast<double>(p - k)},
                        .tolerance = options.tolerance,
                        .max_iterations = options.max_iterations,
                        .seed = options.seed});
  return settings;
}

/// The standard error of a sum over folds.
double deviation_of_sum(const Vector& parts) {
  const auto count = static_cast<double>(parts.size());
  return std::sqrt((parts.array() - parts.mean()).square().sum() * count / (count - 1));
}

}  // namespace

/// 0, ..., count - 1 in `parts` random parts of nearly the same size.
class CrossValidation::Partition {
 public:
  Partition(Index count, Index parts, std::uint64_t seed) : parts_(parts), part_of_(at(count)) {
    const std::vector<Index> order = Random(seed).permutation(count);
    for (std::size_t k = 0; k < order.size(); ++k)
      part_of_[at(order[k])] = static_cast<Index>(k) % parts;
  }

  Index count() const { return static_cast<Index>(part_of_.size()); }
  Index parts() const { return parts_; }

  /// X cut into these parts of its rows, side by side: p x r L, a part's rows in its r columns.
  void spread(const Loadings& x, Block wide) const {
    wide.setZero();
    for (Index i = 0; i < x.cols(); ++i)
      for (Loadings::InnerIterator entry(x, i); entry; ++entry)
        wide(entry.row(), part_of_[at(entry.row())] * x.cols() + i) = entry.value();
  }

  /// Those in a part, or those not in it.
  std::vector<Index> members(Index part, bool inside) const {
    std::vector<Index> found;
    for (std::size_t i = 0; i < part_of_.size(); ++i)
      if ((part_of_[i] == part) == inside) found.push_back(static_cast<Index>(i));
    return found;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  Index parts_;
  std::vector<Index> part_of_;
};

/// One fold: components of the other samples, and the samples that they are to predict.
class CrossValidation::Fold {
 public:
  Fold(const DataMatrix& a, const Partition& samples, Index fold, Index most,
       const ChooseOptions& options, const Tick& tick) {
    Preparation preparation = measured_anew(a.preparation());
    preparation.gram = options.solver == Solver::gram;
    const auto train = select_rows(a, samples.members(fold, false), preparation, tick);
    basis_ = principal_basis(*train, most, {.solver = options.solver, .seed = options.seed}, tick);
    basis_.gram.reset();  // of no more use, and as large as p x p
    freedom_ = std::max(static_cast<double>(train->rows() - 1), 1.0);
    preparation = a.preparation();
    preparation.means = train->means();
    preparation.scales = train->scales();
    test_ = select_rows(a, samples.members(fold, true), preparation, tick);
  }

  /// |A|^2 of the samples: the error of predicting by means.
  double squares() const { return test_->squared_norm(); }

  /// Errors of settings with r components.
  Vector errors(Index r, std::span<const RotateOptions> settings, const Partition& variables,
                const Tick& tick) const {
    Vector errors(static_cast<Index>(settings.size()));
    const Vector variances = basis_.singular_values.head(r).cwiseAbs2() / freedom_;
    const double left = std::max(basis_.total_variance / freedom_ - variances.sum(), 0.0) /
                            static_cast<double>(std::max<Index>(test_->cols() - r, 1)) +
                        1e-12 * variances[0];
    const auto found = rotate_and_truncate_all(basis_.vectors.leftCols(r), settings, tick);
    // Settings that are multiplied together, so that the samples are read less often.
    const Index width = r * variables.parts();
    const Index most = std::max<Index>(kWidth / width, 1);
    Matrix wide;
    for (Index first = 0; first < errors.size(); first += most) {
      const Index count = std::min(most, errors.size() - first);
      wide.resize(test_->cols(), width * count);
      for (Index k = 0; k < count; ++k)
        variables.spread(found[static_cast<std::size_t>(first + k)].loadings,
                         wide.middleCols(k * width, width));
      const Matrix products = test_->times(wide, tick);
      for (Index k = 0; k < count; ++k) {
        const Rotated& setting = found[static_cast<std::size_t>(first + k)];
        errors[first + k] =
            squares() + change_of_squares(grams(wide.middleCols(k * width, width), r),
                                          root_of_variances(setting.rotation, variances, left),
                                          left, products.middleCols(k * width, width));
      }
    }
    return errors;
  }

 private:
  Basis basis_;
  double freedom_ = 1;
  std::unique_ptr<DataMatrix> test_;
};

CrossValidation::CrossValidation(const DataMatrix& a, Index most, const ChooseOptions& options,
                                 const Tick& tick)
    : options_(options),
      variables_(std::make_unique<Partition>(a.cols(), std::min(options.folds, a.cols()),
                                             seed_of(options.seed, -1))) {
  const Partition samples(a.rows(), options.folds, seed_of(options.seed, -2));
  Vector squares(options.folds);
  for (Index f = 0; f < options.folds; ++f) {
    folds_.push_back(
        std::make_unique<Fold>(a, samples, f, most, options, part_of(tick, f, options.folds)));
    squares[f] = folds_.back()->squares();
  }
  errors_[{0, 0}] = squares;
}

CrossValidation::~CrossValidation() = default;

void CrossValidation::add(const std::vector<Index>& components, const std::vector<Index>& nonzeros,
                          const Tick& tick) {
  const auto folds = static_cast<Index>(folds_.size()),
             count = static_cast<Index>(components.size());
  for (Index c = 0; c < count; ++c) {
    const Index r = components[static_cast<std::size_t>(c)];
    std::vector<Index> unknown;
    for (const Index k : nonzeros)
      if (!errors_.contains({r, k})) unknown.push_back(k);
    if (unknown.empty()) continue;
    const auto settings = settings_for(unknown, variables_->count(), options_);
    Matrix found(static_cast<Index>(unknown.size()), folds);
    for (Index f = 0; f < folds; ++f)
      found.col(f) = folds_[static_cast<std::size_t>(f)]->errors(
          r, settings, *variables_, part_of(tick, c * folds + f, count * folds));
    for (Index k = 0; k < found.rows(); ++k)
      errors_[{r, unknown[static_cast<std::size_t>(k)]}] = found.row(k);
  }
}

std::vector<Index> CrossValidation::known(Index components) const {
  std::vector<Index> nonzeros;
  for (const auto& [setting, parts] : errors_)
    if (setting.first == components) nonzeros.push_back(setting.second);
  return nonzeros;
}

void judge_errors(const CrossValidation::Errors& errors, Choice& choice) {
  // Of what components of all variables gain, so much may be lost for the sake of fewer: with many
  // samples the standard error allows for hardly anything, whether it matters or not.
  constexpr double kLoss = 0.02;
  const auto least =
      std::ranges::min_element(errors, {}, [](const auto& entry) { return entry.second.sum(); });
  const double means = errors.begin()->second.sum();
  const double least_error = least->second.sum() / means;
  choice.held_out.clear();
  choice.least = std::distance(errors.begin(), least);
  // Folds differ much, but in the same way for all settings: so their differences are judged.
  for (const auto& [setting, parts] : errors)
    choice.held_out.push_back(
        {.components = setting.first,
         .nonzeros = setting.second,
         .error = parts.sum() / means,
         .excess_deviation = deviation_of_sum(parts - least->second) / means});
  const auto near = std::ranges::find_if(choice.held_out, [&](const HeldOut& point) {
    return point.error <= least_error + point.excess_deviation;
  });
  double best = 1;
  for (const HeldOut& point : choice.held_out)
    if (point.components == near->components) best = std::min(best, point.error);
  const auto chosen = std::find_if(choice.held_out.begin(), near, [&](const HeldOut& point) {
    return point.components == near->components && point.error <= best + kLoss * (1 - best);
  });
  choice.chosen = chosen - choice.held_out.begin();
}

}  // namespace spcart
