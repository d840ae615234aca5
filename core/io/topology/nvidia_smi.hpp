// SPDX-License-Identifier: Apache-2.0
// The output of `nvidia-smi topo -m`: a matrix of the connections between any two GPUs. Other text is skipped, so a log
// or the answers of several machines in one file are accepted. Lines of `nvidia-smi -L` in it name the GPUs.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// Returns true if the first lines have a heading of such a matrix.
bool looks_like_nvidia_smi_topology(const std::string& text);

/// A matrix a machine, called `name`. Errors carry the line.
Result<FoundMachines> machines_from_nvidia_smi(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::topology
