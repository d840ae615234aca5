// SPDX-License-Identifier: Apache-2.0
// This machine as described by its libraries: GPUs and their links by NVML, CPUs by hwloc if the program was built with
// it, network cards by the kernel. NVML is loaded on demand. Detection loads the driver, so the window runs it in a
// child process.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::runtime::machine {

/// The device type of profiles measured here and of cpu_cluster: one thread of this machine's CPU.
inline constexpr const char* cpu_device_type = "CPU-core";

struct LocalMachine {
  std::optional<DetectedMachine> gpus;  ///< absent: NVML reports none, and the notes hold the reason
  int cores = 1;                        ///< of all CPUs; hardware threads of one core count once
  std::vector<std::string> notes;
};

LocalMachine local_machine();

/// Returns the versions of the libraries that training loads, by name: {"oneDNN", "2.6.3"}.
std::vector<std::pair<std::string, std::string>> library_versions();

/// Returns the size of this machine's main memory.
Bytes physical_memory();

}  // namespace pipedeck::runtime::machine
