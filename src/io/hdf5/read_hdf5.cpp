#include "io/hdf5/read_hdf5.hpp"

#include <utility>

#include "io/compressed.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "io/hdf5/numbers.hpp"
#include "io/hdf5/outline.hpp"
#include "io/text.hpp"

namespace spcart::io {

namespace {

std::uint64_t bytes_of(const std::vector<std::string>& names) {
  std::uint64_t bytes = 0;
  for (const std::string& name : names) bytes += sizeof(std::string) + name.capacity() + 1;
  return bytes;
}

decltype(Table::values) read_sparse(const Hdf5File& file, const Outline& outline, bool transpose,
                                    const ReadOptions& options, Cache& cache, const Tick& tick) {
  const std::string& path = outline.layout.path;
  const Hdf5Sparse& header = outline.header;
  std::uint64_t chunks = 0;
  for (const char* part : {"/data", "/indices", "/indptr"}) {
    const Hdf5Dataset list = file.dataset(path + part);
    check_numbers(file, list, 1);
    chunks += list_memory(list);
  }
  const auto variables = static_cast<Index>(transpose ? header.rows : header.cols);
  check_room(file, path, chunks, variables, options, cache);
  return read_compressed({.file = fmt::format("{}:{}", file.name(), path),
                          .rows = header.rows,
                          .cols = header.cols,
                          .by_column = header.by_column,
                          .offsets = stream_of_indices(file, path + "/indptr"),
                          .indices = stream_of_indices(file, path + "/indices"),
                          .values = stream_of_values(file, path + "/data")},
                         {.transpose = transpose,
                          .reserved = chunks + bytes_of(outline.samples),
                          .cache = cache,
                          .tick = tick});
}

}  // namespace

Table read_hdf5(ByteSource& source, std::string_view part, const ReadOptions& options, Cache& cache,
                const Tick& tick) {
  if (!source.file() || source.is_gzipped())
    fail({source.name()}, "HDF5 is read from a plain file only: unpack it first");
  Outline outline = outline_of(source.name(), part);
  const Hdf5File file(source.name());
  const bool transpose = outline.layout.transposed != options.transpose;
  if (options.transpose) std::swap(outline.variables, outline.samples);

  Table table;
  if (outline.layout.sparse)
    table.values = read_sparse(file, outline, transpose, options, cache, tick);
  else
    table = read_dense(file, outline.layout.path, transpose, options, cache, tick);
  table.variables =
      outline.variables.empty() ? default_names(table.cols()) : std::move(outline.variables);
  table.samples = std::move(outline.samples);
  return table;
}

}  // namespace spcart::io
