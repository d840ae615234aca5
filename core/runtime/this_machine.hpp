// SPDX-License-Identifier: Apache-2.0
// This machine as its libraries describe it: GPUs and their links by NVML, which is looked up when asked for,
// processors by hwloc where the program was built with it, network cards by the kernel. Reading this loads the driver:
// the window asks a child process for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/domain/found_machine.hpp"

namespace pipedeck {

struct ThisMachine {
  std::optional<FoundMachine> gpus;  ///< absent: none that NVML tells of, and why stands in the notes
  int cores = 1;                     ///< of all processors, threads of one core once
  std::vector<std::string> notes;
};

ThisMachine this_machine();

}  // namespace pipedeck
