#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spcart/io.hpp"

namespace spcart::io {

/// Names of variables and samples from files other than the table's: those that the options give
/// or, beside a 10x matrix and if they give none, its features and barcodes.
class NameFiles {
 public:
  NameFiles() = default;
  NameFiles(const ReadOptions& options, const std::filesystem::path& table);

  /// Whether a matrix of this size must be transposed to have samples as rows: if `transpose` asks
  /// for it, or if its rows are the features of 10x; not if both. Names found beside a matrix of
  /// another size are forgotten, and a note says so.
  bool orient(Index rows, Index cols, bool transpose);

  /// Names the table, before any of it is left out. Throws Error if there are too few or too many
  /// names. Given labels are also names of the samples, unless the table has its own.
  void apply(Table& table);

  bool name_variables() const { return !variables_.empty(); }

  std::uint64_t bytes() const;  ///< that the names take
  std::string key() const;      ///< names differ if their keys do

 private:
  void find_beside(const std::filesystem::path& table);

  std::string names_file_, labels_file_;  ///< as given; empty if not
  std::vector<std::string> variables_, samples_;
  std::string beside_;  ///< the names of the files that were found, for notes
  std::vector<std::string> notes_;
};

}  // namespace spcart::io
