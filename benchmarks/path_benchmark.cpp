#include <cstdlib>
#include <filesystem>
#include <string>

#include "data/preparation.hpp"
#include "roofline.hpp"
#include "spcart/datasets.hpp"
#include "spcart/io.hpp"
#include "spcart/spcart.hpp"

namespace spcart::benchmarks {
namespace {

/// The real table if SPCART_DATA has it, otherwise a built-in data set instead.
Table table_of(const std::string& file, const std::string& dataset) {
  const char* folder = std::getenv("SPCART_DATA");
  const auto path = std::filesystem::path(folder ? folder : "") / file;
  return folder && std::filesystem::exists(path) ? read_table(path) : load_dataset(dataset);
}

PathOptions path_options(std::vector<TruncationType> types, Index r) {
  return {.truncations = std::move(types), .components = {r}};
}

/// All types on image patches, beside one cold fit at a default lambda from the same basis.
void patches(benchmark::State& state) {
  constexpr Index kComponents = 70;
  const auto a = make_matrix(table_of("bsds_patches_13x13.npy", "patches"),
                             {.remove_row_mean = true}, {}, FormGram::yes);
  const Basis basis = principal_basis(*a, kComponents);
  const PathOptions options = path_options(
      {TruncationType::hard, TruncationType::soft, TruncationType::count, TruncationType::energy},
      kComponents);
  race(
      state, [&] { path(*a, options); }, [&] { fit(*a, basis, {.components = kComponents}); });
}

/// One type on gene data, beside its PCA.
void genes(benchmark::State& state) {
  constexpr Index kComponents = 6;
  const auto a = make_matrix(table_of("leukemia_72x7129.npy", "spiked:n=72,p=7129,k=60,seed=1"));
  const PathOptions options = path_options({TruncationType::hard}, kComponents);
  race(
      state, [&] { path(*a, options); }, [&] { principal_basis(*a, kComponents); });
}

const bool kAdded = [] {
  add("path/patches/all types/beside a cold fit", patches);
  add("path/genes/hard/beside its PCA", genes);
  return true;
}();

}  // namespace
}  // namespace spcart::benchmarks
