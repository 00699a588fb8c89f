#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "spcart/data.hpp"

namespace spcart {

/// What a kind of data offers besides its products where its samples are at hand: dense and sparse
/// tables in memory do.
class Samples {
 public:
  virtual ~Samples() = default;

 private:
  // `rows` are within the table and rise.
  virtual std::unique_ptr<DataMatrix> do_select_rows(std::vector<Index> rows,
                                                     const Preparation& preparation,
                                                     const Tick& tick) const = 0;
  virtual std::unique_ptr<DataMatrix> do_permute_columns(std::uint64_t seed,
                                                         const Tick& tick) const = 0;

  friend std::unique_ptr<DataMatrix> select_rows(const DataMatrix&, std::vector<Index>,
                                                 const Preparation&, const Tick&);
  friend std::unique_ptr<DataMatrix> permute_columns(const DataMatrix&, std::uint64_t, const Tick&);
};

/// Samples of the stored table, in rising order and each as often as `rows` has it, as a matrix of
/// their own that is prepared anew. Dense rows are read where they lie, sparse ones are copied;
/// what `a` has a view of must outlive the matrix. Throws Error where the samples are not at hand:
/// of a covariance, and of a table in a file.
std::unique_ptr<DataMatrix> select_rows(const DataMatrix& a, std::vector<Index> rows,
                                        const Preparation& preparation, const Tick& tick = {});

/// The values of each variable in a random order of their own, prepared as `a` was: variables are
/// as they were, but independent. It takes memory for a copy. Row means that are removed are
/// removed before; but of a sparse table after. Throws Error likewise.
std::unique_ptr<DataMatrix> permute_columns(const DataMatrix& a, std::uint64_t seed,
                                            const Tick& tick = {});

/// The same preparation, with means and scales to be measured again.
Preparation measured_anew(Preparation preparation);

}  // namespace spcart
