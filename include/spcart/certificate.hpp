#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "spcart/data.hpp"
#include "spcart/export.hpp"
#include "spcart/proof.hpp"

namespace SPCART_EXPORT spcart {

struct CertifyOptions {
  double seconds = 10;  ///< after which the best bounds so far are returned; above 0
};

/// Throws Error for a number of seconds that is not above 0, or too large.
void check(const CertifyOptions& options);

/// What no components of a kind explain, as a fraction of all variance.
struct UpperBound {
  ComponentClass components = ComponentClass::orthogonal;
  double bound = 1;
  std::string_view by = "pca";  ///< what proves it: docs/certificates.md. "pca": nothing sharper

  bool operator==(const UpperBound&) const = default;
};

/// How much more than given loadings other loadings with as few nonzeros could explain. Every bound
/// is proved, in floating point too; docs/certificates.md has the proofs.
struct Certificate {
  std::vector<Index> nonzeros;    ///< of each component that is not empty
  Index empty = 0;                ///< components without variables, of which nothing is said
  double cpev = 0, cpev_pca = 0;  ///< of the loadings, and of as many principal components
  double obliqueness = 1;         ///< 1 for orthogonal loadings; see ComponentClass::oblique
  bool orthogonal = false;        ///< the loadings are, up to cosines of 1e-5
  bool disjoint = false;          ///< no variable is in two of them
  std::vector<UpperBound> bounds = {
      {.components = ComponentClass::any}};  ///< one per class, the most special first
  bool complete = true;                      ///< no time limit ended the search for sharper bounds
  double seconds = 0;

  /// The bound for components like these: of the first class to which they belong.
  const UpperBound& own() const;
  /// How much more may be possible, as a fraction of what is explained.
  double gap() const {
    return cpev > 0 ? own().bound / cpev - 1 : std::numeric_limits<double>::infinity();
  }
};

/// Bounds for any loadings, whoever made them. `cpev_pca` is the fraction that r principal
/// components explain. Forms A'A of at most 2048 variables.
Certificate certify(const DataMatrix& a, const Loadings& x, double cpev_pca,
                    const CertifyOptions& options = {}, const Tick& tick = {});

/// What is proved, in sentences.
std::vector<std::string> in_words(const Certificate& certificate);

}  // namespace spcart
