#include "source.hpp"

#include <fmt/format.h>

#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/io.hpp"

namespace spcart::reproduce {
namespace {

std::string shape_of(const Table& table) {
  return table.covariance ? fmt::format("covariance of {} variables", table.cols())
                          : fmt::format("{} x {}", table.rows(), table.cols());
}

Table read_real(const DataDeclaration& data, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / data.file;
  if (!std::filesystem::exists(file))
    throw Error(
        fmt::format("SPCART_DATA = {}: there is no {} in it; unset it to take {} in its place",
                    folder.string(), data.file, data.built_in.front()));
  Table table = read_table(file);
  if (table.rows() != data.rows || table.cols() != data.cols)
    throw Error(fmt::format("SPCART_DATA: {} is {} x {}, but {} are {} x {}", file.string(),
                            table.rows(), table.cols(), data.label, data.rows, data.cols));
  return table;
}

}  // namespace

Source load(const DataDeclaration& data, const std::filesystem::path& folder) {
  Source source;
  if (!data.file.empty() && !folder.empty()) {
    source.tables.push_back(read_real(data, folder));
    source.label = fmt::format("{}, {}", data.label, shape_of(source.tables.front()));
    return source;
  }
  source.stand_in = !data.file.empty();
  std::string names;
  for (const std::string& name : data.built_in) {
    source.tables.push_back(load_dataset(name));
    names +=
        fmt::format("{}{} ({})", names.empty() ? "" : ", ", name, shape_of(source.tables.back()));
  }
  source.label = source.stand_in ? fmt::format("{} in place of {}", names, data.label) : names;
  return source;
}

}  // namespace spcart::reproduce
