#include <pty.h>

#include "command.hpp"

namespace spcart::testing {
namespace {

/// What the command writes to standard error if that is a terminal of this width.
std::string written_to_terminal(const std::vector<std::string>& arguments, int width) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(width);
  int terminal = -1, end = -1;
  if (openpty(&terminal, &end, nullptr, nullptr, &size) != 0) return "";
  fcntl(terminal, F_SETFD, FD_CLOEXEC);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t child = fork();
  if (child == 0)
    become_command(arguments, {.environment = {{"TERM", "xterm"}}}, nowhere, nowhere, end);
  close(end);
  close(nowhere);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t count = 0; (count = read(terminal, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
  return text;
}

/// A line that wraps would leave remains when it is erased.
TEST(CommandProgress, IsNotWiderThanTheTerminal) {
  const std::string erase = "\r\x1b[K";
  for (const int width : {60, 80}) {
    const std::string text =
        written_to_terminal({"fit", "@random:n=60,p=150", "-r", "1", "--method", "exact",
                             "--nonzeros", "12", "--time-limit", "1"},
                            width);
    int longest = 0;
    for (std::size_t at = text.find(erase); at != std::string::npos;) {
      const std::size_t next = text.find(erase, at + 1);
      const std::string line = text.substr(at + erase.size(), next - at - erase.size());
      if (next != std::string::npos) longest = std::max(longest, static_cast<int>(line.size()));
      at = next;
    }
    EXPECT_EQ(longest, width - 1) << text;
  }
}

}  // namespace
}  // namespace spcart::testing
