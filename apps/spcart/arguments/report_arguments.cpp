#include "arguments/report_arguments.hpp"

#include <fmt/format.h>

#include <charconv>

#include "rendering/report.hpp"
#include "spcart/error.hpp"
#include "spcart/io.hpp"

namespace spcart::command {
namespace {

const char* const kGroup = "Output (- is standard output)";

/// "13x12" as two numbers of at least 1.
std::array<Index, 2> parsed_shape(const std::string& text) {
  std::array<Index, 2> shape{};
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, shape[0]);
  if (rows.ec == std::errc{} && rows.ptr != end && *rows.ptr == 'x') {
    const auto columns = std::from_chars(rows.ptr + 1, end, shape[1]);
    if (columns.ec == std::errc{} && columns.ptr == end && shape[0] > 0 && shape[1] > 0)
      return shape;
  }
  throw Error("image", text, "it must be rows and columns of pixels, as in 13x12");
}

/// For a built-in data set: of a file they are read with it.
std::vector<std::string> read_labels(const std::string& path, const Table& table) {
  if (table.covariance)
    throw Error("labels", path, "DATA is a covariance matrix and has no samples");
  std::vector<std::string> labels;
  try {
    labels = read_names(path);
  } catch (const Error& error) {
    throw Error("labels", path, error.rule());
  }
  const auto samples = static_cast<std::size_t>(table.rows());
  if (labels.size() == samples + 1) labels.erase(labels.begin());
  if (labels.size() != samples)
    throw Error(
        "labels", path,
        fmt::format(
            "it has {} lines for {} samples; give one per sample, after a heading if need be",
            labels.size(), samples));
  return labels;
}

}  // namespace

void ReportArguments::add_report(CLI::App& app) {
  app.add_option("--report", report, "write a page to look at: one HTML file that needs no network")
      ->type_name("F")
      ->group(kGroup);
}

void ReportArguments::add_annotations(CLI::App& app) {
  app.add_option("--image", image,
                 "variables are the pixels of a picture, row after row: the report shows it")
      ->type_name("ROWSxCOLS")
      ->group(kGroup);
}

void ReportArguments::check() const {
  if (!report.empty()) return require_report_page();
  if (!image.empty()) throw Error("image", image, "it is shown in a report, give --report F too");
}

Annotations ReportArguments::annotations(const Table& table, const std::string& labels) const {
  Annotations found;
  if (!image.empty()) {
    const auto shape = parsed_shape(image);
    const Index p = table.cols();
    if (p % shape[0] != 0 || p / shape[0] != shape[1])
      throw Error("image", image,
                  fmt::format("rows times columns must be {}, the number of variables", p));
    found.image = shape;
  }
  const bool read = labels.empty() || !table.labels.empty();
  found.labels = read ? table.labels : read_labels(labels, table);
  return found;
}

}  // namespace spcart::command
