#include "selection/cross_validation.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "base/at.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "base/reject.hpp"
#include "data/execution.hpp"
#include "data/resample.hpp"
#include "rotation/basis_panels.hpp"
#include "rotation/rotate_rows.hpp"

namespace spcart {
namespace {

/// Number of vectors by which samples are multiplied at a time.
constexpr Index kWidth = 512;

/// The square root of the variances of scores for loadings X with V = X R, from those of PCA: with
/// s^2 the remaining variance per direction, those of V are what exceeds it (Tipping and Bishop
/// 1999).
Matrix root_of_variances(const Matrix& rotation, const Vector& variances, double left) {
  const Vector deviations = (variances.array() - left).cwiseMax(0.0).sqrt();
  return rotation * deviations.asDiagonal() * rotation.transpose();
}

/// The change of the squares of samples when all their entries are predicted (negative if that
/// helps): `products` are the samples times the spread X.
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

/// The standard error of a sum over the folds of a repeat, from all repeats.
double deviation_of_sum(const Vector& parts, Index repeats) {
  const Index folds = parts.size() / repeats;
  double squares = 0;
  for (Index i = 0; i < repeats; ++i) {
    const auto part = parts.segment(i * folds, folds);
    squares += (part.array() - part.mean()).square().sum();
  }
  const auto count = static_cast<double>(folds);
  return std::sqrt(squares / static_cast<double>(repeats) * count / (count - 1));
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

  /// X divided into these parts of its rows, side by side: p x r L, a part's rows in its r columns.
  void spread(const Loadings& x, Block wide) const {
    wide.setZero();
    for (Index i = 0; i < x.cols(); ++i)
      for (Loadings::InnerIterator entry(x, i); entry; ++entry)
        wide(entry.row(), part_of_[at(entry.row())] * x.cols() + i) = entry.value();
  }

  /// X_J'X_J of each part J of its rows.
  std::vector<Matrix> grams(const Loadings& x) const {
    const Index r = x.cols();
    std::vector<Index> row_in_part(part_of_.size()), sizes(at(parts_), 0);
    for (std::size_t j = 0; j < part_of_.size(); ++j) row_in_part[j] = sizes[at(part_of_[j])]++;
    std::vector<Matrix> rows, found;
    for (const Index size : sizes) rows.emplace_back(Matrix::Zero(size, r));
    for (Index i = 0; i < r; ++i)
      for (Loadings::InnerIterator entry(x, i); entry; ++entry)
        rows[at(part_of_[at(entry.row())])](row_in_part[at(entry.row())], i) = entry.value();
    for (const Matrix& part : rows) found.emplace_back(part.transpose() * part);
    return found;
  }

  /// Those in a part, or those not in it.
  std::vector<Index> members(Index part, bool inside) const {
    std::vector<Index> found;
    for (std::size_t i = 0; i < part_of_.size(); ++i)
      if ((part_of_[i] == part) == inside) found.push_back(static_cast<Index>(i));
    return found;
  }

 private:
  Index parts_;
  std::vector<Index> part_of_;
};

/// One fold: components of the other samples, and the samples to predict.
class CrossValidation::Fold {
 public:
  Fold(const DataMatrix& a, const Partition& samples, std::shared_ptr<const Partition> variables,
       Index fold, Index most, const ChooseOptions& options, const Tick& tick)
      : options_(options), variables_(std::move(variables)) {
    const auto train =
        select_rows(a, samples.members(fold, false), measured_anew(a.preparation()), tick,
                    options.solver == Solver::gram ? FormGram::yes : FormGram::no);
    if (!(train->squared_norm() > 0))
      reject("folds", options.folds, "without the samples of one of them, the others do not vary");
    basis_ = principal_basis(*train, most, {.solver = options.solver, .seed = options.seed}, tick);
    basis_.gram.reset();  // no longer needed, and p x p
    freedom_ = std::max(static_cast<double>(train->rows() - 1), 1.0);
    Preparation preparation = a.preparation();
    preparation.means = train->means();
    preparation.scales = train->scales();
    test_ = select_rows(a, samples.members(fold, true), preparation, tick);
  }

  /// |A|^2 of the samples: the error of predicting by means.
  double squares() const { return test_->squared_norm(); }

  /// Errors of r components with these numbers of variables.
  Vector errors(Index r, const std::vector<Index>& nonzeros, const Tick& tick) const {
    Vector errors(static_cast<Index>(nonzeros.size()));
    const Vector variances = basis_.singular_values.head(r).cwiseAbs2() / freedom_;
    const double left = std::max(basis_.total_variance / freedom_ - variances.sum(), 0.0) /
                            static_cast<double>(std::max<Index>(test_->cols() - r, 1)) +
                        1e-12 * variances[0];
    const auto found = follow(r, nonzeros, tick);
    // Settings that are multiplied together, so that the samples are read less often.
    const Index width = r * variables_->parts();
    const Index most = std::max<Index>(kWidth / width, 1);
    Matrix wide;
    for (Index first = 0; first < errors.size(); first += most) {
      const Index count = std::min(most, errors.size() - first);
      wide.resize(test_->cols(), width * count);
      for (Index k = 0; k < count; ++k)
        variables_->spread(found[static_cast<std::size_t>(first + k)].loadings,
                           wide.middleCols(k * width, width));
      const Matrix products = test_->times(wide, tick);
      for (Index k = 0; k < count; ++k) {
        const RotationResult& setting = found[static_cast<std::size_t>(first + k)];
        errors[first + k] =
            squares() + change_of_squares(variables_->grams(setting.loadings),
                                          root_of_variances(setting.rotation, variances, left),
                                          left, products.middleCols(k * width, width));
      }
    }
    return errors;
  }

 private:
  /// Loadings with each number of variables, from the most to the fewest: each starts from the
  /// rotation of the one before it, which is near, and the first from varimax.
  std::vector<RotationResult> follow(Index r, const std::vector<Index>& nonzeros,
                                     const Tick& tick) const {
    const Matrix v = basis_.vectors.leftCols(r);
    const BasisPanels panels(v);
    std::vector<RotationResult> found(nonzeros.size());
    const RowPartition whole(v.rows());
    Matrix from = varimax_of_rows(panels, whole, tick);
    for (std::size_t k = nonzeros.size(); k-- > 0;) {
      const RotateOptions setting{
          .truncation = {TruncationType::count, static_cast<double>(v.rows() - nonzeros[k])},
          .tolerance = options_.tolerance,
          .max_iterations = options_.max_iterations,
          .from = from};
      found[k] = std::move(rotate_rows(panels, whole, std::span(&setting, 1), tick).front());
      from = found[k].rotation;
    }
    return found;
  }

  ChooseOptions options_;
  std::shared_ptr<const Partition> variables_;
  Basis basis_;
  double freedom_ = 1;
  std::unique_ptr<DataMatrix> test_;
};

CrossValidation::CrossValidation(const DataMatrix& a, Index most, const ChooseOptions& options,
                                 const Tick& tick)
    : options_(options),
      apart_(a.execution().is_concurrent()),
      folds_(static_cast<std::size_t>(options.repeats * options.folds)) {
  std::vector<Partition> samples;
  std::vector<std::shared_ptr<const Partition>> variables;
  for (Index i = 0; i < options.repeats; ++i) {
    samples.emplace_back(a.rows(), options.folds, seed_of(options.seed, -2 * i - 2));
    variables.push_back(std::make_shared<Partition>(a.cols(), std::min(options.folds, a.cols()),
                                                    seed_of(options.seed, -2 * i - 1)));
  }
  const auto count = static_cast<Index>(folds_.size());
  Vector squares(count);
  for_all(count, apart_, tick, [&](Index f, const Tick& part) {
    const auto repeat = static_cast<std::size_t>(f / options.folds);
    auto fold = std::make_unique<Fold>(a, samples[repeat], variables[repeat], f % options.folds,
                                       most, options, part);
    squares[f] = fold->squares();
    folds_[static_cast<std::size_t>(f)] = std::move(fold);
  });
  errors_[{0, 0}] = squares;
}

CrossValidation::~CrossValidation() = default;

void CrossValidation::add(const std::vector<Index>& components, const std::vector<Index>& nonzeros,
                          const Tick& tick) {
  struct Row {
    Index components;
    std::vector<Index> unknown;
    Matrix errors;
  };
  const auto folds = static_cast<Index>(folds_.size());
  std::vector<Row> rows;
  for (const Index r : components) {
    std::vector<Index> unknown;
    for (const Index k : nonzeros)
      if (!errors_.contains({r, k})) unknown.push_back(k);
    if (unknown.empty()) continue;
    Matrix errors(static_cast<Index>(unknown.size()), folds);
    rows.push_back({r, std::move(unknown), std::move(errors)});
  }
  for_all(static_cast<Index>(rows.size()) * folds, apart_, tick, [&](Index task, const Tick& part) {
    Row& row = rows[static_cast<std::size_t>(task / folds)];
    row.errors.col(task % folds) =
        folds_[static_cast<std::size_t>(task % folds)]->errors(row.components, row.unknown, part);
  });
  for (const Row& row : rows)
    for (Index k = 0; k < row.errors.rows(); ++k)
      errors_[{row.components, row.unknown[static_cast<std::size_t>(k)]}] = row.errors.row(k);
}

std::vector<Index> CrossValidation::known(Index components) const {
  std::vector<Index> nonzeros;
  for (const auto& [setting, parts] : errors_)
    if (setting.first == components) nonzeros.push_back(setting.second);
  return nonzeros;
}

void evaluate_errors(const CrossValidation::Errors& errors, Choice& choice, Index repeats) {
  // Fraction of the gain of components of all variables that may be lost for the sake of fewer
  // variables: with many samples the standard error is tiny, whether the difference matters or not.
  constexpr double kLoss = 0.02;
  const auto least =
      std::ranges::min_element(errors, {}, [](const auto& entry) { return entry.second.sum(); });
  const double means = errors.begin()->second.sum();
  const double least_error = least->second.sum() / means;
  choice.held_out.clear();
  choice.least = std::distance(errors.begin(), least);
  // Folds differ much, but in the same way for all settings: so differences between settings are
  // compared.
  for (const auto& [setting, parts] : errors)
    choice.held_out.push_back(
        {.components = setting.first,
         .nonzeros = setting.second,
         .error = parts.sum() / means,
         .excess_deviation = deviation_of_sum(parts - least->second, repeats) *
                             static_cast<double>(repeats) / means});
  const auto near = std::ranges::find_if(choice.held_out, [&](const ValidationPoint& point) {
    return point.error <= least_error + point.excess_deviation;
  });
  double best = 1;
  for (const ValidationPoint& point : choice.held_out)
    if (point.components == near->components) best = std::min(best, point.error);
  const auto chosen =
      std::find_if(choice.held_out.begin(), near, [&](const ValidationPoint& point) {
        return point.components == near->components && point.error <= best + kLoss * (1 - best);
      });
  choice.chosen = chosen - choice.held_out.begin();
}

}  // namespace spcart
