#include "io/numpy/npy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/edit/transpose.hpp"
#include "io/spool/spool.hpp"
#include "io/text.hpp"
#include "table/file_scalar.hpp"

namespace spcart::io {

namespace {

/// Reads the dictionary that describes an array: Python's notation, but only what NumPy writes.
class HeaderParser {
 public:
  HeaderParser(std::string_view file, std::string_view text) : file_(file), rest_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      bool& seen = key == "descr" ? descr : key == "fortran_order" ? order : shape;
      if ((&seen == &shape && key != "shape") || seen) junk();
      seen = true;
      if (&seen == &descr) header.descr = dtype();
      if (&seen == &order) header.fortran_order = boolean();
      if (&seen == &shape) read_shape(header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty() || !descr || !order || !shape) junk();
    return header;
  }

 private:
  [[noreturn]] void junk() const {
    fail({file_}, "has a broken NPY header near '{}'", printable(rest_));
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
  }

  bool accept(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) junk();
  }

  std::string string() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) junk();
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::string dtype() {
    skip_blanks();
    if (rest_.starts_with('['))
      fail({file_}, "has the structured type {}: a table needs plain numbers", printable(rest_));
    return string();
  }

  bool boolean() {
    skip_blanks();
    const bool value = rest_.starts_with("True");
    if (!value && !rest_.starts_with("False")) junk();
    rest_.remove_prefix(value ? 4 : 5);
    return value;
  }

  void read_shape(NpyHeader& header) {
    skip_blanks();
    header.shape_text = rest_.substr(0, rest_.find(')'));
    header.shape_text += ')';
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      if (rest_.starts_with('-')) fail_shape(header, "is negative");
      std::uint64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error == std::errc::result_out_of_range) fail_shape(header, "is too large");
      if (error != std::errc{}) junk();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      header.shape.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  [[noreturn]] void fail_shape(const NpyHeader& header, std::string_view what) const {
    fail({file_}, "its shape {} {}", printable(header.shape_text), what);
  }

  std::string_view file_;
  std::string_view rest_;
};

FileView::Order order_of(const NpyHeader& header) {
  return header.fortran_order ? FileView::Order::column : FileView::Order::row;
}

void read_exactly(const NpyInput& input, char* to, std::size_t count) {
  if (input.read(to, count) != count) fail({input.name}, "ends within its NPY header");
}

/// The types that are supported, as NumPy calls them.
struct Type {
  std::string_view descr;
  FileScalar scalar;
};

constexpr auto kTypes = std::to_array<Type>({{"|u1", FileScalar::uint8},
                                             {"<i4", FileScalar::int32},
                                             {"<f4", FileScalar::float32},
                                             {"<f8", FileScalar::float64},
                                             {"|b1", FileScalar::boolean},
                                             {"|i1", FileScalar::int8},
                                             {"<i2", FileScalar::int16},
                                             {"<u2", FileScalar::uint16},
                                             {"<u4", FileScalar::uint32},
                                             {"<i8", FileScalar::int64},
                                             {"<u8", FileScalar::uint64}});

/// Number of values, checked against the size of the file as far as that is known.
std::size_t count_values(const NpyInput& input, const NpyHeader& header, std::size_t size) {
  const std::string& file = input.name;
  const std::string shape = printable(header.shape_text);
  if (header.shape.size() != 2) {
    fail({file}, "its shape {} has {} dimension{}; a table has 2", shape, header.shape.size(),
         header.shape.size() == 1 ? "" : "s");
  }
  const std::uint64_t rows = header.shape[0], cols = header.shape[1];
  if (rows == 0 || cols == 0) fail({file}, "its shape {} has no numbers", shape);
  std::uint64_t bytes = 0;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (__builtin_mul_overflow(rows, cols, &bytes) || __builtin_mul_overflow(bytes, 8, &bytes) ||
      bytes > kMost)
    fail({file}, "its shape {} is too large", shape);
  bytes = bytes / 8 * size;
  if (input.size && *input.size - header.offset != bytes) {
    fail({file}, "its shape {} needs {} bytes, but {} follow the header", shape, bytes,
         *input.size - header.offset);
  }
  return static_cast<std::size_t>(rows * cols);
}

/// Reads in steps, so that memory is allocated for the numbers that exist, not for those declared.
void read_values(const NpyInput& input, FileScalar scalar, std::size_t count, NumberSpool& values) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  for (std::size_t done = 0; done < count;) {
    const std::size_t step = std::min(kStep, count - done);
    read_npy_numbers(input, scalar, step, values.extend(step), done, count);
    done += step;
  }
  char extra = 0;
  if (input.read(&extra, 1) != 0) fail({input.name}, "goes on after its {} numbers", count);
}

}  // namespace

NpyHeader read_npy_header(const NpyInput& input) {
  const std::string& file = input.name;
  std::array<unsigned char, 8> start{};
  const std::size_t got = input.read(reinterpret_cast<char*>(start.data()), start.size());
  if (!std::string_view(reinterpret_cast<const char*>(start.data()), got).starts_with(kNpyMagic))
    fail({file}, "is not an NPY file");
  if (got < start.size()) fail({file}, "ends within its NPY header");
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    fail({file}, "has NPY version {}.{}; 1.0, 2.0 and 3.0 are known", major, minor);
  std::array<unsigned char, 4> bytes{};
  const std::size_t width = major == 1 ? 2 : 4;
  read_exactly(input, reinterpret_cast<char*>(bytes.data()), width);
  const std::size_t length = bytes[0] + (std::size_t{bytes[1]} << 8) +
                             (std::size_t{bytes[2]} << 16) + (std::size_t{bytes[3]} << 24);
  constexpr std::size_t kLongest = 1 << 16;
  if (length > kLongest) fail({file}, "has an NPY header of {} bytes: too long", length);
  std::string text(length, '\0');
  read_exactly(input, text.data(), length);
  NpyHeader header = HeaderParser(file, text).parse();
  header.offset = start.size() + width + length;
  return header;
}

FileScalar npy_scalar(std::string_view file, std::string_view descr) {
  for (const Type& type : kTypes)
    if (type.descr == descr) return type.scalar;
  if (descr.starts_with('>')) {
    fail({file}, "has the big-endian type '{}': write it little-endian, as '<{}'", printable(descr),
         printable(descr.substr(1)));
  }
  if (descr.find('O') != std::string_view::npos)
    fail({file}, "has the type '{}': Python objects are not read", printable(descr));
  fail({file}, "has the type '{}'; known are u1, i4, f4, f8, b1, i1, i2, u2, u4, i8, u8",
       printable(descr));
}

void read_npy_numbers(const NpyInput& input, FileScalar scalar, std::size_t count, char* to,
                      std::uint64_t read_before, std::uint64_t all) {
  const std::size_t size = size_of(scalar);
  std::vector<char> stored(is_kept(scalar) ? 0 : count * size);
  char* from = is_kept(scalar) ? to : stored.data();
  const std::size_t got = input.read(from, count * size);
  if (got != count * size)
    fail({input.name}, "ends after {} of {} numbers", read_before + got / size, all);
  if (!is_kept(scalar)) widen(scalar, from, count, to);
}

Table read_npy_table(const NpyInput& input, const NpyHeader& header, bool transposed,
                     Cache& cache) {
  const FileScalar scalar = npy_scalar(input.name, header.descr);
  const std::size_t count = count_values(input, header, size_of(scalar));
  const auto rows = static_cast<Index>(header.shape[0]), cols = static_cast<Index>(header.shape[1]);
  NumberSpool values(cache, widened(scalar), transposed ? rows : cols);
  read_values(input, scalar, count, values);
  Table table;
  table.values = values.finish(rows, cols, order_of(header));
  table.variables = default_names(cols);
  if (transposed) transpose(table);
  return table;
}

Table read_npy(ByteSource& source, bool transposed, Cache& cache) {
  const NpyInput input{.name = source.name(),
                       .read = [&](char* to, std::size_t n) { return source.read(to, n); },
                       .size = source.size()};
  const NpyHeader header = read_npy_header(input);
  const FileScalar scalar = npy_scalar(source.name(), header.descr);
  const std::size_t count = count_values(input, header, size_of(scalar));
  const auto rows = static_cast<Index>(header.shape[0]), cols = static_cast<Index>(header.shape[1]);
  const Index variables = transposed ? rows : cols;
  if (!source.file() || source.is_gzipped() ||
      count * size_of(widened(scalar)) <= cache.room(variables))
    return read_npy_table(input, header, transposed, cache);
  Table table;
  FileView view{.file = source.file(), .scalar = scalar, .rows = rows, .cols = cols};
  view.order = order_of(header);
  view.values = header.offset;
  view.memory = cache.buffers(variables);
  table.values = std::move(view);
  table.variables = default_names(cols);
  if (transposed) transpose(table);
  return table;
}

}  // namespace spcart::io
