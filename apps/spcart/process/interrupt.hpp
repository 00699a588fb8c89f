#pragma once

#include <string>
#include <thread>

namespace spcart::command {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask the work to stop. Work that does not notice
/// within half a second, or is asked twice, is ended together with the process: unfinished files
/// are removed first.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  std::thread watcher_;
};

/// Was a stop asked for?
bool interrupted();

/// What the command is doing, as in "interrupted while reading the data". The text must live on.
void set_activity(const char* doing);

/// Remembers that an output is complete.
void note_written(const std::string& name);

/// Says on standard error, once, in what the command was interrupted.
void report_interruption();

}  // namespace spcart::command
