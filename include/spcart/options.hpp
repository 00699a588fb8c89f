#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/methods.hpp"
#include "spcart/names.hpp"
#include "spcart/pca.hpp"
#include "spcart/rotate.hpp"
#include "spcart/search.hpp"
#include "spcart/truncation.hpp"

namespace SPCART_EXPORT spcart {

/// In which order components come.
enum class Order {
  variance,  ///< each explains most after those before it
  none       ///< the method's own
};
std::string_view name(Order value);
template <>
Order parse<Order>(std::string_view text);

/// By what the best of several starts is chosen.
enum class BestBy {
  objective,  ///< what the method lowers
  cpev        ///< the variance explained
};
std::string_view name(BestBy value);
template <>
BestBy parse<BestBy>(std::string_view text);

/// What to fit and how. `option_records` lists every field with its range and its words.
struct Options {
  Method method = Method::spcart;
  Index components = 2;  ///< r, 1 to min(n, p)
  std::optional<double> variance =
      {};  ///< instead: the fewest components whose PCA explains this fraction
  std::optional<TruncationType> truncation =
      {};  ///< default: count where nonzeros is given, else the method's own
  std::optional<double> lambda = {};  ///< range and default by method and truncation type

  // Targets, one of them in place of lambda, which is then found.
  std::optional<Index> nonzeros = {};   ///< variables in a component; on average but for count
  std::optional<double> sparsity = {};  ///< mean fraction of zeros
  std::optional<double> keep = {};      ///< least share of PCA's CPEV, by as few nonzeros as can be

  std::optional<Start> start = {};    ///< default: the method's own
  std::optional<bool> post_fit = {};  ///< gpower, gpowerb: best values on the found support
  std::optional<double> ridge = {};   ///< spca: weight of the squared length, may be infinite
  std::optional<double> bound = {};  ///< spca: largest |z|_1 of a regression, whose ridge is finite
  std::optional<double> orthogonality = {};  ///< alspca: largest |x_i'x_j| that is allowed
  std::optional<double> correlation = {};    ///< alspca: largest correlation of two components
  Index restarts = 0;  ///< random starts beside `start`, of which the best is kept
  BestBy best_by = BestBy::objective;
  Index refit = 0;   ///< rounds of refitting values on the found support
  Index refine = 0;  ///< rounds of letting the support move to where it explains more
  std::optional<Effort> effort = {};  ///< of the search for what explains more; default: normal
                                      ///< where a target is given, else none
  double overlap = 0.1;               ///< search: largest mean |cos| between components, 0 to 1
  double tolerance = 1e-2;            ///< stop at |X - X_previous|_F / sqrt(r) < tolerance
  Index max_iterations = 200;
  Order order = Order::variance;
  Solver solver = Solver::automatic;
  std::uint64_t seed = 0;  ///< same seed, same result
  Index threads = 0;       ///< 0: as many as OpenMP offers

  bool operator==(const Options&) const = default;
};

/// One option of `fit` as every face shows it: the command's flags, the JSON and the documentation
/// come from this list.
struct OptionRecord {
  std::string_view name;       ///< as a flag, without dashes: "max-iterations"
  std::string_view shorthand;  ///< one letter, or empty
  std::string_view value;      ///< what stands for the value in help: "N", "hard|soft|count|energy"
  std::string_view help;
  void (*set)(Options&, std::string_view text);  ///< throws Error if the text is no such value
  std::string (*get)(const Options&);            ///< the value as text, empty if it is not set
};
std::span<const OptionRecord> option_records();

/// The truncation that the options mean for p variables, defaults filled in; none if the method
/// truncates nothing.
std::optional<Truncation> truncation_of(const Options& options, Index p);

/// How long the options mean to search.
Effort effort_of(const Options& options);

/// Throws Error for the first option that is out of its range for this matrix.
void check(const Options& options, const DataMatrix& a);

}  // namespace spcart
