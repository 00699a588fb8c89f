#include "io/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "io/text.hpp"
#include "spcart/io.hpp"
#include "table/open_file.hpp"

namespace spcart {

namespace io {

namespace {

namespace fs = std::filesystem;

/// The temporary files that exist now.
class Unfinished {
 public:
  static Unfinished& instance() {
    static Unfinished unfinished;
    return unfinished;
  }

  void add(const fs::path& path) {
    const std::lock_guard lock(mutex_);
    paths_.insert(path);
  }

  void forget(const fs::path& path) {
    const std::lock_guard lock(mutex_);
    paths_.erase(path);
  }

  void remove_all() {
    const std::lock_guard lock(mutex_);
    for (const fs::path& path : paths_) ::unlink(path.c_str());
    paths_.clear();
  }

 private:
  std::mutex mutex_;
  std::set<fs::path> paths_;
};

}  // namespace

void fail_to_write(const fs::path& path, int error) {
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", printable(path.string(), 4096),
                                       std::generic_category().message(error)));
}

TemporaryFile::TemporaryFile(fs::path target, Access access) : target_(std::move(target)) {
  std::random_device random;
  for (int tries = 0; descriptor_ < 0; ++tries) {
    path_ = target_.parent_path() / fmt::format(".spcart-{}-{:08x}.tmp", ::getpid(), random());
    Unfinished::instance().add(path_);
    const mode_t mode = access == Access::owner ? 0600 : 0666;
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ >= 0) break;
    const int error = errno;
    Unfinished::instance().forget(path_);
    if (error != EEXIST || tries > 100) fail_to_write(target_, error);
  }
  struct stat old {};
  constexpr mode_t kPermissions = 0777;
  if (::stat(target_.c_str(), &old) == 0) ::fchmod(descriptor_, old.st_mode & kPermissions);
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  make_nameless();
}

void TemporaryFile::write_at(std::uint64_t offset, const char* data, std::size_t count) const {
  while (count > 0) {
    const ssize_t done = ::pwrite(descriptor_, data, count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_to_write(target_, errno);
    data += done;
    offset += static_cast<std::uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
}

std::shared_ptr<const OpenFile> TemporaryFile::open(std::string name) const {
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) fail_to_write(target_, errno);
  return std::make_shared<const OpenFile>(copy, std::move(name));
}

void TemporaryFile::make_nameless() {
  if (std::exchange(named_, false)) ::unlink(path_.c_str());
  Unfinished::instance().forget(path_);
}

void TemporaryFile::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail_to_write(target_, errno);
}

void TemporaryFile::rename() {
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail_to_write(target_, errno);
  named_ = false;
  Unfinished::instance().forget(path_);
}

}  // namespace io

void remove_unfinished_files() noexcept { io::Unfinished::instance().remove_all(); }

}  // namespace spcart
