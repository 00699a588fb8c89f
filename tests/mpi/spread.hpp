#pragma once

#include <memory>

#include "spcart/mpi.hpp"

namespace spcart::testing {

/// The ranks that the tests run on.
const mpi::Ranks& ranks();

/// How the rows of a table are stored, and how they are spread.
enum class Kind { dense, by_column, single, sparse, sparse_by_column, file };
enum class Split {
  even,
  uneven,      ///< the last rank has nearly all
  root_empty,  ///< the root has none, if there are others
  in_parts     ///< even, and each rank has its rows in two parts
};

/// A matrix of the rows of s, spread over the ranks. To be called at the root.
std::unique_ptr<DataMatrix> spread(const Matrix& s, const Preparation& preparation, Kind kind,
                                   Split split = Split::even);

/// A table of that kind; if it is a file, its folder must outlive it.
Table table_of(const Matrix& s, Kind kind);

/// What the other ranks do meanwhile, until `dismiss` is called at the root.
void serve();
void dismiss();

}  // namespace spcart::testing
