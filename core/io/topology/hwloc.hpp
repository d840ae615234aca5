// SPDX-License-Identifier: Apache-2.0
// A machine as hwloc 2 describes it, in the file that `lstopo --of xml` writes (hwloc's manual, "Importing and
// exporting topologies from/to XML files"): packages and NUMA nodes, the PCI tree with the speed of its links, GPUs and
// network cards by their PCI class and by what the system calls them, and NVLink where hwloc was built with NVML.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// XML whose root is <topology>.
bool looks_like_hwloc_topology(const std::string& text);

/// Returns one machine, with the file's name for it, else `name`. Errors carry the line.
Result<FoundMachines> machines_from_hwloc(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::topology
