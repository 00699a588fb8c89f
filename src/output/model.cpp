#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/json_fields.hpp"
#include "io/read.hpp"
#include "io/text.hpp"
#include "spcart/io.hpp"
#include "spcart/output.hpp"

namespace spcart {
namespace {

using io::Fields;
using io::json;

Loadings read_columns(const Fields& fields, std::string_view file, Index p, Index r) {
  std::vector<Eigen::Triplet<double, Index>> entries;
  Index j = 0;
  for (const json& item : fields.array("loadings", r)) {
    const Fields column(file, fmt::format("loadings[{}].", j), item);
    const std::vector<Index> rows = column.positions("index", p);
    const Vector values = column.numbers("value", static_cast<Index>(rows.size()));
    // Columns far from unit length are not a model, and scores may overflow.
    constexpr double kRounding = 1e-6;
    const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
    const double length = largest > 0 ? largest * (values / largest).norm() : 0;
    if (length != 0 && !(std::abs(length - 1) <= kRounding))
      column.reject("value", fmt::format("has length {:.6g}, and a component must have 1", length));
    for (std::size_t k = 0; k < rows.size(); ++k)
      entries.emplace_back(rows[k], j, values[static_cast<Index>(k)]);
    ++j;
  }
  Loadings x(p, r);
  x.setFromTriplets(entries.begin(), entries.end());
  return x;
}

Preparation read_preparation(const Fields& fields, Index p) {
  Preparation preparation;
  preparation.remove_row_mean = fields.boolean("remove_row_mean");
  preparation.center = fields.boolean("center");
  preparation.scale = fields.boolean("scale");
  if (!fields.is_null("means")) preparation.means = fields.numbers("means", p);
  if (!fields.is_null("scales")) {
    preparation.scales = fields.numbers("scales", p);
    if ((preparation.scales->array() < 0).any()) fields.reject("scales", "must not be negative");
  }
  return preparation;
}

}  // namespace

Model read_model(const std::filesystem::path& path) {
  io::ByteSource source(path);
  const json document = io::parse_json(source);
  const std::string& file = source.name();
  const Fields fields(file, "", document);
  if (!document.contains("spcart")) io::fail({file}, "is not the JSON of a result");
  check_version(fields);
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  const Index p = fields.index("variables", 1, kMost);
  const Index r = fields.index("components", 1, p);
  Model model;
  model.variables = fields.strings("names", p);
  model.loadings = read_columns(fields, file, p, r);
  model.preparation = read_preparation(fields.object("preparation"), p);
  return model;
}

void reorder(Model& model, const std::vector<Index>& order) {
  const auto pick = [&order](std::optional<Vector>& values) {
    if (values && values->size() > 0) values = Vector((*values)(order));
  };
  pick(model.preparation.means);
  pick(model.preparation.scales);
  std::vector<std::string> names;
  names.reserve(order.size());
  for (const Index from : order)
    names.push_back(std::move(model.variables[static_cast<std::size_t>(from)]));
  model.variables = std::move(names);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index> permutation(
      static_cast<Index>(order.size()));
  std::ranges::copy(order, permutation.indices().data());
  model.loadings = Loadings(permutation.transpose() * model.loadings);
}

Loadings read_loadings(const std::filesystem::path& path, std::span<const std::string> variables) {
  Model model;
  if (io::is_json(path)) {
    model = read_model(path);
  } else {
    Table table = io::read_loadings_table(path);
    model.loadings = to_matrix(table).sparseView();
    model.variables =
        table.samples.empty() ? default_names(table.rows()) : std::move(table.samples);
  }
  reorder(model, match_variables(variables, model.variables, path.string()));
  return model.loadings;
}

}  // namespace spcart
