#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spcart/data.hpp"
#include "spcart/fit.hpp"
#include "spcart/io.hpp"
#include "spcart/prepare.hpp"
#include "spcart/table.hpp"

namespace spcart::command {

/// DATA and the flags that say how it is read and prepared.
struct DataArguments {
  std::string source;
  bool covariance = false;
  std::string missing = "auto", header = "auto", row_labels = "auto", decimal = "auto";
  std::vector<std::string> na, include, exclude;
  bool strict = false, transpose = false;
  std::string names, labels, labels_column;
  std::optional<std::string> memory, cache;
  bool no_center = false, scale = false, remove_row_mean = false;
  std::string precision = "double";

  /// Adds DATA and the flags of reading, without --covariance.
  CLI::Option* add_reading(CLI::App& app);
  void add_covariance(CLI::App& app);
  void add_labels(CLI::App& app);  ///< for commands that show samples
  void add_labels_column(CLI::App& app);
  void add_preparation(CLI::App& app);

  /// With memory reserved for what is planned. Throws Error for a value that a flag does not have.
  ReadOptions read_options(const PrepareOptions& planned) const;
  Preparation preparation() const;  ///< throws the same

  /// How DATA is prepared for this many components and a solver. Throws the same.
  PrepareOptions prepare_options(Index components = Options{}.components,
                                 Solver solver = Solver::automatic) const;

  /// The files that are read, which no output may replace.
  std::vector<std::string> files() const;

  /// The source as a title: a file's name, "@pitprops", "standard input".
  std::string title() const;
};

/// DATA as it was read, and prepared.
struct Data {
  Table table;
  std::string title;                   ///< of its source
  std::unique_ptr<DataMatrix> matrix;  ///< none until it is prepared
  std::vector<std::string> hints;      ///< what the call may have forgotten
  std::vector<std::string> notes;      ///< of reading, without hints
};

/// Runs work on the data; an Error that is about the data names its source.
void with_title(const Data& data, const std::function<void()>& work);

/// "180 samples x 13 variables" or "covariance of 13 variables".
std::string shape(const Table& table);

/// Whether the variables have names of their own.
bool has_names(std::span<const std::string> variables);

/// What to say of a table that looks like a covariance matrix but is not taken for one.
std::string covariance_hint(std::string_view title);

/// A file name as part of a title.
std::string file_title(const std::string& path);

}  // namespace spcart::command
