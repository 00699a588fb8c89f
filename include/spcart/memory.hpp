#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// Bytes of memory that this process can use: the smaller of the system's available memory and the
/// limits of its control groups.
std::uint64_t available_memory();

/// Bytes that a fit with this many components needs for each variable; and with two.
std::uint64_t work_per_variable(Index components);
inline constexpr std::uint64_t kWorkPerVariable = 736;

/// Bytes that a fit with this many components needs at least, including the program and the buffers
/// of a file, but not a table in memory.
std::uint64_t least_working_memory(Index variables, Index components);

/// What PCA by the solver gram needs in addition.
std::uint64_t gram_memory(Index variables);

/// Bytes that a table may use in memory beside the work on it, if `memory` is for everything.
/// 0: `available`, less a reserve. Throws Error if not even the work would fit, which needs
/// `work_per_variable` bytes for each variable.
std::uint64_t room_for_table(std::uint64_t memory, Index variables, std::uint64_t work_per_variable,
                             std::uint64_t available = available_memory());

/// Bytes that the buffers of a pass over a file may use, likewise.
std::uint64_t room_for_buffers(std::uint64_t memory, Index variables,
                               std::uint64_t work_per_variable);

/// A number of bytes: "500M", "1.5G", "2GB" (powers of 1000), "2GiB" (of 1024), or without a unit.
/// Throws Error that begins with `option` and the text.
std::uint64_t parse_bytes(std::string_view option, std::string_view text);

/// "1.5 GB", in powers of 1000.
std::string bytes_in_words(std::uint64_t bytes);

}  // namespace spcart
