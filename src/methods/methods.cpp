#include "spcart/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/names.hpp"
#include "base/reject.hpp"
#include "methods/method.hpp"

namespace spcart {

// What the sources of this folder define, one file per family.
MethodResult fit_pca(const Task& task);  // rotation.cpp: what acts on the principal basis alone
MethodResult fit_st(const Task& task);
MethodResult fit_varimax(const Task& task);
MethodResult fit_spcart(const Task& task);
MethodResult fit_rsvd(const Task& task);  // power.cpp: one component after another, with deflation
MethodResult fit_rsvd_gp(const Task& task);
MethodResult fit_tpower(const Task& task);
MethodResult fit_gpower(const Task& task);
MethodResult fit_spc(const Task& task);
MethodResult fit_rsvd_gpb(const Task& task);  // block_power.cpp: all components at once
MethodResult fit_gpowerb(const Task& task);
MethodResult fit_spca(const Task& task);
MethodResult fit_pathspca(const Task& task);
MethodResult fit_alspca(const Task& task);
MethodResult fit_itspca(const Task& task);
MethodResult fit_greedy(const Task& task);
MethodResult fit_scotlass(const Task& task);  // power.cpp
MethodResult fit_dspca(const Task& task);
MethodResult fit_exact(const Task& task);

namespace {

using enum TruncationType;
constexpr std::array kAll = {hard, soft, count, energy};
constexpr std::array kCount = {count};
constexpr std::array kSoft = {soft};
constexpr std::array kPenalties = {hard, soft};
constexpr std::array kSoftAndCount = {soft, count};
constexpr std::array kCountAndSoft = {count, soft};

constexpr std::array kRotations = {Start::varimax, Start::identity, Start::random};
constexpr std::array kOneByOne = {Start::variance, Start::pca};
constexpr std::array kPcaOrRotated = {Start::pca, Start::varimax, Start::random};
constexpr std::array kPcaOrVarimax = {Start::pca, Start::varimax};
constexpr std::array kTpowerStarts = {Start::variance, Start::pca, Start::warm};

constexpr std::array<std::string_view, 1> kPostFit = {"post-fit"};
constexpr std::array<std::string_view, 2> kRidge = {"ridge", "bound"};
constexpr std::array<std::string_view, 2> kBranchAndBound = {"deflation", "time-limit"};
constexpr std::array<std::string_view, 2> kTolerances = {"orthogonality", "correlation"};
constexpr std::array<std::string_view, 1> kDirection = {"direction"};

constexpr auto kDirectionNames = std::to_array<Name<Direction>>({{Direction::forward, "forward"},
                                                                 {Direction::backward, "backward"},
                                                                 {Direction::both, "both"}});

/// The defaults leave about 15 % of the entries on data of many kinds and sizes.
LambdaRange penalty(TruncationType type, Index p) {
  const auto size = static_cast<double>(p);
  return {.default_value =
              type == hard ? std::min(0.1, 4 / size) : std::min(0.3, 2 / std::sqrt(size))};
}

LambdaRange relative_penalty(TruncationType, Index p) {
  return {.default_value = 0.1 / std::sqrt(static_cast<double>(p))};
}

LambdaRange length_bound(TruncationType, Index p) {
  const auto size = static_cast<double>(p);
  return {.least = 1,
          .most = std::sqrt(size),
          .default_value = std::clamp(0.6 * std::cbrt(size), 1.0, std::sqrt(size)),
          .sparser_upwards = false};
}

/// Relative to the largest variance.
LambdaRange matrix_penalty(TruncationType, Index p) {
  return {.default_value = std::clamp(2 / std::sqrt(static_cast<double>(p)), 0.1, 0.3)};
}

constexpr auto kRecords = std::to_array<MethodRecord>({
    {.method = Method::spcart,
     .name = "spcart",
     .title = "rotate the PCA basis, truncate it, repeat",
     .truncations = kAll,
     .starts = kRotations,
     .run = fit_spcart},
    {.method = Method::pca,
     .name = "pca",
     .title = "principal components, not sparse",
     .run = fit_pca},
    {.method = Method::st,
     .name = "st",
     .title = "simple thresholding: the PCA basis, truncated once",
     .truncations = kAll,
     .run = fit_st},
    {.method = Method::varimax,
     .name = "varimax",
     .title = "the varimax rotation of the PCA basis, truncated once",
     .truncations = kAll,
     .run = fit_varimax},
    {.method = Method::rsvd,
     .name = "rsvd",
     .title = "penalised rank-one approximations, with deflation",
     .truncations = kPenalties,
     .lambda = penalty,
     .run = fit_rsvd},
    {.method = Method::rsvd_gp,
     .name = "rsvd-gp",
     .title = "power iteration with truncation, with deflation",
     .truncations = kAll,
     .starts = kOneByOne,
     .run = fit_rsvd_gp},
    {.method = Method::rsvd_gpb,
     .name = "rsvd-gpb",
     .title = "the block form of rsvd-gp: all components at once",
     .truncations = kAll,
     .run = fit_rsvd_gpb},
    {.method = Method::tpower,
     .name = "tpower",
     .title = "truncated power method: a fixed count, with deflation",
     .truncations = kCount,
     .starts = kTpowerStarts,
     .run = fit_tpower},
    {.method = Method::gpower,
     .name = "gpower",
     .title = "generalised power method, with deflation",
     .truncations = kPenalties,
     .options = kPostFit,
     .lambda = penalty,
     .run = fit_gpower},
    {.method = Method::gpowerb,
     .name = "gpowerb",
     .title = "generalised power method, all components at once",
     .truncations = kPenalties,
     .options = kPostFit,
     .lambda = penalty,
     .run = fit_gpowerb},
    {.method = Method::spc,
     .name = "spc",
     .title = "rank-one approximations within a bound on the l1 norm, with deflation",
     .truncations = kSoft,
     .lambda = length_bound,
     .run = fit_spc},
    {.method = Method::spca,
     .name = "spca",
     .title = "elastic-net regressions on the principal components",
     .truncations = kCountAndSoft,
     .starts = kPcaOrVarimax,
     .options = kRidge,
     .lambda = relative_penalty,
     .run = fit_spca},
    {.method = Method::pathspca,
     .name = "pathspca",
     .title = "greedy choice of variables, with deflation",
     .truncations = kCount,
     .run = fit_pathspca},
    {.method = Method::alspca,
     .name = "alspca",
     .title = "augmented Lagrangian: nearly orthogonal, penalised components",
     .truncations = kSoft,
     .starts = kPcaOrRotated,
     .options = kTolerances,
     .run = fit_alspca},
    {.method = Method::itspca,
     .name = "itspca",
     .title = "orthogonal iteration with thresholding: a sparse subspace",
     .truncations = kAll,
     .run = fit_itspca},
    {.method = Method::greedy,
     .name = "greedy",
     .title = "variables added or removed one at a time by exact gain, with deflation",
     .truncations = kCount,
     .options = kDirection,
     .run = fit_greedy},
    {.method = Method::scotlass,
     .name = "scotlass",
     .title = "most variance within a bound on the l1 norm, orthogonal to those before",
     .truncations = kSoft,
     .lambda = length_bound,
     .run = fit_scotlass},
    {.method = Method::dspca,
     .name = "dspca",
     .title = "semidefinite relaxation with an l1 penalty, with deflation",
     .truncations = kSoftAndCount,
     .lambda = matrix_penalty,
     .run = fit_dspca},
    {.method = Method::exact,
     .name = "exact",
     .title = "branch and bound: each component proved optimal, with deflation",
     .truncations = kCount,
     .options = kBranchAndBound,
     .proves = true,
     .run = fit_exact},
});

}  // namespace

std::string_view name(Method value) { return record_of(value).name; }
template <>
Method parse<Method>(std::string_view text) {
  const auto* found = std::ranges::find(kRecords, text, &MethodRecord::name);
  if (found == kRecords.end()) reject("method", text, "it must be one of {}", method_names());
  return found->method;
}

std::string_view name(Direction value) { return name_in(kDirectionNames, value); }
template <>
Direction parse<Direction>(std::string_view text) {
  return parse_name(kDirectionNames, "direction", text);
}

std::string method_names() {
  std::string names;
  for (const MethodRecord& record : kRecords)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", record.name);
  return names;
}

std::span<const MethodRecord> method_records() { return kRecords; }

const MethodRecord& record_of(Method method) {
  return *std::ranges::find(kRecords, method, &MethodRecord::method);
}

bool has(const MethodRecord& record, TruncationType type) {
  return std::ranges::find(record.truncations, type) != record.truncations.end();
}

LambdaRange lambda_range(const MethodRecord& record, TruncationType type, Index p) {
  if (record.lambda && type != count) return record.lambda(type, p);
  return {.most = type == count ? static_cast<double>(p - 1) : 1,
          .default_value = default_lambda(type, p)};
}

}  // namespace spcart
