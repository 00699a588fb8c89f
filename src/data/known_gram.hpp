#pragma once

#include <mutex>
#include <vector>

#include "spcart/data.hpp"

namespace spcart {

/// A matrix of which A'A is known, and nothing else: A itself, if requested, is the symmetric
/// square root.
class KnownGram final : public DataMatrix {
 public:
  /// `used` holds the means and scales that led to A'A; there are no samples if only a covariance
  /// is known.
  KnownGram(Matrix gram, std::optional<Index> samples, Preparation used,
            std::vector<Index> constant_columns);

 private:
  const Matrix& root() const;  ///< computed at the first call

  void do_times(ConstBlock x, Block y, const Tick& tick) const override;
  void do_adjoint_times(ConstBlock y, Block x, const Tick& tick) const override;
  void do_gram_times(ConstBlock x, Block y, const Tick& tick) const override;
  void do_gram(Block g, const Tick& tick) const override;
  void do_outer_gram(Block g, const Tick& tick) const override;
  void do_gram_of(std::span<const Index> variables, Block g, const Tick& tick) const override;

  Matrix gram_;
  mutable std::once_flag root_made_;
  mutable Matrix root_;
};

/// Removes the mean of each row from samples of which only S, some sum of a a' over them, is known:
/// (I - 11'/p) S (I - 11'/p).
void remove_row_means(Matrix& s);

}  // namespace spcart
