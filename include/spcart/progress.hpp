#pragma once

#include <functional>
#include <string_view>

namespace spcart {

/// The state of a fit, passed to the observer now and then, by the thread that called fit.
struct Progress {
  std::string_view stage;  ///< "pca", "rotate" (the method itself), "refit", "refine", "search",
                           ///< "score"
  double fraction = 0;     ///< of the stage, 0 to 1
  std::string_view note = {};  ///< more about it in words, or empty
};

/// Return false to stop: fit then throws Cancelled.
using Observer = std::function<bool(const Progress&)>;

}  // namespace spcart
