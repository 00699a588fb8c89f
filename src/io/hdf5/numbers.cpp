#include "io/hdf5/numbers.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "io/edit/transpose.hpp"
#include "io/spool/spool.hpp"
#include "io/text.hpp"
#include "spcart/memory.hpp"
#include "table/file_scalar.hpp"

namespace spcart::io {

namespace {

std::string shape_in_words(const Hdf5Dataset& dataset) {
  std::string text;
  for (const std::uint64_t size : dataset.shape)
    text += fmt::format("{}{}", text.empty() ? "" : " x ", size);
  return text.empty() ? "a single value" : text;
}

std::string_view kind_in_words(Hdf5Kind kind) {
  switch (kind) {
    case Hdf5Kind::text:
      return "texts";
    case Hdf5Kind::compound:
      return "structures";
    case Hdf5Kind::whole:
    case Hdf5Kind::real:
    case Hdf5Kind::boolean:
      return "numbers";
    case Hdf5Kind::other:
      break;
  }
  return "values of an unknown type";
}

/// Bytes that a chunk takes while it is unpacked, besides its own.
std::uint64_t packed_bytes(const Hdf5Dataset& dataset) {
  return dataset.filtered ? std::min(dataset.stored, dataset.chunk_bytes()) : 0;
}

/// Reads a rectangle of a dataset of one or two dimensions.
void read_block(const Hdf5File& file, const Hdf5Dataset& dataset, std::vector<hsize_t> first,
                std::vector<hsize_t> count, hid_t type, void* to) {
  const Handle space(H5Dget_space(dataset.id.get()), H5Sclose);
  const Handle block(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                     H5Sclose);
  if (!space || !block ||
      H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(),
                          nullptr) < 0 ||
      H5Dread(dataset.id.get(), type, block.get(), space.get(), H5P_DEFAULT, to) < 0)
    file.fail_to_read(dataset.path);
}

Hdf5Dataset open_list(const Hdf5File& file, const std::string& path) {
  Hdf5Dataset list = file.dataset(path);
  check_numbers(file, list, 1);
  if (list.chunk.empty()) return list;
  list.id = {};  // a dataset that is open keeps its cache
  return file.dataset(path, list.chunk_bytes(), 1);
}

template <class T>
NumberStream<T> stream_of(const Hdf5File& file, const std::string& path, hid_t type) {
  const auto list = std::make_shared<const Hdf5Dataset>(open_list(file, path));
  if (std::is_integral_v<T> && list->kind != Hdf5Kind::whole)
    fail({file.name()}, "'{}' must be whole numbers", printable(path));
  auto done = std::make_shared<hsize_t>(0);
  const auto read = [&file, list, done, type](T* to, std::size_t count) {
    read_block(file, *list, {*done}, {count}, type, to);
    *done += count;
  };
  return {list->shape[0], read};
}

/// The type of the table for numbers of a dataset: the smallest that holds them, or float64.
Scalar scalar_for(const Hdf5Dataset& dataset) {
  if (dataset.kind == Hdf5Kind::boolean) return Scalar::uint8;
  if (dataset.kind == Hdf5Kind::real) return dataset.size <= 4 ? Scalar::float32 : Scalar::float64;
  if (dataset.size == 1 && !dataset.is_signed) return Scalar::uint8;
  return dataset.size <= 2 || (dataset.size == 4 && dataset.is_signed) ? Scalar::int32
                                                                       : Scalar::float64;
}

hid_t type_in_memory(Scalar scalar) {
  switch (scalar) {
    case Scalar::uint8:
      return H5T_NATIVE_UINT8;
    case Scalar::int32:
      return H5T_NATIVE_INT32;
    case Scalar::float32:
      return H5T_NATIVE_FLOAT;
    case Scalar::float64:
      break;
  }
  return H5T_NATIVE_DOUBLE;
}

/// Reads a dataset in bands of whole chunks, of rows or, if these take too much memory, of columns.
class DenseReader {
 public:
  DenseReader(const Hdf5File& file, const std::string& path, bool transposed,
              const ReadOptions& options, Cache& cache, const Tick& tick)
      : file_(file), dataset_(file.dataset(path)), cache_(cache), tick_(tick) {
    check_numbers(file, dataset_, 2);
    rows_ = dataset_.shape[0];
    cols_ = dataset_.shape[1];
    if (!dataset_.chunk.empty()) plan_chunks(path, transposed, options);
  }

  /// Row after row or column after column, as planned.
  decltype(Table::values) read(bool transposed) {
    scalar_ = scalar_for(dataset_);
    NumberSpool spool(cache_, scalar_, static_cast<Index>(transposed ? rows_ : cols_));
    spool.make_room(reserved_);
    by_column_ ? read_columns(spool) : read_rows(spool);
    dataset_.id = {};
    return spool.finish(static_cast<Index>(rows_), static_cast<Index>(cols_),
                        by_column_ ? FileView::Order::column : FileView::Order::row);
  }

 private:
  static constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 22;

  /// Number of chunks that cover `size` numbers, each of `chunk`.
  static std::uint64_t covering(std::uint64_t size, std::uint64_t chunk) {
    return (size - 1) / chunk + 1;
  }

  void plan_chunks(const std::string& path, bool transposed, const ReadOptions& options) {
    const std::uint64_t across = covering(cols_, dataset_.chunk[1]);
    const std::uint64_t down = covering(rows_, dataset_.chunk[0]);
    const auto band = [&](std::uint64_t chunks) {
      std::uint64_t bytes = 0;
      return __builtin_mul_overflow(chunks, dataset_.chunk_bytes(), &bytes)
                 ? std::numeric_limits<std::uint64_t>::max() / 4
                 : bytes;
    };
    const auto variables = static_cast<Index>(transposed ? rows_ : cols_);
    const std::uint64_t room = cache_.room(variables), packed = packed_bytes(dataset_);
    by_column_ = band(across) + packed > room && down < across;
    const std::uint64_t chunks = by_column_ ? down : across;
    reserved_ = band(chunks) + packed;
    check_room(file_, path, reserved_, variables, options, cache_);
    dataset_.id = {};  // a dataset that is open keeps its cache
    dataset_ = file_.dataset(path, band(chunks), chunks);
  }

  /// Lines from `first` on that one call reads: within a band, and not many bytes.
  std::uint64_t step(std::uint64_t first, std::uint64_t lines, std::uint64_t length,
                     std::uint64_t band) const {
    const std::uint64_t most = std::max<std::uint64_t>(1, kBlockBytes / size_of(scalar_) / length);
    const std::uint64_t left_of_band = band - first % band;
    return std::min({most, left_of_band, lines - first});
  }

  void read_rows(NumberSpool& spool) {
    const std::uint64_t band = dataset_.chunk.empty() ? rows_ : dataset_.chunk[0];
    for (std::uint64_t row = 0; row < rows_;) {
      if (tick_) tick_(static_cast<double>(row) / static_cast<double>(rows_));
      const std::uint64_t count = step(row, rows_, cols_, band);
      read_block(file_, dataset_, {row, 0}, {count, cols_}, type_in_memory(scalar_),
                 spool.extend(count * cols_));
      row += count;
    }
  }

  void read_columns(NumberSpool& spool) {
    const std::size_t size = size_of(scalar_);
    std::vector<char> block;
    for (std::uint64_t col = 0; col < cols_;) {
      if (tick_) tick_(static_cast<double>(col) / static_cast<double>(cols_));
      const std::uint64_t count = step(col, cols_, rows_, dataset_.chunk[1]);
      block.resize(rows_ * count * size);
      read_block(file_, dataset_, {0, col}, {rows_, count}, type_in_memory(scalar_), block.data());
      char* to = spool.extend(rows_ * count);
      for (std::uint64_t j = 0; j < count; ++j)
        for (std::uint64_t i = 0; i < rows_; ++i, to += size)
          std::copy_n(block.data() + (i * count + j) * size, size, to);
      col += count;
    }
  }

  const Hdf5File& file_;
  Hdf5Dataset dataset_;
  Cache& cache_;
  const Tick& tick_;
  std::uint64_t rows_ = 0, cols_ = 0;
  Scalar scalar_ = Scalar::float64;
  bool by_column_ = false;
  std::uint64_t reserved_ = 0;  ///< bytes for chunks
};

}  // namespace

void check_numbers(const Hdf5File& file, const Hdf5Dataset& dataset, std::size_t dimensions) {
  const std::string path = printable(dataset.path);
  if (!dataset.is_numeric())
    fail({file.name()}, "'{}' holds {}, not numbers", path, kind_in_words(dataset.kind));
  if (dataset.shape.size() != dimensions)
    fail({file.name()}, "'{}' is {}; it must have {} dimension{}", path, shape_in_words(dataset),
         dimensions, dimensions == 1 ? "" : "s");
  std::uint64_t bytes = 8;  // of the largest type that they may become
  bool too_large = false;
  for (const std::uint64_t size : dataset.shape)
    too_large |= __builtin_mul_overflow(bytes, size, &bytes);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (too_large || bytes > kMost)
    fail({file.name()}, "'{}' is {}: too large", path, shape_in_words(dataset));
  if (bytes == 0 && dimensions > 1)
    fail({file.name()}, "'{}' is {} and has no numbers", path, shape_in_words(dataset));
  // No filter of HDF5 makes numbers smaller than deflate can, by a factor of 1032.
  constexpr std::uint64_t kMostPacked = 1100, kAlways = std::uint64_t{1} << 24;
  if (bytes > kAlways && (bytes - kAlways) / kMostPacked > dataset.stored)
    fail({file.name()}, "'{}' is {}, but the file holds only {} bytes of it", path,
         shape_in_words(dataset), dataset.stored);
}

std::uint64_t list_memory(const Hdf5Dataset& list) {
  return list.chunk_bytes() + packed_bytes(list);
}

NumberStream<std::int64_t> stream_of_indices(const Hdf5File& file, const std::string& path) {
  return stream_of<std::int64_t>(file, path, H5T_NATIVE_INT64);
}

NumberStream<double> stream_of_values(const Hdf5File& file, const std::string& path) {
  return stream_of<double>(file, path, H5T_NATIVE_DOUBLE);
}

void check_room(const Hdf5File& file, const std::string& path, std::uint64_t needed,
                Index variables, const ReadOptions& options, const Cache& cache) {
  if (!cache.is_limited()) return;
  const std::uint64_t room = cache.room(variables);
  if (needed <= room) return;
  fail(
      {file.name()},
      "reading the chunks of '{}' takes {}, but --memory leaves {}: give at least --memory {}M, or "
      "write smaller chunks",
      printable(path), bytes_in_words(needed), bytes_in_words(room),
      (options.memory + needed - room) / 1000000 + 1);
}

Table read_dense(const Hdf5File& file, const std::string& path, bool transposed,
                 const ReadOptions& options, Cache& cache, const Tick& tick) {
  DenseReader reader(file, path, transposed, options, cache, tick);
  Table table;
  table.values = reader.read(transposed);
  table.variables = default_names(table.cols());
  if (transposed) transpose(table);
  return table;
}

}  // namespace spcart::io
