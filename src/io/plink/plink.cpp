#include "io/plink/plink.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/edit/transpose.hpp"
#include "io/text.hpp"
#include "table/file_scalar.hpp"
#include "table/open_file.hpp"

namespace spcart::io {

namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

constexpr std::uint64_t kBedHeader = 3;

std::vector<std::string_view> fields_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> fields;
  for (std::size_t first = line.find_first_not_of(kBlanks); first != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, first), line.size());
    fields.push_back(line.substr(first, end - first));
    first = line.find_first_not_of(kBlanks, end);
  }
  return fields;
}

/// Calls take(fields, number of the line) for every line that is not blank.
template <class Take>
void for_each_line(const fs::path& path, Take take) {
  ByteSource source(path);
  LineReader lines(source);
  while (lines.next()) {
    const auto fields = fields_of({lines.begin(), lines.end()});
    if (!fields.empty()) take(fields, lines.number());
  }
}

/// The index of the first name that occurred before, and where; both are the size if none did.
std::pair<std::size_t, std::size_t> first_repeated(const Texts& names) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const auto [before, is_new] = seen.emplace(names[i], i); !is_new)
      return {i, before->second};
  return {names.size(), names.size()};
}

/// The names of the variants. One that is '.', or that several variants have, is replaced by
/// chromosome:position:allele:allele.
Texts variants_in(const fs::path& path, bool unique) {
  Texts names, others;
  std::vector<Index> lines;
  for_each_line(path, [&](const auto& fields, Index line) {
    const std::size_t count = fields.size();
    if (count != 5 && count != 6)
      fail({path.string(), line},
           "has {} field{}; a variant has 6: chromosome, name, centimorgans (which may be left "
           "out), position and two alleles",
           count, count == 1 ? "" : "s");
    names.push_back(to_utf8(fields[1]));
    others.push_back(to_utf8(fmt::format("{}:{}:{}:{}", fields[0], fields[count - 3],
                                         fields[count - 2], fields[count - 1])));
    lines.push_back(line);
  });
  std::unordered_map<std::string_view, int> times;
  for (const std::string& name : names) ++times[name];
  Texts chosen;
  for (std::size_t j = 0; j < names.size(); ++j)
    chosen.push_back(names[j] == "." || times.at(names[j]) > 1 ? others[j] : names[j]);
  if (!unique) return chosen;
  if (const auto [again, before] = first_repeated(chosen); again < chosen.size())
    fail({path.string(), lines[again]},
         "variant '{}' is that of line {} again: names, or else chromosomes, positions and "
         "alleles, must differ; --names F gives other names",
         printable(chosen[again]), lines[before]);
  return chosen;
}

struct Individuals {
  Texts names;     ///< of the individual alone or, if that is ambiguous, after the family's
  Texts families;  ///< empty if they do not form groups
};

Individuals individuals_in(const fs::path& path) {
  Texts alone, families, both;
  std::vector<Index> lines;
  for_each_line(path, [&](const auto& fields, Index line) {
    if (fields.size() != 6)
      fail({path.string(), line},
           "has {} field{}; a sample has 6: family, individual, father, mother, sex and phenotype",
           fields.size(), fields.size() == 1 ? "" : "s");
    families.push_back(to_utf8(fields[0]));
    alone.push_back(to_utf8(fields[1]));
    both.push_back(fmt::format("{}_{}", families.back(), alone.back()));
    lines.push_back(line);
  });
  if (const auto [again, before] = first_repeated(both); again < both.size())
    fail({path.string(), lines[again]},
         "sample '{}' is that of line {} again: family and individual together must be unique",
         printable(both[again]), lines[before]);
  const std::size_t groups =
      std::unordered_set<std::string_view>(families.begin(), families.end()).size();
  const bool ambiguous = first_repeated(alone).first < alone.size();
  if (groups < 2 || 2 * groups > families.size()) families.clear();
  return {std::move(ambiguous ? both : alone), std::move(families)};
}

/// Whether the genotypes of a variant are contiguous.
bool is_by_variant(const ByteSource& source) {
  const std::string_view head = source.head();
  if (!source.file() || source.is_gzipped())
    fail({source.name()}, "a .bed is read from a plain file only: unpack it first");
  if (!head.starts_with(kBedMagic))
    fail({source.name()},
         "is no .bed of PLINK: it begins with '{}' instead of the bytes 6c 1b; intervals of "
         "chromosomes, which have the same ending, are not read",
         printable(head.substr(0, kBedMagic.size())));
  const unsigned mode = head.size() > 2 ? static_cast<unsigned char>(head[2]) : 0xffU;
  if (mode > 1)
    fail({source.name()}, "its third byte must be 1 (by variants) or 0 (by samples), and {}",
         head.size() > 2 ? fmt::format("is {}", mode) : "is missing");
  return mode == 1;
}

void check_size(const ByteSource& source, const fs::path& bim, const fs::path& fam,
                const FileView& view) {
  if (view.cols == 0) fail({bim.string()}, "has no variants");
  if (view.rows == 0) fail({fam.string()}, "has no samples");
  const bool by_variant = view.order == FileView::Order::column;
  const Index lines = by_variant ? view.cols : view.rows;
  const std::uint64_t line = line_bytes(view.scalar, by_variant ? view.rows : view.cols);
  const std::uint64_t needed = kBedHeader + static_cast<std::uint64_t>(lines) * line;
  if (source.file()->size() != needed)
    fail({source.name()},
         "has {} bytes, but the {} variants in {} and the {} samples in {} need {}",
         source.file()->size(), view.cols, bim.filename().string(), view.rows,
         fam.filename().string(), needed);
}

}  // namespace

Table read_plink(ByteSource& source, const ReadOptions& options, Cache& cache) {
  if (options.covariance)
    fail({source.name()}, "has genotypes of samples, and is no covariance (--covariance)");
  const bool by_variant = is_by_variant(source);
  const fs::path bed = source.name();
  const fs::path bim = fs::path(bed).replace_extension(".bim");
  const fs::path fam = fs::path(bed).replace_extension(".fam");
  Table table;
  table.variables = variants_in(bim, options.names.empty());
  Individuals individuals = individuals_in(fam);
  table.samples = std::move(individuals.names);
  if (!options.transpose && options.labels.empty()) table.labels = std::move(individuals.families);

  FileView view{.file = source.file(),
                .scalar = FileScalar::genotype,
                .rows = static_cast<Index>(table.samples.size()),
                .cols = static_cast<Index>(table.variables.size()),
                .order = by_variant ? FileView::Order::column : FileView::Order::row,
                .values = kBedHeader};
  check_size(source, bim, fam, view);
  const Index variables = options.transpose ? view.rows : view.cols;
  cache.room(variables);  // rejects a limit that is too low for any work
  view.memory = cache.buffers(variables);
  table.values = std::move(view);
  if (options.transpose) transpose(table);
  return table;
}

}  // namespace spcart::io
