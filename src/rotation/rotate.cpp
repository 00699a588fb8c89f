#include "spcart/rotate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/names.hpp"
#include "base/random.hpp"
#include "base/reject.hpp"
#include "linalg/lapack.hpp"
#include "rotation/rotate_rows.hpp"
#include "rotation/rotation_state.hpp"
#include "spcart/error.hpp"
#include "spcart/names.hpp"

namespace spcart {
namespace {

constexpr auto kStatusNames =
    std::to_array<Name<Status>>({{Status::not_run, "not_run"},
                                 {Status::converged, "converged"},
                                 {Status::iteration_limit, "iteration_limit"}});

constexpr auto kStartNames = std::to_array<Name<Start>>({{Start::identity, "identity"},
                                                         {Start::varimax, "varimax"},
                                                         {Start::random, "random"},
                                                         {Start::variance, "variance"},
                                                         {Start::pca, "pca"},
                                                         {Start::warm, "warm"}});

/// Maximum distance of V'V from the identity.
constexpr double kOrthonormal = 1e-6;

/// If several settings start from varimax, it is computed once and kept in `varimax`.
Matrix starting_rotation(const BasisPanels& basis, const RowPartition& partition,
                         const RotateOptions& options, Matrix& varimax, const Tick& tick) {
  const Index r = basis.components();
  if (options.from.size() > 0) return options.from;
  switch (options.start) {
    case Start::identity:
      return Matrix::Identity(r, r);
    case Start::varimax:
      if (varimax.size() == 0) varimax = varimax_of_rows(basis, partition, tick);
      return varimax;
    case Start::random:
      return random_rotation(r, options.seed);
    default:
      reject("start", name(options.start), "it is no rotation");
  }
}

void check(ConstBlock v, const RotateOptions& options) {
  if (v.cols() < 1 || v.rows() < v.cols())
    throw Error(
        fmt::format("basis: it is {} x {}; it needs at least one column, and no more columns "
                    "than rows",
                    v.rows(), v.cols()));
  if (v.rows() > std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("basis: it has {} rows, more than 2^31 - 1", v.rows()));
  const Matrix& from = options.from;
  if (from.size() > 0 && (from.rows() != v.cols() || from.cols() != v.cols() ||
                          !(from.transpose() * from).isIdentity(kOrthonormal)))
    throw Error(fmt::format("from: it must be an orthogonal {} x {} matrix", v.cols(), v.cols()));
  if (!(options.tolerance >= 0)) reject("tolerance", options.tolerance, "it must be at least 0");
  if (options.max_iterations < 1)
    reject("max-iterations", options.max_iterations, "it must be at least 1");
  spcart::check(options.truncation, v.rows());
}

}  // namespace

std::string_view name(Status value) { return name_in(kStatusNames, value); }

std::string_view name(Start value) { return name_in(kStartNames, value); }
template <>
Start parse<Start>(std::string_view text) {
  return parse_name(kStartNames, "start", text);
}
template <>
bool is_name<Start>(std::string_view text) {
  return find_name(kStartNames, text) != nullptr;
}

RotationResult rotate_and_truncate(ConstBlock v, const RotateOptions& options, const Tick& tick) {
  return std::move(rotate_and_truncate_all(v, std::span(&options, 1), tick).front());
}

std::vector<RotationResult> rotate_and_truncate_all(ConstBlock v,
                                                    std::span<const RotateOptions> settings,
                                                    const Tick& tick) {
  if (settings.empty()) return {};
  for (const RotateOptions& options : settings) check(v, options);
  const BasisPanels basis(v);
  if (!basis.gram().isIdentity(kOrthonormal)) throw Error("basis: its columns are not orthonormal");
  return rotate_rows(basis, RowPartition(v.rows()), settings, tick);
}

std::vector<RotationResult> rotate_rows(const BasisPanels& rows, const RowPartition& partition,
                                        std::span<const RotateOptions> settings, const Tick& tick) {
  constexpr Index kIterations = 20;  // of a setting, roughly
  const auto count = static_cast<Index>(settings.size());
  const Index r = rows.components(), threads_each = threads_for(rows.variables(), r, r);
  const Index most = std::min({count, settings_together(rows.variables(), r),
                               threads_for(rows.variables() * kIterations * count, r, r)});
  const bool apart = partition.is_whole() && most > 1 && most >= threads_each;
  const ThreadScope scope(apart ? most : threads_each);
  Matrix varimax;
  std::vector<Matrix> starts;
  for (const RotateOptions& options : settings) {
    starts.push_back(starting_rotation(rows, partition, options, varimax, tick));
    partition.broadcast(starts.back());
  }
  std::vector<RotationResult> results(settings.size());
  SharedTick shared(tick);
  const Tick shared_tick = std::ref(shared);
  parallel_for(count, apart, [&](Index k) {
    const ThreadScope alone(apart ? 1 : 0);
    const auto index = static_cast<std::size_t>(k);
    RotationState state(rows, partition, settings[index], std::move(starts[index]));
    while (!state.done()) {
      tick_on_all(shared_tick, state.progress(), partition);
      state.iterate();
    }
    state.move_to(results[index]);
  });
  return results;
}

void check_rotation(ConstBlock v, std::span<const RotateOptions> settings) {
  for (const RotateOptions& options : settings) check(v, options);
  if (!settings.empty() && !(v.transpose() * v).isIdentity(kOrthonormal))
    throw Error("basis: its columns are not orthonormal");
}

Index settings_together(Index variables, Index components) {
  constexpr Index kMost = 16, kNumbers = Index{1} << 25, kOfASetting = 4;
  return std::clamp<Index>(kNumbers / (kOfASetting * variables * components), 1, kMost);
}

Matrix random_rotation(Index r, std::uint64_t seed) {
  return orthonormalized(Random(seed).normal(r, r));
}

}  // namespace spcart
