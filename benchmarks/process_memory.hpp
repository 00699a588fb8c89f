#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace spcart::benchmarks {

/// Bytes of memory that this process uses now, and its peak, as reported by the kernel.
struct ProcessMemory {
  std::int64_t now = 0, peak = 0;
};

inline ProcessMemory memory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) memory.now = std::stoll(line.substr(6)) * 1024;
    if (line.starts_with("VmHWM:")) memory.peak = std::stoll(line.substr(6)) * 1024;
  }
  return memory;
}

/// Resets the peak. If the kernel does not support that, the peak counts from the start.
inline void reset_memory_peak() { std::ofstream("/proc/self/clear_refs") << "5\n"; }

}  // namespace spcart::benchmarks
