#pragma once

#include <optional>
#include <vector>

#include "linalg/polar.hpp"
#include "rotation/basis_panels.hpp"
#include "rotation/row_partition.hpp"
#include "rotation/sliced_loadings.hpp"
#include "spcart/rotate.hpp"

namespace spcart {

/// The state of Algorithm 1 for one setting, iteration by iteration. Rows of V whose norm is too
/// small for any of their rotated entries to stay are left out: permanently if the threshold is
/// given, otherwise as long as the thresholds are above them.
class RotationState {
 public:
  /// All arguments except the start must outlive it.
  RotationState(const BasisPanels& whole, const RowPartition& partition,
                const RotateOptions& options, Matrix start);
  RotationState(const RotationState&) = delete;
  RotationState& operator=(const RotationState&) = delete;

  bool done() const { return status_ != Status::not_run; }
  double progress() const {
    return static_cast<double>(history_.size()) / static_cast<double>(options_.max_iterations);
  }

  void iterate();
  void move_to(RotationResult& result);

 private:
  /// The working space of a slice, and its contribution.
  struct Part {
    Matrix panel;    ///< some rows of Z = V R'
    Matrix product;  ///< (X'V)' before X is normalised, with the basis's rows of zeros
    Vector zeroed;   ///< |z|^2 over the entries set to zero, of each rotated loading
    std::vector<double> work;
  };
  Part& part(Index slice) { return parts_[static_cast<std::size_t>(slice)]; }
  Threshold& threshold(Index i) { return thresholds_[static_cast<std::size_t>(i)]; }

  /// Whether a threshold depends on all of a rotated loading.
  bool selects() const {
    return options_.truncation.type == TruncationType::count ||
           options_.truncation.type == TruncationType::energy;
  }

  void work_on(std::optional<BasisPanels> fewer, double bound);
  void leave_out_rows();
  void clear();
  void rotate();
  bool select();
  void select_some(Index slice);
  void truncate(Index slice, Index first, ConstBlock z);
  void end();
  void sum_over_ranks(double& zeroed, double& nonzeros);
  double update();
  void divide_products();
  double objective(double nonzeros, double trace_norm) const;

  const BasisPanels& whole_;
  const RowPartition& partition_;
  const RotateOptions& options_;
  Index r_;
  Matrix rotation_, truncated_from_;
  PolarSteps polar_;
  std::vector<Threshold> thresholds_;

  std::optional<BasisPanels> fewer_;
  const BasisPanels* basis_ = &whole_;  ///< the rows that are rotated
  double bound_ = 0;                    ///< entries of all others are below it
  Matrix left_gram_;                    ///< V'V over the rows that are left out, for energy

  SlicedLoadings x_, before_;
  std::vector<Part> parts_;
  Matrix product_;  ///< X'V
  Matrix z_;        ///< Z, if thresholds depend on all of it
  Vector lengths_, l1_;
  std::vector<Iteration> history_;
  Status status_ = Status::not_run;
};

}  // namespace spcart
