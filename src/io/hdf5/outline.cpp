#include "io/hdf5/outline.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "io/compressed.hpp"
#include "io/hdf5/in_copy.hpp"
#include "io/hdf5/numbers.hpp"

namespace spcart::io {
namespace {

using nlohmann::json;

/// The sizes of a matrix, with rows and columns as in the file.
std::pair<std::uint64_t, std::uint64_t> size_of_matrix(const Hdf5File& file,
                                                       const Outline& outline) {
  const std::string& path = outline.layout.path;
  if (outline.layout.sparse) {
    const Hdf5Dataset values = file.dataset(path + "/data");
    check_numbers(file, values, 1);
    check_sparse_size({file.name()}, outline.header.rows, outline.header.cols, values.shape[0]);
    return {outline.header.rows, outline.header.cols};
  }
  const Hdf5Dataset dataset = file.dataset(path);
  check_numbers(file, dataset, 2);
  return {dataset.shape[0], dataset.shape[1]};
}

Outline found_in(const Hdf5File& file, std::string_view part) {
  Outline outline{.layout = find_matrix(file, part)};
  const Hdf5Layout& layout = outline.layout;
  if (layout.sparse) outline.header = sparse_header(file, layout.path);
  const auto [rows, cols] = size_of_matrix(file, outline);
  outline.variables = names_at(file, layout.variables, layout.transposed ? rows : cols);
  outline.samples = names_at(file, layout.samples, layout.transposed ? cols : rows);
  return outline;
}

std::string packed(const Outline& outline) {
  const json fields = {outline.layout.path, outline.layout.sparse, outline.layout.transposed,
                       outline.header.rows, outline.header.cols,   outline.header.by_column,
                       outline.variables,   outline.samples};
  std::string bytes;
  json::to_cbor(fields, bytes);
  return bytes;
}

Outline unpacked(const std::string& bytes) {
  const json fields = json::from_cbor(bytes);
  return {.layout = {.path = fields[0], .sparse = fields[1], .transposed = fields[2]},
          .header = {.rows = fields[3], .cols = fields[4], .by_column = fields[5]},
          .variables = fields[6],
          .samples = fields[7]};
}

}  // namespace

Outline outline_of(const std::string& file, std::string_view part) {
  return unpacked(in_copy(file, [&] { return packed(found_in(Hdf5File(file), part)); }));
}

}  // namespace spcart::io
