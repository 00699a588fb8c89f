#include "rendering/certificate_text.hpp"

#include <fmt/format.h>

#include "rendering/print.hpp"
#include "rendering/text.hpp"

namespace spcart::command {

std::string certificate_text(const Certificate& certificate) {
  std::string text = "\n  Proved:\n";
  for (const std::string& line : in_words(certificate))
    text += "  - " + wrapped(line, terminal().width - 4, 4) + "\n";
  return text;
}

std::string proofs_text(std::span<const Proof> proofs) {
  if (proofs.empty()) return {};
  std::string text = "\n  Proofs, in the order in which the components were found:\n";
  for (const Proof& proof : proofs) {
    const std::string component =
        proof.component < 0 ? "(since changed)" : fmt::format("PC{}", proof.component + 1);
    const std::string outcome =
        proof.optimal ? std::string("optimal")
                      : fmt::format("at most {:.2g} % more may be possible", 100 * proof.gap());
    text += fmt::format(
        "  {:<4} {:.2f} % of the variance with {} variable{}: {} ({} node{}, {:.2f} s)\n",
        component, 100 * proof.explained, proof.nonzeros, proof.nonzeros == 1 ? "" : "s", outcome,
        proof.nodes, proof.nodes == 1 ? "" : "s", proof.seconds);
  }
  return text;
}

}  // namespace spcart::command
