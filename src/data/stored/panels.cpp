#include "data/stored/panels.hpp"

#include <algorithm>
#include <cmath>

namespace spcart {

double unit_of(double x) {
  constexpr int kMost = 1000;  // its inverse exists too
  return x > 0 ? std::exp2(std::clamp(std::ilogb(x), -kMost, kMost)) : 1;
}

void mirror(Block g) {
  constexpr Index kSquare = 64;
  const Index p = g.cols();
#pragma omp parallel for schedule(dynamic, 1) if (g.size() > kWorthThreads)
  for (Index j = 0; j < p; j += kSquare) {
    const Index width = std::min(kSquare, p - j);
    auto square = g.block(j, j, width, width);
    square.triangularView<Eigen::StrictlyUpper>() = square.transpose();
    for (Index i = j + width; i < p; i += kSquare) {
      const Index height = std::min(kSquare, p - i);
      g.block(j, i, width, height) = g.block(i, j, height, width).transpose();
    }
  }
}

}  // namespace spcart
