#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "io/temporary_file.hpp"
#include "io/text.hpp"
#include "spcart/output.hpp"

namespace spcart {

namespace {

namespace fs = std::filesystem;

using io::fail_to_write;
using io::TemporaryFile;

std::string reason(int error) { return std::generic_category().message(error); }

/// A descriptor for writing that reports all errors, also those of closing it.
class Writer {
 public:
  Writer(const fs::path& name, int file) : name_(name), file_(file) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (file_ > STDERR_FILENO) ::close(file_);
  }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t done = ::write(file_, text.data(), text.size());
      if (done < 0 && errno != EINTR) fail_to_write(name_, errno);
      if (done > 0) text.remove_prefix(static_cast<std::size_t>(done));
    }
  }

  void close() {
    if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) fail_to_write(name_, errno);
  }

 private:
  const fs::path& name_;
  int file_;
};

/// Whether the path is written directly, because it is not a regular file that could be replaced.
bool has_no_temporary(const fs::path& path) {
  if (path == "-") return true;
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return (fs::exists(status) && !fs::is_regular_file(status)) || path.string().starts_with("/dev/");
}

void write_directly(const fs::path& path, std::string_view text) {
  if (path == "-") {
    const fs::path name = "standard output";
    std::fflush(stdout);
    return Writer(name, STDOUT_FILENO).write(text);
  }
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) fail_to_write(path, errno);
  Writer writer(path, file);
  writer.write(text);
  writer.close();
}

void check_writable(const fs::path& path) {
  const std::string name = path.string();
  if (name.empty()) throw Error("the name of a file to write is empty");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status) || !path.has_filename()) io::fail({name}, "is a directory");
  if (error && status.type() == fs::file_type::none)
    io::fail({name}, "cannot be written: {}", error.message());
  if (fs::exists(status)) {
    if (::access(path.c_str(), W_OK) != 0) io::fail({name}, "cannot be written: {}", reason(errno));
    if (has_no_temporary(path)) return;
  }
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, error))
    io::fail({name}, "there is no directory {}", io::printable(parent.string(), 4096));
  if (::access(parent.c_str(), W_OK | X_OK) != 0) {
    io::fail({name}, "no file can be made in {}: {}", io::printable(parent.string(), 4096),
             reason(errno));
  }
}

}  // namespace

/// What commit has to do: rename a file, or write a text.
struct OutputFile::Pending {
  std::unique_ptr<TemporaryFile> temporary;
  std::string text;
};

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_ != "-") check_writable(path_);
}

OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

bool OutputFile::is_direct() const { return has_no_temporary(path_); }

void OutputFile::prepare(std::string_view text) {
  auto pending = std::make_unique<Pending>();
  if (is_direct()) {
    pending->text = text;
  } else {
    // A link stays a link: its target is replaced.
    std::error_code error;
    fs::path target = fs::canonical(path_, error);
    if (error) target = path_;
    pending->temporary = std::make_unique<TemporaryFile>(std::move(target));
    pending->temporary->write_at(0, text.data(), text.size());
    pending->temporary->close();
  }
  pending_ = std::move(pending);
}

void OutputFile::commit() {
  const std::unique_ptr<Pending> pending = std::move(pending_);
  if (!pending) throw std::logic_error("nothing is prepared");
  if (pending->temporary)
    pending->temporary->rename();
  else
    write_directly(path_, pending->text);
}

}  // namespace spcart
