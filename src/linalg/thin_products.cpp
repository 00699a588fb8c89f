#include "linalg/thin_products.hpp"

#include <algorithm>

namespace spcart {
namespace {

/// Columns that share a load of the vectors: their sums fill most of 16 registers.
template <Index R>
constexpr Index kTogether = R == 1 ? 8 : 4;

/// Number of rows of x or y that stay in a near cache while all columns use them.
constexpr Index kTileRows = 512;

/// A tile of the panel, and where its vectors begin.
template <class Real>
struct Tile {
  const Real* panel;
  Index stride, rows, cols;
  const Real* from;
  Real* to;
  Index width;
};

/// T += P'X for S columns and R registers of vectors.
template <class Real>
struct Gather {
  template <Index S, Index R>
  [[gnu::always_inline]] static void run(const Tile<Real>& tile, Index first) {
    constexpr Index kLanes = Lanes<Real>::kCount;
    const Real* panel = tile.panel + first * tile.stride;
    Real* t = tile.to + first * tile.width;
    typename Lanes<Real>::Type sum[S][R];  // NOLINT(modernize-avoid-c-arrays)
    for (Index s = 0; s < S; ++s)
      for (Index r = 0; r < R; ++r) sum[s][r] = lanes(t + s * tile.width + r * kLanes);
    const auto step = [&](Index j) __attribute__((always_inline)) {
      const Real* x = tile.from + j * tile.width;
#pragma GCC unroll 8
      for (Index s = 0; s < S; ++s)
#pragma GCC unroll 4
        for (Index r = 0; r < R; ++r)
          // NOLINTNEXTLINE(modernize-avoid-c-arrays)
          sum[s][r] += panel[s * tile.stride + j] * lanes(x + r * kLanes);
    };
    // Columns are short here, and hardware prefetching starts too late for each of them.
    constexpr Index kLine = 64 / sizeof(Real), kAhead = 8 * kLine;
    Index j = 0;
    for (; j + kLine <= tile.rows; j += kLine) {
#pragma GCC unroll 8
      for (Index s = 0; s < S; ++s) __builtin_prefetch(panel + s * tile.stride + j + kAhead);
      for (Index k = j; k < j + kLine; ++k) step(k);
    }
    for (; j < tile.rows; ++j) step(j);
    for (Index s = 0; s < S; ++s)
      for (Index r = 0; r < R; ++r) lanes(t + s * tile.width + r * kLanes) = sum[s][r];
  }
};

/// Y += P T for S columns and R registers of vectors.
template <class Real>
struct Scatter {
  template <Index S, Index R>
  [[gnu::always_inline]] static void run(const Tile<Real>& tile, Index first) {
    constexpr Index kLanes = Lanes<Real>::kCount;
    const Real* panel = tile.panel + first * tile.stride;
    const Real* from = tile.from + first * tile.width;
    typename Lanes<Real>::Type t[S][R];  // NOLINT(modernize-avoid-c-arrays)
    for (Index s = 0; s < S; ++s)
      for (Index r = 0; r < R; ++r) t[s][r] = lanes(from + s * tile.width + r * kLanes);
    for (Index j = 0; j < tile.rows; ++j) {
      Real* y = tile.to + j * tile.width;
      typename Lanes<Real>::Type sum[R];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 4
      for (Index r = 0; r < R; ++r) sum[r] = lanes(y + r * kLanes);
#pragma GCC unroll 8
      for (Index s = 0; s < S; ++s)
#pragma GCC unroll 4
        for (Index r = 0; r < R; ++r) sum[r] += panel[s * tile.stride + j] * t[s][r];
#pragma GCC unroll 4
      for (Index r = 0; r < R; ++r) lanes(y + r * kLanes) = sum[r];
    }
  }
};

/// All columns of a tile.
template <class Kind, class Real, Index R>
struct Columns {
  const Tile<Real>& tile;

  [[gnu::always_inline]] void operator()() const {
    constexpr Index kStep = kTogether<R>;
    Index i = 0;
    for (; i + kStep <= tile.cols; i += kStep) Kind::template run<kStep, R>(tile, i);
    for (; i < tile.cols; ++i) Kind::template run<1, R>(tile, i);
  }
};

/// All vectors of a tile, three registers of them at a time.
template <class Kind, class Real>
void run(Tile<Real> tile, Simd simd) {
  constexpr Index kLanes = Lanes<Real>::kCount, kMost = 3;
  for (Index left = tile.width / kLanes; left > 0;) {
    const Index registers = left == kMost + 1 ? 2 : std::min(left, kMost);
    if (registers == 1)
      call_vectorized(Columns<Kind, Real, 1>{tile}, simd);
    else if (registers == 2)
      call_vectorized(Columns<Kind, Real, 2>{tile}, simd);
    else
      call_vectorized(Columns<Kind, Real, kMost>{tile}, simd);
    tile.from += registers * kLanes;
    tile.to += registers * kLanes;
    left -= registers;
  }
}

/// visit(first, count) for all rows, tile by tile.
template <class Visit>
void for_tiles(Index rows, Visit visit) {
  for (Index j = 0; j < rows; j += kTileRows) visit(j, std::min(kTileRows, rows - j));
}

}  // namespace

template <class Real>
void skinny_add_adjoint(const SkinnyPanel<Real>& p, const Real* x, Index width, Real* t,
                        Simd simd) {
  for_tiles(p.rows, [&](Index j, Index count) {
    run<Gather<Real>, Real>({p.data + j, p.stride, count, p.cols, x + j * width, t, width}, simd);
  });
}

template <class Real>
void skinny_add_times(const SkinnyPanel<Real>& p, const Real* t, Index width, Real* y, Simd simd) {
  for_tiles(p.rows, [&](Index j, Index count) {
    run<Scatter<Real>, Real>({p.data + j, p.stride, count, p.cols, t, y + j * width, width}, simd);
  });
}

template void skinny_add_adjoint(const SkinnyPanel<double>&, const double*, Index, double*, Simd);
template void skinny_add_adjoint(const SkinnyPanel<float>&, const float*, Index, float*, Simd);
template void skinny_add_times(const SkinnyPanel<double>&, const double*, Index, double*, Simd);
template void skinny_add_times(const SkinnyPanel<float>&, const float*, Index, float*, Simd);

}  // namespace spcart
