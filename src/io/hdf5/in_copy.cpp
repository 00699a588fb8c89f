#include "io/hdf5/in_copy.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string_view>
#include <vector>

#include "io/text.hpp"

namespace spcart::io {

namespace {

constexpr int kRejected = 2, kFailed = 3;

void limit(auto resource, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(resource, &both);
}

/// Neither a memory dump, nor messages, nor a handler of the program; some seconds of work, and a
/// gigabyte more than the program has.
void limit_copy() {
  if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, SIG_DFL);
  constexpr rlim_t kSeconds = 20, kMore = rlim_t{1} << 30;
  rlim_t pages = 0;
  if (std::ifstream("/proc/self/statm") >> pages)
    limit(RLIMIT_AS, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kMore);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, kSeconds);
}

bool write_all(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(pipe, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// Ends the process if its heap is damaged as far as the allocator can tell: it looks at what it
/// takes from its lists and at what it joins.
void check_heap() {
  H5close();
  ::malloc_trim(0);
  constexpr std::size_t kLargest = std::size_t{1} << 17;
  std::vector<std::vector<char>> blocks;
  for (std::size_t size = 16; size < kLargest; size += size / 8)
    for (int k = 0; k < 4; ++k) blocks.emplace_back(size);
  blocks.clear();
  ::malloc_trim(0);
}

/// Writes to the pipe what work returns, or the rule of an Error; the result is the status of the
/// copy.
int status_of(const std::function<std::string()>& work, int pipe) {
  try {
    const std::string found = work();
    check_heap();
    return write_all(pipe, found) ? 0 : kFailed;
  } catch (const Error& error) {
    return write_all(pipe, error.rule()) ? kRejected : kFailed;
  } catch (...) {
    return kFailed;
  }
}

std::string read_all(int pipe) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string in_copy(const std::string& file, const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return work();
  const pid_t copy = ::fork();
  if (copy == 0) {
    limit_copy();
    ::_exit(status_of(work, ends[1]));
  }
  ::close(ends[1]);
  std::string found = copy > 0 ? read_all(ends[0]) : "";
  ::close(ends[0]);
  if (copy < 0) return work();  // a system without room for it can still read the file
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0)
    if (errno != EINTR) return work();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return found;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRejected) fail({file}, "{}", found);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGINT || signal == SIGTERM) return work();  // the program is interrupted, too
  fail({file}, "is damaged: libhdf5 cannot read its structure or its names");
}

}  // namespace spcart::io
