#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <vector>

#include "verify.hpp"

/// Brute force, for few variables.
namespace spcart::enumeration {

/// All ways to choose k of 0, ..., p - 1, each ascending.
inline std::vector<std::vector<Index>> subsets(Index p, Index k) {
  std::vector<std::vector<Index>> all;
  std::vector<char> chosen(static_cast<std::size_t>(p), 0);
  std::fill(chosen.begin(), chosen.begin() + k, char{1});
  do {
    std::vector<Index> subset;
    for (Index j = 0; j < p; ++j)
      if (chosen[static_cast<std::size_t>(j)] != 0) subset.push_back(j);
    all.push_back(subset);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return all;
}

/// Sum of the r largest eigenvalues, by Eigen.
inline double largest(const Matrix& m, Index r) {
  const ThreadScope alone(1);  // threads would wait for each other
  const Vector values =
      Eigen::SelfAdjointEigenSolver<Matrix>(m, Eigen::EigenvaluesOnly).eigenvalues();
  return values.tail(std::min(r, values.size())).sum();
}

/// The largest eigenvalue of a block.
inline double largest_eigenvalue(const Matrix& s, const std::vector<Index>& support) {
  return largest(s(support, support), 1);
}

/// The variables of a set whose bits are set.
inline std::vector<Index> variables_of(unsigned set) {
  std::vector<Index> support;
  for (Index j = 0; set >> j != 0; ++j)
    if ((set >> j & 1U) != 0) support.push_back(j);
  return support;
}

/// The best block of k variables: max of the sum of its r largest eigenvalues.
inline double best_block(const Matrix& s, Index k, Index r = 1) {
  double best = -std::numeric_limits<double>::infinity();
  for (const auto& subset : subsets(s.rows(), k))
    best = std::max(best, largest(s(subset, subset), r));
  return best;
}

/// The best r components with disjoint supports of k variables each.
inline double best_disjoint(const Matrix& s, Index r, Index k) {
  struct Walk {
    const Matrix& s;
    std::vector<std::pair<std::vector<Index>, double>> blocks;
    double best = 0;
    void go(std::size_t from, std::vector<char>& used, Index left, double sum) {
      if (left == 0) {
        best = std::max(best, sum);
        return;
      }
      for (std::size_t b = from; b < blocks.size(); ++b) {
        const auto& [subset, value] = blocks[b];
        if (std::ranges::any_of(subset, [&](Index j) { return used[static_cast<std::size_t>(j)]; }))
          continue;
        for (const Index j : subset) used[static_cast<std::size_t>(j)] = 1;
        go(b + 1, used, left - 1, sum + value);
        for (const Index j : subset) used[static_cast<std::size_t>(j)] = 0;
      }
    }
  } walk{s, {}};
  for (auto& subset : subsets(s.rows(), k)) {
    const double value = largest(s(subset, subset), 1);
    walk.blocks.emplace_back(std::move(subset), value);
  }
  std::vector<char> used(static_cast<std::size_t>(s.rows()), 0);
  walk.go(0, used, r, 0);
  return walk.best;
}

/// A random symmetric matrix: semidefinite of full or low rank, or indefinite.
inline Matrix random_symmetric(Index p, std::uint64_t seed) {
  const Matrix a = verify::random_matrix(seed % 3 == 0 ? p + 2 : p / 2 + 1, p, seed);
  if (seed % 3 == 2) {
    const Matrix b = verify::random_matrix(p, p, seed);
    return b + b.transpose();
  }
  return a.transpose() * a;
}

}  // namespace spcart::enumeration
