#include "spcart/methods.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/names.hpp"
#include "methods/method.hpp"

namespace spcart {
namespace {

constexpr auto kMethodNames = std::to_array<Name<Method>>({{Method::spcart, "spcart"},
                                                           {Method::pca, "pca"},
                                                           {Method::st, "st"},
                                                           {Method::varimax, "varimax"},
                                                           {Method::rsvd, "rsvd"},
                                                           {Method::rsvd_gp, "rsvd-gp"},
                                                           {Method::rsvd_gpb, "rsvd-gpb"},
                                                           {Method::tpower, "tpower"},
                                                           {Method::gpower, "gpower"},
                                                           {Method::gpowerb, "gpowerb"},
                                                           {Method::spc, "spc"},
                                                           {Method::spca, "spca"},
                                                           {Method::pathspca, "pathspca"},
                                                           {Method::alspca, "alspca"},
                                                           {Method::itspca, "itspca"}});

using enum TruncationType;
constexpr std::array kAll = {hard, soft, count, energy};
constexpr std::array kCount = {count};
constexpr std::array kSoft = {soft};
constexpr std::array kPenalties = {hard, soft};
constexpr std::array kCountAndSoft = {count, soft};

constexpr std::array kRotations = {Start::varimax, Start::identity, Start::random};
constexpr std::array kOneByOne = {Start::variance, Start::pca};
constexpr std::array kPcaOrRotated = {Start::pca, Start::varimax, Start::random};
constexpr std::array kPcaOrVarimax = {Start::pca, Start::varimax};
constexpr std::array kTpowerStarts = {Start::variance, Start::pca, Start::warm};

constexpr std::array<std::string_view, 1> kPostFit = {"post-fit"};
constexpr std::array<std::string_view, 2> kRidge = {"ridge", "bound"};
constexpr std::array<std::string_view, 2> kTolerances = {"orthogonality", "correlation"};

/// The presets leave about 15 % of the entries on data of many kinds and sizes.
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

constexpr auto kRecords = std::to_array<MethodRecord>({
    {Method::spcart,
     "rotate the PCA basis, truncate it, repeat",
     kAll,
     kRotations,
     {},
     {},
     fit_spcart},
    {Method::pca, "principal components, not sparse", {}, {}, {}, {}, fit_pca},
    {Method::st, "simple thresholding: the PCA basis, truncated once", kAll, {}, {}, {}, fit_st},
    {Method::varimax,
     "the varimax rotation of the PCA basis, truncated once",
     kAll,
     {},
     {},
     {},
     fit_varimax},
    {Method::rsvd,
     "penalised rank-one approximations, with deflation",
     kPenalties,
     {},
     {},
     penalty,
     fit_rsvd},
    {Method::rsvd_gp,
     "power iteration with truncation, with deflation",
     kAll,
     kOneByOne,
     {},
     {},
     fit_rsvd_gp},
    {Method::rsvd_gpb,
     "the block form of rsvd-gp: all components at once",
     kAll,
     {},
     {},
     {},
     fit_rsvd_gpb},
    {Method::tpower,
     "truncated power method: a fixed count, with deflation",
     kCount,
     kTpowerStarts,
     {},
     {},
     fit_tpower},
    {Method::gpower,
     "generalised power method, with deflation",
     kPenalties,
     {},
     kPostFit,
     penalty,
     fit_gpower},
    {Method::gpowerb,
     "generalised power method, all components at once",
     kPenalties,
     {},
     kPostFit,
     penalty,
     fit_gpowerb},
    {Method::spc,
     "rank-one approximations within a bound on the l1 norm, with deflation",
     kSoft,
     {},
     {},
     length_bound,
     fit_spc},
    {Method::spca, "elastic-net regressions on the principal components", kCountAndSoft,
     kPcaOrVarimax, kRidge, relative_penalty, fit_spca},
    {Method::pathspca,
     "greedy choice of variables, with deflation",
     kCount,
     {},
     {},
     {},
     fit_pathspca},
    {Method::alspca,
     "augmented Lagrangian: nearly orthogonal, penalised components",
     kSoft,
     kPcaOrRotated,
     kTolerances,
     {},
     fit_alspca},
    {Method::itspca,
     "orthogonal iteration with thresholding: a sparse subspace",
     kAll,
     {},
     {},
     {},
     fit_itspca},
});

}  // namespace

std::string_view name(Method value) { return name_in(kMethodNames, value); }
template <>
Method parse<Method>(std::string_view text) {
  return parse_name(kMethodNames, "method", text);
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
