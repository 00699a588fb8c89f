#pragma once

#include <functional>
#include <string>

namespace spcart::io {

/// What `work` on a file returns, run in a copy of this process. Throws Error about the file if the
/// copy crashes, does not come to an end, needs unreasonable memory, damages its own, or throws.
/// Some versions of libhdf5 do all of these if a file is damaged where its texts are.
std::string in_copy(const std::string& file, const std::function<std::string()>& work);

}  // namespace spcart::io
