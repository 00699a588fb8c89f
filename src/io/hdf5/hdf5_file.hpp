#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace spcart::io {

/// What the values of a dataset are.
enum class Hdf5Kind { whole, real, boolean, text, compound, other };

/// A dataset as its header describes it.
struct Hdf5Dataset {
  Handle id;
  std::string path;
  Hdf5Kind kind = Hdf5Kind::other;
  std::size_t size = 0;  ///< of a value in the file, in bytes
  bool is_signed = false;
  std::vector<std::uint64_t> shape;  ///< empty: a scalar, or nothing
  std::vector<std::uint64_t> chunk;  ///< empty: not in chunks
  bool filtered = false;             ///< chunks are packed
  std::uint64_t stored = 0;          ///< bytes that all its values take in the file

  bool is_numeric() const {
    return kind == Hdf5Kind::whole || kind == Hdf5Kind::real || kind == Hdf5Kind::boolean;
  }
  std::uint64_t chunk_bytes() const;  ///< unpacked; 0 if there are no chunks
};

/// An HDF5 file that is read. Links into other files are not followed. Every failure is an Error
/// that names the file.
class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path);

  const std::string& name() const { return name_; }

  bool has_group(const std::string& path) const;
  bool has_dataset(const std::string& path) const;

  /// `cached`: bytes of chunks that are kept unpacked while they are read, and the number of these
  /// chunks. They have no effect on a dataset that is already open.
  Hdf5Dataset dataset(const std::string& path, std::uint64_t cached = 0,
                      std::uint64_t chunks = 0) const;

  /// An attribute of a group or dataset, if it has it and it is a text, or whole numbers.
  std::optional<std::string> text_attribute(const std::string& path, const char* name) const;
  std::vector<std::int64_t> number_attribute(const std::string& path, const char* name) const;

  /// The texts of a dataset of one dimension, or those of a field of a compound one. Empty if it
  /// holds no texts. Throws Error if they are not `count`.
  std::vector<std::string> texts(const std::string& path, std::uint64_t count,
                                 const char* field = nullptr) const;

  /// The names of what is in a group, in alphabetical order; not more than a thousand.
  std::vector<std::string> members(const std::string& group) const;

  /// Throws Error about a part of the file, with the reason that libhdf5 has for its last failure.
  [[noreturn]] void fail_to_read(const std::string& path) const;

 private:
  Handle open(const std::string& path) const;
  Handle attribute(const std::string& path, const char* name) const;

  SilentErrors silent_;
  std::string name_;
  Handle file_;
};

}  // namespace spcart::io
