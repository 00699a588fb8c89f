#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/export_to_mpi.hpp"
#include "spcart/types.hpp"

namespace spcart {

/// The seed of the i-th of several random streams that are derived from one seed.
std::uint64_t seed_of(std::uint64_t seed, Index i);

/// Random numbers that depend on the seed only, on every machine: the standard fixes the bits of
/// the engine but not those of its distributions, so these are implemented here.
class SPCART_EXPORT_TO_MPI Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform();          ///< in [0, 1)
  double normal();           ///< mean 0, standard deviation 1
  Index below(Index bound);  ///< one of 0, ..., bound - 1
  Matrix normal(Index rows, Index cols);
  void skip(Index draws);                       ///< as many calls of `uniform` or `below`
  std::vector<Index> permutation(Index count);  ///< 0, ..., count - 1 in random order

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace spcart
