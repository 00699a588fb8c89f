#include <cassert>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "io/text.hpp"
#include "spcart/io.hpp"
#include "spcart/names.hpp"
#include "spcart/version.hpp"

namespace spcart {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// JSON knows no NaN: a result that has one is broken before it comes here.
double finite(double value) {
  assert(std::isfinite(value));
  return value;
}

ordered_json array_of(const Vector& values) {
  ordered_json out = ordered_json::array();
  for (const double value : values) out.push_back(finite(value));
  return out;
}

ordered_json array_of(const std::optional<Vector>& values) {
  return values ? array_of(*values) : ordered_json(nullptr);
}

ordered_json rows_of(const Matrix& m) {
  ordered_json out = ordered_json::array();
  for (Index i = 0; i < m.rows(); ++i) out.push_back(array_of(Vector(m.row(i))));
  return out;
}

ordered_json columns_of(const Loadings& x) {
  ordered_json out = ordered_json::array();
  for (Index j = 0; j < x.outerSize(); ++j) {
    ordered_json index = ordered_json::array(), value = ordered_json::array();
    for (Loadings::InnerIterator entry(x, j); entry; ++entry) {
      index.push_back(entry.row());
      value.push_back(finite(entry.value()));
    }
    out.push_back({{"index", std::move(index)}, {"value", std::move(value)}});
  }
  return out;
}

ordered_json object_of(const Criteria& criteria) {
  return {{"cpev", finite(criteria.cpev)},
          {"cpev_pca", finite(criteria.cpev_pca)},
          {"share_of_pca", finite(criteria.share_of_pca())},
          {"ev", finite(criteria.ev)},
          {"nonorthogonality", finite(criteria.nonorthogonality)},
          {"worst_nonorthogonality", finite(criteria.worst_nonorthogonality)},
          {"sparsity",
           {{"mean", finite(criteria.sparsity.mean)},
            {"std", finite(criteria.sparsity.std)},
            {"min", finite(criteria.sparsity.min)}}},
          {"nonzeros", criteria.nonzeros},
          {"adjusted_variance", array_of(criteria.adjusted_variance)},
          {"cpev_gains", array_of(criteria.cpev_gains)}};
}

ordered_json array_of(const std::vector<Iteration>& history) {
  ordered_json out = ordered_json::array();
  for (const Iteration& iteration : history) {
    out.push_back({{"change", finite(iteration.change)},
                   {"truncated_energy", finite(iteration.truncated_energy)},
                   {"sparsity", finite(iteration.sparsity)},
                   {"objective", finite(iteration.objective)}});
  }
  return out;
}

ordered_json object_of(const Preparation& preparation, bool covariance) {
  const auto known = [&](const std::optional<Vector>& values) {
    return covariance ? ordered_json(nullptr) : array_of(values);
  };
  return {{"remove_row_mean", preparation.remove_row_mean},
          {"center", preparation.center},
          {"scale", preparation.scale},
          {"means", known(preparation.means)},
          {"scales", preparation.scale ? array_of(preparation.scales) : known(preparation.scales)}};
}

ordered_json object_of(const Timing& timing) {
  return {{"read", timing.read},   {"pca", timing.pca},       {"rotate", timing.rotate},
          {"refit", timing.refit}, {"refine", timing.refine}, {"score", timing.score},
          {"total", timing.total}};
}

ordered_json object_of(const std::vector<Bound>& bounds) {
  ordered_json out = ordered_json::object();
  for (const Bound& bound : bounds)
    out[std::string(bound.name)] = {
        {"source", bound.source},
        {"kind", name(bound.kind)},
        {"guaranteed", {finite(bound.lower), finite(bound.upper)}},
        {"measured", {finite(bound.least), finite(bound.most)}},
        {"applies", bound.applies},
        {"reason", bound.reason.empty() ? ordered_json(nullptr) : ordered_json(bound.reason)},
        {"holds", bound.holds},
        {"tightness", finite(bound.tightness)}};
  return out;
}

/// Every option as it was given: numbers as numbers, infinity and names as text.
ordered_json object_of(const Options& options) {
  ordered_json out = ordered_json::object();
  for (const OptionRecord& record : option_records()) {
    const std::string text = record.get(options);
    ordered_json& value = out[std::string(record.name)];
    if (!text.empty()) value = json::accept(text) ? ordered_json::parse(text) : ordered_json(text);
  }
  return out;
}

ordered_json object_of(const Compared& row) {
  const Result& result = row.result;
  ordered_json out;
  out["method"] = name(row.contender.method);
  out["truncation"] = result.truncation ? ordered_json(name(result.truncation->type)) : nullptr;
  out["lambda"] = result.truncation ? ordered_json(finite(result.truncation->lambda)) : nullptr;
  out["start"] = result.start ? ordered_json(name(*result.start)) : nullptr;
  out["criteria"] = object_of(result.criteria);
  out["seconds"] = row.seconds;
  out["status"] = name(result.status);
  out["fits"] = row.fits;
  out["note"] = row.note.empty() ? ordered_json(nullptr) : ordered_json(row.note);
  return out;
}

ordered_json object_of(const Stability& stability) {
  return {{"resamples", stability.resamples},
          {"frequencies", columns_of(stability.frequencies)},
          {"cosines", array_of(stability.cosines)}};
}

ordered_json object_of(const Scree& scree) {
  return {{"variances", array_of(scree.variances)},
          {"broken_stick", array_of(scree.broken_stick)},
          {"parallel", array_of(scree.parallel)},
          {"by_broken_stick", scree.by_broken_stick},
          {"by_parallel", scree.by_parallel}};
}

/// Of this program: what getrusage tells is also that of the one which started it.
std::int64_t memory_peak_bytes() {
  constexpr std::int64_t kKilobyte = 1024;
  constexpr std::string_view kField = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kField)) return std::stoll(line.substr(kField.size())) * kKilobyte;
  return 0;
}

/// Names may hold any bytes; JSON is UTF-8.
std::string dump(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// The fields of a JSON object, each checked as it is taken. Errors name the file and the field.
class Fields {
 public:
  Fields(std::string_view file, std::string path, const json& object)
      : file_(file), path_(std::move(path)), object_(object) {
    if (!object.is_object()) refuse("", "must be an object");
  }

  bool is_null(const char* name) const { return at(name).is_null(); }

  Index index(const char* name, Index least, Index most) const {
    return index(at(name), name, least, most);
  }

  bool boolean(const char* name) const {
    const json& value = at(name);
    if (!value.is_boolean()) refuse(name, "must be true or false");
    return value.get<bool>();
  }

  std::string string(const char* name) const {
    const json& value = at(name);
    if (!value.is_string()) refuse(name, "must be text");
    return value.get<std::string>();
  }

  const json& array(const char* name, Index size) const {
    const json& value = at(name);
    if (!value.is_array()) refuse(name, "must be an array");
    if (static_cast<Index>(value.size()) != size)
      refuse(name, fmt::format("has length {}, and must have {}", value.size(), size));
    return value;
  }

  std::vector<std::string> strings(const char* name, Index size) const {
    std::vector<std::string> out;
    for (const json& item : array(name, size)) {
      if (!item.is_string()) refuse(name, "must hold text only");
      out.push_back(item.get<std::string>());
    }
    return out;
  }

  Vector numbers(const char* name, Index size) const {
    Vector out(size);
    Index i = 0;
    for (const json& item : array(name, size)) {
      if (!item.is_number() || !std::isfinite(item.get<double>()))
        refuse(name, "must hold finite numbers only");
      out[i++] = item.get<double>();
    }
    return out;
  }

  /// Positions below `size`, each larger than the one before.
  std::vector<Index> positions(const char* name, Index size) const {
    if (!at(name).is_array()) refuse(name, "must be an array");
    std::vector<Index> out;
    for (const json& item : at(name)) {
      const Index position = index(item, name, 0, size - 1);
      if (!out.empty() && position <= out.back()) refuse(name, "must ascend");
      out.push_back(position);
    }
    return out;
  }

  Fields object(const char* name) const { return {file_, path_ + name + ".", at(name)}; }

  [[noreturn]] void refuse(std::string_view name, std::string_view rule) const {
    std::string field = path_ + std::string(name);
    if (field.ends_with('.')) field.pop_back();
    if (field.empty()) io::fail({file_}, "is not the JSON of a result");
    io::fail({file_}, "field '{}' {}", field, rule);
  }

 private:
  const json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) refuse(name, "is not there");
    return *found;
  }

  Index index(const json& value, const char* name, Index least, Index most) const {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max());
    if (!fits || value.get<Index>() < least || value.get<Index>() > most)
      refuse(name, fmt::format("must hold whole numbers from {} to {}", least, most));
    return value.get<Index>();
  }

  std::string_view file_;
  std::string path_;
  const json& object_;
};

json parse_json(io::ByteSource& source) {
  std::string text;
  constexpr std::size_t kStep = std::size_t{1} << 18;
  for (std::size_t got = kStep; got == kStep;) {
    const std::size_t size = text.size();
    text.resize(size + kStep);
    got = source.read(text.data() + size, kStep);
    text.resize(size + got);
  }
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    constexpr std::size_t kLimit = 200;
    io::fail({source.name()}, "is not JSON: {}", io::printable(error.what(), kLimit));
  }
}

void check_version(const Fields& fields) {
  const std::string version = fields.string("spcart");
  const auto major = [](std::string_view text) { return text.substr(0, text.find('.')); };
  if (major(version) != major(kVersion)) {
    fields.refuse("spcart", fmt::format("is version '{}', and this is {}: their results differ",
                                        io::printable(version), kVersion));
  }
}

Loadings read_columns(const Fields& fields, std::string_view file, Index p, Index r) {
  std::vector<Eigen::Triplet<double, Index>> entries;
  Index j = 0;
  for (const json& item : fields.array("loadings", r)) {
    const Fields column(file, fmt::format("loadings[{}].", j), item);
    const std::vector<Index> rows = column.positions("index", p);
    const Vector values = column.numbers("value", static_cast<Index>(rows.size()));
    // Far from unit length there is no model, and scores may overflow.
    constexpr double kRounding = 1e-6;
    const double length = values.stableNorm();
    if (length != 0 && !(std::abs(length - 1) <= kRounding))
      column.refuse("value", fmt::format("has length {:.6g}, and a component must have 1", length));
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
    if ((preparation.scales->array() < 0).any()) fields.refuse("scales", "must not be negative");
  }
  return preparation;
}

}  // namespace

std::string to_json(const Criteria& criteria) { return dump(object_of(criteria)); }

std::string to_json(std::span<const Compared> rows) {
  ordered_json out;
  out["spcart"] = kVersion;
  out["kind"] = "compare";
  out["rows"] = ordered_json::array();
  for (const Compared& row : rows) out["rows"].push_back(object_of(row));
  return dump(out);
}

std::string to_json(const Path& path) {
  ordered_json out;
  out["spcart"] = kVersion;
  out["kind"] = "path";
  out["variables"] = path.variables;
  out["points"] = ordered_json::array();
  for (const PathPoint& point : path.points)
    out["points"].push_back({{"truncation", name(point.truncation.type)},
                             {"lambda", finite(point.truncation.lambda)},
                             {"components", point.components},
                             {"criteria", object_of(point.criteria)},
                             {"iterations", point.iterations},
                             {"status", name(point.status)},
                             {"objective", finite(point.objective)},
                             {"warm", point.warm}});
  out["knee"] = path.knee;
  out["keep"] = path.keep ? ordered_json(*path.keep) : ordered_json(nullptr);
  out["singular_values"] = array_of(path.singular_values);
  out["total_variance"] = finite(path.total_variance);
  out["solver"] = name(path.solver);
  out["warnings"] = path.warnings;
  out["timing"] = {{"pca", path.pca_seconds}, {"total", path.seconds}};
  return dump(out);
}

std::string to_json(const Choice& choice) {
  ordered_json points = ordered_json::array();
  for (const HeldOut& point : choice.held_out)
    points.push_back({{"components", point.components},
                      {"nonzeros", point.nonzeros},
                      {"error", finite(point.error)},
                      {"excess_deviation", finite(point.excess_deviation)}});
  ordered_json out;
  out["spcart"] = kVersion;
  out["kind"] = "choose";
  out["components"] = choice.components;
  out["nonzeros"] = choice.nonzeros;
  out["reasons"] = choice.reasons;
  out["scree"] = object_of(choice.scree);
  out["cross_validation"] = {
      {"points", std::move(points)}, {"least", choice.least}, {"chosen", choice.chosen}};
  out["warnings"] = choice.warnings;
  return dump(out);
}

std::string to_json(const Result& result, std::span<const std::string> variables,
                    const Stability* stability) {
  ordered_json out;
  out["spcart"] = kVersion;
  out["kind"] = "fit";
  out["method"] = name(result.options.method);
  out["truncation"] = nullptr;
  if (const auto& truncation = result.truncation)
    out["truncation"] = {{"type", name(truncation->type)}, {"lambda", finite(truncation->lambda)}};
  out["components"] = result.loadings.cols();
  out["samples"] = result.samples ? ordered_json(*result.samples) : ordered_json(nullptr);
  out["variables"] = result.variables;
  out["names"] = variables;
  out["status"] = name(result.status);
  out["message"] = result.message;
  out["iterations"] = result.iterations();
  out["warnings"] = result.warnings;
  out["target"] = nullptr;
  if (const auto& target = result.target)
    out["target"] = {{"option", target->option},
                     {"asked", finite(target->asked)},
                     {"found", finite(target->found)},
                     {"exact", target->exact},
                     {"trials", target->trials}};
  out["restarts"] = nullptr;
  if (const auto& restarts = result.restarts)
    out["restarts"] = {
        {"objectives", restarts->objectives}, {"cpev", restarts->cpev}, {"best", restarts->best}};
  out["criteria"] = object_of(result.criteria);
  out["loadings"] = columns_of(result.loadings);
  out["history"] = array_of(result.history);
  out["singular_values"] = array_of(result.singular_values);
  out["rotation"] = rows_of(result.rotation);
  out["preparation"] = object_of(result.preparation, !result.samples);
  out["bounds"] = object_of(result.bounds);
  out["timing"] = object_of(result.timing);
  out["memory_peak_bytes"] = memory_peak_bytes();
  out["storage"] = result.storage.empty() ? ordered_json(nullptr) : ordered_json(result.storage);
  out["threads"] = result.threads;
  out["solver"] = name(result.solver);
  out["precision"] = name(result.preparation.precision);
  out["start"] = result.start ? ordered_json(name(*result.start)) : ordered_json(nullptr);
  out["options"] = object_of(result.options);
  out["refit"] = result.options.refit;
  out["refine"] = result.options.refine;
  out["order"] = name(result.options.order);
  out["seed"] = result.options.seed;
  if (stability) out["bootstrap"] = object_of(*stability);
  return dump(out);
}

Model read_model(const std::filesystem::path& path) {
  io::ByteSource source(path);
  const json document = parse_json(source);
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

}  // namespace spcart
