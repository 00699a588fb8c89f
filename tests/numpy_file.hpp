#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "spcart/types.hpp"
#include "temporary.hpp"

namespace spcart::testing {

/// The content of an NPY file with the numbers of m as T, which NumPy calls `descr`; its header may
/// declare more rows.
template <class T>
std::string npy_of(const Matrix& m, const std::string& descr, bool fortran = false,
                   Index rows = -1) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" +
                       std::to_string(rows < 0 ? m.rows() : rows) + ", " +
                       std::to_string(m.cols()) + "), }\n";
  std::string content =
      "\x93NUMPY" + little_endian(1, 2) + little_endian(header.size(), 2) + header;
  for (Index k = 0; k < m.size(); ++k) {
    const double number = fortran ? m(k % m.rows(), k / m.rows()) : m(k / m.cols(), k % m.cols());
    const T value = static_cast<T>(number);
    content.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return content;
}

/// m as CSV, every digit of it.
inline std::string csv_of(const Matrix& m) {
  std::string text;
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) {
      char number[32];
      std::snprintf(number, sizeof(number), "%.17g", m(i, j));
      text += number + std::string(j + 1 < m.cols() ? "," : "\n");
    }
  return text;
}

}  // namespace spcart::testing
