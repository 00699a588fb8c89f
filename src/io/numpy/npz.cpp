#include "io/numpy/npz.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/compressed.hpp"
#include "io/numpy/npy.hpp"
#include "io/numpy/zip.hpp"
#include "io/text.hpp"
#include "table/file_scalar.hpp"
#include "table/open_file.hpp"
#include "table/with_scalar.hpp"

namespace spcart::io {

namespace {

constexpr std::string_view kNpyEnding = ".npy";

/// A number as T; indices that no table can have become -1.
template <class T, class From>
T as_number(From value) {
  constexpr double kMost = 9e15;
  if constexpr (std::is_integral_v<T>) {
    const auto number = static_cast<double>(value);
    return number >= -kMost && number <= kMost ? static_cast<T>(value) : T{-1};
  } else {
    return static_cast<T>(value);
  }
}

/// An array of an archive, opened: its header is read, its numbers follow.
struct ArchivedArray {
  NpyInput input;
  NpyHeader header;

  bool is_list() const { return header.shape.size() == 1; }
};

class NpzReader {
 public:
  NpzReader(const ByteSource& source, const ReadOptions& options, Cache& cache, const Tick& tick)
      : file_(source.name()), options_(options), cache_(cache), tick_(tick) {
    if (!source.file() || source.is_gzipped())
      fail({file_}, "an archive of arrays must be a plain file: its directory is at its end");
    archive_ = source.file();
    entries_ = read_zip_directory(*archive_);
  }

  Table read(std::string_view part) {
    if (part.empty() && has("format") && has("shape") && has("data")) return read_sparse();
    const ArchivedArray array = open(part.empty() ? only_array() : std::string(part));
    return read_npy_table(array.input, array.header, options_.transpose, cache_);
  }

 private:
  const ZipEntry* find(std::string_view name) const {
    const auto found = std::ranges::find_if(entries_, [&](const ZipEntry& entry) {
      return entry.name == name || entry.name == fmt::format("{}{}", name, kNpyEnding);
    });
    return found == entries_.end() ? nullptr : &*found;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::string names() const {
    constexpr std::size_t kMost = 10;
    std::string all;
    for (std::size_t k = 0; k < std::min(entries_.size(), kMost); ++k) {
      std::string_view name = entries_[k].name;
      if (name.ends_with(kNpyEnding)) name.remove_suffix(kNpyEnding.size());
      all += fmt::format("{}'{}'", k == 0 ? "" : ", ", printable(name));
    }
    return all + (entries_.size() > kMost ? ", ..." : "");
  }

  std::string only_array() const {
    if (entries_.size() == 1) return entries_.front().name;
    if (entries_.empty()) fail({file_}, "has no arrays");
    fail({file_}, "has {} arrays: choose one, as in {}:{}; they are {}", entries_.size(),
         printable(file_), printable(without_ending(entries_.front().name)), names());
  }

  static std::string_view without_ending(std::string_view name) {
    return name.substr(0, name.size() - (name.ends_with(kNpyEnding) ? kNpyEnding.size() : 0));
  }

  ArchivedArray open(const std::string& name) const {
    const ZipEntry* entry = find(name);
    if (entry == nullptr) fail({file_}, "has no array '{}'; it has {}", printable(name), names());
    const auto member = std::make_shared<ZipMember>(archive_, *entry);
    ArchivedArray array;
    array.input = {.name = fmt::format("{}:{}", file_, without_ending(entry->name)),
                   .read = [member](char* to, std::size_t n) { return member->read(to, n); },
                   .size = entry->size};
    array.header = read_npy_header(array.input);
    return array;
  }

  /// The text of an array without dimensions: bytes, or characters of four bytes each.
  std::string read_text(const std::string& name) const {
    constexpr std::size_t kLongest = 64;
    const ArchivedArray array = open(name);
    std::string bytes(kLongest, '\0');
    bytes.resize(array.input.read(bytes.data(), bytes.size()));
    std::erase(bytes, '\0');
    return bytes;
  }

  /// The numbers of an array of one dimension as T, in order.
  template <class T>
  NumberStream<T> list(const std::string& name) const {
    ArchivedArray array = open(name);
    const std::string& file = array.input.name;
    const FileScalar scalar = npy_scalar(file, array.header.descr);
    if (!array.is_list())
      fail({file}, "its shape {} is not that of a list", printable(array.header.shape_text));
    const bool whole = scalar != FileScalar::float32 && scalar != FileScalar::float64;
    if (std::is_integral_v<T> && !whole)
      fail({file}, "has the type '{}'; indices are whole numbers", printable(array.header.descr));
    const std::uint64_t count = array.header.shape[0];
    const std::uint64_t bytes = *array.input.size - array.header.offset;
    if (bytes % size_of(scalar) != 0 || bytes / size_of(scalar) != count)
      fail({file}, "its shape {} does not fit the {} bytes after the header",
           printable(array.header.shape_text), bytes);
    auto done = std::make_shared<std::uint64_t>(0);
    const auto read = [array = std::move(array), scalar, count, done](T* to, std::size_t n) {
      std::vector<double> aligned(n);
      char* widened_to = reinterpret_cast<char*>(aligned.data());
      read_npy_numbers(array.input, scalar, n, widened_to, *done, count);
      *done += n;
      with_scalar(widened(scalar), [&]<class From>(From) {
        const auto* from = reinterpret_cast<const From*>(widened_to);
        for (std::size_t i = 0; i < n; ++i) to[i] = as_number<T>(from[i]);
      });
    };
    return {count, read};
  }

  Table read_sparse() const {
    const std::string format = read_text("format");
    const NumberStream<std::int64_t> sizes = list<std::int64_t>("shape");
    std::array<std::int64_t, 2> shape{};
    if (sizes.count != shape.size())
      fail({file_}, "its shape has {} dimensions; a table has 2", sizes.count);
    sizes.read(shape.data(), shape.size());
    if (shape[0] < 0 || shape[1] < 0) fail({file_}, "its shape is negative");
    const auto rows = static_cast<std::uint64_t>(shape[0]);
    const auto cols = static_cast<std::uint64_t>(shape[1]);
    const SparseReading reading{.transpose = options_.transpose, .cache = cache_, .tick = tick_};
    Table table;
    if (format == "coo") {
      table.values = read_coordinates({.file = file_,
                                       .rows = rows,
                                       .cols = cols,
                                       .row = list<std::int64_t>("row"),
                                       .col = list<std::int64_t>("col"),
                                       .values = list<double>("data")},
                                      reading);
    } else if (format == "csr" || format == "csc") {
      table.values = read_compressed({.file = file_,
                                      .rows = rows,
                                      .cols = cols,
                                      .by_column = format == "csc",
                                      .offsets = list<std::int64_t>("indptr"),
                                      .indices = list<std::int64_t>("indices"),
                                      .values = list<double>("data")},
                                     reading);
    } else {
      fail({file_}, "is a sparse matrix of format '{}'; csr, csc and coo are read",
           printable(format));
    }
    table.variables = default_names(table.cols());
    return table;
  }

  std::string file_;
  const ReadOptions& options_;
  Cache& cache_;
  const Tick& tick_;
  std::shared_ptr<const OpenFile> archive_;
  std::vector<ZipEntry> entries_;
};

}  // namespace

Table read_npz(ByteSource& source, std::string_view part, const ReadOptions& options, Cache& cache,
               const Tick& tick) {
  return NpzReader(source, options, cache, tick).read(part);
}

}  // namespace spcart::io
