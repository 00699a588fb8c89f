#include "io/hdf5/layout.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "io/hdf5/numbers.hpp"
#include "io/text.hpp"

namespace spcart::io {

namespace {

std::string joined(const std::string& group, std::string_view name) {
  return fmt::format("{}{}{}", group, group.ends_with('/') ? "" : "/", name);
}

bool is_matrix(const Hdf5File& file, const std::string& path) {
  if (!file.has_dataset(path)) return false;
  const Hdf5Dataset dataset = file.dataset(path);
  return dataset.is_numeric() && dataset.shape.size() == 2;
}

/// The numeric matrices of a file, from the top down. Links may run in circles, so depth and number
/// are limited.
std::vector<std::string> matrices_in(const Hdf5File& file) {
  constexpr std::size_t kMostDepth = 4, kMostVisits = 2000, kMostFound = 50;
  std::vector<std::string> found;
  std::deque<std::pair<std::string, std::size_t>> open{{"/", 0}};
  for (std::size_t visits = 0; !open.empty() && found.size() < kMostFound; open.pop_front()) {
    const auto [group, depth] = open.front();
    for (const std::string& member : file.members(group)) {
      if (++visits > kMostVisits) return found;
      const std::string path = joined(group, member);
      try {
        if (is_sparse_group(file, path) || is_matrix(file, path))
          found.push_back(path);
        else if (depth < kMostDepth && file.has_group(path))
          open.emplace_back(path, depth + 1);
      } catch (const Error&) {
        continue;  // it cannot be read, so it is no choice
      }
    }
  }
  return found;
}

std::string list_of(const std::vector<std::string>& paths) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (std::size_t k = 0; k < std::min(paths.size(), kMost); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : ", ", printable(paths[k], 80));
  return text + (paths.size() > kMost ? ", ..." : "");
}

[[noreturn]] void reject_part(const Hdf5File& file, std::string_view part, std::string_view rule) {
  const std::vector<std::string> choices = matrices_in(file);
  if (choices.empty())
    fail({file.name()}, "'{}' {}; the file has no matrix", printable(part), rule);
  fail({file.name()}, "'{}' {}; the matrices of the file are {}", printable(part), rule,
       list_of(choices));
}

/// The first of some names that a group has, as a path; empty if none.
std::string first_of(const Hdf5File& file, const std::string& group,
                     std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (std::string path = joined(group, name); file.has_dataset(path)) return path;
  return {};
}

/// Where the index of a data frame of AnnData is. Files of old versions have a dataset of
/// structures instead of a group.
std::string frame_index(const Hdf5File& file, const std::string& frame) {
  if (file.has_dataset(frame)) return frame;
  if (!file.has_group(frame)) return {};
  std::string index = joined(frame, file.text_attribute(frame, "_index").value_or("_index"));
  if (file.has_dataset(index)) return index;
  // Texts that may be missing are a group of values and of a mask.
  return first_of(file, index, {"values"});
}

bool is_anndata(const Hdf5File& file) {
  const auto frame = [&](const std::string& path) {
    return file.has_group(path) || file.has_dataset(path);
  };
  return file.text_attribute("/", "encoding-type") == "anndata" || (frame("/obs") && frame("/var"));
}

bool is_loom(const Hdf5File& file) {
  return file.has_dataset("/matrix") && file.has_group("/row_attrs") &&
         file.has_group("/col_attrs");
}

/// The counts of 10x: features x barcodes, compressed by barcodes.
bool is_10x(const Hdf5File& file, const std::string& group) {
  return is_sparse_group(file, group) && file.has_dataset(joined(group, "barcodes"));
}

void name_by_10x(const Hdf5File& file, Hdf5Layout& layout) {
  layout.transposed = true;
  layout.samples = joined(layout.path, "barcodes");
  layout.variables =
      first_of(file, layout.path, {"features/name", "features/id", "gene_names", "genes"});
}

void name_by_anndata(const Hdf5File& file, Hdf5Layout& layout) {
  const std::string& path = layout.path;
  const bool raw = path == "/raw/X";
  if (path == "/X" || raw || path.starts_with("/layers/"))
    layout.variables = frame_index(file, raw ? "/raw/var" : "/var");
  if (!layout.variables.empty() || path.starts_with("/obsm/"))
    layout.samples = frame_index(file, "/obs");
}

void name_by_loom(const Hdf5File& file, Hdf5Layout& layout) {
  if (layout.path != "/matrix" && !layout.path.starts_with("/layers/")) return;
  layout.transposed = true;
  layout.variables = first_of(file, "/row_attrs", {"Gene", "var_names", "Accession"});
  layout.samples = first_of(file, "/col_attrs", {"CellID", "obs_names"});
}

/// The path of the matrix that a file is about; empty if nothing says.
std::string main_matrix(const Hdf5File& file) {
  if (is_anndata(file)) return "/X";
  if (is_loom(file) || is_10x(file, "/matrix")) return "/matrix";
  std::vector<std::string> found = matrices_in(file);
  if (found.empty()) fail({file.name()}, "has no matrix: no dataset of numbers with 2 dimensions");
  if (found.size() == 1) return found.front();
  fail({file.name()}, "has several matrices: choose one, as in {}:{}; they are {}",
       printable(file.name(), file.name().size()), printable(found.front(), 80), list_of(found));
}

/// The path of a part as users write it: "raw", "layers/counts", "/group/data".
std::string path_of(const Hdf5File& file, std::string_view part) {
  while (part.starts_with('/')) part.remove_prefix(1);
  while (part.ends_with('/')) part.remove_suffix(1);
  std::string path = fmt::format("/{}", part);
  const bool group = file.has_group(path) && !is_sparse_group(file, path);
  if (group && (is_matrix(file, joined(path, "X")) || is_sparse_group(file, joined(path, "X"))))
    return joined(path, "X");
  return path;
}

}  // namespace

bool is_sparse_group(const Hdf5File& file, const std::string& path) {
  return file.has_dataset(joined(path, "data")) && file.has_dataset(joined(path, "indices")) &&
         file.has_dataset(joined(path, "indptr"));
}

Hdf5Sparse sparse_header(const Hdf5File& file, const std::string& path) {
  std::vector<std::int64_t> shape;
  for (const char* name : {"shape", "h5sparse_shape"})
    if (shape.empty()) shape = file.number_attribute(path, name);
  const bool declared = !shape.empty();
  if (const std::string list = joined(path, "shape"); !declared && file.has_dataset(list)) {
    const NumberStream<std::int64_t> sizes = stream_of_indices(file, list);
    if (sizes.count <= 2) shape.resize(sizes.count);
    if (!shape.empty()) sizes.read(shape.data(), shape.size());
  }
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0)
    fail({file.name()}, "'{}' has no shape of two numbers", printable(path));
  std::optional<std::string> format;
  for (const char* name : {"encoding-type", "h5sparse_format"})
    if (!format) format = file.text_attribute(path, name);
  // 10x does not say it: its columns are barcodes.
  if (!format && !declared) format = "csc";
  if (!format || !(format->starts_with("csr") || format->starts_with("csc")))
    fail({file.name()}, "'{}' is a sparse matrix of format '{}'; csr and csc are read",
         printable(path), printable(format.value_or("")));
  return {static_cast<std::uint64_t>(shape[0]), static_cast<std::uint64_t>(shape[1]),
          format->starts_with("csc")};
}

Hdf5Layout find_matrix(const Hdf5File& file, std::string_view part) {
  Hdf5Layout layout;
  layout.path = part.empty() ? main_matrix(file) : path_of(file, part);
  layout.sparse = is_sparse_group(file, layout.path);
  if (!layout.sparse) {
    const std::string_view name = part.empty() ? layout.path : part;
    if (file.has_group(layout.path)) reject_part(file, name, "is a group, not a matrix");
    if (!file.has_dataset(layout.path)) reject_part(file, name, "is not in the file");
    const Hdf5Dataset dataset = file.dataset(layout.path);
    if (!dataset.is_numeric()) reject_part(file, name, "does not hold numbers");
    if (dataset.shape.size() != 2)
      reject_part(file, name,
                  dataset.shape.empty()
                      ? "is a single value; a table has 2 dimensions"
                      : fmt::format("has {} dimension{}; a table has 2", dataset.shape.size(),
                                    dataset.shape.size() == 1 ? "" : "s"));
  }
  if (is_10x(file, layout.path))
    name_by_10x(file, layout);
  else if (is_anndata(file))
    name_by_anndata(file, layout);
  else if (is_loom(file))
    name_by_loom(file, layout);
  return layout;
}

std::vector<std::string> names_at(const Hdf5File& file, const std::string& path,
                                  std::uint64_t count) {
  if (path.empty()) return {};
  const bool structures = file.dataset(path).kind == Hdf5Kind::compound;
  return file.texts(path, count, structures ? "index" : nullptr);
}

}  // namespace spcart::io
