#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/methods.hpp"
#include "spcart/names.hpp"
#include "spcart/pca.hpp"
#include "spcart/rotate.hpp"
#include "spcart/search.hpp"
#include "spcart/truncation.hpp"

namespace SPCART_EXPORT spcart {

/// The order of the components.
enum class Order {
  variance,  ///< each explains most after those before it
  none       ///< the method's own
};
std::string_view name(Order value);
template <>
Order parse<Order>(std::string_view text);

/// The criterion by which the best of several starts is chosen.
enum class BestBy {
  objective,  ///< what the method minimises
  cpev        ///< the variance explained
};
std::string_view name(BestBy value);
template <>
BestBy parse<BestBy>(std::string_view text);

/// What to fit and how. `option_records` lists every field with its range and its help text.
struct Options {
  Method method = Method::spcart;
  Index components = 2;  ///< r, 1 to min(n, p)
  std::optional<double> variance =
      {};  ///< instead of `components`: the fewest whose PCA explains this fraction
  std::optional<TruncationType> truncation =
      {};  ///< default: count if nonzeros is given, otherwise the method's own
  std::optional<double> lambda = {};  ///< range and default by method and truncation type

  // Targets. At most one is set, in place of lambda, which is then determined.
  std::optional<Index> nonzeros = {};   ///< variables per component; an average except for count
  std::optional<double> sparsity = {};  ///< mean fraction of zeros
  std::optional<double> keep = {};      ///< minimum share of PCA's CPEV (cumulative percentage of
                                        ///< explained variance), with as few nonzeros as possible

  std::optional<Start> start = {};    ///< default: the method's own
  std::optional<bool> post_fit = {};  ///< gpower, gpowerb: optimal values on the final support
  std::optional<double> ridge = {};   ///< spca: weight of the squared length, may be infinite
  std::optional<double> bound = {};  ///< spca: maximum |z|_1 of a regression, whose ridge is finite
  std::optional<double> orthogonality = {};  ///< alspca: maximum |x_i'x_j|
  std::optional<double> correlation = {};    ///< alspca: maximum correlation of two components
  std::optional<Direction> direction = {};   ///< greedy: default both, for many variables forward
  std::optional<Deflation> deflation = {};   ///< exact: default projection
  std::optional<double> time_limit = {};     ///< exact: seconds for the proofs of all components
  Index restarts = 0;  ///< random starts in addition to `start`; the best is kept
  BestBy best_by = BestBy::objective;
  Index refit = 0;                    ///< rounds of refitting the values on the final support
  Index refine = 0;                   ///< rounds of moving the support to explain more
  std::optional<Effort> effort = {};  ///< of the search for loadings that explain more; default:
                                      ///< normal if a target is given, otherwise none
  double overlap = 0.1;               ///< search: maximum mean |cos| between components, 0 to 1
  double tolerance = 1e-2;            ///< stop at |X - X_previous|_F / sqrt(r) < tolerance
  Index max_iterations = 200;
  std::optional<double> certify =
      {};  ///< seconds to prove how much more is possible; default: none
  Order order = Order::variance;
  Solver solver = Solver::automatic;
  std::uint64_t seed = 0;  ///< same seed, same result
  Index threads = 0;       ///< 0: as many as OpenMP offers

  bool operator==(const Options&) const = default;
};

/// The member of Options that an option sets.
using OptionField =
    std::variant<Index Options::*, double Options::*, std::uint64_t Options::*, Method Options::*,
                 BestBy Options::*, Order Options::*, Solver Options::*,
                 std::optional<Index> Options::*, std::optional<double> Options::*,
                 std::optional<bool> Options::*, std::optional<TruncationType> Options::*,
                 std::optional<Direction> Options::*, std::optional<Start> Options::*,
                 std::optional<Effort> Options::*, std::optional<Deflation> Options::*>;

/// One option of `fit` as every interface shows it: the command's flags, the JSON, Python's
/// arguments and the documentation are generated from this list.
struct OptionRecord {
  std::string_view name;       ///< as a flag, without dashes: "max-iterations"
  std::string_view shorthand;  ///< one letter, or empty
  std::string_view value;      ///< placeholder of the value in help: "N", "hard|soft|count|energy"
  std::string_view help;
  OptionField field;
  std::string_view implied = {};  ///< the value if the option is given without one

  void set(Options& options, std::string_view text) const;  ///< throws Error for an invalid value
  std::string get(const Options& options) const;            ///< the value as text, empty if not set
};
std::span<const OptionRecord> option_records();

/// The truncation that the options specify for p variables, with defaults filled in; none if the
/// method does not truncate.
std::optional<Truncation> truncation_of(const Options& options, Index p);

/// Throws Error if more than one of lambda, nonzeros, sparsity and keep is given for p variables,
/// or one of the last three is out of range.
void check_target(const Options& options, Index p);

/// The search effort that the options specify, with the default filled in.
Effort effort_of(const Options& options);

/// Throws Error for the first option that is out of its range for this matrix.
void check(const Options& options, const DataMatrix& a);

}  // namespace spcart
