#include "io/hdf5/rehearse.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>

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

/// Writes the rule of an Error to the pipe; the result is the status of the copy.
int status_of(const std::function<void()>& work, int pipe) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    const std::string& rule = error.rule();
    return ::write(pipe, rule.data(), rule.size()) == static_cast<ssize_t>(rule.size()) ? kRejected
                                                                                        : kFailed;
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

void rehearse(const std::string& file, const std::function<void()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const pid_t copy = ::fork();
  if (copy == 0) {
    limit_copy();
    ::_exit(status_of(work, ends[1]));
  }
  ::close(ends[1]);
  const std::string rule = copy > 0 ? read_all(ends[0]) : "";
  ::close(ends[0]);
  if (copy < 0) return;  // a system without room for it can still read the file
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0)
    if (errno != EINTR) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (!rule.empty()) fail({file}, "{}", rule);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGINT || signal == SIGTERM) return;  // the program is interrupted, too
  fail({file}, "is damaged: libhdf5 cannot read its structure or its names");
}

}  // namespace spcart::io
