#pragma once

#include <cstdint>
#include <string>

#include "io/cache.hpp"
#include "io/compressed.hpp"
#include "io/hdf5/hdf5_file.hpp"

namespace spcart::io {

/// Throws Error if the dataset is not of numbers with this many dimensions, or declares more than
/// its bytes in the file can be unpacked to.
void check_numbers(const Hdf5File& file, const Hdf5Dataset& dataset, std::size_t dimensions);

/// Bytes that libhdf5 needs to read a list in order so that each of its chunks is unpacked once.
std::uint64_t list_memory(const Hdf5Dataset& list);

/// The numbers of a dataset of one dimension in order; `file` must outlive the stream.
NumberStream<std::int64_t> stream_of_indices(const Hdf5File& file, const std::string& path);
NumberStream<double> stream_of_values(const Hdf5File& file, const std::string& path);

/// Throws Error if `needed` bytes for the chunks of `path` do not fit in the room of a table.
void check_room(const Hdf5File& file, const std::string& path, std::uint64_t needed,
                Index variables, const ReadOptions& options, const Cache& cache);

/// Reads a dataset of two dimensions, in memory or in a file of the cache.
Table read_dense(const Hdf5File& file, const std::string& path, bool transposed,
                 const ReadOptions& options, Cache& cache, const Tick& tick);

}  // namespace spcart::io
