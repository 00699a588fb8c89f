#include "arguments/report_fields.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "arguments/call.hpp"
#include "spcart/criteria.hpp"

namespace spcart::command {
namespace {

using nlohmann::ordered_json;

// What a scatter plot can show: more would only make the file larger.
constexpr Index kMostSamples = 5000, kMostComponents = 12;
constexpr Index kMostScores = Index{1} << 24;  // that are computed for it: 128 MB

ordered_json array_of(const Vector& values) {
  return std::vector<double>(values.begin(), values.end());
}

ordered_json rows_of(const Matrix& m) {
  ordered_json rows = ordered_json::array();
  for (Index i = 0; i < m.rows(); ++i) rows.push_back(array_of(m.row(i)));
  return rows;
}

/// As many digits as a picture can show.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

/// At most `most` of n samples, in ascending order: always the same.
std::vector<Index> chosen_samples(Index n, Index most) {
  std::vector<Index> chosen;
  std::mt19937_64 random;
  for (Index i = 0; i < n; ++i)
    if (static_cast<Index>(random() % static_cast<std::uint64_t>(n - i)) <
        most - static_cast<Index>(chosen.size()))
      chosen.push_back(i);
  return chosen;
}

ordered_json texts(const std::vector<std::string>& all, const std::vector<Index>& chosen) {
  if (all.empty()) return nullptr;
  ordered_json out = ordered_json::array();
  for (const Index i : chosen) out.push_back(all[static_cast<std::size_t>(i)]);
  return out;
}

/// The scores of some samples on the first components, or null if there are none.
ordered_json scores_of(const Data& data, const Loadings& loadings,
                       const std::vector<std::string>& labels) {
  const Index n = data.table.rows(), r = std::min(loadings.cols(), kMostComponents);
  if (data.table.covariance || n * r > kMostScores) return nullptr;
  const Matrix all = scores(*data.matrix, loadings.leftCols(r));
  const std::vector<Index> chosen = chosen_samples(n, std::min(n, kMostSamples));
  ordered_json columns = ordered_json::array();
  for (Index j = 0; j < r; ++j) {
    ordered_json& column = columns.emplace_back(ordered_json::array());
    for (const Index i : chosen) column.push_back(rounded(all(i, j)));
  }
  return {{"index", chosen},
          {"names", texts(data.table.samples, chosen)},
          {"labels", texts(labels, chosen)},
          {"columns", std::move(columns)}};
}

ordered_json common_fields(std::string_view call, const Data& data) {
  ordered_json fields;
  fields["command"] = call;
  fields["data"] = data.title;
  fields["samples"] =
      data.table.covariance ? ordered_json(nullptr) : ordered_json(data.table.rows());
  fields["variables"] = data.table.cols();
  return fields;
}

/// Names may hold any bytes; JSON is UTF-8.
std::string dump(const ordered_json& fields) {
  return fields.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string report_fields(std::string_view call, const Data& data, const Result& result,
                          const Annotations& annotations, const Tick& tick) {
  ordered_json fields = common_fields(call, data);
  fields["image"] = annotations.image ? ordered_json(*annotations.image) : ordered_json(nullptr);
  fields["pca_variances"] =
      array_of(variance_shares(result.singular_values, data.matrix->squared_norm()));
  const Relations found = relations(*data.matrix, result.loadings, tick);
  fields["cosines"] = rows_of(found.cosines);
  fields["angles"] = rows_of(found.angles);
  fields["correlations"] = rows_of(found.correlations);
  fields["scores"] = scores_of(data, result.loadings, annotations.labels);
  return dump(fields);
}

std::string report_fields(const Data& data, const std::vector<std::string>& calls,
                          const Vector& pca_variances) {
  ordered_json fields = common_fields(this_call(), data);
  fields["calls"] = calls;
  fields["pca_variances"] =
      pca_variances.size() > 0 ? array_of(pca_variances) : ordered_json(nullptr);
  return dump(fields);
}

}  // namespace spcart::command
