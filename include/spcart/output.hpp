#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/bootstrap.hpp"
#include "spcart/certificate.hpp"
#include "spcart/choose.hpp"
#include "spcart/compare.hpp"
#include "spcart/export.hpp"
#include "spcart/fit.hpp"
#include "spcart/path.hpp"

namespace SPCART_EXPORT spcart {

/// A file that is written completely or not at all: under a temporary name beside its own, and
/// renamed at commit. "-" is standard output; an existing path that is not a regular file (a
/// device, a pipe) is written directly, at commit.
class OutputFile {
 public:
  /// Throws Error if the file cannot be written; creates nothing yet.
  explicit OutputFile(std::filesystem::path path);

  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  /// Writes the text under the temporary name, so that of several files none appears before all are
  /// written. A file that is not committed is removed by the destructor. Throws std::runtime_error,
  /// as commit does, if the system fails (disk full).
  void prepare(std::string_view text);

  /// Renames the temporary file to its own name.
  void commit();

  void write(std::string_view text) {
    prepare(text);
    commit();
  }

  const std::filesystem::path& path() const { return path_; }

  /// Whether there is no temporary file, so that everything is written at commit.
  bool is_direct() const;

 private:
  struct Pending;

  std::filesystem::path path_;
  std::unique_ptr<Pending> pending_;
};

/// Numbers as CSV with a header line and, unless `rows` is empty, a name before each line. Numbers
/// are the shortest exact ones; names are quoted if necessary.
std::string to_csv(ConstBlock values, std::span<const std::string> columns,
                   std::span<const std::string> rows);

/// Loadings as CSV: one line per variable, one column per component (PC1, PC2, ...).
std::string loadings_csv(const Loadings& x, std::span<const std::string> variables);

/// Scores as CSV: one line per sample, one column per component.
std::string scores_csv(ConstBlock scores, std::span<const std::string> samples);

/// Loadings from the JSON of a result, or from any table that read_table can read, with one row per
/// variable and one column per component. Rows are put into the order of the data's variables, as
/// match_variables finds it.
Loadings read_loadings(const std::filesystem::path& path, std::span<const std::string> variables);

/// The JSON of a result, with its stability if that is known, as documented in docs/json.md. One
/// line, shortest exact numbers.
std::string to_json(const Result& result, std::span<const std::string> variables,
                    const Stability* stability = nullptr);
/// The criteria of loadings, with their certificate if there is one.
std::string to_json(const Criteria& criteria, const Certificate* certificate = nullptr);
/// The rows of a comparison.
std::string to_json(std::span<const ComparisonRow> rows);
/// The points of a path.
std::string to_json(const Path& path);
std::string to_json(const Choice& choice);

/// What is needed from the JSON of a result to treat new data in the same way as the old.
struct Model {
  Loadings loadings;
  std::vector<std::string> variables;
  Preparation preparation;
};
Model read_model(const std::filesystem::path& path);

/// Puts the model's variables into another order: the i-th becomes the one that was at order[i].
void reorder(Model& model, const std::vector<Index>& order);

}  // namespace spcart
