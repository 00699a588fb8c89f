#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/export.hpp"
#include "spcart/memory.hpp"
#include "spcart/names.hpp"
#include "spcart/table.hpp"

namespace SPCART_EXPORT spcart {

/// What to do with missing cells: those that are empty or read NA, NaN, null, ?, and others that
/// docs/files.md lists.
enum class Missing {
  automatic,  ///< mean for genotypes, of which some are nearly always missing, otherwise error
  error,      ///< reject them, naming the first
  drop,       ///< leave out samples that have any
  mean        ///< replace them by the mean of the variable's other values
};
std::string_view name(Missing value);
template <>
Missing parse<Missing>(std::string_view text);

enum class Tristate { automatic, yes, no };
std::string_view name(Tristate value);
template <>
Tristate parse<Tristate>(std::string_view text);

/// The sign between the whole and the fraction of numbers in a text.
enum class Decimal {
  automatic,  ///< by the first lines, if they leave no doubt
  point,
  comma
};
std::string_view name(Decimal value);
template <>
Decimal parse<Decimal>(std::string_view text);

/// Where a table is while it is used.
enum class Storage {
  automatic,  ///< in memory if there is room for it, otherwise in a file
  memory,
  file
};

struct ReadOptions {
  Missing missing = Missing::automatic;
  Tristate header = Tristate::automatic;      ///< text: is the first line the variables' names?
  Tristate row_labels = Tristate::automatic;  ///< text: is the first field the sample's name?
  Decimal decimal = Decimal::automatic;       ///< text: of its numbers
  std::vector<std::string> na = {};           ///< text: further cells that are missing
  bool strict =
      false;  ///< text: reject columns that are not numbers, instead of setting them aside
  std::string labels_column = {};  ///< text: a column that names each sample's group

  /// Variables to take, and to leave out. Each is a list of names, indices from 1, ranges (3-7,
  /// a:c) and patterns (gene*), separated by commas.
  std::vector<std::string> include = {}, exclude = {};
  bool covariance = false;  ///< the table is a covariance matrix, which is always kept in memory
  bool transpose = false;   ///< exchange samples and variables
  /// Files for `read_names`, with a heading if they have one line more: of the variables, and of
  /// the samples' groups, which are also names of the samples if the table does not name them.
  std::filesystem::path names = {}, labels = {};

  Storage storage = Storage::automatic;
  std::uint64_t memory = 0;  ///< bytes that the whole program may use; 0: what the system has
  /// Bytes of `memory` for each variable that are left for the work on the table; `reserve_work`
  /// sets them to what that work needs.
  std::uint64_t work_per_variable = kWorkPerVariable;
  std::filesystem::path cache = {};  ///< folder for copies that are kept for the next run; empty:
                                     ///< the system's temporary folder, removed at the end
};

/// A file, and the part of it that is meant: "cells.h5ad:layers/counts".
struct DataPath {
  std::filesystem::path file;
  std::string part;  ///< empty: what the file is about
};

/// Splits what names a table, at its last colon after which no file is named. A name that exists as
/// a file is that file.
DataPath split_data_path(const std::filesystem::path& path);

/// The names in a file, plain or gzipped: one per line, without CSV quotes. Of several fields,
/// separated by tabs, the first counts; in features.tsv and genes.tsv of 10x the second.
std::vector<std::string> read_names(const std::filesystem::path& path);

/// Reads .csv, .tsv, .npy or .mtx, plain or gzipped (detected by content, not by name), .npz, HDF5
/// (.h5ad, .h5, .loom) and .bed; "-" is CSV on standard input. A path may have the part of a file
/// behind a colon. Errors name file, line, column and value as far as they are known. No memory is
/// allocated on the strength of a header alone.
///
/// A .bed of PLINK has its names in the .bim and the .fam beside it. It is always used in place:
/// variables count the first allele of each variant.
///
/// matrix.mtx of 10x is transposed and named by features.tsv and barcodes.tsv beside it, unless the
/// options give names.
///
/// A table that is not kept in memory is a FileView: of the file itself if that is a plain .npy
/// from which nothing is left out, otherwise of a binary copy. Missing and infinite numbers of an
/// .npy that is used in place are detected when it is prepared, not here.
Table read_table(const std::filesystem::path& path, const ReadOptions& options = {},
                 const Tick& tick = {});

/// A column of a file, and what `read_table` makes of it.
struct ColumnSummary {
  enum class Use {
    variable,
    text,      ///< set aside: most of its cells are not numbers
    empty,     ///< set aside: none of its cells has a value
    excluded,  ///< left out on request
    sample,    ///< the samples' names
    label      ///< of the samples' groups
  };
  std::string name;
  Use use = Use::variable;
  Index missing = 0;        ///< cells
  Index rejected = 0;       ///< cells of a variable that are no finite numbers
  std::string example;      ///< the first cell that is rejected, or that is text
  bool identifier = false;  ///< of a variable: whole numbers in ascending order
  double mean = 0;          ///< of a variable's other cells
  double deviation = 0;
};

/// A table for a look at it, with a summary of each column: cells that `read_table` would reject
/// are missing in it, and missing ones are NaN. It has no columns if no variables are left.
struct Inspection {
  Table table;
  std::vector<ColumnSummary> columns;
  Missing missing = Missing::error;  ///< what `read_table` does with missing cells
};
Inspection inspect_table(const std::filesystem::path& path, const ReadOptions& options = {},
                         const Tick& tick = {});

/// For each variable of the data its index among those of `owner` (a file, as messages call it).
/// The same names in another order are matched by name. Otherwise variables are matched by
/// position: if the names are also in the same order, or if one side has only default names x1, x2,
/// ... and the same number of variables. Throws Error that names what is missing or superfluous.
std::vector<Index> match_variables(std::span<const std::string> data,
                                   std::span<const std::string> others, std::string_view owner);

/// Removes the temporary files of every file that is being written: for the end of an
/// interrupted program. Not for use in a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace spcart
