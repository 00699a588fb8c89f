#pragma once

#include <functional>
#include <string_view>

#include "bindings.hpp"

namespace spcart::python {

/// What work tells of its progress, and how it learns that it must stop: by Cancelled, which these
/// throw. To be used by the thread of the work.
class Watch {
 public:
  virtual ~Watch() = default;
  Tick tick(std::string_view stage);  ///< the name must live on
  Observer observer();

 private:
  virtual void tell(const Progress& progress) = 0;
};

/// Does the work in a thread of its own, on that many threads (0: as many as the caller has), while
/// the caller's thread lets other Python threads run, calls progress(stage, fraction, note) and
/// listens for Ctrl-C. Work that is interrupted is given half a second to notice. A decomposition
/// does not notice: it is left behind, and ends at its next look at the watch.
///
/// `work` may not touch Python, and must own what it uses but for what `keep` keeps alive.
void run(nb::handle keep, const nb::object& progress, Index threads,
         std::function<void(Watch&)> work);

/// Waits for all that was left behind; interrupted again, ends the process. For the end of Python:
/// what still runs must not see the process taken down.
void wait_for_abandoned();

}  // namespace spcart::python
