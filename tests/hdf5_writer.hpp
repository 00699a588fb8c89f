#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "spcart/types.hpp"

namespace spcart::testing {

template <class T>
hid_t hdf5_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  if constexpr (std::is_same_v<T, std::uint16_t>) return H5T_NATIVE_UINT16;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
}

/// How a dataset is stored.
struct Chunks {
  std::vector<hsize_t> size = {};  ///< empty: contiguous
  bool gzip = false;
  H5Z_filter_t filter = 0;  ///< another one
};

/// Writes small HDF5 files through the C API. Groups of a path are made as they are needed.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        links_(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(links_, 1);
  }
  ~Hdf5Writer() {
    H5Pclose(links_);
    EXPECT_GE(H5Fclose(file_), 0);
  }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  hid_t file() const { return file_; }

  void group(const std::string& path) {
    H5Gclose(H5Gcreate2(file_, path.c_str(), links_, H5P_DEFAULT, H5P_DEFAULT));
  }

  template <class T>
  void list(const std::string& path, const std::vector<T>& values, const Chunks& chunks = {}) {
    write(path, hdf5_type<T>(), {values.size()}, chunks, values.data());
  }

  template <class T>
  void matrix(const std::string& path, const Matrix& m, const Chunks& chunks = {}) {
    std::vector<T> values;
    for (Index i = 0; i < m.rows(); ++i)
      for (Index j = 0; j < m.cols(); ++j) values.push_back(static_cast<T>(m(i, j)));
    write(path, hdf5_type<T>(), {static_cast<hsize_t>(m.rows()), static_cast<hsize_t>(m.cols())},
          chunks, values.data());
  }

  /// As long as they are, or cut and padded to `length` bytes.
  void texts(const std::string& path, const std::vector<std::string>& texts,
             std::size_t length = 0) {
    const hid_t type = text_type(length == 0 ? H5T_VARIABLE : length);
    std::vector<const char*> pointers;
    std::string padded;
    for (std::string text : texts) {
      text.resize(length == 0 ? text.size() : length, '\0');
      padded += text;
    }
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    const void* data = length == 0 ? static_cast<const void*>(pointers.data()) : padded.data();
    write(path, type, {texts.size()}, {}, data);
    H5Tclose(type);
  }

  void attribute(const std::string& path, const char* name, const std::string& text) {
    const hid_t type = text_type(text.size()), space = H5Screate(H5S_SCALAR);
    attach(path, name, type, space, text.data());
    H5Tclose(type);
  }

  void numbers(const std::string& path, const char* name,
               const std::vector<std::int64_t>& numbers) {
    const hsize_t count = numbers.size();
    attach(path, name, H5T_NATIVE_INT64, H5Screate_simple(1, &count, nullptr), numbers.data());
  }

  void write(const std::string& path, hid_t type, std::vector<hsize_t> shape, const Chunks& chunks,
             const void* data) {
    // Chunks may be larger than what is in them only if it may grow.
    const std::vector<hsize_t> most(shape.size(), H5S_UNLIMITED);
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(),
                                         chunks.size.empty() ? nullptr : most.data());
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunks.size.empty())
      H5Pset_chunk(creation, static_cast<int>(chunks.size.size()), chunks.size.data());
    if (chunks.gzip) H5Pset_deflate(creation, 4);
    if (chunks.filter != 0) H5Pset_filter(creation, chunks.filter, 0, 0, nullptr);
    const hid_t set = H5Dcreate2(file_, path.c_str(), type, space, links_, creation, H5P_DEFAULT);
    ASSERT_GE(set, 0) << path;
    if (data != nullptr) {
      EXPECT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0) << path;
    }
    H5Dclose(set);
    H5Pclose(creation);
    H5Sclose(space);
  }

 private:
  static hid_t text_type(std::size_t size) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
  }

  void attach(const std::string& path, const char* name, hid_t type, hid_t space,
              const void* data) {
    const hid_t object = H5Oopen(file_, path.c_str(), H5P_DEFAULT);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(attribute, type, data), 0) << path;
    H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(object);
  }

  hid_t file_, links_;
};

/// The entries of a matrix that are not zero, compressed by rows or by columns.
struct CompressedLists {
  std::vector<double> data;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indptr{0};

  CompressedLists(const Matrix& m, bool by_column) {
    const Index lines = by_column ? m.cols() : m.rows(), length = by_column ? m.rows() : m.cols();
    for (Index line = 0; line < lines; ++line) {
      for (Index k = 0; k < length; ++k) {
        const double value = by_column ? m(k, line) : m(line, k);
        if (value == 0) continue;
        data.push_back(value);
        indices.push_back(static_cast<std::int32_t>(k));
      }
      indptr.push_back(static_cast<std::int64_t>(data.size()));
    }
  }
};

}  // namespace spcart::testing
