#include "rendering/stability_note.hpp"

#include <fmt/format.h>

#include "rendering/print.hpp"
#include "rendering/text.hpp"

namespace spcart::command {
namespace {

/// "PC2 x7 62%, ..." for variables that are missing from the loadings, the first few.
std::string missing(const Stability& stability, const Loadings& loadings,
                    std::span<const std::string> variables) {
  constexpr double kOften = 0.5;
  constexpr int kMost = 6;
  std::string text;
  int count = 0;
  for (Index i = 0; i < loadings.cols(); ++i)
    for (Loadings::InnerIterator it(stability.frequencies, i); it; ++it) {
      if (it.value() <= kOften || loadings.coeff(it.row(), i) != 0) continue;
      if (++count <= kMost)
        text +=
            fmt::format("{}PC{} {} {:.0f}%", text.empty() ? "" : ", ", i + 1,
                        printable(variables[static_cast<std::size_t>(it.row())]), 100 * it.value());
    }
  return count > kMost ? fmt::format("{} and {} more", text, count - kMost) : text;
}

}  // namespace

std::string stability_note(const Stability& stability, const Loadings& loadings,
                           std::span<const std::string> variables) {
  Index least = 0;
  const double least_cosine = stability.cosines.minCoeff(&least);
  std::string text = fmt::format(
      "% beside a weight: in how many of {} resamples the variable was in the component; mean "
      "|cosine| with those of the resamples {:.3f}, least {:.3f} (PC{})",
      stability.resamples, stability.cosines.mean(), least_cosine, least + 1);
  if (const std::string others = missing(stability, loadings, variables); !others.empty())
    text += "; often selected, but not here: " + others;
  return "  " + wrapped(text, terminal().width - 2, 2) + '\n';
}

}  // namespace spcart::command
