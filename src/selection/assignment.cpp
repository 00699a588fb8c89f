#include "selection/assignment.hpp"

#include <cassert>
#include <limits>
#include <utility>

#include "base/at.hpp"

namespace spcart {
namespace {

constexpr Index kNone = -1;

/// The Hungarian method by shortest augmenting paths (Jonker and Volgenant 1987): rows are assigned
/// one after the other, and prices u and v keep every reduced cost c(i, j) - u(i) - v(j)
/// nonnegative, and zero for assigned pairs.
class Assignment {
 public:
  explicit Assignment(ConstBlock weights)
      : cost_(-weights),
        u_(Vector::Zero(weights.rows())),
        v_(Vector::Zero(weights.rows())),
        row_of_(static_cast<std::size_t>(weights.rows()), kNone) {}

  void add(Index row) {
    const Index r = v_.size();
    Vector distance = Vector::Constant(r, std::numeric_limits<double>::infinity());
    std::vector<Index> before(row_of_.size(), kNone);  // column from which a column was reached
    std::vector<Index> reached;                        // columns, in the order of their distance
    std::vector<char> done(row_of_.size(), 0);
    double length = 0;
    Index from = kNone;
    for (Index i = row;;) {
      Index nearest = kNone;
      for (Index j = 0; j < r; ++j) {
        if (done[at(j)] != 0) continue;
        const double way = length + cost_(i, j) - u_[i] - v_[j];
        if (way < distance[j]) {
          distance[j] = way;
          before[at(j)] = from;
        }
        if (nearest == kNone || distance[j] < distance[nearest]) nearest = j;
      }
      length = distance[nearest];
      done[at(nearest)] = 1;
      from = nearest;
      if (row_of_[at(nearest)] == kNone) break;
      reached.push_back(nearest);
      i = row_of_[at(nearest)];
    }
    u_[row] += length;
    for (const Index j : reached) {
      u_[row_of_[at(j)]] += length - distance[j];
      v_[j] -= length - distance[j];
    }
    for (Index j = from; j != kNone; j = before[at(j)])
      row_of_[at(j)] = before[at(j)] == kNone ? row : row_of_[at(before[at(j)])];
  }

  std::vector<Index> columns() const {
    std::vector<Index> column_of(row_of_.size());
    for (std::size_t j = 0; j < row_of_.size(); ++j)
      column_of[at(row_of_[j])] = static_cast<Index>(j);
    return column_of;
  }

 private:
  Matrix cost_;
  Vector u_, v_;
  std::vector<Index> row_of_;  ///< of a column
};

}  // namespace

std::vector<Index> best_assignment(ConstBlock weights) {
  assert(weights.rows() == weights.cols());
  Assignment assignment(weights);
  for (Index i = 0; i < weights.rows(); ++i) assignment.add(i);
  return assignment.columns();
}

}  // namespace spcart
