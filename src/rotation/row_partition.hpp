#pragma once

#include <functional>

#include "base/export_to_mpi.hpp"
#include "spcart/types.hpp"

namespace spcart {

/// Which rows of a basis V are here. This class is for all of them; a derived class has the rows of
/// one rank and works together with the ranks that have the others: all call the same functions in
/// the same order, and get the same results to the last bit.
class SPCART_EXPORT_TO_MPI RowPartition {
 public:
  explicit RowPartition(Index total_rows) : total_rows_(total_rows) {}
  virtual ~RowPartition() = default;

  Index total_rows() const { return total_rows_; }  ///< of V, on all ranks

  virtual bool is_whole() const { return true; }  ///< all rows are here
  virtual bool is_root() const { return true; }
  // NOLINTBEGIN(performance-unnecessary-value-param): ranks write to a block
  virtual void sum(Block) const {}        ///< over all ranks
  virtual void broadcast(Block) const {}  ///< from the root; only the root needs to compute it
  // NOLINTEND(performance-unnecessary-value-param)

  /// Over the ranks with earlier rows.
  virtual Vector sum_before(const Vector& numbers) const { return Vector::Zero(numbers.size()); }

  /// Runs work that may throw: if it throws on one rank, it throws on all.
  virtual void collectively(const std::function<void()>& work) const { work(); }

 private:
  Index total_rows_;
};

}  // namespace spcart
