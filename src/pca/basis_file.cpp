#include "spcart/basis_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "io/json_fields.hpp"
#include "io/text.hpp"
#include "spcart/names.hpp"
#include "spcart/version.hpp"

namespace spcart {
namespace {

using io::fail;
using io::Fields;
using io::ordered_json;

constexpr std::string_view kByteOrder =
    std::endian::native == std::endian::little ? "little" : "big";

/// Sums over samples in another order, by more or fewer threads, differ by no more than this
/// fraction.
constexpr double kSameSum = 1e-8;

/// The numbers of a file, in order.
std::vector<double> numbers_of(const DataMatrix& a, const Basis& basis) {
  std::vector<double> all;
  const auto append = [&](const auto& part) {
    all.insert(all.end(), part.data(), part.data() + part.size());
  };
  append(basis.singular_values);
  append(basis.residuals);
  append(a.means());
  append(a.scales());
  append(a.column_squared_norms());
  append(basis.vectors);
  return all;
}

std::uint32_t checksum(const std::vector<double>& numbers) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(numbers.data()), numbers.size() * sizeof(double)));
}

/// The first line; `rest` receives what was read beyond it.
std::string read_header(io::ByteSource& source, std::string& rest) {
  constexpr std::size_t kStep = 4096, kMost = std::size_t{1} << 20;
  std::string text;
  while (text.size() < kMost) {
    const std::size_t size = text.size();
    text.resize(size + kStep);
    const std::size_t got = source.read(text.data() + size, kStep);
    text.resize(size + got);
    if (const std::size_t end = text.find('\n', size); end != std::string::npos) {
      rest = text.substr(end + 1);
      text.resize(end);
      return text;
    }
    if (got < kStep) break;
  }
  fail({source.name()}, "is no basis that spcart has saved");
}

std::vector<double> read_numbers(io::ByteSource& source, std::string_view begun,
                                 std::size_t count) {
  std::vector<double> numbers(count);
  const std::size_t bytes = count * sizeof(double), first = std::min(begun.size(), bytes);
  char* to = reinterpret_cast<char*>(numbers.data());
  std::memcpy(to, begun.data(), first);
  const std::size_t got = first + source.read(to + first, bytes - first);
  char more = 0;
  if (got < bytes) fail({source.name()}, "ends after {} of {} bytes of its numbers", got, bytes);
  if (begun.size() > bytes || source.read(&more, 1) > 0)
    fail({source.name()}, "goes on after its last number");
  return numbers;
}

std::string samples_in_words(std::optional<Index> samples) {
  return samples ? fmt::format("{} samples", *samples) : "a covariance";
}

void check_shape(std::string_view file, const Fields& header, const DataMatrix& a) {
  constexpr Index kMost = std::numeric_limits<std::uint32_t>::max();
  const Index p = header.index("variables", 1, kMost);
  std::optional<Index> samples;
  if (!header.is_null("samples")) samples = header.index("samples", 1, kMost);
  if (p == a.cols() && samples == a.samples()) return;
  fail({file}, "is the basis of {} of {} variables, and here is {} of {}",
       samples_in_words(samples), p, samples_in_words(a.samples()), a.cols());
}

void check_preparation(std::string_view file, const Fields& there, const Preparation& here) {
  const auto check = [&](const char* field, std::string_view what, bool is_here) {
    const bool was = there.boolean(field);
    if (was != is_here)
      fail({file}, "was made {} {}, and this is {} it", was ? "with" : "without", what,
           is_here ? "with" : "without");
  };
  check("remove_row_mean", "the removal of row means", here.remove_row_mean);
  check("center", "centring", here.center);
  check("scale", "scaling", here.scale);
  check("single", "single precision", here.precision == Precision::single);
}

/// What a basis file stores about the variables.
struct Variables {
  Eigen::Map<const Vector> means, scales, squares;
};

void check_variables(std::string_view file, const Variables& there, const DataMatrix& a,
                     std::span<const std::string> names) {
  const Vector& squares = a.column_squared_norms();
  // Differences of means are relative to the spread of their variable.
  const double n = static_cast<double>(a.samples().value_or(1));
  const Vector spread = (squares / n).cwiseSqrt().cwiseProduct(a.scales()) + a.means().cwiseAbs();
  const auto check = [&](std::string_view what, const auto& was, const Vector& is,
                         const Vector& unit) {
    for (Index j = 0; j < is.size(); ++j) {
      if (std::abs(was[j] - is[j]) <= kSameSum * unit[j]) continue;
      const auto index = static_cast<std::size_t>(j);
      fail({file}, "is the basis of other data: variable {}{} has {} {:.9g} there and {:.9g} here",
           j + 1, index < names.size() ? fmt::format(" ({})", io::printable(names[index])) : "",
           what, was[j], is[j]);
    }
  };
  const double nothing = std::numeric_limits<double>::epsilon() * squares.maxCoeff();
  check("mean", there.means, a.means(), spread);
  check("scale", there.scales, a.scales(), a.scales());
  check("sum of squares", there.squares, squares, squares.array() + nothing);
}

}  // namespace

std::string basis_bytes(const DataMatrix& a, const Basis& basis) {
  const std::vector<double> numbers = numbers_of(a, basis);
  const Preparation& preparation = a.preparation();
  const ordered_json header{
      {"spcart", kVersion},
      {"kind", "basis"},
      {"samples", a.samples() ? ordered_json(*a.samples()) : ordered_json(nullptr)},
      {"variables", a.cols()},
      {"components", basis.vectors.cols()},
      {"rank", basis.rank},
      {"total_variance", basis.total_variance},
      {"solver", name(basis.solver)},
      {"preparation",
       {{"remove_row_mean", preparation.remove_row_mean},
        {"center", preparation.center},
        {"scale", preparation.scale},
        {"single", preparation.precision == Precision::single}}},
      {"warnings", basis.warnings},
      {"byte_order", kByteOrder},
      {"checksum", checksum(numbers)}};
  std::string bytes = dump(header, io::Bytes::reject) + '\n';
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  return bytes;
}

Basis read_basis(const std::filesystem::path& path, const DataMatrix& a,
                 std::span<const std::string> names) {
  const auto start = Clock::now();
  io::ByteSource source(path);
  const std::string& file = source.name();
  std::string begun;
  const io::json document = io::parse_json(read_header(source, begun));
  if (!document.is_object() || document.value("kind", io::json()) != "basis")
    fail({file}, "is no basis that spcart has saved");
  const Fields header(file, "", document);
  check_version(header);
  if (header.string("byte_order") != kByteOrder)
    fail({file}, "was saved on a machine with another order of bytes");
  check_shape(file, header, a);
  check_preparation(file, header.object("preparation"), a.preparation());

  const Index p = a.cols(), r = header.index("components", 1, p);
  const std::vector<double> numbers =
      read_numbers(source, begun, static_cast<std::size_t>(2 * r + 3 * p + p * r));
  if (header.index("checksum", 0, std::numeric_limits<std::uint32_t>::max()) != checksum(numbers))
    fail({file}, "is damaged: its numbers are not those that were saved");

  const double* next = numbers.data();
  const auto take = [&](Index count) {
    const double* begin = next;
    next += count;
    return Eigen::Map<const Vector>(begin, count);
  };
  Basis basis;
  basis.singular_values = take(r);
  basis.residuals = take(r);
  const Eigen::Map<const Vector> means = take(p), scales = take(p), squares = take(p);
  check_variables(file, {means, scales, squares}, a, names);
  basis.vectors = Eigen::Map<const Matrix>(next, p, r);
  basis.total_variance = a.squared_norm();
  basis.rank = header.index("rank", 0, r);
  basis.solver = parse<Solver>(header.string("solver"));
  const auto warnings = document.value("warnings", io::json::array()).size();
  basis.warnings = header.strings("warnings", static_cast<Index>(warnings));
  basis.seconds = seconds_since(start);
  return basis;
}

}  // namespace spcart
