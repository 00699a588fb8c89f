#include "spcart/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/io.hpp"

namespace spcart {
namespace {

template <class Choice>
struct Name {
  Choice value;
  std::string_view name;
  std::string_view paper = {};  ///< the paper's own, where it has one
};

// One list a choice: what is not here cannot be asked for, shown or written.
template <class Choice>
constexpr std::string_view kWhat;
template <class Choice>
constexpr std::array<Name<Choice>, 0> kNames;

template <>
constexpr std::string_view kWhat<Method> = "method";
template <>
constexpr auto kNames<Method> = std::to_array<Name<Method>>({{Method::spcart, "spcart"},
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

template <>
constexpr std::string_view kWhat<TruncationType> = "truncation";
template <>
constexpr auto kNames<TruncationType> =
    std::to_array<Name<TruncationType>>({{TruncationType::hard, "hard", "l0"},
                                         {TruncationType::soft, "soft", "l1"},
                                         {TruncationType::count, "count", "sp"},
                                         {TruncationType::energy, "energy", "en"}});

template <>
constexpr std::string_view kWhat<Start> = "start";
template <>
constexpr auto kNames<Start> = std::to_array<Name<Start>>({{Start::identity, "identity"},
                                                           {Start::varimax, "varimax"},
                                                           {Start::random, "random"},
                                                           {Start::variance, "variance"},
                                                           {Start::pca, "pca"},
                                                           {Start::warm, "warm"}});

template <>
constexpr std::string_view kWhat<Solver> = "solver";
template <>
constexpr auto kNames<Solver> = std::to_array<Name<Solver>>({{Solver::automatic, "auto"},
                                                             {Solver::gram, "gram"},
                                                             {Solver::outer, "outer"},
                                                             {Solver::krylov, "krylov"},
                                                             {Solver::slepc, "slepc"}});

template <>
constexpr std::string_view kWhat<Precision> = "precision";
template <>
constexpr auto kNames<Precision> = std::to_array<Name<Precision>>({{Precision::full, "double"},
                                                                   {Precision::single, "single"}});

template <>
constexpr std::string_view kWhat<BestBy> = "best-by";
template <>
constexpr auto kNames<BestBy> = std::to_array<Name<BestBy>>({{BestBy::objective, "objective"},
                                                             {BestBy::cpev, "cpev"}});

template <>
constexpr std::string_view kWhat<Order> = "order";
template <>
constexpr auto kNames<Order> = std::to_array<Name<Order>>({{Order::variance, "variance"},
                                                           {Order::none, "none"}});

template <>
constexpr auto kNames<Status> = std::to_array<Name<Status>>({{Status::not_run, "not_run"},
                                                             {Status::converged, "converged"},
                                                             {Status::iteration_limit,
                                                              "iteration_limit"}});

template <>
constexpr auto kNames<Scalar> = std::to_array<Name<Scalar>>({{Scalar::uint8, "uint8"},
                                                             {Scalar::int32, "int32"},
                                                             {Scalar::float32, "float32"},
                                                             {Scalar::float64, "float64"}});

template <>
constexpr std::string_view kWhat<Missing> = "missing";
template <>
constexpr auto kNames<Missing> = std::to_array<Name<Missing>>({{Missing::error, "error"},
                                                               {Missing::drop, "drop"},
                                                               {Missing::mean, "mean"}});

template <>
constexpr std::string_view kWhat<Presence> = "presence";
template <>
constexpr auto kNames<Presence> = std::to_array<Name<Presence>>({{Presence::automatic, "auto"},
                                                                 {Presence::yes, "yes"},
                                                                 {Presence::no, "no"}});

template <>
constexpr auto kNames<BoundKind> =
    std::to_array<Name<BoundKind>>({{BoundKind::absolute, "absolute"},
                                    {BoundKind::relative, "relative"},
                                    {BoundKind::estimate, "estimate"}});

template <class Choice>
std::string_view find_name(Choice value) {
  return std::ranges::find(kNames<Choice>, value, &Name<Choice>::value)->name;
}

}  // namespace

std::string_view name(Method value) { return find_name(value); }
std::string_view name(TruncationType value) { return find_name(value); }
std::string_view name(Start value) { return find_name(value); }
std::string_view name(Solver value) { return find_name(value); }
std::string_view name(Precision value) { return find_name(value); }
std::string_view name(BestBy value) { return find_name(value); }
std::string_view name(Order value) { return find_name(value); }
std::string_view name(Status value) { return find_name(value); }
std::string_view name(Scalar value) { return find_name(value); }
std::string_view name(Missing value) { return find_name(value); }
std::string_view name(Presence value) { return find_name(value); }
std::string_view name(BoundKind value) { return find_name(value); }

template <class Choice>
bool is_name(std::string_view text) {
  return std::ranges::any_of(kNames<Choice>, [&](const Name<Choice>& entry) {
    return text == entry.name || (!entry.paper.empty() && text == entry.paper);
  });
}

template <class Choice>
Choice parse(std::string_view text) {
  for (const auto& entry : kNames<Choice>)
    if (text == entry.name || (!entry.paper.empty() && text == entry.paper)) return entry.value;
  std::string known;
  for (const auto& entry : kNames<Choice>) {
    if (!known.empty()) known += ", ";
    known += entry.name;
  }
  throw Error(fmt::format("{} = {}: it must be one of {}", kWhat<Choice>, text, known));
}

template Method parse(std::string_view);
template TruncationType parse(std::string_view);
template Start parse(std::string_view);
template Solver parse(std::string_view);
template Precision parse(std::string_view);
template BestBy parse(std::string_view);
template Order parse(std::string_view);
template Missing parse(std::string_view);
template Presence parse(std::string_view);

template bool is_name<Start>(std::string_view);

}  // namespace spcart
