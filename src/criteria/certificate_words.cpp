#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spcart/certificate.hpp"

namespace spcart {
namespace {

std::string percent(double fraction) { return fmt::format("{:.2f} %", 100 * fraction); }

/// A bound must hold as it is printed.
std::string percent_up(double fraction) { return percent(std::ceil(1e4 * fraction) / 1e4); }

std::string_view in_words(std::string_view by) {
  if (by == "pca") return "PCA's own";
  if (by == "branch-and-bound") return "branch and bound";
  if (by == "lagrangian") return "Lagrangian bound";
  if (by == "variances") return "variances of as many variables";
  return by == "soft" ? "soft bound" : "dual bound";
}

/// "3 variables each", "5, 3 and 2 variables".
std::string sizes(const std::vector<Index>& nonzeros) {
  const auto [least, most] = std::ranges::minmax(nonzeros);
  if (nonzeros.size() == 1) return fmt::format("{} variable{}", least, least == 1 ? "" : "s");
  if (least == most) return fmt::format("{} variable{} each", least, least == 1 ? "" : "s");
  if (nonzeros.size() > 8) return fmt::format("{} to {} variables", least, most);
  std::string text;
  for (std::size_t t = 0; t < nonzeros.size(); ++t)
    text += fmt::format("{}{}",
                        t == 0                    ? ""
                        : t + 1 < nonzeros.size() ? ", "
                                                  : " and ",
                        nonzeros[t]);
  return text + " variables";
}

std::string subject(const Certificate& certificate, ComponentClass components) {
  const std::string of = sizes(certificate.nonzeros);
  if (certificate.nonzeros.size() == 1) return fmt::format("component of {}", of);
  switch (components) {
    case ComponentClass::disjoint:
      return fmt::format("components of {} without common variables", of);
    case ComponentClass::orthogonal:
      return fmt::format("orthogonal components of {}", of);
    case ComponentClass::oblique:
      return fmt::format("components of {} that are as oblique as these", of);
    case ComponentClass::any:
      break;
  }
  return fmt::format("components of {}, however oblique,", of);
}

}  // namespace

std::vector<std::string> in_words(const Certificate& certificate) {
  constexpr double kOptimal = 1e-7, kShown = 1e-4;
  if (certificate.nonzeros.empty()) return {"There are no components of which to prove anything."};
  const std::string pca = percent(certificate.cpev_pca), cpev = percent(certificate.cpev);
  const UpperBound& own = certificate.own();
  // Of orthogonal components it cannot be said: they are so only up to a tolerance.
  const bool optimal = std::abs(certificate.gap()) < kOptimal &&
                       (own.components != ComponentClass::orthogonal || own.by == "pca");
  const bool one = certificate.nonzeros.size() == 1;
  bool beats_orthogonal = false;
  std::vector<std::string> lines;
  for (const UpperBound& bound : certificate.bounds) {
    if (bound.by == "pca" || (optimal && bound.bound >= own.bound)) continue;
    lines.push_back(fmt::format("No {} explain{} more than {} of the variance ({}).",
                                subject(certificate, bound.components), one ? "s" : "",
                                percent_up(bound.bound), in_words(bound.by)));
    beats_orthogonal |=
        bound.components == ComponentClass::orthogonal && certificate.cpev > bound.bound;
  }
  if (optimal)
    lines.push_back(
        fmt::format("This answer explains {} of the variance. It is optimal: no {} "
                    "explain{} more ({}).",
                    cpev, subject(certificate, own.components), one ? "s" : "", in_words(own.by)));
  else if (!(certificate.cpev > 0))
    lines.emplace_back("This answer explains nothing of the variance.");
  else if (own.by != "pca")
    lines.push_back(
        fmt::format("This answer explains {}: at most {} more, relative to it, may be "
                    "possible.",
                    cpev, percent_up(std::max(certificate.gap(), kShown))));
  else if (lines.empty())
    lines.push_back(
        fmt::format("This answer explains {}. Nothing sharper than what PCA explains, "
                    "{}, could be proved.",
                    cpev, pca));
  else
    lines.push_back(
        fmt::format("This answer explains {}{}. For components as oblique as these, "
                    "nothing sharper than what PCA explains, {}, could be proved.",
                    cpev,
                    beats_orthogonal ? ", more than any orthogonal components of as "
                                       "few variables"
                                     : "",
                    pca));
  if (certificate.empty > 0)
    lines.push_back(fmt::format("Nothing is said of {} component{} without variables.",
                                certificate.empty, certificate.empty == 1 ? "" : "s"));
  if (!certificate.complete) lines.emplace_back("Time ended the search for sharper bounds.");
  return lines;
}

}  // namespace spcart
