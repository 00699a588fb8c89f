#include "io/numpy/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "io/text.hpp"
#include "table/open_file.hpp"

namespace spcart::io {

namespace {

constexpr std::uint64_t kShortField = 0xffff, kLongField = 0xffffffff;

/// Numbers in the records of a zip archive, which are little-endian.
std::uint64_t zip_number(std::string_view record, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(record[at + i]);
  return number;
}

std::string read_part(const OpenFile& archive, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > archive.size() || bytes > archive.size() - offset)
    fail({archive.name()}, "is a truncated zip archive");
  std::string part(bytes, '\0');
  archive.read(offset, part.data(), part.size());
  return part;
}

struct ZipDirectory {
  std::uint64_t members = 0, bytes = 0, offset = 0;
};

/// The record at the end, in front of a comment, and the longer one that it refers to if a number
/// does not fit in it.
ZipDirectory find_directory(const OpenFile& archive) {
  constexpr std::size_t kEnd = 22, kLocator = 20, kLongEnd = 56;
  const std::uint64_t searched = std::min<std::uint64_t>(archive.size(), kEnd + kShortField);
  const std::uint64_t first = archive.size() - searched;
  const std::string tail = read_part(archive, first, searched);
  std::size_t at = tail.rfind(std::string_view("PK\x05\x06", 4));
  while (at != std::string::npos && tail.size() - at < kEnd && at > 0)
    at = tail.rfind(std::string_view("PK\x05\x06", 4), at - 1);
  if (at == std::string::npos || tail.size() - at < kEnd)
    fail({archive.name()}, "is no complete zip archive: it has no directory at its end");
  const std::string_view end = std::string_view(tail).substr(at);
  const ZipDirectory found{zip_number(end, 10, 2), zip_number(end, 12, 4), zip_number(end, 16, 4)};
  if (found.members != kShortField && found.bytes != kLongField && found.offset != kLongField)
    return found;
  const std::uint64_t end_offset = first + at;
  if (end_offset < kLocator) return found;
  const std::string locator = read_part(archive, end_offset - kLocator, kLocator);
  if (!locator.starts_with(std::string_view("PK\x06\x07", 4))) return found;
  const std::string longer = read_part(archive, zip_number(locator, 8, 8), kLongEnd);
  if (!longer.starts_with(std::string_view("PK\x06\x06", 4)))
    fail({archive.name()}, "is a broken zip archive: its directory is not where it should be");
  return {zip_number(longer, 32, 8), zip_number(longer, 40, 8), zip_number(longer, 48, 8)};
}

/// Sizes and the offset that do not fit in 32 bits stand in an extra field, in this order.
void read_long_fields(std::string_view extra, ZipEntry& entry) {
  constexpr std::uint64_t kLong = 1;
  while (extra.size() >= 4) {
    const std::uint64_t kind = zip_number(extra, 0, 2);
    const std::size_t bytes = std::min<std::size_t>(zip_number(extra, 2, 2), extra.size() - 4);
    std::string_view field = extra.substr(4, bytes);
    extra.remove_prefix(4 + bytes);
    if (kind != kLong) continue;
    for (std::uint64_t* number : {&entry.size, &entry.packed, &entry.header}) {
      if (*number != kLongField || field.size() < 8) continue;
      *number = zip_number(field, 0, 8);
      field.remove_prefix(8);
    }
  }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const OpenFile& archive) {
  constexpr std::size_t kRecord = 46;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;
  const std::string& file = archive.name();
  const ZipDirectory directory = find_directory(archive);
  if (directory.bytes > kMostBytes)
    fail({file}, "has a zip directory of {} bytes: too long", directory.bytes);
  const std::string text = read_part(archive, directory.offset, directory.bytes);
  std::vector<ZipEntry> entries;
  for (std::string_view rest = text; entries.size() < directory.members;) {
    if (rest.size() < kRecord || !rest.starts_with(std::string_view("PK\x01\x02", 4)))
      fail({file}, "is a broken zip archive: its directory ends after {} of {} members",
           entries.size(), directory.members);
    const std::size_t name = zip_number(rest, 28, 2), extra = zip_number(rest, 30, 2);
    const std::size_t whole = kRecord + name + extra + zip_number(rest, 32, 2);
    if (whole > rest.size()) fail({file}, "is a broken zip archive: its directory is cut off");
    ZipEntry entry{.name = std::string(rest.substr(kRecord, name)),
                   .header = zip_number(rest, 42, 4),
                   .packed = zip_number(rest, 20, 4),
                   .size = zip_number(rest, 24, 4),
                   .crc = static_cast<std::uint32_t>(zip_number(rest, 16, 4))};
    read_long_fields(rest.substr(kRecord + name, extra), entry);
    const std::uint64_t flags = zip_number(rest, 8, 2), method = zip_number(rest, 10, 2);
    if ((flags & 1) != 0) fail({file}, "'{}' is encrypted", printable(entry.name));
    if (method != 0 && method != Z_DEFLATED)
      fail({file}, "'{}' is packed by method {}; only deflate is known", printable(entry.name),
           method);
    entry.deflated = method == Z_DEFLATED;
    entries.push_back(std::move(entry));
    rest.remove_prefix(whole);
  }
  return entries;
}

void ZipMember::EndInflate::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

ZipMember::ZipMember(std::shared_ptr<const OpenFile> archive, ZipEntry entry)
    : archive_(std::move(archive)), entry_(std::move(entry)) {
  constexpr std::size_t kHeader = 30, kBuffer = std::size_t{1} << 18;
  const std::string header = read_part(*archive_, entry_.header, kHeader);
  if (!header.starts_with(kZipMagic)) reject("is not where the directory of the archive says");
  next_ = entry_.header + kHeader + zip_number(header, 26, 2) + zip_number(header, 28, 2);
  if (next_ > archive_->size() || entry_.packed > archive_->size() - next_) reject("is cut off");
  end_ = next_ + entry_.packed;
  if (!entry_.deflated) {
    if (entry_.packed != entry_.size) reject("is stored, but its two sizes differ");
    return;
  }
  input_.resize(kBuffer);
  auto stream = std::make_unique<z_stream>();
  constexpr int kWithoutHeader = -15;
  if (inflateInit2(stream.get(), kWithoutHeader) != Z_OK) throw std::bad_alloc();
  stream_.reset(stream.release());
}

ZipMember::~ZipMember() = default;

void ZipMember::reject(std::string_view rule) const {
  fail({archive_->name()}, "'{}' {}", printable(entry_.name), rule);
}

std::size_t ZipMember::read_packed(char* to, std::size_t count) {
  const auto got = std::min<std::uint64_t>(count, end_ - next_);
  archive_->read(next_, to, got);
  next_ += got;
  return got;
}

std::size_t ZipMember::inflate(char* to, std::size_t count) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::size_t done = 0;
  while (done < count) {
    if (stream_->avail_in == 0) {
      stream_->next_in = reinterpret_cast<Bytef*>(input_.data());
      stream_->avail_in = static_cast<uInt>(read_packed(input_.data(), input_.size()));
    }
    const auto room = static_cast<uInt>(std::min(count - done, kStep));
    const bool at_end = stream_->avail_in == 0;
    stream_->next_out = reinterpret_cast<Bytef*>(to + done);
    stream_->avail_out = room;
    const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
    done += room - stream_->avail_out;
    if (status == Z_STREAM_END) break;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if ((status != Z_OK && status != Z_BUF_ERROR) || (at_end && stream_->avail_out == room))
      reject("is not validly deflated");
  }
  return done;
}

std::size_t ZipMember::read(char* to, std::size_t count) {
  count = std::min<std::uint64_t>(count, entry_.size - done_);
  if (count == 0) return 0;
  const std::size_t got = stream_ ? inflate(to, count) : read_packed(to, count);
  crc_ = static_cast<std::uint32_t>(crc32_z(crc_, reinterpret_cast<const Bytef*>(to), got));
  done_ += got;
  if (got < count) reject("ends before its size");
  if (done_ == entry_.size && crc_ != entry_.crc) reject("is damaged: its checksum is wrong");
  return got;
}

}  // namespace spcart::io
