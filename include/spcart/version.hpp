#pragma once

#include <string_view>

namespace spcart {

/// The build system reads the project's version from this line.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace spcart
