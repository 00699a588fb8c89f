#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "record.hpp"
#include "spcart/fit.hpp"

namespace spcart::reproduce {

/// The source of the data: a file in the folder of real data sets or, if there is none, a built-in
/// data set instead; or built-in data sets from the outset.
struct DataDeclaration {
  std::string label;         ///< in words: "patches of natural images"
  std::string file;          ///< of the real data; empty: the built-in data set is meant
  Index rows = 0, cols = 0;  ///< of the file
  std::vector<std::string>
      built_in;  ///< "@patches:n=5000": one data set, or several one after the other
  bool remove_row_mean = false;
  std::optional<std::pair<Index, Index>>
      image;  ///< variables are pixels with this many rows and columns
};

/// Options as `option_records` names them, each with one value or several: one run per combination.
/// A lambda may be "1.5/sqrt(p)", a number of components "70 %" (the fewest whose PCA explains this
/// much) or "p".
using Choices = std::vector<std::pair<std::string, std::vector<std::string>>>;

struct Series {
  std::string label;
  Choices choices;                   ///< including those of the experiment
  Index repeats = 1;                 ///< of each run: the shortest time counts
  bool by_iteration = false;         ///< spcart: one record per iteration
  std::optional<Record> paper = {};  ///< its row of a printed table
};

struct Claim {
  std::string claim;                                ///< a sentence
  std::string paper;                                ///< what the paper says
  std::string note;                                 ///< why it differs, if it does
  std::vector<std::unique_ptr<Check>> checks = {};  ///< all must hold
};

/// y over x with one line per series or, for a single series, one line per field.
struct Figure {
  std::string title, x, y;
  std::string series;              ///< whose fields are drawn; empty: y of every series
  std::vector<std::string> lines;  ///< these fields
  bool log_x = false, log_y = false;
};

/// Loadings as images: the first and the last few of some series.
struct Pictures {
  std::vector<std::string> series;
  Index first = 10, last = 10;
};

enum class PatternKind { none, variables, cardinalities };

struct Experiment {
  std::string name, title, about;
  bool ours = false;   ///< not one of the paper's
  bool quick = false;  ///< the smaller version
  DataDeclaration data;
  PatternKind pattern = PatternKind::none;
  std::vector<Series> series;
  std::vector<Figure> figures;
  std::vector<std::string> table;  ///< fields; none: no table
  std::optional<Pictures> pictures;
  std::vector<Claim> claims;
};

/// Reads a declaration (experiments/NAME.json). For `quick`, its field "quick" is merged into it
/// first: so large experiments declare their own smaller version. Throws Error for anything that is
/// missing, unknown or misplaced.
Experiment parse_experiment(std::string_view name, std::string_view text, bool quick = false);

/// The options of every run of a series on data with p variables. `explaining` returns how many
/// components PCA needs for a fraction of the variance.
std::vector<Options> settings_of(const Series& series, Index p,
                                 const std::function<Index(double)>& explaining);

}  // namespace spcart::reproduce
