#include "table/open_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "spcart/error.hpp"

namespace spcart {
namespace {

[[noreturn]] void fail(const std::string& name, std::string_view what, int error) {
  throw Error(fmt::format("cannot be {}: {}", what, std::generic_category().message(error)))
      .in(name);
}

}  // namespace

OpenFile::OpenFile(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {
  try {
    identity_ = identity_now();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

OpenFile::~OpenFile() { ::close(descriptor_); }

FileIdentity OpenFile::identity_now() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(name_, "read", errno);
  if (!S_ISREG(status.st_mode))
    throw Error("is no regular file, so that it cannot be read twice").in(name_);
  constexpr std::int64_t kNanoseconds = 1000000000;
  return {.device = static_cast<std::uint64_t>(status.st_dev),
          .inode = static_cast<std::uint64_t>(status.st_ino),
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

void OpenFile::check_unchanged() const {
  if (identity_now() != identity_) throw Error("changed while it was being read").in(name_);
}

void OpenFile::read(std::uint64_t offset, char* to, std::size_t count) const {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // a single call reads no more than 2 GB
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = ::pread(descriptor_, to + done, std::min(count - done, kMost),
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, "read", errno);
    if (got == 0) {
      check_unchanged();
      throw Error(fmt::format("ends at byte {}, but {} should follow", offset + done, count - done))
          .in(name_);
    }
    done += static_cast<std::size_t>(got);
  }
  bytes_read_ += count;
}

std::shared_ptr<const OpenFile> open_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path.string(), "opened", errno);
  return std::make_shared<const OpenFile>(descriptor, path.string());
}

}  // namespace spcart
