#pragma once

#include <functional>
#include <string>

namespace spcart::io {

/// Runs `work` on a file in a copy of this process first, and throws Error about the file if the
/// copy crashes, does not come to an end, needs unreasonable memory, or throws. Some versions of
/// libhdf5 do all of these if a file is damaged where its texts are.
void rehearse(const std::string& file, const std::function<void()>& work);

}  // namespace spcart::io
