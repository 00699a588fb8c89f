#include "io/hdf5/read_hdf5.hpp"

#include <utility>

#include "io/compressed.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "io/hdf5/layout.hpp"
#include "io/hdf5/numbers.hpp"
#include "io/hdf5/rehearse.hpp"
#include "io/text.hpp"

namespace spcart::io {

namespace {

struct Names {
  std::vector<std::string> variables, samples;

  std::uint64_t sample_bytes() const {
    std::uint64_t bytes = 0;
    for (const std::string& name : samples) bytes += sizeof(std::string) + name.capacity() + 1;
    return bytes;
  }
};

/// The sizes of a matrix, with rows and columns as in the file.
std::pair<std::uint64_t, std::uint64_t> size_of_matrix(const Hdf5File& file,
                                                       const Hdf5Layout& layout) {
  if (layout.sparse) {
    const Hdf5Sparse header = sparse_header(file, layout.path);
    const Hdf5Dataset values = file.dataset(layout.path + "/data");
    check_numbers(file, values, 1);
    check_sparse_size({file.name()}, header.rows, header.cols, values.shape[0]);
    return {header.rows, header.cols};
  }
  const Hdf5Dataset dataset = file.dataset(layout.path);
  check_numbers(file, dataset, 2);
  return {dataset.shape[0], dataset.shape[1]};
}

decltype(Table::values) read_sparse(const Hdf5File& file, const std::string& path, bool transpose,
                                    std::uint64_t reserved, const ReadOptions& options,
                                    Cache& cache, const Tick& tick) {
  const Hdf5Sparse header = sparse_header(file, path);
  std::uint64_t chunks = 0;
  for (const char* part : {"/data", "/indices", "/indptr"}) {
    const Hdf5Dataset list = file.dataset(path + part);
    check_numbers(file, list, 1);
    chunks += list_memory(list);
  }
  const auto variables = static_cast<Index>(transpose ? header.rows : header.cols);
  check_room(file, path, chunks, variables, options, cache);
  return read_compressed(
      {.file = fmt::format("{}:{}", file.name(), path),
       .rows = header.rows,
       .cols = header.cols,
       .by_column = header.by_column,
       .offsets = stream_of_indices(file, path + "/indptr"),
       .indices = stream_of_indices(file, path + "/indices"),
       .values = stream_of_values(file, path + "/data")},
      {.transpose = transpose, .reserved = chunks + reserved, .cache = cache, .tick = tick});
}

/// Everything about a matrix except its numbers.
struct Outline {
  Hdf5Layout layout;
  Names names;

  Outline(const Hdf5File& file, std::string_view part) : layout(find_matrix(file, part)) {
    const auto [rows, cols] = size_of_matrix(file, layout);
    names = {names_at(file, layout.variables, layout.transposed ? rows : cols),
             names_at(file, layout.samples, layout.transposed ? cols : rows)};
  }
};

}  // namespace

Table read_hdf5(ByteSource& source, std::string_view part, const ReadOptions& options, Cache& cache,
                const Tick& tick) {
  if (!source.file() || source.is_gzipped())
    fail({source.name()}, "HDF5 is read from a plain file only: unpack it first");
  rehearse(source.name(), [&] { Outline(Hdf5File(source.name()), part); });
  const Hdf5File file(source.name());
  auto [layout, names] = Outline(file, part);
  const bool transpose = layout.transposed != options.transpose;
  if (options.transpose) std::swap(names.variables, names.samples);

  Table table;
  if (layout.sparse)
    table.values =
        read_sparse(file, layout.path, transpose, names.sample_bytes(), options, cache, tick);
  else
    table = read_dense(file, layout.path, transpose, options, cache, tick);
  table.variables =
      names.variables.empty() ? default_names(table.cols()) : std::move(names.variables);
  table.samples = std::move(names.samples);
  return table;
}

}  // namespace spcart::io
