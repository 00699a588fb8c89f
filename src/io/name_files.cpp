#include "io/name_files.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/reject.hpp"
#include "io/byte_source.hpp"
#include "io/text.hpp"

namespace spcart {
namespace io {

namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

std::string without_gz(const fs::path& path) {
  return path.extension() == ".gz" ? path.stem().string() : path.filename().string();
}

/// The text of a field without the quotes of CSV.
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  std::string out;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"' && text[i + 1] == '"') ++i;
  }
  return out;
}

/// The first field of a line, or its second if it has one and that is asked for.
std::string_view field_of(std::string_view line, bool second) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || !second) return line.substr(0, tab);
  return field_of(line.substr(tab + 1), false);
}

/// One name per line; `second`: of two fields, an identifier and the name that people use.
Texts read_fields(const fs::path& path, bool second) {
  ByteSource source(path);
  LineReader lines(source);
  Texts names;
  while (lines.next())
    names.push_back(to_utf8(unquoted(trim(field_of({lines.begin(), lines.end()}, second)))));
  while (!names.empty() && names.back().empty()) names.pop_back();
  return names;
}

/// Names that an option gives: one per line, after a heading if there is one line more.
Texts given_names(std::string_view option, const fs::path& path) {
  try {
    return spcart::read_names(path);
  } catch (const Error& error) {
    throw Error(option, path.string(), error.rule());
  }
}

void fit_names(Texts& names, Index count, std::string_view option, const std::string& file,
               std::string_view what) {
  const auto expected = static_cast<std::size_t>(count);
  if (names.size() == expected + 1) names.erase(names.begin());
  if (names.size() != expected)
    reject(option, file, "it has {} lines for {} {}s; give one per {}, after a heading if need be",
           names.size(), count, what, what);
}

}  // namespace

NameFiles::NameFiles(const ReadOptions& options, const fs::path& table)
    : names_file_(options.names.string()), labels_file_(options.labels.string()) {
  if (!options.names.empty()) variables_ = given_names("names", options.names);
  if (!options.labels.empty()) samples_ = given_names("labels", options.labels);
  if (options.names.empty() && options.labels.empty()) find_beside(table);
}

/// As 10x writes them: matrix.mtx with features.tsv (or genes.tsv) and barcodes.tsv, each plain or
/// gzipped. What comes before "matrix" in the name comes before theirs, too.
void NameFiles::find_beside(const fs::path& table) {
  constexpr std::string_view kMatrix = "matrix.mtx";
  const std::string name = without_gz(table);
  if (!name.ends_with(kMatrix)) return;
  const std::string prefix = name.substr(0, name.size() - kMatrix.size());
  const auto find = [&](std::string_view what) -> std::optional<fs::path> {
    for (const std::string_view packed : {"", ".gz"}) {
      std::error_code ignored;
      const fs::path path = table.parent_path() / fmt::format("{}{}{}", prefix, what, packed);
      if (fs::is_regular_file(path, ignored)) return path;
    }
    return std::nullopt;
  };
  std::optional<fs::path> features = find("features.tsv");
  if (!features) features = find("genes.tsv");
  const std::optional<fs::path> barcodes = find("barcodes.tsv");
  if (!features || !barcodes) return;
  variables_ = read_fields(*features, true);
  samples_ = read_fields(*barcodes, false);
  beside_ = fmt::format("{} and {}", features->filename().string(), barcodes->filename().string());
}

bool NameFiles::orient(Index rows, Index cols, bool transpose) {
  if (beside_.empty()) return transpose;
  const auto are = [&](Index variables, Index samples) {
    return variables_.size() == static_cast<std::size_t>(variables) &&
           samples_.size() == static_cast<std::size_t>(samples);
  };
  const bool by_feature = are(rows, cols);
  if (!by_feature && !are(cols, rows)) {
    notes_.push_back(fmt::format(
        "{} beside it have {} and {} lines, which does not fit {} x {}: not used",
        printable(beside_, beside_.size()), variables_.size(), samples_.size(), rows, cols));
    *this = [&] {
      NameFiles none;
      none.notes_ = std::move(notes_);
      return none;
    }();
    return transpose;
  }
  const bool transposed = by_feature != transpose;
  notes_.push_back(fmt::format("names are those of {} beside it{}",
                               printable(beside_, beside_.size()),
                               transposed ? fmt::format("; its {} x {} numbers are transposed, so "
                                                        "that samples are rows",
                                                        rows, cols)
                                          : ""));
  if (transpose) std::swap(variables_, samples_);
  return transposed;
}

void NameFiles::apply(Table& table) {
  table.notes.insert(table.notes.begin(), notes_.begin(), notes_.end());
  if (!variables_.empty() || !names_file_.empty()) {
    fit_names(variables_, table.cols(), "names", names_file_, "variable");
    table.variables = std::move(variables_);
  }
  if (samples_.empty() && labels_file_.empty()) return;
  fit_names(samples_, table.rows(), "labels", labels_file_, "sample");
  if (!labels_file_.empty()) {
    if (!table.labels.empty())
      reject("labels", labels_file_, "give it or --labels-column, not both");
    table.labels = samples_;
  }
  if (table.samples.empty()) table.samples = std::move(samples_);
}

std::uint64_t NameFiles::bytes() const {
  std::uint64_t bytes = 0;
  for (const Texts* names : {&variables_, &samples_})
    for (const std::string& name : *names)
      bytes += sizeof(std::string) +
               (name.capacity() >= sizeof(std::string) / 2 ? name.capacity() + 1 : 0);
  return bytes;
}

std::string NameFiles::key() const {
  std::string key;
  for (const Texts* names : {&variables_, &samples_}) {
    key += fmt::format("\n{}", names->size());
    for (const std::string& name : *names) key += fmt::format("\n{} {}", name.size(), name);
  }
  return variables_.empty() && samples_.empty() ? "" : key;
}

}  // namespace io

std::vector<std::string> read_names(const std::filesystem::path& path) {
  const std::string name = io::without_gz(path);
  return io::read_fields(path, name == "features.tsv" || name == "genes.tsv");
}

}  // namespace spcart
