// SPDX-License-Identifier: Apache-2.0
// What `nvidia-smi topo -m` prints: a matrix of what lies between any two GPUs. Text around it is passed over, so that
// a log or the answers of several machines in one file will do; the lines of `nvidia-smi -L` beside it name the GPUs.
#pragma once

#include <string>

#include "core/domain/found_machine.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// Whether a heading of such a matrix stands in the first lines.
bool looks_like_nvidia_smi_topology(const std::string& text);

/// A matrix a machine, called `name`. Errors carry the line.
Result<FoundMachines> machines_from_nvidia_smi(const std::string& text, const std::string& name);

}  // namespace pipedeck
