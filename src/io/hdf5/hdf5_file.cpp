#include "io/hdf5/hdf5_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "io/text.hpp"
#include "spcart/error.hpp"

namespace spcart::io {

namespace {

/// Of texts of a fixed length, in bytes.
constexpr std::size_t kLongestText = std::size_t{1} << 16;

/// Links into other files are rejected: a table is one file.
herr_t reject_other_file(const char*, const char*, const char*, const char*, unsigned*, hid_t,
                         void*) {
  return -1;
}

Handle link_access() {
  Handle access(H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
  H5Pset_elink_cb(access.get(), reject_other_file, nullptr);
  return access;
}

Hdf5Kind kind_of(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return Hdf5Kind::whole;
    case H5T_FLOAT:
      return Hdf5Kind::real;
    case H5T_STRING:
      return Hdf5Kind::text;
    case H5T_COMPOUND:
      return Hdf5Kind::compound;
    case H5T_ENUM: {
      // h5py stores booleans as an enumeration of two values in one byte.
      const Handle base(H5Tget_super(type), H5Tclose);
      return H5Tget_size(base.get()) == 1 && H5Tget_nmembers(type) == 2 ? Hdf5Kind::boolean
                                                                        : Hdf5Kind::other;
    }
    default:
      return Hdf5Kind::other;
  }
}

std::vector<std::uint64_t> shape_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank <= 0) return {};
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  return {sizes.begin(), sizes.begin() + rank};
}

/// A type of the same texts in memory: as long as they are, or of one length.
Handle text_type_in_memory(hid_t stored) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5Tis_variable_str(stored) > 0 ? H5T_VARIABLE : H5Tget_size(stored));
  H5Tset_cset(type.get(), H5Tget_cset(stored));
  H5Tset_strpad(type.get(), H5Tget_strpad(stored));
  return type;
}

std::string text_of_length(const char* text, std::size_t most, bool padded_with_blanks) {
  std::string_view found(text, strnlen(text, most));
  if (padded_with_blanks) found = found.substr(0, found.find_last_not_of(' ') + 1);
  return to_utf8(found);
}

/// Pointers that libhdf5 allocated for texts are freed at the end, whatever happens.
class VariableTexts {
 public:
  VariableTexts(std::size_t count, hid_t type, hid_t space)
      : texts_(count, nullptr), type_(type), space_(space) {}
  ~VariableTexts() {
    H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, static_cast<void*>(texts_.data()));
  }
  VariableTexts(const VariableTexts&) = delete;
  VariableTexts& operator=(const VariableTexts&) = delete;

  void* data() { return static_cast<void*>(texts_.data()); }
  std::string operator[](std::size_t i) const {
    return texts_[i] == nullptr ? "" : to_utf8(texts_[i]);
  }

 private:
  std::vector<char*> texts_;
  hid_t type_, space_;
};

/// The type of a field, as the only one of a compound in memory.
Handle field_type(hid_t field, const char* name) {
  Handle type(H5Tcreate(H5T_COMPOUND, H5Tget_size(field)), H5Tclose);
  H5Tinsert(type.get(), name, 0, field);
  return type;
}

}  // namespace

std::string last_hdf5_error() {
  std::string reason;
  const H5E_walk2_t keep_first = [](unsigned n, const H5E_error2_t* error, void* text) -> herr_t {
    try {
      if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    } catch (...) {
      return -1;
    }
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  return reason.empty() ? "unknown reason" : printable(reason, 120);
}

std::uint64_t Hdf5Dataset::chunk_bytes() const {
  if (chunk.empty()) return 0;
  std::uint64_t bytes = size;
  for (const std::uint64_t length : chunk)
    if (__builtin_mul_overflow(bytes, length, &bytes))
      return std::numeric_limits<std::uint64_t>::max() / 4;
  return bytes;
}

Hdf5File::Hdf5File(const std::filesystem::path& path) : name_(path.string()) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  // A file system without locks can be read, too.
  H5Pset_file_locking(access.get(), true, true);
#endif
  file_ = Handle(H5Fopen(name_.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (!file_) fail({name_}, "cannot be read as HDF5: {}", last_hdf5_error());
}

void Hdf5File::fail_to_read(const std::string& path) const {
  fail({name_}, "'{}' cannot be read: {}", printable(path), last_hdf5_error());
}

Handle Hdf5File::open(const std::string& path) const {
  const Handle access = link_access();
  return {H5Oopen(file_.get(), path.c_str(), access.get()), H5Oclose};
}

bool Hdf5File::has_group(const std::string& path) const {
  const Handle object = open(path);
  return object && H5Iget_type(object.get()) == H5I_GROUP;
}

bool Hdf5File::has_dataset(const std::string& path) const {
  const Handle object = open(path);
  return object && H5Iget_type(object.get()) == H5I_DATASET;
}

Hdf5Dataset Hdf5File::dataset(const std::string& path, std::uint64_t cached,
                              std::uint64_t chunks) const {
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_elink_cb(access.get(), reject_other_file, nullptr);
  // Chunks that were read completely go first. An odd number of slots, and more than chunks, gives
  // those of one row or one column of chunks different slots.
  constexpr std::uint64_t kSlots = 521;
  H5Pset_chunk_cache(access.get(), std::max(kSlots, 2 * chunks + 1), cached, 1);
  Hdf5Dataset found;
  found.path = path;
  found.id = Handle(H5Dopen2(file_.get(), path.c_str(), access.get()), H5Dclose);
  if (!found.id) fail_to_read(path);
  const Handle type(H5Dget_type(found.id.get()), H5Tclose);
  const Handle space(H5Dget_space(found.id.get()), H5Sclose);
  const Handle creation(H5Dget_create_plist(found.id.get()), H5Pclose);
  if (!type || !space || !creation) fail_to_read(path);
  found.kind = kind_of(type.get());
  found.size = H5Tget_size(type.get());
  found.is_signed = found.kind == Hdf5Kind::whole && H5Tget_sign(type.get()) == H5T_SGN_2;
  found.shape = shape_of(space.get());
  found.stored = H5Dget_storage_size(found.id.get());
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation.get()) > 0)
    fail({name_}, "'{}' has its numbers in other files", printable(path));
  if (layout == H5D_CHUNKED) {
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    const int rank = H5Pget_chunk(creation.get(), H5S_MAX_RANK, sizes.data());
    if (rank != static_cast<int>(found.shape.size())) fail_to_read(path);
    found.chunk.assign(sizes.begin(), sizes.begin() + rank);
  }
  const int filters = H5Pget_nfilters(creation.get());
  found.filtered = filters > 0;
  for (int k = 0; k < filters; ++k) {
    std::array<char, 64> filter{};
    unsigned flags = 0, config = 0;
    std::size_t parameters = 0;
    const H5Z_filter_t id =
        H5Pget_filter2(creation.get(), static_cast<unsigned>(k), &flags, &parameters, nullptr,
                       filter.size(), filter.data(), &config);
    if (id < 0 || H5Zfilter_avail(id) <= 0)
      fail({name_},
           "'{}' is packed by filter {} ('{}'), which the installed HDF5 library does not have: "
           "write it with gzip",
           printable(path), static_cast<int>(id), printable(filter.data()));
  }
  return found;
}

Handle Hdf5File::attribute(const std::string& path, const char* name) const {
  const Handle object = open(path);
  if (!object || H5Aexists(object.get(), name) <= 0) return {};
  return {H5Aopen(object.get(), name, H5P_DEFAULT), H5Aclose};
}

std::optional<std::string> Hdf5File::text_attribute(const std::string& path,
                                                    const char* name) const {
  const Handle attribute = this->attribute(path, name);
  if (!attribute) return {};
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Handle space(H5Aget_space(attribute.get()), H5Sclose);
  if (!type || !space || H5Tget_class(type.get()) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space.get()) != 1)
    return {};
  const Handle memory = text_type_in_memory(type.get());
  if (H5Tis_variable_str(type.get()) > 0) {
    VariableTexts texts(1, memory.get(), space.get());
    if (H5Aread(attribute.get(), memory.get(), texts.data()) < 0) fail_to_read(path);
    return texts[0];
  }
  if (H5Tget_size(memory.get()) > kLongestText) return {};
  std::string text(H5Tget_size(memory.get()), '\0');
  if (H5Aread(attribute.get(), memory.get(), text.data()) < 0) fail_to_read(path);
  return text_of_length(text.data(), text.size(), H5Tget_strpad(type.get()) == H5T_STR_SPACEPAD);
}

std::vector<std::int64_t> Hdf5File::number_attribute(const std::string& path,
                                                     const char* name) const {
  const Handle attribute = this->attribute(path, name);
  if (!attribute) return {};
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Handle space(H5Aget_space(attribute.get()), H5Sclose);
  constexpr hssize_t kMost = 64;
  const hssize_t count = space ? H5Sget_simple_extent_npoints(space.get()) : -1;
  if (!type || H5Tget_class(type.get()) != H5T_INTEGER || count < 1 || count > kMost) return {};
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  if (H5Aread(attribute.get(), H5T_NATIVE_INT64, numbers.data()) < 0) fail_to_read(path);
  return numbers;
}

std::vector<std::string> Hdf5File::texts(const std::string& path, std::uint64_t expected,
                                         const char* field) const {
  constexpr std::uint64_t kStep = 4096;
  const Hdf5Dataset dataset = this->dataset(path, std::uint64_t{1} << 20);
  Handle stored(H5Dget_type(dataset.id.get()), H5Tclose);
  if (field != nullptr) {
    const int member =
        dataset.kind == Hdf5Kind::compound ? H5Tget_member_index(stored.get(), field) : -1;
    if (member < 0) return {};
    stored = Handle(H5Tget_member_type(stored.get(), static_cast<unsigned>(member)), H5Tclose);
  }
  if (dataset.shape.size() != 1 || H5Tget_class(stored.get()) != H5T_STRING) return {};
  if (dataset.shape[0] != expected)
    fail({name_}, "'{}' has {} names for {}", printable(path), dataset.shape[0], expected);
  const Handle text_type = text_type_in_memory(stored.get());
  const Handle memory = field != nullptr ? field_type(text_type.get(), field)
                                         : Handle(H5Tcopy(text_type.get()), H5Tclose);
  const bool variable = H5Tis_variable_str(stored.get()) > 0;
  const bool blanks = H5Tget_strpad(stored.get()) == H5T_STR_SPACEPAD;
  const std::size_t length = variable ? sizeof(char*) : H5Tget_size(text_type.get());
  if (length > kLongestText)
    fail({name_}, "'{}' has names of {} bytes: too long", printable(path), length);

  const Handle space(H5Dget_space(dataset.id.get()), H5Sclose);
  std::vector<std::string> names;
  std::string fixed;
  for (hsize_t done = 0; done < dataset.shape[0];) {
    const hsize_t count = std::min<hsize_t>(kStep, dataset.shape[0] - done);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &done, nullptr, &count, nullptr);
    const Handle block(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const auto read = [&](void* to) {
      if (H5Dread(dataset.id.get(), memory.get(), block.get(), space.get(), H5P_DEFAULT, to) < 0)
        fail_to_read(path);
    };
    if (variable) {
      VariableTexts texts(count, memory.get(), block.get());
      read(texts.data());
      for (std::size_t i = 0; i < count; ++i) names.push_back(texts[i]);
    } else {
      fixed.resize(count * length);
      read(fixed.data());
      for (std::size_t i = 0; i < count; ++i)
        names.push_back(text_of_length(fixed.data() + i * length, length, blanks));
    }
    done += count;
  }
  return names;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  constexpr hsize_t kMost = 1000;
  const Handle object = open(group);
  H5G_info_t info{};
  if (!object || H5Iget_type(object.get()) != H5I_GROUP || H5Gget_info(object.get(), &info) < 0)
    return {};
  std::vector<std::string> names;
  for (hsize_t k = 0; k < std::min<hsize_t>(info.nlinks, kMost); ++k) {
    std::array<char, 512> name{};
    const ssize_t length = H5Lget_name_by_idx(object.get(), ".", H5_INDEX_NAME, H5_ITER_INC, k,
                                              name.data(), name.size(), H5P_DEFAULT);
    if (length > 0 && length < static_cast<ssize_t>(name.size())) names.emplace_back(name.data());
  }
  return names;
}

}  // namespace spcart::io
