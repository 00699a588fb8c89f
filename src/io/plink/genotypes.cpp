#include "io/plink/genotypes.hpp"

#include <array>
#include <cstdint>

#include "table/file_blocks.hpp"

namespace spcart::io {

namespace {

constexpr Index kPerByte = 4;

/// The first `count` genotypes of a byte.
GenotypeCounts counts_of(unsigned byte, Index count) {
  GenotypeCounts counts;
  for (Index i = 0; i < count; ++i, byte >>= 2) {
    const unsigned code = byte & 3U;
    if (code == 1)
      ++counts.missing;
    else
      counts.alleles += code == 0 ? 2 : code == 2 ? 1 : 0;
  }
  return counts;
}

/// Alleles and missing genotypes of every byte, in the two halves of a number.
const std::array<std::uint64_t, 256>& packed_counts() {
  static const auto table = [] {
    std::array<std::uint64_t, 256> counted{};
    for (unsigned byte = 0; byte < counted.size(); ++byte) {
      const GenotypeCounts counts = counts_of(byte, kPerByte);
      counted.at(byte) = static_cast<std::uint64_t>(counts.alleles) << 32U |
                         static_cast<std::uint64_t>(counts.missing);
    }
    return counted;
  }();
  return table;
}

GenotypeCounts counts_in(const unsigned char* line, Index count) {
  const auto& table = packed_counts();
  // A half of the sum must not overflow.
  constexpr Index kMost = Index{1} << 28;
  GenotypeCounts all;
  const Index whole = count / kPerByte;
  for (Index first = 0; first < whole; first += kMost) {
    std::uint64_t sum = 0;
    for (Index i = first; i < std::min(first + kMost, whole); ++i) sum += table[line[i]];
    all.alleles += static_cast<Index>(sum >> 32U);
    all.missing += static_cast<Index>(sum & 0xffffffffU);
  }
  if (count % kPerByte != 0) {
    const GenotypeCounts last = counts_of(line[whole], count % kPerByte);
    all.alleles += last.alleles;
    all.missing += last.missing;
  }
  return all;
}

}  // namespace

void for_each_variant(const FileView& view,
                      const std::function<void(std::size_t, const GenotypeCounts&)>& visit,
                      const Tick& tick) {
  const FileView bytes = packed_genotypes(view);
  for (DenseBlocks blocks(bytes, bytes.order); const DenseBlock* block = blocks.next();) {
    if (tick) tick(static_cast<double>(block->first) / static_cast<double>(view.cols));
    const auto* line = static_cast<const unsigned char*>(block->values.data);
    for (Index j = 0; j < block->count; ++j, line += bytes.rows)
      visit(static_cast<std::size_t>(block->first + j), counts_in(line, view.rows));
  }
}

}  // namespace spcart::io
