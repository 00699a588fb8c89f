#pragma once

#include <zlib.h>

#include <string>
#include <vector>

#include "temporary.hpp"

namespace spcart::testing {

struct ZipPart {
  std::string name, content;
  bool deflated = false;
};

/// Without the header that zlib puts before it.
inline std::string deflated(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A zip archive; `large`: with the fields that archives of more than 4 GB have.
inline std::string zip_of(const std::vector<ZipPart>& parts, bool large = false) {
  const auto n = [](std::uint64_t value, int bytes) { return little_endian(value, bytes); };
  std::string archive, directory;
  for (const ZipPart& part : parts) {
    const std::string packed = part.deflated ? deflated(part.content) : part.content;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(part.content.data()),
                           static_cast<uInt>(part.content.size()));
    const std::size_t header = archive.size();
    const std::string common = n(0, 2) + n(part.deflated ? 8 : 0, 2) + n(0, 4) + n(crc, 4);
    const std::string sizes = large ? n(0xffffffff, 4) + n(0xffffffff, 4)
                                    : n(packed.size(), 4) + n(part.content.size(), 4);
    const std::string longer = n(part.content.size(), 8) + n(packed.size(), 8);
    const std::string local = large ? n(1, 2) + n(16, 2) + longer : "";
    const std::string central =
        large ? n(9, 2) + n(0, 2) + n(1, 2) + n(24, 2) + longer + n(header, 8) : "";
    archive += "PK\x03\x04" + n(45, 2) + common + sizes + n(part.name.size(), 2) +
               n(local.size(), 2) + part.name + local + packed;
    directory += "PK\x01\x02" + n(45, 2) + n(45, 2) + common + sizes + n(part.name.size(), 2) +
                 n(central.size(), 2) + n(0, 2) + n(0, 2) + n(0, 2) + n(0, 4) +
                 n(large ? 0xffffffff : header, 4) + part.name + central;
  }
  const std::uint64_t at = archive.size();
  archive += directory;
  if (large) {
    const std::uint64_t end = archive.size();
    archive += "PK\x06\x06" + n(44, 8) + n(45, 2) + n(45, 2) + n(0, 4) + n(0, 4) +
               n(parts.size(), 8) + n(parts.size(), 8) + n(directory.size(), 8) + n(at, 8);
    archive += "PK\x06\x07" + n(0, 4) + n(end, 8) + n(1, 4);
  }
  const std::uint64_t count = large ? 0xffff : parts.size();
  return archive + "PK\x05\x06" + n(0, 2) + n(0, 2) + n(count, 2) + n(count, 2) +
         n(large ? 0xffffffff : directory.size(), 4) + n(large ? 0xffffffff : at, 4) + n(0, 2);
}

}  // namespace spcart::testing
