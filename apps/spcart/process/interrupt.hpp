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

/// Whether a stop was requested.
bool interrupted();

/// What the command is doing, as in "interrupted while reading the data". The text must outlive the
/// call.
void set_activity(const char* doing);

/// Remembers that an output is complete.
void note_written(const std::string& name);

/// Reports on standard error, once, what the command was doing when it was interrupted.
void report_interruption();

}  // namespace spcart::command
