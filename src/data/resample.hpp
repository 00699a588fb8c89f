#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/export_to_mpi.hpp"
#include "data/preparation.hpp"
#include "spcart/data.hpp"
#include "spcart/memory.hpp"

namespace spcart {

/// What a kind of data offers besides products if its samples are available: dense and sparse
/// tables in memory do, on one machine or on ranks, and genotypes, which are unpacked for it.
class SPCART_EXPORT_TO_MPI Samples {
 public:
  virtual ~Samples() = default;

 private:
  // `rows` are within the table and ascending.
  virtual std::unique_ptr<DataMatrix> do_select_rows(std::vector<Index> rows,
                                                     const Preparation& preparation,
                                                     const Tick& tick, FormGram gram) const = 0;
  virtual std::unique_ptr<DataMatrix> do_permute_columns(std::uint64_t seed,
                                                         const Tick& tick) const = 0;

  friend std::unique_ptr<DataMatrix> select_rows(const DataMatrix&, std::vector<Index>,
                                                 const Preparation&, const Tick&, FormGram);
  friend std::unique_ptr<DataMatrix> permute_columns(const DataMatrix&, std::uint64_t, const Tick&);
};

/// Samples of the stored table, in ascending order and each as often as `rows` has it, as a matrix
/// of their own that is prepared anew. Dense rows are read in place, sparse ones are copied; what
/// `a` has a view of must outlive the matrix. Throws Error if the samples are not available: for a
/// covariance, and for a table in a file.
SPCART_EXPORT_TO_MPI std::unique_ptr<DataMatrix> select_rows(const DataMatrix& a,
                                                             std::vector<Index> rows,
                                                             const Preparation& preparation,
                                                             const Tick& tick = {},
                                                             FormGram gram = FormGram::no);

/// The values of each variable in an independent random order, prepared as `a` was: variables keep
/// their distribution but become independent. Needs memory for a copy. Row means are removed before
/// the permutation; for a sparse table after it. Throws Error likewise.
SPCART_EXPORT_TO_MPI std::unique_ptr<DataMatrix> permute_columns(const DataMatrix& a,
                                                                 std::uint64_t seed,
                                                                 const Tick& tick = {});

/// The same preparation, with means and scales to be measured again.
SPCART_EXPORT_TO_MPI Preparation measured_anew(Preparation preparation);

// For the kinds of data that offer it.

/// How `permuted_columns` of a dense table are prepared: their row means are removed already.
Preparation permuted_preparation(const DataMatrix& a);

/// Throws Error if a dense copy in double does not fit in `memory` bytes.
SPCART_EXPORT_TO_MPI void check_room_for_copy(Index rows, Index cols,
                                              std::uint64_t memory = available_memory());

/// A table of some rows of a dense one, which are read in place: nothing is copied. `rows` are
/// ascending.
std::unique_ptr<DataMatrix> make_gathered(const DenseView& view, std::vector<Index> rows,
                                          const Preparation& preparation, const Tick& tick,
                                          FormGram gram);

/// The rows of a sparse table, copied; the view owns them. `rows` are ascending.
SPCART_EXPORT_TO_MPI SparseView selected_rows(const SparseView& view,
                                              const std::vector<Index>& rows);

/// The columns of a sparse table, copied likewise. `columns` are ascending.
SparseView selected_columns(const SparseView& view, std::span<const Index> columns);

/// The values of each variable, less the row means unless these are empty, in an independent random
/// order.
Matrix permuted_columns(const DenseView& view, const Vector& row_means, std::uint64_t seed,
                        const Tick& tick);

/// The same for a sparse table, whose row means stay: entries move to random rows of their columns.
SparseView permuted_columns(const SparseView& view, std::uint64_t seed);

}  // namespace spcart
