#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "spcart/error.hpp"
#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// Types in which a table may be stored. Products are accumulated in float64 for every type.
enum class Scalar { uint8, int32, float32, float64 };
std::string_view name(Scalar value);

template <class T>
constexpr Scalar scalar_of() {
  static_assert(std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int32_t> ||
                    std::is_same_v<T, float> || std::is_same_v<T, double>,
                "a table is stored as uint8, int32, float32 or float64");
  if constexpr (std::is_same_v<T, std::uint8_t>) return Scalar::uint8;
  if constexpr (std::is_same_v<T, std::int32_t>) return Scalar::int32;
  if constexpr (std::is_same_v<T, float>) return Scalar::float32;
  if constexpr (std::is_same_v<T, double>) return Scalar::float64;
}

/// A dense table in place. Entry (i, j) is at data[i * row_stride + j * col_stride].
struct DenseView {
  const void* data = nullptr;
  Scalar scalar = Scalar::float64;
  Index rows = 0, cols = 0;
  Index row_stride = 0, col_stride = 0;
  std::shared_ptr<const void> owner = {};  ///< keeps the data alive if it is set

  template <class T>
  static DenseView row_major(const T* data, Index rows, Index cols) {
    return {data, scalar_of<T>(), rows, cols, cols, 1, {}};
  }
  template <class T>
  static DenseView column_major(const T* data, Index rows, Index cols) {
    return {data, scalar_of<T>(), rows, cols, 1, rows, {}};
  }
};

/// An Eigen matrix, map or block in place, in either storage order.
template <class Derived>
DenseView view_of(const Eigen::DenseBase<Derived>& matrix) {
  static_assert(bool(Derived::Flags & Eigen::DirectAccessBit),
                "view_of needs an object with storage");
  const Derived& m = matrix.derived();
  const Index inner = m.innerStride(), outer = m.outerStride();
  return {m.data(), scalar_of<typename Derived::Scalar>(), m.rows(),
          m.cols(), Derived::IsRowMajor ? outer : inner,   Derived::IsRowMajor ? inner : outer,
          {}};
}

template <class Derived>
DenseView view_of(Eigen::PlainObjectBase<Derived>&& temporary) = delete;  // its view would dangle

/// A sparse table in place, compressed by rows (CSR) or by columns (CSC). Entries k of line i are
/// those with outer[i] <= k < outer[i + 1]; no entry may be stored twice.
struct SparseView {
  enum class Major { row, column };
  Major major = Major::row;
  Index rows = 0, cols = 0;
  const void* values = nullptr;
  Scalar scalar = Scalar::float64;
  const void* inner = nullptr;  ///< column (CSR) or row (CSC) of each entry
  const void* outer = nullptr;  ///< rows + 1 (CSR) or cols + 1 (CSC) offsets
  bool wide = false;            ///< inner and outer are int64 instead of int32
  std::shared_ptr<const void> owner = {};
};

/// An Eigen sparse matrix in place, in either storage order. Call makeCompressed() first: throws
/// Error if it is not compressed.
template <class T, int Options, class StorageIndex>
SparseView view_of(const Eigen::SparseMatrix<T, Options, StorageIndex>& matrix) {
  static_assert(sizeof(StorageIndex) == 4 || sizeof(StorageIndex) == 8,
                "indices of a sparse table are int32 or int64");
  if (!matrix.isCompressed()) throw Error("view_of: the sparse matrix is not compressed");
  return {.major = matrix.IsRowMajor ? SparseView::Major::row : SparseView::Major::column,
          .rows = matrix.rows(),
          .cols = matrix.cols(),
          .values = matrix.valuePtr(),
          .scalar = scalar_of<T>(),
          .inner = matrix.innerIndexPtr(),
          .outer = matrix.outerIndexPtr(),
          .wide = sizeof(StorageIndex) == 8,
          .owner = {}};
}

template <class T, int Options, class StorageIndex>
SparseView view_of(Eigen::SparseMatrix<T, Options, StorageIndex>&& temporary) =
    delete;  // its view would dangle

}  // namespace spcart
