#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/file.hpp"
#include "spcart/views.hpp"

namespace SPCART_EXPORT spcart {

/// A table as it was read or generated: stored numbers with the names of its variables and samples.
/// Rows are samples; for a covariance, both rows and columns are variables.
struct Table {
  std::variant<DenseView, SparseView, FileView> values;  ///< views in memory have an owner
  bool covariance = false;
  std::vector<std::string> variables;    ///< one per column; x1, x2, ... if the source has no names
  std::vector<std::string> samples;      ///< one per row, or empty if the source has no names
  std::vector<std::string> labels = {};  ///< of the samples' groups, one per row, or empty
  std::vector<std::string> notes = {};   ///< what was set aside, taken for granted or filled in
  double seconds = 0;                    ///< spent reading or generating it
  bool genotypes = false;                ///< each variable counts an allele, 0 to 2

  /// If `values` are a memory map, the same numbers in its file.
  std::optional<FileView> mapped = {};

  Index rows() const;
  Index cols() const;
  double entries() const;  ///< numbers that are stored
  bool in_file() const { return std::holds_alternative<FileView>(values); }
  /// Whether samples can be drawn: they are in memory, or genotypes, which are unpacked for it.
  bool has_samples_at_hand() const;
};

/// The stored numbers as a dense matrix of doubles, e.g. a covariance; also those of a file.
Matrix to_matrix(const Table& table);

/// What the stored numbers look like, before any preparation.
struct TableSummary {
  Scalar scalar = Scalar::float64;
  bool sparse = false;
  double least = 0,
         greatest = 0;  ///< of the finite ones; the least is the greater if there are none
  Index stored = 0;     ///< numbers kept in memory or in a file
  Index nonzeros = 0;   ///< of them
  Index bytes = 0;      ///< of the numbers and, if sparse, of their indices
};
TableSummary summarize(const Table& table);

/// Bytes of the stored numbers and, if sparse, of their indices, in memory or in a file.
std::uint64_t stored_bytes(const Table& table);

/// Whether a dense table is square and symmetric, as covariances and correlations are. A file is
/// read only until an asymmetry is found.
bool looks_like_covariance(const Table& table);

/// A table that owns `values` (row i is sample i).
Table make_table(Matrix values, std::vector<std::string> variables = {},
                 std::vector<std::string> samples = {});

/// The names x1, x2, ..., for `count` variables without names.
std::vector<std::string> default_names(Index count);

}  // namespace spcart
