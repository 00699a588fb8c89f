#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#include "spcart/error.hpp"

namespace spcart::testing {

/// A directory that is removed, with its content, at the end of a test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "spcart-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// Writes a file and returns its path.
  std::filesystem::path file(std::string_view name, std::string_view content) const {
    // Some file systems flush a file that is truncated and written again.
    std::filesystem::remove(path_ / name);
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

  std::ptrdiff_t files() const {
    const std::filesystem::directory_iterator all(path_);
    return std::distance(begin(all), end(all));
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The message of the Error that f throws; anything else fails the test.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "not an Error: " << other.what();
    return "";
  }
  ADD_FAILURE() << "no Error";
  return "";
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

#define EXPECT_HAS(text, part) EXPECT_TRUE(::spcart::testing::has(text, part)) << (text)

/// The bytes of an unsigned number, lowest first.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

/// A gzip member that stores its content without compressing it; at most 65535 bytes.
inline std::string gzipped(std::string_view content) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : content) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  std::string out("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01", 11);
  out += little_endian(content.size(), 2) + little_endian(~content.size(), 2);
  out += content;
  return out + little_endian(~crc, 4) + little_endian(content.size(), 4);
}

/// A copy of `text` with a few bytes changed, inserted, removed or repeated.
inline std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t size) { return random() % std::max<std::size_t>(size, 1); };
  const std::string favourites = "0123456789-+.eE,;\t \n\r\"'(){}%NaIf\x00\xff\x1f\x8b";
  for (std::size_t change = 0, changes = 1 + below(4); change < changes; ++change) {
    const std::size_t at = below(text.size());
    const char byte = random() % 2 == 0 ? favourites[below(favourites.size())]
                                        : static_cast<char>(random() % 256);
    switch (random() % 5) {
      case 0:
        if (!text.empty()) text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        text.erase(at, 1 + below(5));
        break;
      case 3:
        text.insert(at, text.substr(at, below(20)));
        break;
      default:
        text.insert(at, std::to_string(random()));
    }
  }
  return text;
}

}  // namespace spcart::testing
