#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/cache.hpp"
#include "spcart/table.hpp"

namespace spcart::io {

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// The bytes of an array: those of a file, or of a member of an archive.
struct NpyInput {
  std::string name;                                              ///< in messages
  std::function<std::size_t(char* to, std::size_t count)> read;  ///< fewer only at the end
  std::optional<std::uint64_t> size;                             ///< if it is known beforehand
};

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::string shape_text;
  std::uint64_t offset = 0;  ///< of the numbers
};

/// Reads everything before the numbers.
NpyHeader read_npy_header(const NpyInput& input);

/// The type of the numbers; throws Error if it is not one of those that are read.
FileScalar npy_scalar(std::string_view file, std::string_view descr);

/// Reads the next numbers, widened. `read_before` and `all` are for the message if they are cut
/// off.
void read_npy_numbers(const NpyInput& input, FileScalar scalar, std::size_t count, char* to,
                      std::uint64_t read_before, std::uint64_t all);

/// Reads the numbers of a two-dimensional array, in the type and order in which it is stored if the
/// library supports that type, otherwise widened.
Table read_npy_table(const NpyInput& input, const NpyHeader& header, bool transpose, Cache& cache);

/// Reads a two-dimensional NumPy array. A plain file that does not fit in memory is not read: the
/// table is used in place.
Table read_npy(ByteSource& source, bool transpose, Cache& cache);

}  // namespace spcart::io
