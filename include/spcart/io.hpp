#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/bootstrap.hpp"
#include "spcart/choose.hpp"
#include "spcart/compare.hpp"
#include "spcart/fit.hpp"
#include "spcart/path.hpp"
#include "spcart/table.hpp"

namespace spcart {

/// What to do with cells that are empty or read NA, NaN, null or ?.
enum class Missing {
  error,  ///< refuse them, naming the first
  drop,   ///< leave out the samples that have one
  mean    ///< put the mean of the variable's other values
};

enum class Presence { automatic, yes, no };

/// Where a table is while it is used.
enum class Storage {
  automatic,  ///< in memory where there is room for it, else in a file
  memory,
  file
};

struct ReadOptions {
  Missing missing = Missing::error;
  Presence header = Presence::automatic;      ///< text: is the first line the variables' names?
  Presence row_labels = Presence::automatic;  ///< text: is the first field the sample's name?
  std::vector<std::string> exclude = {};      ///< variables to leave out, by name
  bool covariance = false;  ///< the table is a covariance matrix, which is always kept in memory

  Storage storage = Storage::automatic;
  std::uint64_t memory = 0;  ///< bytes that the whole program may take; 0: what the system has
  Index components = 2;      ///< that will be looked for: room is left for that work
  std::filesystem::path cache = {};  ///< folder of the copies that are kept for the next time;
                                     ///< empty: in the system's temporary folder, gone at the end
};

/// Reads .csv, .tsv, .npy or .mtx, plain or gzipped (found by content, not by name); "-" is CSV on
/// standard input. Errors name file, line, column and value as far as they are known. Nothing is
/// allocated on the word of a header alone.
///
/// A table that is not kept in memory is a FileView: of the file itself where that is a plain .npy
/// from which nothing is left out, else of a binary copy. Missing and infinite numbers of an .npy
/// that is used in place are found when it is prepared, not here.
Table read_table(const std::filesystem::path& path, const ReadOptions& options = {},
                 const Tick& tick = {});

/// A file that appears whole or not at all: written under a temporary name beside its own, and
/// renamed at commit. "-" is standard output; what exists and is no regular file (a device, a pipe)
/// is written directly, at commit.
class OutputFile {
 public:
  /// Throws Error where the file could not be written; creates nothing yet.
  explicit OutputFile(std::filesystem::path path);

  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  /// Writes the text under the temporary name, so that of several files none is there before all
  /// could be written. What is not committed is removed at the end.
  /// Throws std::runtime_error, as commit does, where the system fails (disk full).
  void prepare(std::string_view text);

  /// Gives the prepared file its name.
  void commit();

  void write(std::string_view text) {
    prepare(text);
    commit();
  }

  const std::filesystem::path& path() const { return path_; }

  /// Is there no temporary file, so that all is written at commit?
  bool is_direct() const;

 private:
  struct Pending;

  std::filesystem::path path_;
  std::unique_ptr<Pending> pending_;
};

/// Removes the temporary files of every OutputFile that is being written: for the end of an
/// interrupted program. Not for use in a signal handler.
void remove_unfinished_files() noexcept;

/// Numbers as CSV with a header line and, unless `rows` is empty, a name before each line. Shortest
/// exact numbers, names quoted where they must be.
std::string to_csv(ConstBlock values, std::span<const std::string> columns,
                   std::span<const std::string> rows);

/// Loadings as CSV: a line a variable, a column a component (PC1, PC2, ...).
std::string loadings_csv(const Loadings& x, std::span<const std::string> variables);

/// Scores as CSV: a line a sample, a column a component.
std::string scores_csv(ConstBlock scores, std::span<const std::string> samples);

/// For each variable of the data its place among those of `owner` (a file, as messages call it).
/// The same names in another order are matched by name. Else places count: where the names are the
/// same in order too, or where one side has none of its own but x1, x2, ... and as many variables.
/// Throws Error naming what is missing or superfluous.
std::vector<Index> match_variables(std::span<const std::string> data,
                                   std::span<const std::string> others, std::string_view owner);

/// Loadings from a JSON of a result, or from any table that read_table knows with a row a variable
/// and a column a component. Its rows are brought into the order of the data's variables, as
/// match_variables finds it.
Loadings read_loadings(const std::filesystem::path& path, std::span<const std::string> variables);

/// The JSON of a result, with its stability where that is known, as documented in docs/json.md. One
/// line, shortest exact numbers.
std::string to_json(const Result& result, std::span<const std::string> variables,
                    const Stability* stability = nullptr);
std::string to_json(const Criteria& criteria);
/// The rows of a comparison.
std::string to_json(std::span<const Compared> rows);
/// The points of a path.
std::string to_json(const Path& path);
std::string to_json(const Choice& choice);

/// What a JSON of a result says that is needed to treat new data as the old was treated.
struct Model {
  Loadings loadings;
  std::vector<std::string> variables;
  Preparation preparation;
};
Model read_model(const std::filesystem::path& path);

/// Brings the model's variables into another order: the i-th becomes that which was at order[i].
void reorder(Model& model, const std::vector<Index>& order);

}  // namespace spcart
