#pragma once

#include <cstdint>
#include <vector>

#include "data/gram.hpp"

namespace spcart {

/// Variables in ascending order.
using Variables = std::vector<Index>;

// Safe elimination: variables that no solution needs, found without solving anything, so that a
// p x p problem is formed of the others alone. S is A'A.

/// For penalties on the number of nonzeros, max x'Sx - rho |x|_0 over |x| = 1: with x'Sx =
/// max (y'A x)^2 over |y| = 1, the best x has the entries a_j'y of those j for which (a_j'y)^2 >
/// rho, which is at most |a_j|^2. So only variables of larger variance than rho are needed.
Variables survivors_of_count_penalty(const Vector& variances, double rho);

/// For penalties on the l1 norm, max tr(SX) - rho |X|_1 over X >= 0, tr X = 1, and likewise
/// max x'Sx - rho |x|_1^2: entries X_ij with |S_ij| <= rho add nothing. So a variable that has no j
/// with |S_ij| > rho is needed only alone, which is best for the one of largest variance. Because
/// of |S_ij|^2 <= S_ii S_jj one of the two has a variance above rho: `largest` has the largest
/// |S_ij| of every i over the j that survive a penalty on the number of nonzeros, j not i.
Variables survivors_of_l1_penalty(const Vector& variances, const Vector& largest, double rho);

/// For every variable i the largest |S_ij| over some j, j not i, by blocks of columns: nothing p x
/// p is formed.
Vector largest_off_diagonal(const Gram& gram, const Variables& some, const Tick& tick = {});

/// The connected components of the graph whose edges are the |S_ij| > rho. With a penalty on the l1
/// norm there is a solution within one of them.
std::vector<Variables> connected_groups(const Matrix& s, double rho);

/// Not safe: the variables with the largest entries of the leading eigenvector of A'A.
Variables most_important(const Gram& gram, Index count, std::uint64_t seed, const Tick& tick);

}  // namespace spcart
