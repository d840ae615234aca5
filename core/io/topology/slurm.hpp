// SPDX-License-Identifier: Apache-2.0
// A cluster as Slurm describes it: the text of `scontrol show nodes` (or the NodeName lines of slurm.conf(5)) for what
// GPUs its nodes have, topology.conf(5) for the switches above them.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// Returns true if a line begins with NodeName= or SwitchName=.
bool looks_like_slurm(const std::string& text);

/// Returns nodes with GPUs as machines, and switches as a checked forest; omissions are noted. Slurm does not know the
/// interconnect of a node's GPUs. Errors carry the line.
Result<FoundMachines> machines_from_slurm(const std::string& text);

}  // namespace pipedeck::io::topology
