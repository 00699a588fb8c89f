#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/export_to_mpi.hpp"
#include "spcart/data.hpp"

namespace spcart {

/// Throws Error if given means or scales do not fit p variables.
SPCART_EXPORT_TO_MPI void check_preparation(const Preparation& preparation, Index p);

/// Throws Error about a value in a table; `what` begins the message.
[[noreturn]] void reject_not_finite(std::string_view what, Index row, Index col, double value);

/// For kinds of data that are always multiplied in double.
inline Preparation in_double(Preparation preparation) {
  preparation.precision = Precision::full;
  return preparation;
}

/// Whether A'A is formed in the pass that measures a dense table, which saves one pass if it is
/// needed later. Only if it is kept then, see below.
enum class FormGram { no, yes };

std::unique_ptr<DataMatrix> make_dense(const DenseView& view, const Preparation& preparation,
                                       const Tick& tick, FormGram gram);
std::unique_ptr<DataMatrix> make_file(const FileView& view, const Preparation& preparation,
                                      const Tick& tick, FormGram gram);
std::unique_ptr<DataMatrix> make_rows(const RowSource& source, const Preparation& preparation,
                                      const Tick& tick, FormGram gram);
SPCART_EXPORT_TO_MPI std::unique_ptr<DataMatrix> make_matrix(const Table& table,
                                                             const Preparation& preparation,
                                                             const Tick& tick, FormGram gram);

/// Whether A'A is kept once it is formed: if it needs no more than 128 MB, and no more than A.
inline bool is_gram_kept(Index rows, Index cols) {
  constexpr Index kLargest = 4096;
  return cols <= std::min(rows, kLargest);
}

/// Numbers that a source has to store, estimated if it is sparse and does not tell.
double entries_of(const RowSource& source);

/// sqrt(2 f (1 - f)) for alleles whose counts have these means, 2 f.
SPCART_EXPORT_TO_MPI Vector genotype_scales(const Vector& means);

/// 1/s, or 0 for a constant variable.
SPCART_EXPORT_TO_MPI Vector inverse_scales(const Vector& scales);

}  // namespace spcart
